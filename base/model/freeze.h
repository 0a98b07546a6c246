// freeze.h: layers that do not learn, for transfer learning:
//
//     load_weights(*network, "resnet18.safetensors", {.skip = {"fc"}});
//     freeze(*network);
//     unfreeze(*network, {"layer4", "fc"});
//
#ifndef BASE_MODEL_FREEZE_H_
#define BASE_MODEL_FREEZE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "base/torch.h"

namespace base {

/// Parameters of these names (see name_pattern.h; all by default) take no part in training. Returns how many they are;
/// a pattern that stands for none is a usage Error, and nothing is changed.
std::size_t freeze(torch::nn::Module& module, const std::vector<std::string>& patterns = {"*"});
std::size_t unfreeze(torch::nn::Module& module, const std::vector<std::string>& patterns = {"*"});

/// Puts frozen batch norms into eval mode: a layer in train mode goes on gathering the statistics of the new data even
/// if its parameters are frozen, and what stands behind it was not trained for them. Model::set_mode calls it; after a
/// plain train() of another module, call it yourself. Norms without parameters cannot be frozen, and stay as they are.
void hold_frozen_statistics(torch::nn::Module& module);

}  // namespace base

#endif  // BASE_MODEL_FREEZE_H_
