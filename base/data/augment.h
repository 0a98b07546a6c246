// augment.h: small random changes to pictures, to compose:
//
//     const Augmenters augmenters{random_crop({.height = 28, .width = 28, .padding = 2}), random_flip()};
//     image = apply(augmenters, image, random);
//
// A picture is a tensor [channels, height, width] of floats or bytes. What is drawn comes from the example's own Random
// alone.
#ifndef BASE_DATA_AUGMENT_H_
#define BASE_DATA_AUGMENT_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "base/tensor/random.h"

namespace base {

using Augmenter = std::function<torch::Tensor(torch::Tensor image, Random& random)>;
using Augmenters = std::vector<Augmenter>;

/// One after the other.
torch::Tensor apply(const Augmenters& augmenters, torch::Tensor image, Random& random);

struct CropOptions {
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t padding = 0;  // zeros put on each side first
};
/// A window of the picture at a random place.
Augmenter random_crop(const CropOptions& options);
/// Mirrored left to right, with this probability.
Augmenter random_flip(double probability = 0.5);
/// Times a factor between 1 - strength and 1 + strength.
Augmenter random_brightness(double strength);
/// Away from the picture's mean, or towards it, by a factor between 1 - strength and 1 + strength.
Augmenter random_contrast(double strength);
/// (picture - mean) / deviation, by channel. Not random.
Augmenter normalise(std::vector<double> mean, std::vector<double> deviation);

}  // namespace base

#endif  // BASE_DATA_AUGMENT_H_
