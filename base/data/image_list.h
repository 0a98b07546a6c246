// image_list.h: pictures in files, with labels: named in a CSV file, or sorted into one folder for each class.
#ifndef BASE_DATA_IMAGE_LIST_H_
#define BASE_DATA_IMAGE_LIST_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/data/augment.h"
#include "base/data/csv.h"
#include "base/data/data_loader.h"
#include "base/data/image.h"
#include "base/data/labels.h"
#include "base/data/tensor_pool.h"

namespace base {

/// Which pictures there are. The files themselves have not been looked at.
struct ImageList {
  std::filesystem::path folder;          // that `files` are relative to
  std::vector<std::string> files;        // "cat/12.jpg"
  torch::Tensor labels;                  // [files]; undefined: there are none
  std::vector<std::string> class_names;  // if labels are names
  std::filesystem::path csv;             // where they are listed; empty: nowhere
  std::vector<std::int64_t> lines;       // in that file

  std::int64_t size() const { return static_cast<std::int64_t>(files.size()); }
  std::filesystem::path path(std::int64_t index) const { return folder / files[static_cast<std::size_t>(index)]; }
  /// "list.csv:17 (cat/12.jpg)", or "pictures/cat/12.jpg"
  std::string where(std::int64_t index) const;
};

struct ImageListOptions {
  std::string path_column = "path";  // its paths are relative to the CSV file's folder, or absolute
  LabelOptions label = {.column = "label"};
  CsvOptions csv = {};
};
ImageList read_image_list(const std::filesystem::path& csv, const ImageListOptions& options = {});

/// The names of the folders in it, sorted: a class each. Those of the training data number the classes of all parts.
std::vector<std::string> class_folders(const std::filesystem::path& folder);

/// folder/<class>/<file>, for files that end with .jpg, .jpeg or .png. The classes are class_folders(folder), unless
/// `class_names` lists them.
ImageList read_image_folders(const std::filesystem::path& folder, const std::vector<std::string>& class_names = {});

struct ImageLoaderOptions {
  std::int64_t height = 0;  // of a crop, at a random place in training and in the middle otherwise;
  std::int64_t width = 0;   // 0: pictures are as they are, and must all be of one size
  std::int64_t shorter_side =
      0;              // larger pictures are halved as long as their shorter side stays at least this; 0: never
  bool flip = false;  // every other picture is mirrored left to right, in training
  ImageColours colours = ImageColours::kRgb;
  Normalisation normalisation = {};
  Augmenters augmenters = {};  // what else changes a picture in training, after all that
};

/// An example is {"image" float [1 or 3, height, width]} and "label", if there are any. Only the part of a JPEG file
/// that a crop needs is decoded, straight into the batch.
///
///     const ImageLoader loader(read_image_list("train.csv"), {.height = 224, .width = 224, .flip = true});
///
class ImageLoader final : public DataLoader {
 public:
  using Options = ImageLoaderOptions;

  /// A list without pictures is a data Error.
  explicit ImageLoader(ImageList list, Options options = {});

  std::int64_t size() const override { return list_.size(); }
  /// As it is outside of training: the crop is in the middle.
  Example parse(std::int64_t index) const override;
  Batch make_batch(std::span<const std::int64_t> indices, const Draw& draw) const override;
  std::string where(std::int64_t index) const override { return list_.where(index); }
  const ImageList& list() const { return list_; }

 private:
  torch::Tensor load(std::int64_t index, Random* random, const torch::Tensor& place) const;

  ImageList list_;
  Options options_;
  TensorPool pool_;
};

}  // namespace base

#endif  // BASE_DATA_IMAGE_LIST_H_
