#include "base/torch.h"

#include "base/export/export_model.h"

#include <map>
#include <memory>
#include <vector>

#include "base/artifact/artifact.h"
#include "base/export/calibration.h"
#include "base/export/onnx_file.h"
#include "base/export/onnx_half.h"
#include "base/export/onnx_lowering.h"
#include "base/export/onnx_runner.h"
#include "base/export/onnx_simplify.h"
#include "base/export/torch_script.h"
#include "base/export/trace.h"
#include "base/infer/backend.h"
#include "base/infer/backend_check.h"
#include "base/infer/random_inputs.h"
#include "base/infer/torch_backend.h"
#include "base/log/error.h"
#include "base/log/format.h"
#include "base/model/mode_scope.h"
#include "base/model/weights.h"
#include "base/tensor/device.h"
#include "base/tensor/tensor_view.h"

namespace base {
namespace {

/// Tensors as an engine takes them, which this keeps in memory.
class EngineTensors {
 public:
  explicit EngineTensors(const Tensors& tensors) {
    for (const auto& [name, tensor] : tensors) {
      const torch::Tensor& kept = kept_.emplace_back(tensor.detach().to(torch::kCPU).contiguous());
      views_.push_back(view_of(name, kept));
    }
  }

  const std::vector<TensorView>& views() const { return views_; }

 private:
  std::vector<torch::Tensor> kept_;
  std::vector<TensorView> views_;
};

/// How far answers may be from the model's, as a part of the largest of them.
double tolerance_of(const std::string& precision) {
  if (precision == "fp32") return 1e-4;
  return precision == "fp16" ? 2e-2 : 0.25;  // of int8 only what went wrong altogether is seen here
}

// ---- int8 -----------------------------------------------------------------------------------------------------------

OnnxGraph to_int8(const OnnxGraph& graph, const ExportRequest& request, Tensors& seen) {
  if (!request.calibration) {
    throw Error(ErrorKind::kUsage, "int8 needs data to measure the ranges of values with", "",
                "give ExportRequest::calibration, or export in fp32 or fp16");
  }
  std::optional<EngineTensors> current;
  const CalibrationData data = [&]() -> std::optional<std::vector<TensorView>> {
    std::optional<Tensors> batch = request.calibration();
    if (!batch) return {};
    Tensors inputs;
    for (const TensorSpec& spec : graph.signature.inputs) inputs.set(spec.name, (*batch)[spec.name]);
    seen = inputs;
    return current.emplace(inputs).views();
  };
  const auto load = [](const OnnxGraph& watched) { return load_onnx(watched); };
  const QuantizeOptions options{.engine = request.quantized_for};
  return quantized(graph, calibrate(graph, load, data, {.quantize = options}), options);
}

// ---- the proof ------------------------------------------------------------------------------------------------------

/// Random inputs whose dynamic axes are longer than in the example, each by another number.
Tensors random_tensors(const Signature& signature, std::int64_t longer) {
  std::map<std::string, std::int64_t> sizes;
  for (const TensorSpec& input : signature.inputs) {
    for (const Axis& axis : input.axes) {
      if (axis.is_dynamic() && !sizes.contains(axis.name))
        sizes[axis.name] = axis.size + (longer > 0 ? longer + static_cast<std::int64_t>(sizes.size()) : 0);
    }
  }
  const RandomInputs random(signature, sizes, /*seed=*/1);
  Tensors tensors;
  for (const TensorView& view : random.views()) tensors.set(view.name, tensor_of(view));
  return tensors;
}

torch::Device device_of(const Model& model) {
  const auto parameters = model.parameters();
  return parameters.empty() ? torch::Device(torch::kCPU) : parameters.front().device();
}

Tensors answers_of(Model& model, const Tensors& inputs) {
  const torch::NoGradGuard no_grad;
  return model.run(inputs.to(device_of(model)));
}

void compare(Backend& backend, const EngineTensors& inputs, const EngineTensors& expected, double tolerance,
             bool whole_numbers_too) {
  const auto differences = compare_answers(backend.run(inputs.views()), expected.views());
  for (std::size_t i = 0; i < differences.size(); ++i) {
    if (!is_floating(expected.views()[i].dtype) && !whole_numbers_too)
      continue;  // the number of the largest score, say, may rightly be another
    if (differences[i].difference <= tolerance) continue;
    throw Error(ErrorKind::kExport, "the exported model does not answer as the model does",
                format("{} differs by {:.2g} in {}, {:.2g} is allowed", differences[i].output,
                       differences[i].difference, backend.description(), tolerance),
                "look for what the model computes outside of tensors, and for chance in the mode kInfer; or try fp32");
  }
}

/// Asks what was written, and the model, the same.
void prove(Model& model, const std::filesystem::path& folder, const Signature& signature, const std::string& precision,
           const Tensors& calibrated) {
  use_torch_backend();
  const auto onnx = load_backend(folder, "cpu");
  const auto torch_script = load_backend(folder, "torch");
  std::vector<Tensors> questions;
  if (precision == "int8") questions.push_back(calibrated);  // it knows no other numbers
  for (const std::int64_t longer : {0, 2}) questions.push_back(random_tensors(signature, longer));
  for (const Tensors& question : questions) {
    const EngineTensors inputs(question);
    const EngineTensors expected(answers_of(model, question));
    compare(*torch_script, inputs, expected, tolerance_of("fp32"), true);
    if (precision != "int8" || &question == &questions.front())
      compare(*onnx, inputs, expected, tolerance_of(precision), precision == "fp32");
  }
}

}  // namespace

void export_model(Model& model, const ExportRequest& request) {
  const KeepRandomState random(device_of(model));
  const ModeScope mode(model, Model::Mode::kInfer);
  ArtifactWriter writer(request.folder);
  const Trace trace = trace_model(model);
  write_torch_script(trace, writer.path() / kTorchScriptFile);
  save_weights(model, writer.path() / kWeightsFile);

  OnnxGraph graph = simplified(with_folded_batch_norms(lower_to_onnx(trace)));
  Tensors calibrated;
  if (request.manifest.precision == "fp16") graph = to_half(std::move(graph));
  if (request.manifest.precision == "int8") graph = to_int8(graph, request, calibrated);
  write_onnx(graph, writer.path() / kOnnxFile);

  ExportManifest manifest = request.manifest;
  manifest.signature = graph.signature;
  manifest.opset = graph.opset;
  writer.complete(std::move(manifest), request.settings);
  prove(model, writer.path(), graph.signature, request.manifest.precision, calibrated);
  writer.publish();
}

}  // namespace base
