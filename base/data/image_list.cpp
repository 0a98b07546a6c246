#include "base/torch.h"

#include "base/data/image_list.h"

#include <algorithm>
#include <cctype>
#include <system_error>
#include <utility>

#include "base/data/data_file.h"
#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/suggest.h"

namespace base {
namespace {

bool is_picture(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return ending == ".jpg" || ending == ".jpeg" || ending == ".png";
}

/// The names in a folder that pass, sorted; a folder that cannot be read is a data Error.
template <typename Passes>
std::vector<std::string> names_in(const std::filesystem::path& folder, Passes passes) {
  std::vector<std::string> names;
  std::error_code problem;
  std::filesystem::directory_iterator entry(folder, problem);
  for (; !problem && entry != std::filesystem::directory_iterator(); entry.increment(problem))
    if (passes(*entry)) names.push_back(entry->path().filename().string());
  if (problem) {
    throw Error(ErrorKind::kData, "the folder of pictures cannot be read", format("{} ({})", folder, problem.message()),
                "give a folder with one folder for each class, with the pictures in it");
  }
  std::ranges::sort(names);
  return names;
}

std::int64_t class_of(const std::filesystem::path& folder, const std::vector<std::string>& class_names) {
  const std::string name = folder.filename().string();
  const auto found = std::ranges::find(class_names, name);
  if (found != class_names.end()) return found - class_names.begin();
  const std::vector<std::string_view> known(class_names.begin(), class_names.end());
  const std::string_view nearest = nearest_word(name, known);
  throw Error(ErrorKind::kData, format("the folder is none of the {} classes", known.size()), folder.string(),
              nearest.empty() ? "rename or remove it, or add the class" : format("did you mean {}?", nearest));
}

int shrink_of(const ImageSize& size, std::int64_t shorter_side) {
  int shrink = 1;
  while (shorter_side > 0 && shrink < 8 && std::min(size.width, size.height) / (2 * shrink) >= shorter_side)
    shrink *= 2;
  return shrink;
}

}  // namespace

std::string ImageList::where(std::int64_t index) const {
  if (csv.empty()) return path(index).string();
  const auto row = static_cast<std::size_t>(index);
  return format("{}:{} ({})", csv, lines[row], files[row]);
}

ImageList read_image_list(const std::filesystem::path& csv, const ImageListOptions& options) {
  const CsvFile file(csv, options.csv);
  ImageList list{.folder = csv.parent_path(),
                 .files = file.column(options.path_column),
                 .labels = {},
                 .class_names = {},
                 .csv = csv,
                 .lines = {}};
  for (std::int64_t row = 0; row < file.rows(); ++row) {
    list.lines.push_back(file.line(row));
    if (list.files[static_cast<std::size_t>(row)].empty()) {
      throw Error(ErrorKind::kData, format("{}: the path of the picture is empty", file.where(row)), "",
                  "give the path, or take out the row");
    }
  }
  if (!options.label.column.empty()) {
    Labels labels = read_labels(file, options.label);
    list.labels = std::move(labels.values);
    list.class_names = std::move(labels.names);
  }
  return list;
}

std::vector<std::string> class_folders(const std::filesystem::path& folder) {
  return names_in(folder, [](const auto& entry) {
    return entry.is_directory() && !entry.path().filename().string().starts_with('.');
  });
}

ImageList read_image_folders(const std::filesystem::path& folder, const std::vector<std::string>& class_names) {
  ImageList list{.folder = folder, .files = {}, .labels = {}, .class_names = class_names, .csv = {}, .lines = {}};
  const auto classes = class_folders(folder);
  if (class_names.empty()) list.class_names = classes;
  std::vector<std::int64_t> labels;
  for (const auto& name : classes) {
    const std::int64_t label = class_of(folder / name, list.class_names);
    const auto files = names_in(folder / name, [](const auto& entry) { return is_picture(entry.path()); });
    if (files.empty()) {
      throw Error(ErrorKind::kData, "the folder of a class holds no pictures", (folder / name).string(),
                  "put .jpg, .jpeg or .png files into it, or remove it");
    }
    for (const auto& file : files) list.files.push_back((std::filesystem::path(name) / file).string());
    labels.resize(list.files.size(), label);
  }
  if (list.files.empty()) {
    throw Error(ErrorKind::kData, "the folder has no folders of pictures in it", folder.string(),
                "give a folder with one folder for each class, with the pictures in it");
  }
  list.labels = torch::tensor(labels, torch::kLong);
  return list;
}

ImageLoader::ImageLoader(ImageList list, Options options) : list_(std::move(list)), options_(std::move(options)) {
  if (list_.files.empty())
    throw Error(ErrorKind::kData, "the list of pictures is empty", list_.csv.string(), "give a list with pictures");
  if (options_.height < 0 || options_.width < 0 || (options_.height == 0) != (options_.width == 0)) {
    throw Error(ErrorKind::kConfig, "a crop needs a height and a width",
                format("{} x {}", options_.height, options_.width), "give both, or neither");
  }
}

/// The picture, and what is drawn for it if there is a `random`; into `place`, if that is defined.
torch::Tensor ImageLoader::load(std::int64_t index, Random* random, const torch::Tensor& place) const {
  const std::string bytes = read_data_file(list_.path(index));
  ImageOptions how{.colours = options_.colours, .name = list_.path(index).string()};
  if (options_.height > 0 || options_.shorter_side > 0) {
    const ImageSize size = image_size(bytes, how.name);
    how.shrink = shrink_of(size, options_.shorter_side);
    if (options_.height > 0) {
      const std::int64_t spare_columns = (size.width + how.shrink - 1) / how.shrink - options_.width;
      const std::int64_t spare_rows = (size.height + how.shrink - 1) / how.shrink - options_.height;
      if (spare_columns < 0 || spare_rows < 0) {
        throw Error(ErrorKind::kData,
                    format("a crop of {} x {} does not fit into the picture", options_.height, options_.width),
                    format("{} ({} x {})", how.name, options_.height + spare_rows, options_.width + spare_columns),
                    "take a smaller crop, or leave small pictures out");
      }
      const std::int64_t x = random != nullptr ? random->below(spare_columns + 1) : spare_columns / 2;
      const std::int64_t y = random != nullptr ? random->below(spare_rows + 1) : spare_rows / 2;
      how.region = ImageRegion{x, y, options_.width, options_.height};
    }
  }
  if (random != nullptr && options_.flip) how.mirror = random->chance(0.5);

  if (!place.defined()) {
    torch::Tensor image = decode_image_float(bytes, how, options_.normalisation);
    return random != nullptr ? apply(options_.augmenters, std::move(image), *random) : image;
  }
  decode_image_into(place, bytes, how, options_.normalisation);
  if (random != nullptr && !options_.augmenters.empty()) {
    const torch::Tensor changed = apply(options_.augmenters, place, *random);
    if (changed.sizes() != place.sizes()) {
      throw Error(ErrorKind::kData, "an augmenter changed the size of the picture", describe(changed),
                  "crop with the loader's own height and width");
    }
    place.copy_(changed);
  }
  return place;
}

Example ImageLoader::parse(std::int64_t index) const {
  Example example{{"image", load(index, nullptr, {})}};
  if (list_.labels.defined()) example.set("label", list_.labels[index]);
  return example;
}

Batch ImageLoader::make_batch(std::span<const std::int64_t> indices, const Draw& draw) const {
  const auto count = static_cast<std::int64_t>(indices.size());
  torch::Tensor batch;
  if (options_.height > 0)
    batch = pool_.take({count, static_cast<std::int64_t>(options_.colours), options_.height, options_.width});
  std::vector<Example> loose;  // pictures whose size only their files know
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t index = indices[static_cast<std::size_t>(i)];
    try {
      Random random = draw.random_at(static_cast<std::size_t>(i));
      const torch::Tensor image = load(index, draw.augment ? &random : nullptr, batch.defined() ? batch[i] : batch);
      if (!batch.defined()) loose.push_back({{"image", image}});
    } catch (...) {
      rethrow_for(index);
    }
  }
  Batch made{.tensors = batch.defined() ? Tensors{{"image", batch}} : collate_named(loose, indices),
             .indices = {indices.begin(), indices.end()}};
  if (list_.labels.defined()) {
    const auto rows = torch::from_blob(const_cast<std::int64_t*>(indices.data()), {count}, torch::kLong);  // borrowed
    made.tensors.set("label", list_.labels.index_select(0, rows));
  }
  return made;
}

}  // namespace base
