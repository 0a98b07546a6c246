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

using AxisSizes = std::map<std::string, std::int64_t>;  // of dynamic axes, by their names

AxisSizes sizes_of(const Signature& signature) {
  AxisSizes sizes;
  for (const TensorSpec& input : signature.inputs)
    for (const Axis& axis : input.axes)
      if (axis.is_dynamic()) sizes[axis.name] = axis.size;
  return sizes;
}

Tensors random_tensors(const Signature& signature, const AxisSizes& sizes) {
  const RandomInputs random(signature, sizes, /*seed=*/1);
  Tensors tensors;
  for (const TensorView& view : random.views()) tensors.set(view.name, tensor_of(view));
  return tensors;
}

/// The example with these sizes: as much of it as fits, again and again. Floating-point numbers lie between 0 and those
/// of the example, so that what is a number of a row there stays one.
Tensors varied(const Tensors& example, const Signature& signature, const AxisSizes& sizes) {
  Tensors tensors;
  for (const TensorSpec& input : signature.inputs) {
    torch::Tensor tensor = example[input.name];
    for (std::size_t i = 0; i < input.axes.size(); ++i) {
      if (!input.axes[i].is_dynamic()) continue;
      const auto axis = static_cast<std::int64_t>(i);
      tensor = tensor.index_select(axis, torch::arange(sizes.at(input.axes[i].name)).remainder(tensor.size(axis)));
    }
    tensors.set(input.name, tensor.is_floating_point() ? tensor * torch::rand_like(tensor) : tensor);
  }
  return tensors;
}

struct Question {
  Tensors inputs;
  bool random = false;  // which not every model takes: a number may be that of a row in a small table
};

/// The example, and others of its kind whose dynamic axes are longer: all a little, each by another number, then each
/// much. Then random ones.
std::vector<Question> questions_for(const Model& model, const Trace& trace) {
  const Signature& signature = trace.signature;
  const Tensors example = model.example_inputs().to(torch::kCPU);
  const AxisSizes same = sizes_of(signature);
  AxisSizes longer = same;
  std::int64_t more = 2;
  for (auto& [name, size] : longer) size = trace.multiples ? 2 * size : size + more++;
  std::vector<Question> questions = {{example}, {varied(example, signature, longer)}};
  for (const auto& [name, size] : same) {
    AxisSizes far = same;
    far[name] = trace.multiples ? 4 * size : 4 * size + 1;
    questions.push_back({varied(example, signature, far)});
  }
  questions.push_back({random_tensors(signature, same), true});
  questions.push_back({random_tensors(signature, longer), true});
  return questions;
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

/// Asks what was written, and the model, the same. What the model itself cannot answer proves nothing. A random
/// question goes to TorchScript on the CPU first: on a GPU, a number that no row has would be the end of the process.
void prove(Model& model, const std::filesystem::path& folder, const Trace& trace, const std::string& precision,
           const Tensors& calibrated) {
  use_torch_backend();
  const auto onnx = load_backend(folder, "cpu");
  const auto torch_script = load_backend(folder, "torch");
  std::vector<Question> questions = questions_for(model, trace);
  if (precision == "int8") questions.insert(questions.begin(), {calibrated});  // it knows no other numbers
  for (const Question& question : questions) {
    const EngineTensors inputs(question.inputs);
    std::optional<EngineTensors> expected;
    try {
      if (question.random) torch_script->run(inputs.views());
      expected.emplace(answers_of(model, question.inputs));
    } catch (const std::exception&) {
      continue;
    }
    compare(*torch_script, inputs, *expected, tolerance_of("fp32"), true);
    // Rows of an example may be alike, and which of equal scores is the largest is up to the engine.
    if (precision != "int8" || &question == &questions.front())
      compare(*onnx, inputs, *expected, tolerance_of(precision), precision == "fp32" && question.random);
  }
}

void write_and_prove(Model& model, const ExportRequest& request) {
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
  prove(model, writer.path(), trace, request.manifest.precision, calibrated);
  writer.publish();
}

}  // namespace

void export_model(Model& model, const ExportRequest& request) {
  try {
    write_and_prove(model, request);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {  // LibTorch's and the library's: a training goes on without the export
    throw Error(ErrorKind::kExport, "the model cannot be exported", first_line(error),
                "look at what the model does with its example_inputs(), or give calibration batches as it takes them");
  }
}

}  // namespace base
