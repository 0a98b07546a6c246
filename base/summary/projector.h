// projector.h: points for TensorBoard's projector, which reads them from files beside the event files.
#ifndef BASE_SUMMARY_PROJECTOR_H_
#define BASE_SUMMARY_PROJECTOR_H_

#include <filesystem>
#include <string>
#include <vector>

#include "base/torch.h"

namespace base {

struct Embedding {
  std::string name;
  torch::Tensor points;             // float [n, dimensions], on the CPU
  std::vector<std::string> labels;  // none, or one for each point
  torch::Tensor pictures;           // none, or uint8 [n, 1 or 3, height, width]
};

/// Copies and checks: a usage Error if there are no points, or labels or pictures of another number.
Embedding make_embedding(const std::string& name, const torch::Tensor& points, const std::vector<std::string>& labels,
                         const torch::Tensor& pictures);

/// Writes its files, and lists it in the folder's projector_config.pbtxt beside those that are there.
void write_embedding(const std::filesystem::path& folder, const Embedding& embedding);

}  // namespace base

#endif  // BASE_SUMMARY_PROJECTOR_H_
