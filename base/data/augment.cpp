#include "base/torch.h"

#include "base/data/augment.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/tensor/tensors.h"

namespace base {
namespace {

void require_picture(const torch::Tensor& image) {
  if (image.dim() == 3) return;
  throw Error(ErrorKind::kData, "an augmenter takes a picture [channels, height, width]", describe(image),
              "give the tensor these three dimensions in parse()");
}

void require_floats(const torch::Tensor& image) {
  require_picture(image);
  if (image.is_floating_point()) return;
  throw Error(ErrorKind::kData, "this augmenter takes a picture of floats", describe(image),
              "convert it in parse(), where example_inputs() and preprocess() of the model are for floats too: "
              "image.to(torch::kFloat).div(255)");
}

/// A change of colours that is written for floats, on bytes too: rounded, and kept from 0 to 255.
template <typename Change>
torch::Tensor change_colours(const torch::Tensor& image, Change change) {
  if (image.scalar_type() != torch::kUInt8) {
    require_floats(image);
    return change(image);
  }
  require_picture(image);
  return change(image.to(torch::kFloat)).round_().clamp_(0, 255).to(torch::kUInt8);
}

void require_option(bool good, const char* rule, const std::string& value) {
  if (!good)
    throw Error(ErrorKind::kConfig, "an augmenter's option is out of range", value, format("it must be {}", rule));
}

}  // namespace

torch::Tensor apply(const Augmenters& augmenters, torch::Tensor image, Random& random) {
  for (const Augmenter& augmenter : augmenters) image = augmenter(std::move(image), random);
  return image;
}

Augmenter random_crop(const CropOptions& options) {
  require_option(options.height > 0 && options.width > 0, "at least 1 x 1",
                 format("a crop of {} x {}", options.height, options.width));
  require_option(options.padding >= 0, "0 or more", format("padding {}", options.padding));
  return [options](const torch::Tensor& image, Random& random) {
    require_picture(image);
    const auto [height, width, padding] = options;
    const std::int64_t spare_rows = image.size(1) + 2 * padding - height;
    const std::int64_t spare_columns = image.size(2) + 2 * padding - width;
    if (spare_rows < 0 || spare_columns < 0) {
      throw Error(ErrorKind::kData, format("a crop of {} x {} does not fit into the picture", height, width),
                  format("{} x {}, padding {}", image.size(1), image.size(2), padding),
                  "take a smaller crop, more padding or larger pictures");
    }
    // Where the window begins in the picture; before its edge is padding.
    const std::int64_t top = random.below(spare_rows + 1) - padding;
    const std::int64_t left = random.below(spare_columns + 1) - padding;
    const std::int64_t first_row = std::max<std::int64_t>(top, 0), last_row = std::min(top + height, image.size(1));
    const std::int64_t first_column = std::max<std::int64_t>(left, 0),
                       last_column = std::min(left + width, image.size(2));
    const bool overlaps = first_row < last_row && first_column < last_column;
    const auto window = [](const torch::Tensor& of, std::int64_t row, std::int64_t rows, std::int64_t column,
                           std::int64_t columns) { return of.narrow(1, row, rows).narrow(2, column, columns); };
    const std::int64_t rows = last_row - first_row, columns = last_column - first_column;
    if (rows == height && columns == width) return window(image, first_row, rows, first_column, columns);  // no copy
    auto padded = torch::zeros({image.size(0), height, width}, image.options());
    if (overlaps) {
      window(padded, first_row - top, rows, first_column - left, columns)
          .copy_(window(image, first_row, rows, first_column, columns));
    }
    return padded;
  };
}

Augmenter random_flip(double probability) {
  require_option(probability >= 0 && probability <= 1, "from 0 to 1", format("probability {}", probability));
  return [probability](torch::Tensor image, Random& random) {
    require_picture(image);
    return random.chance(probability) ? image.flip({2}) : image;
  };
}

Augmenter random_brightness(double strength) {
  require_option(strength >= 0 && strength <= 1, "from 0 to 1", format("strength {}", strength));
  return [strength](const torch::Tensor& image, Random& random) {
    const double factor = random.uniform(1 - strength, 1 + strength);
    return change_colours(image, [&](const torch::Tensor& floats) { return floats.mul(factor); });
  };
}

Augmenter random_contrast(double strength) {
  require_option(strength >= 0 && strength <= 1, "from 0 to 1", format("strength {}", strength));
  return [strength](const torch::Tensor& image, Random& random) {
    const double factor = random.uniform(1 - strength, 1 + strength);
    return change_colours(image, [&](const torch::Tensor& floats) {
      return floats.mul(factor).add_(floats.mean(), 1 - factor);  // mean + factor * (floats - mean)
    });
  };
}

Augmenter normalise(std::vector<double> mean, std::vector<double> deviation) {
  require_option(!mean.empty() && mean.size() == deviation.size(), "one of each for each channel",
                 format("{} means and {} deviations", mean.size(), deviation.size()));
  for (const double value : deviation) require_option(value > 0, "more than 0", format("deviation {}", value));
  const auto by_channel = [](const std::vector<double>& values) {
    return torch::tensor(values, torch::kDouble).to(torch::kFloat).view({-1, 1, 1});
  };
  return [mean = by_channel(mean), deviation = by_channel(deviation)](const torch::Tensor& image, Random&) {
    require_floats(image);
    if (image.size(0) != mean.size(0)) {
      throw Error(ErrorKind::kData, format("normalise() has {} channels and the picture another number", mean.size(0)),
                  describe(image), "give one mean and one deviation for each channel of the picture");
    }
    return image.sub(mean).div_(deviation);
  };
}

}  // namespace base
