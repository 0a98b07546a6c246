#include "base/torch.h"

#include "base/data/tfrecord_loader.h"

#include <glob.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <utility>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/log.h"
#include "base/log/suggest.h"

namespace base {
namespace {

/// If these are shards of one or more data sets ("...-00001-of-00004..."), all of each must be there.
void require_all_shards(const std::vector<std::filesystem::path>& files) {
  std::map<std::string, std::int64_t> found;  // by name, with the number cut out
  std::map<std::string, std::int64_t> total;
  for (const auto& file : files) {
    const std::string name = file.string();
    const std::size_t at = name.rfind("-of-");
    if (at == std::string::npos || at < 6 || name.size() < at + 9) continue;
    const std::string number = name.substr(at - 5, 5);
    const std::string count = name.substr(at + 4, 5);
    const auto is_number = [](const std::string& text) {
      return text.find_first_not_of("0123456789") == std::string::npos;
    };
    if (name[at - 6] != '-' || !is_number(number) || !is_number(count)) continue;
    const std::string set = name.substr(0, at - 5) + "*" + name.substr(at);
    ++found[set];
    total[set] = std::stoll(count);
  }
  for (const auto& [set, count] : found) {
    if (count == total[set]) continue;
    throw Error(ErrorKind::kData, format("{} of {} shards are there", count, total[set]), set,
                "make the records again, or give a pattern that matches all of them");
  }
}

std::string list_of(const Feature& feature) {
  static constexpr const char* kNames[] = {"byte strings", "floats", "integers"};
  const std::size_t size = std::visit([](const auto& values) { return values.size(); }, feature);
  return format("{} {}", size, kNames[feature.index()]);
}

[[noreturn]] void refuse(const FeatureSpec& spec, const std::string& found, const std::string& fix) {
  throw Error(ErrorKind::kData, format("the feature '{}' is not what was asked for", spec.name),
              format("{}, not {} of {} values", found, c10::toString(spec.type), c10::multiply_integers(spec.shape)),
              fix);
}

torch::Tensor to_tensor(const Feature& feature, const FeatureSpec& spec) {
  static constexpr const char* kFix = "correct the type or the shape in the list of features";
  const auto count = static_cast<std::size_t>(c10::multiply_integers(spec.shape));
  if (const auto* texts = std::get_if<std::vector<std::string>>(&feature)) {
    if (texts->size() != 1 || spec.type != torch::kUInt8) refuse(spec, list_of(feature), kFix);
    const std::string& bytes = texts->front();
    if (bytes.size() != count) refuse(spec, format("{} bytes", bytes.size()), kFix);
    auto tensor = torch::empty(spec.shape, torch::kUInt8);
    std::memcpy(tensor.data_ptr(), bytes.data(), count);
    return tensor;
  }
  const auto copy = [&](const auto& values, torch::ScalarType type) {
    if (values.size() != count) refuse(spec, list_of(feature), kFix);
    auto tensor = torch::empty(spec.shape, type);
    std::memcpy(tensor.data_ptr(), values.data(), count * sizeof(values[0]));
    return tensor.to(spec.type);
  };
  if (const auto* floats = std::get_if<std::vector<float>>(&feature)) {
    if (!c10::isFloatingType(spec.type)) refuse(spec, list_of(feature), kFix);
    return copy(*floats, torch::kFloat);
  }
  return copy(std::get<std::vector<std::int64_t>>(feature), torch::kLong);
}

}  // namespace

std::vector<std::filesystem::path> find_records(const std::string& pattern) {
  glob_t found{};
  const int problem = glob(pattern.c_str(), GLOB_ERR, nullptr, &found);  // sorted by itself
  const std::vector<std::filesystem::path> files(found.gl_pathv, found.gl_pathv + (problem == 0 ? found.gl_pathc : 0));
  globfree(&found);
  if (files.empty()) {
    throw Error(ErrorKind::kData, "no file matches the pattern of the records", pattern,
                "check it; make_records makes records of CSV, pictures and IDX files");
  }
  require_all_shards(files);
  return files;
}

Example to_example(const TfExample& example, const std::vector<FeatureSpec>& features) {
  Example tensors;
  for (const FeatureSpec& spec : features) {
    const auto found = example.find(spec.name);
    if (found == example.end()) {
      std::vector<std::string_view> known;
      std::string list;
      for (const auto& entry : example) {
        known.push_back(entry.first);
        list += format("{}{}", list.empty() ? "" : ", ", entry.first);
      }
      const std::string_view nearest = nearest_word(spec.name, known);
      throw Error(ErrorKind::kData, "the record has no feature of this name", spec.name,
                  known.empty()     ? "it has none at all"
                  : nearest.empty() ? format("there are: {}", list)
                                    : format("did you mean {}? There are: {}", nearest, list));
    }
    tensors.set(spec.name, to_tensor(found->second, spec));
  }
  return tensors;
}

TfRecordLoader::TfRecordLoader(const std::vector<std::filesystem::path>& files, std::vector<FeatureSpec> features,
                               Options options)
    : TfRecordLoader(
          files, [features = std::move(features)](const TfExample& example) { return to_example(example, features); },
          std::move(options)) {}

TfRecordLoader::TfRecordLoader(const std::vector<std::filesystem::path>& files, Parse parse, Options options)
    : parse_(std::move(parse)), options_(std::move(options)) {
  std::uint64_t skipped = 0;
  for (const auto& file : files) {
    shards_.push_back({RecordIndex(file, {.skip_damaged = options_.skip_damaged}), size_});
    size_ += static_cast<std::int64_t>(shards_.back().records.size());
    skipped += shards_.back().records.skipped();
  }
  if (skipped > 0) log::warn("{} damaged places in {} record files were left out", skipped, files.size());
  if (size_ == 0) {
    throw Error(ErrorKind::kData, "there are no records", files.empty() ? "no files" : files.front().string(),
                "give files with records in them");
  }
}

TfRecordLoader::Place TfRecordLoader::place(std::int64_t index) const {
  // The last shard that begins at or before it; empty shards begin where the next one does.
  const auto behind = std::ranges::upper_bound(shards_, index, {}, &Shard::first);
  const Shard& shard = *(behind - 1);
  return {shard, static_cast<std::size_t>(index - shard.first)};
}

Example TfRecordLoader::parse(std::int64_t index) const {
  const auto [shard, record] = place(index);
  return parse_(decode_example(shard.records.record(record), where(index)));
}

Example TfRecordLoader::augment(Example example, Random& random) const {
  if (options_.augmenters.empty()) return example;
  torch::Tensor& image = example[options_.augmented];
  image = apply(options_.augmenters, std::move(image), random);
  return example;
}

std::string TfRecordLoader::where(std::int64_t index) const {
  const auto [shard, record] = place(index);
  return format("{} at byte {}", shard.records.path(), shard.records.offset(record));
}

}  // namespace base
