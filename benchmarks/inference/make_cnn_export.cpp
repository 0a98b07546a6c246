// Exports the CNN of the benchmarks, with random weights, and pictures with what eager LibTorch answers to them.
//
//     make_cnn_export FOLDER         FOLDER/1 is the export, FOLDER/pictures.safetensors has image and logits
#include <base/torch.h>  // first, since it is precompiled

#include <base/artifact/artifact.h>
#include <base/export/onnx_file.h>
#include <base/log/error.h>
#include <base/model/mnist_cnn.h>
#include <base/tensor/tensor_view.h>

#include <filesystem>

namespace {

base::OnnxTensor constant(const std::string& name, const torch::Tensor& tensor) {
  auto owner = std::make_shared<torch::Tensor>(tensor.detach().contiguous());
  return {base::view_of(name, *owner), owner};
}

// What MnistCnn::forward() does, operator by operator.
base::OnnxGraph graph_of(const base::MnistCnn& network) {
  base::OnnxGraph graph;
  graph.name = "mnist_cnn";
  graph.signature = {.inputs = {{"image", base::DType::kF32, {{1, "batch"}, {1}, {28}, {28}}}},
                     .outputs = {{"logits", base::DType::kF32, {{1, "batch"}, {10}}}}};
  for (const auto& item : network.named_parameters()) graph.initializers.push_back(constant(item.key(), item.value()));
  const auto add = [&](const char* operation, std::vector<std::string> inputs, std::string output,
                       std::map<std::string, base::OnnxAttribute> attributes = {}) {
    graph.nodes.push_back({operation, std::move(inputs), {output}, std::move(attributes), output});
  };
  const std::vector<std::int64_t> two{2, 2};
  add("Conv", {"image", "conv1.weight", "conv1.bias"}, "conv1");
  add("Relu", {"conv1"}, "relu1");
  add("Conv", {"relu1", "conv2.weight", "conv2.bias"}, "conv2");
  add("MaxPool", {"conv2"}, "pool", {{"kernel_shape", two}, {"strides", two}});
  add("Relu", {"pool"}, "relu2");
  add("Flatten", {"relu2"}, "flat", {{"axis", std::int64_t{1}}});
  add("Gemm", {"flat", "fc1.weight", "fc1.bias"}, "fc1", {{"transB", std::int64_t{1}}});
  add("Relu", {"fc1"}, "relu3");
  add("Gemm", {"relu3", "fc2.weight", "fc2.bias"}, "logits", {{"transB", std::int64_t{1}}});
  return graph;
}

}  // namespace

int main(int argc, char** argv) {
  return base::run_main([&] {
    const std::filesystem::path folder = argc > 1 ? argv[1] : ".";
    torch::manual_seed(1);
    const torch::NoGradGuard no_grad;
    base::MnistCnn network;
    network.eval();
    const base::OnnxGraph graph = graph_of(network);
    base::ArtifactWriter writer(folder / "1");
    base::write_onnx(graph, writer.path() / base::kOnnxFile);
    writer.publish({.model = "mnist_cnn", .signature = graph.signature});

    const torch::Tensor image = torch::rand({64, 1, 28, 28});
    const torch::Tensor logits = network.forward(image).contiguous();
    base::write_safetensors(folder / "pictures.safetensors",
                            std::vector{base::view_of("image", image), base::view_of("logits", logits)});
    return 0;
  });
}
