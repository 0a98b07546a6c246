// export_judge.cpp: what export_judge_test.py and torch_script_judge_test.py ask of the runtime.
//
//     export_judge FOLDER [CASE]   for every small model, or this one: CASE.onnx, CASE.half.onnx, CASE.pt and
//                                  CASE.safetensors with inputs of two sizes ("0.in.a", "1.in.a") and what the C++
//                                  model says ("0.out.y"); prints the name of each
#include "base/torch.h"

#include <filesystem>
#include <iostream>

#include "base/export/onnx_file.h"
#include "base/export/onnx_half.h"
#include "base/export/onnx_lowering.h"
#include "base/export/torch_script.h"
#include "base/export/trace.h"
#include "base/log/error.h"
#include "base/log/format.h"
#include "base/tensor/tensor_view.h"
#include "tests/e2e/export_cases.h"

namespace {

using export_cases::Case;
using export_cases::CaseModel;

/// The example with two more along each dynamic axis, and with other numbers.
base::Tensors other_inputs(const CaseModel& model) {
  base::Tensors inputs = model.example_inputs();
  for (const auto& axis : model.dynamic_axes()) {
    torch::Tensor& tensor = inputs[axis.input];
    const std::int64_t size = tensor.size(axis.axis);
    tensor = tensor.index_select(axis.axis, torch::arange(size + 2).remainder(size));
  }
  for (auto& [name, tensor] : inputs)
    if (tensor.is_floating_point()) tensor = tensor + 0.3 * torch::randn_like(tensor);
  return inputs;
}

void export_case(const std::filesystem::path& folder, const Case& one) {
  CaseModel model(one);
  model.set_mode(base::Model::Mode::kInfer);
  std::vector<torch::Tensor> kept;
  std::vector<base::TensorView> views;
  const auto keep = [&](const std::string& name, const torch::Tensor& tensor) {
    kept.push_back(tensor.contiguous().clone());
    views.push_back(base::view_of(name, kept.back()));
  };
  int number = 0;
  for (const base::Tensors& inputs : {model.example_inputs(), other_inputs(model)}) {
    for (const auto& [name, tensor] : inputs) keep(base::format("{}.in.{}", number, name), tensor);
    for (const auto& [name, tensor] : model.run(inputs)) keep(base::format("{}.out.{}", number, name), tensor);
    ++number;
  }
  model.set_mode(base::Model::Mode::kTrain);
  const base::Trace trace = base::trace_model(model);
  if (model.mode() != base::Model::Mode::kTrain)
    throw base::Error(base::ErrorKind::kInternal, "the model is not as it was before", one.name, "");
  base::write_safetensors(folder / (one.name + ".safetensors"), views);
  base::write_torch_script(trace, folder / (one.name + ".pt"));
  const base::OnnxGraph graph = base::lower_to_onnx(trace);
  base::write_onnx(graph, folder / (one.name + ".onnx"));
  base::write_onnx(base::to_half(graph), folder / (one.name + ".half.onnx"));
}

}  // namespace

int main(int argc, char** argv) {
  return base::run_main([&] {
    const torch::NoGradGuard no_grad;
    torch::manual_seed(1);
    std::vector<Case> cases = export_cases::operator_cases();
    for (Case& one : export_cases::layer_cases()) cases.push_back(std::move(one));
    int failed = 0;
    for (const Case& one : cases) {
      if (argc > 2 && one.name != argv[2]) continue;
      try {
        export_case(argv[1], one);
        std::cout << one.name << '\n';
      } catch (const std::exception& error) {
        std::cerr << one.name << ": " << error.what() << '\n';
        ++failed;
      }
    }
    return failed == 0 ? 0 : 1;
  });
}
