// export_cases.h: small models, each around one operator or layer, that the export is judged with.
#ifndef TESTS_E2E_EXPORT_CASES_H_
#define TESTS_E2E_EXPORT_CASES_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/model/model.h"

namespace export_cases {

using Compute = std::function<std::vector<torch::Tensor>(const std::vector<torch::Tensor>&)>;

/// A function of tensors, as a model: inputs a, b, c, outputs y, y1, y2 and so on.
struct Case {
  std::string name;
  std::vector<torch::Tensor> inputs;
  Compute compute;
  std::shared_ptr<torch::nn::Module> layer = {};    // whose parameters it uses
  std::vector<base::Model::DynamicAxis> axes = {};  // besides the batch
};

class CaseModel final : public base::Model {
 public:
  explicit CaseModel(Case example) : case_(std::move(example)) {
    if (case_.layer) register_module("layer", case_.layer);
  }

  base::Tensors example_inputs() const override {
    base::Tensors inputs;
    for (std::size_t i = 0; i < case_.inputs.size(); ++i)
      inputs.set(std::string(1, static_cast<char>('a' + i)), case_.inputs[i]);
    return inputs;
  }
  std::vector<DynamicAxis> dynamic_axes() const override {
    return case_.axes.empty() ? Model::dynamic_axes() : case_.axes;
  }
  base::Tensors forward(const base::Tensors& inputs) override {
    std::vector<torch::Tensor> tensors;
    for (const auto& [name, tensor] : inputs) tensors.push_back(tensor);
    base::Tensors outputs;
    for (const torch::Tensor& tensor : case_.compute(tensors))
      outputs.set(outputs.empty() ? "y" : "y" + std::to_string(outputs.size()), tensor);
    return outputs;
  }
  torch::Tensor loss(const base::Tensors&, const base::Tensors&) override { return {}; }

 private:
  Case case_;
};

std::vector<Case> operator_cases();
std::vector<Case> layer_cases();

}  // namespace export_cases

#endif  // TESTS_E2E_EXPORT_CASES_H_
