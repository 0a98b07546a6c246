// large_export.cpp: what large_export_test.py asks of the runtime.
//
//     large_export FOLDER   exports a model of 2.4 GB to FOLDER/exports/1, and writes a question and its answer to
//                           FOLDER/answer.safetensors
#include "base/torch.h"

#include <filesystem>

#include "base/export/export_model.h"
#include "base/log/error.h"
#include "base/tensor/tensor_view.h"

namespace {

constexpr std::int64_t kWidth = 24'576;  // squared and in floats: more than a protobuf message holds

class Large final : public base::Model {
 public:
  Large() { layer_ = register_module("layer", torch::nn::Linear(kWidth, kWidth)); }
  base::Tensors example_inputs() const override { return {{"x", torch::ones({1, kWidth})}}; }
  base::Tensors forward(const base::Tensors& inputs) override { return {{"y", layer_(inputs["x"])}}; }
  torch::Tensor loss(const base::Tensors& outputs, const base::Tensors&) override { return outputs["y"].mean(); }

 private:
  torch::nn::Linear layer_{nullptr};
};

}  // namespace

int main(int argc, char** argv) {
  return base::run_main([&] {
    if (argc != 2) throw base::Error(base::ErrorKind::kUsage, "one folder is needed", "", "large_export FOLDER");
    const std::filesystem::path folder = argv[1];
    torch::manual_seed(1);
    const torch::NoGradGuard no_grad;
    Large model;
    base::export_model(model, {.folder = folder / "exports/1"});
    model.set_mode(base::Model::Mode::kInfer);
    const torch::Tensor x = torch::randn({2, kWidth});
    const torch::Tensor y = model.run({{"x", x}})["y"];
    const std::vector<base::TensorView> views{base::view_of("x", x), base::view_of("y", y)};
    base::write_safetensors(folder / "answer.safetensors", views);
    return 0;
  });
}
