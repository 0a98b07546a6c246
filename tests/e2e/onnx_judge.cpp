// onnx_judge.cpp: what onnx_judge_test.py asks of the runtime.
//
//     onnx_judge write FOLDER [WEIGHTS]      models made by hand, each in single and half precision and with its
//     weights
//                                            beside it; with WEIGHTS: one model, of examples/fashion_mnist
//     onnx_judge quantize FOLDER [WEIGHTS]   the same in 8 bits, calibrated with FOLDER/<model>.safetensors
#include <iostream>

#include "base/export/calibration.h"
#include "base/export/onnx_file.h"
#include "base/export/onnx_half.h"
#include "base/export/onnx_quantize.h"
#include "base/export/onnx_runner.h"
#include "base/export/onnx_tensor.h"
#include "base/log/error.h"
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

/// The network of examples/fashion_mnist with weights that it learned, from bytes to scores.
OnnxGraph fashion(const std::shared_ptr<const base::SafetensorsFile>& weights) {
  using Sizes = std::vector<std::int64_t>;
  const auto batch_of = [](const Sizes& sizes) {
    std::vector<base::Axis> axes = {{.size = 1, .name = "batch"}};
    for (const std::int64_t size : sizes) axes.push_back({.size = size});
    return axes;
  };
  OnnxGraph graph{.name = "fashion"};
  graph.signature = {.inputs = {{"image", DType::kU8, batch_of({1, 28, 28})}},
                     .outputs = {{"logits", DType::kF32, batch_of({10})}}};
  for (const TensorView& view : weights->tensors()) graph.initializers.push_back({.view = view, .owner = weights});
  graph.initializers.push_back(export_test::floats("mean", {}, {72.9F}));
  graph.initializers.push_back(export_test::floats("deviation", {}, {90.F}));
  const std::map<std::string, base::OnnxAttribute> transposed = {{"transB", std::int64_t{1}}};
  graph.nodes = {
      {"Cast", {"image"}, {"numbers"}, {{"to", std::int64_t{1}}}, "Cast"},
      {"Sub", {"numbers", "mean"}, {"centred"}, {}, "Sub"},
      {"Div", {"centred", "deviation"}, {"x"}, {}, "Div"},
      {"Conv", {"x", "network.conv1.weight", "network.conv1.bias"}, {"c1"}, {}, "network/conv1/Conv"},
      {"Relu", {"c1"}, {"r1"}, {}, "network/Relu"},
      {"Conv", {"r1", "network.conv2.weight", "network.conv2.bias"}, {"c2"}, {}, "network/conv2/Conv"},
      {"MaxPool", {"c2"}, {"p"}, {{"kernel_shape", Sizes{2, 2}}, {"strides", Sizes{2, 2}}}, "network/MaxPool"},
      {"Relu", {"p"}, {"r2"}, {}, "network/Relu_1"},
      {"Flatten", {"r2"}, {"flat"}, {{"axis", std::int64_t{1}}}, "network/Flatten"},
      {"Gemm", {"flat", "network.fc1.weight", "network.fc1.bias"}, {"h"}, transposed, "network/fc1/Gemm"},
      {"Relu", {"h"}, {"r3"}, {}, "network/Relu_2"},
      {"Gemm", {"r3", "network.fc2.weight", "network.fc2.bias"}, {"logits"}, transposed, "network/fc2/Gemm"},
  };
  const std::map<std::string, Sizes> shapes = {{"numbers", {1, 28, 28}},
                                               {"centred", {1, 28, 28}},
                                               {"x", {1, 28, 28}},
                                               {"c1", {32, 26, 26}},
                                               {"r1", {32, 26, 26}},
                                               {"c2", {64, 24, 24}},
                                               {"p", {64, 12, 12}},
                                               {"r2", {64, 12, 12}},
                                               {"flat", {9216}},
                                               {"h", {128}},
                                               {"r3", {128}}};
  for (const auto& [name, sizes] : shapes) graph.values[name] = {DType::kF32, batch_of(sizes)};
  return graph;
}

using Graphs = std::map<std::string, OnnxGraph>;

void write(const path& folder, const Graphs& graphs) {
  write_onnx(everything(), folder / "everything.onnx");
  for (const auto& [name, graph] : graphs) {
    write_onnx(graph, folder / (name + "_f32.onnx"));
    const auto too_much = std::filesystem::file_size(folder / (name + "_f32.onnx"));
    write_onnx(graph, folder / (name + "_data.onnx"), {.most_bytes = too_much - 1, .least_external_bytes = 64});
    write_onnx(to_half(graph), folder / (name + "_f16.onnx"));
    write_onnx(to_half(graph, {.half_inputs_and_outputs = true}), folder / (name + "_f16io.onnx"));
  }
}

/// The inputs in a file, 64 examples at a time.
base::CalibrationData batches_of(const base::SafetensorsFile& file) {
  return [&file, first = std::int64_t{0}]() mutable -> std::optional<std::vector<TensorView>> {
    constexpr std::int64_t kBatch = 64;
    std::vector<TensorView> inputs = file.tensors();
    const std::int64_t count = inputs.at(0).shape.at(0);
    if (first >= count) return std::nullopt;
    const std::int64_t size = std::min(kBatch, count - first);
    for (TensorView& input : inputs) {
      const std::size_t example = input.bytes.size() / static_cast<std::size_t>(count);
      input.bytes =
          input.bytes.subspan(static_cast<std::size_t>(first) * example, static_cast<std::size_t>(size) * example);
      input.shape[0] = size;
    }
    first += size;
    return inputs;
  };
}

void quantize(const path& folder, const Graphs& graphs) {
  const base::OnnxLoad load = [](const OnnxGraph& graph) { return base::load_onnx(graph); };
  for (const auto& [name, graph] : graphs) {
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
    const std::string command = argc == 3 || argc == 4 ? argv[1] : "";
    const Graphs graphs = argc == 4 ? Graphs{{"fashion", fashion(std::make_shared<base::SafetensorsFile>(argv[3]))}}
                                    : export_test::all_graphs();
    if (command == "write") {
      write(argv[2], graphs);
    } else if (command == "quantize") {
      quantize(argv[2], graphs);
    } else {
      throw Error(ErrorKind::kUsage, "there is no such command", command, "");
    }
    return 0;
  });
}
