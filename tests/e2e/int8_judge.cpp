// int8_judge.cpp: what int8_accuracy_test.py asks of the runtime.
//
//     int8_judge WEIGHTS EXAMPLES FOLDER   the model of examples/fashion_mnist with WEIGHTS, exported to FOLDER in 32,
//     16
//                                          and 8 bits; EXAMPLES has pictures to calibrate with
#include "base/torch.h"

#include "base/export/onnx_file.h"
#include "base/export/onnx_half.h"
#include "base/export/onnx_lowering.h"
#include "base/export/onnx_quantize.h"
#include "base/export/onnx_runner.h"
#include "base/export/onnx_simplify.h"
#include "base/log/error.h"
#include "base/model/weights.h"
#include "examples/fashion_mnist/model.h"
#include "tests/e2e/calibration_batches.h"

namespace {

void write_all(const char* weights, const char* examples, const std::filesystem::path& folder) {
  fashion_mnist::Model model;
  base::load_weights(model, weights);
  const base::OnnxGraph graph = simplified(with_folded_batch_norms(lower_to_onnx(trace_model(model))));
  write_onnx(graph, folder / "f32.onnx");
  write_onnx(to_half(graph), folder / "f16.onnx");
  const base::SafetensorsFile pictures(examples);
  const base::OnnxLoad load = [](const base::OnnxGraph& watched) { return base::load_onnx(watched); };
  const std::map<std::string, base::QuantizedFor> engines = {{"onnxruntime", base::QuantizedFor::kOnnxRuntime},
                                                             {"tensorrt", base::QuantizedFor::kTensorRt}};
  const std::map<std::string, base::RangeMethod> methods = {{"minmax", base::RangeMethod::kMinMax},
                                                            {"percentile", base::RangeMethod::kPercentile},
                                                            {"entropy", base::RangeMethod::kEntropy}};
  for (const auto& [engine_name, engine] : engines) {
    for (const auto& [method_name, method] : methods) {
      const base::CalibrationOptions options{.quantize = {.engine = engine}, .range = {.method = method}};
      const base::Ranges ranges = calibrate(graph, load, batches_of(pictures), options);
      write_onnx(quantized(graph, ranges, options.quantize), folder / (engine_name + '_' + method_name + ".onnx"));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  return base::run_main([&] {
    if (argc != 4) {
      throw base::Error(base::ErrorKind::kUsage, "there are too few or too many arguments", std::to_string(argc - 1),
                        "");
    }
    write_all(argv[1], argv[2], argv[3]);
    return 0;
  });
}
