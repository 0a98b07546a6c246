// data_loader.h: what the data are. Fill in the TODOs from top to bottom.
#ifndef SRC_DATA_LOADER_H_
#define SRC_DATA_LOADER_H_

#include <base/data/augment.h>
<% if data == "idx" %>
#include <base/data/data_loader.h>
#include <base/data/idx.h>
<% else %>
#include <base/data/data_file.h>
#include <base/data/data_loader.h>
#include <base/data/image.h>
#include <base/data/image_list.h>
<% endif %>
#include <base/data/part.h>
#include <base/data/sample_data.h>

#include <filesystem>
#include <string>

#include "src/settings.h"

namespace <@ namespace @> {

class DataLoader final : public base::DataLoader {
 public:
  DataLoader(const Settings& settings, base::Part part) {
    // TODO(1/4): find the examples of this part; as long as the default folder is missing, small ones are drawn.
<% if data == "idx" %>
    if (settings.folder == Settings{}.folder) base::write_sample_idx(settings.folder);
    const std::string name = part == base::Part::kTest ? "t10k" : "train";
    images_ = base::read_idx(settings.folder / (name + "-images-idx3-ubyte")).unsqueeze(1);
    labels_ = base::read_idx(settings.folder / (name + "-labels-idx1-ubyte")).to(torch::kLong);
    // There are no files for validation: it has the last sixth of the training's.
    const std::int64_t count = images_.size(0);
    const std::int64_t start = part == base::Part::kValidation ? count - count / 6 : 0;
    const std::int64_t end = part == base::Part::kTraining ? count - count / 6 : count;
    images_ = images_.slice(0, start, end);
    labels_ = labels_.slice(0, start, end);
<% else %>
    if (settings.folder == Settings{}.folder) base::write_sample_pictures(settings.folder);
    // The folders of the training data number the classes of all parts.
    const auto classes = base::class_folders(settings.folder / base::part_name(base::Part::kTraining));
    list_ = base::read_image_folders(settings.folder / base::part_name(part), classes);
<% endif %>
  }

  std::int64_t size() const override {
    // TODO(2/4): how many there are.
<% if data == "idx" %>
    return images_.size(0);
<% else %>
    return list_.size();
<% endif %>
  }

  base::Example parse(std::int64_t index) const override {
    // TODO(3/4): read one: the inputs of the model, and what its loss compares with.
<% if data == "idx" %>
    return {{"image", images_[index]}, {"label", labels_[index]}};
<% else %>
    // Grey ones, with kChannels = 1 in src/model.h: {.colours = base::ImageColours::kGrey, .name = ...
    const std::string file = base::read_data_file(list_.path(index));
    return {{"image", base::decode_image(file, {.name = list_.path(index).string()})}, {"label", list_.labels[index]}};
<% endif %>
  }

  base::Example augment(base::Example example, base::Random& random) const override {
    // TODO(4/4): change one at random, in training only.
    example["image"] = base::apply(augmenters_, example["image"], random);
    return example;
  }
<% if data == "images" %>

  std::string where(std::int64_t index) const override { return list_.where(index); }
<% endif %>

 private:
<% if data == "idx" %>
  torch::Tensor images_, labels_;
<% else %>
  base::ImageList list_;
<% endif %>
  base::Augmenters augmenters_{base::random_flip()};
};

}  // namespace <@ namespace @>

#endif  // SRC_DATA_LOADER_H_
