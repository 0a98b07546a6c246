// onnx_judge.cpp: what onnx_judge_test.py asks of the runtime.
//
//     onnx_judge write FOLDER      models made by hand, each in single and half precision and with its weights beside
//     it onnx_judge quantize FOLDER   the same in 8 bits, calibrated with FOLDER/<model>.safetensors
#include <iostream>

#include "base/export/calibration.h"
#include "base/export/onnx_file.h"
#include "base/export/onnx_half.h"
#include "base/export/onnx_quantize.h"
#include "base/export/onnx_runner.h"
#include "base/export/onnx_tensor.h"
#include "base/log/error.h"
#include "tests/e2e/calibration_batches.h"
#include "tests/export/graphs.h"

namespace {

using base::DType;
using base::Error;
using base::ErrorKind;
using base::OnnxGraph;
using base::QuantizedFor;
using base::TensorView;
using std::filesystem::path;

const std::map<std::string, QuantizedFor> kEngines = {{"tensorrt", QuantizedFor::kTensorRt},
                                                      {"onnxruntime", QuantizedFor::kOnnxRuntime}};
const std::map<std::string, base::RangeMethod> kMethods = {{"minmax", base::RangeMethod::kMinMax},
                                                           {"percentile", base::RangeMethod::kPercentile},
                                                           {"entropy", base::RangeMethod::kEntropy}};

/// No operator of the standard: a node with attributes of all kinds, and constants of all types.
OnnxGraph everything() {
  OnnxGraph graph{.name = "everything"};
  graph.signature = {.inputs = {{"x", DType::kF32, {{.size = 2, .name = "rows"}, {.size = 3}}}, {"s", DType::kI64, {}}},
                     .outputs = {{"y", DType::kF32, {}}}};
  graph.nodes = {{"Everything",
                  {"x", "", "s"},
                  {"y"},
                  {{"int", std::int64_t{-5}},
                   {"float", 0.5},
                   {"string", "text \xc3\xa4"},
                   {"ints", std::vector<std::int64_t>{1, -2, 3'000'000'000}},
                   {"floats", std::vector<double>{0.25, -1e10}},
                   {"strings", std::vector<std::string>{"a", ""}},
                   {"tensor", base::make_tensor<double>("", DType::kF64, {2}, {1.5, -2.5})}},
                  "layer/Everything"}};
  for (int i = 0; i <= static_cast<int>(DType::kU64); ++i) {
    const auto type = static_cast<DType>(i);
    const base::OnnxTensor numbers = export_test::floats(std::string(name_of(type)), {2, 1}, {1.F, 0.F});
    graph.initializers.push_back(converted(numbers, type));
  }
  graph.metadata = {{"step", "400"}, {"written by", "a test"}};
  return graph;
}

void write(const path& folder) {
  write_onnx(everything(), folder / "everything.onnx");
  for (const auto& [name, graph] : export_test::all_graphs()) {
    write_onnx(graph, folder / (name + "_f32.onnx"));
    const auto too_much = std::filesystem::file_size(folder / (name + "_f32.onnx"));
    write_onnx(graph, folder / (name + "_data.onnx"), {.most_bytes = too_much - 1, .least_external_bytes = 64});
    write_onnx(to_half(graph), folder / (name + "_f16.onnx"));
    write_onnx(to_half(graph, {.half_inputs_and_outputs = true}), folder / (name + "_f16io.onnx"));
  }
}

void quantize(const path& folder) {
  const base::OnnxLoad load = [](const OnnxGraph& graph) { return base::load_onnx(graph); };
  for (const auto& [name, graph] : export_test::all_graphs()) {
    const base::SafetensorsFile inputs(folder / (name + ".safetensors"));
    for (const auto& [engine, target] : kEngines) {
      for (const auto& [method_name, method] : kMethods) {
        const base::QuantizeOptions options{.engine = target};
        const auto ranges =
            calibrate(graph, load, batches_of(inputs), {.quantize = options, .range = {.method = method}});
        write_onnx(quantized(graph, ranges, options), folder / (name + '_' + engine + '_' + method_name + ".onnx"));
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  return base::run_main([&] {
    const std::string command = argc == 3 ? argv[1] : "";
    if (command == "write") {
      write(argv[2]);
    } else if (command == "quantize") {
      quantize(argv[2]);
    } else {
      throw Error(ErrorKind::kUsage, "there is no such command", command, "");
    }
    return 0;
  });
}
