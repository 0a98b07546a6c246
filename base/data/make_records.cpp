#include "base/torch.h"

#include "base/data/make_records.h"

#include <utility>

#include "base/data/data_file.h"
#include "base/data/idx.h"
#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/progress_bar.h"
#include "base/records/bytes.h"
#include "base/records/sharded_writer.h"
#include "base/records/tf_example.h"

namespace base {
namespace {

/// Writes `count` records that `make` gives by their numbers.
template <typename Make>
std::vector<std::filesystem::path> write_records(std::int64_t count, const MakeRecordsOptions& options, Make make) {
  if (options.shard_count < 0) {
    throw Error(ErrorKind::kConfig, "the number of shards is negative", std::to_string(options.shard_count),
                "give 1 or more, or 0 for as many as their size asks for");
  }
  ShardOptions shards{.max_bytes = options.shard_bytes, .max_records = 0};
  if (options.shard_count > 0)
    shards = {.max_bytes = 0, .max_records = static_cast<std::uint64_t>((count - 1) / options.shard_count + 1)};
  ShardedWriter writer(options.folder, options.name, shards);
  ProgressBar bar({.label = "records", .total = count, .console = options.console});
  for (std::int64_t i = 0; i < count; ++i) {
    writer.append(bytes_of(encode_example(make(i))));
    bar.advance();
  }
  auto files = writer.close();
  bar.finish();
  return files;
}

Feature label_feature(const torch::Tensor& labels, std::int64_t row) {
  if (labels.is_floating_point()) return std::vector<float>{labels.data_ptr<float>()[row]};
  return std::vector<std::int64_t>{labels.data_ptr<std::int64_t>()[row]};
}

torch::Tensor read_bytes(const std::filesystem::path& path) {
  torch::Tensor values = read_idx(path);
  if (values.scalar_type() == torch::kUInt8) return values;
  throw Error(ErrorKind::kData, "the IDX file does not hold unsigned bytes", format("{} ({})", path, describe(values)),
              "give files of pictures and labels, in bytes");
}

}  // namespace

std::vector<std::filesystem::path> make_csv_records(const std::filesystem::path& csv, const CsvLoaderOptions& how,
                                                    const MakeRecordsOptions& options) {
  const CsvLoader loader(csv, how);
  return write_records(loader.size(), options, [&](std::int64_t row) {
    const Example example = loader.parse(row);
    const torch::Tensor& features = example["features"];
    const auto* const first = features.data_ptr<float>();
    TfExample record{{"features", std::vector<float>(first, first + features.numel())}};
    if (const torch::Tensor* label = example.find("label")) record["label"] = label_feature(*label, 0);
    return record;
  });
}

std::vector<std::filesystem::path> make_image_records(const ImageList& list, const MakeRecordsOptions& options) {
  if (list.files.empty())
    throw Error(ErrorKind::kData, "the list of pictures is empty", list.csv.string(), "give a list with pictures");
  return write_records(list.size(), options, [&](std::int64_t row) {
    try {
      std::string bytes = read_data_file(list.path(row));
      if (options.check) static_cast<void>(decode_image(bytes, {.name = list.path(row).string()}));
      TfExample record{{"name", std::vector<std::string>{list.files[static_cast<std::size_t>(row)]}}};
      record["image"] = std::vector<std::string>{std::move(bytes)};
      if (list.labels.defined()) record["label"] = label_feature(list.labels, row);
      return record;
    } catch (const Error& error) {
      throw error.with_place(list.where(row));
    }
  });
}

std::vector<std::filesystem::path> make_idx_records(const std::filesystem::path& images,
                                                    const std::filesystem::path& labels,
                                                    const MakeRecordsOptions& options) {
  const torch::Tensor pictures = read_bytes(images);
  const torch::Tensor classes = read_bytes(labels);
  if (classes.dim() != 1 || pictures.size(0) != classes.size(0)) {
    throw Error(ErrorKind::kData, "pictures and labels do not belong together",
                format("{} and {}", describe(pictures), describe(classes)), "give two files of one data set");
  }
  const std::vector<std::int64_t> shape(pictures.sizes().begin() + 1, pictures.sizes().end());
  const auto size = static_cast<std::size_t>(c10::multiply_integers(shape));
  const auto* const pixels = static_cast<const char*>(pictures.data_ptr());
  const auto* const label = classes.data_ptr<std::uint8_t>();
  return write_records(pictures.size(0), options, [&](std::int64_t row) {
    return TfExample{
        {"image", std::vector<std::string>{std::string(pixels + static_cast<std::size_t>(row) * size, size)}},
        {"label", std::vector<std::int64_t>{label[row]}},
        {"shape", shape}};
  });
}

}  // namespace base
