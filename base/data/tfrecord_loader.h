// tfrecord_loader.h: examples out of TFRecord files, as TensorFlow's tools and make_records write them.
#ifndef BASE_DATA_TFRECORD_LOADER_H_
#define BASE_DATA_TFRECORD_LOADER_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/data/augment.h"
#include "base/data/data_loader.h"
#include "base/records/record_file.h"
#include "base/records/tf_example.h"

namespace base {

/// The files that match "data/train-*.tfrecord", sorted. None, or shards "-00001-of-00004" of which some are missing,
/// are a data Error.
std::vector<std::filesystem::path> find_records(const std::string& pattern);

/// A feature of tf.train.Example as a tensor. A list of floats or of integers is converted to `type`; bytes are taken
/// as they are, as uint8.
struct FeatureSpec {
  std::string name;
  torch::ScalarType type = torch::kFloat;
  std::vector<std::int64_t> shape = {};  // empty: one number
};

struct TfRecordOptions {
  bool skip_damaged = false;   // leaves damaged records out, with a warning that counts them
  Augmenters augmenters = {};  // change the tensor `augmented` in training
  std::string augmented = "image";
};

/// Any record at once: the files are memory-mapped, and only where records begin is kept.
///
///     const TfRecordLoader loader(find_records("data/train-*.tfrecord"),
///                                 {{"features", torch::kFloat, {4}}, {"label", torch::kLong}});
///
class TfRecordLoader final : public DataLoader {
 public:
  using Options = TfRecordOptions;
  /// Makes an example of what a record holds; called by several threads at once.
  using Parse = std::function<Example(const TfExample& features)>;

  TfRecordLoader(const std::vector<std::filesystem::path>& files, Parse parse, Options options = {});
  TfRecordLoader(const std::vector<std::filesystem::path>& files, std::vector<FeatureSpec> features,
                 Options options = {});

  std::int64_t size() const override { return size_; }
  Example parse(std::int64_t index) const override;
  Example augment(Example example, Random& random) const override;
  /// "train-00001-of-00004.tfrecord at byte 1234"
  std::string where(std::int64_t index) const override;

 private:
  struct Shard {
    RecordIndex records;
    std::int64_t first;  // number of its first record among those of all files
  };
  struct Place {
    const Shard& shard;
    std::size_t record;
  };
  Place place(std::int64_t index) const;

  Parse parse_;
  Options options_;
  std::vector<Shard> shards_;
  std::int64_t size_ = 0;
};

/// The features as tensors; one that is missing, or of another type or size, is a data Error.
Example to_example(const TfExample& example, const std::vector<FeatureSpec>& features);

}  // namespace base

#endif  // BASE_DATA_TFRECORD_LOADER_H_
