// Exports the CNN of the benchmarks, with random weights, and pictures with what eager LibTorch answers to them.
//
//     make_cnn_export FOLDER         FOLDER/1 is the export, FOLDER/pictures.safetensors has image and logits
#include <base/torch.h>  // first, since it is precompiled

#include <base/export/export_model.h>
#include <base/log/error.h>
#include <base/tensor/tensor_view.h>

#include <filesystem>

#include "benchmarks/training/work.h"

int main(int argc, char** argv) {
  return base::run_main([&] {
    const std::filesystem::path folder = argc > 1 ? argv[1] : ".";
    torch::manual_seed(1);
    const torch::NoGradGuard no_grad;
    benchmarks::Classifier<base::MnistCnn> model(std::make_shared<base::MnistCnn>());
    base::export_model(model, {.folder = folder / "1", .manifest = {.model = "mnist_cnn"}});

    const torch::Tensor image = torch::rand({64, 1, 28, 28});
    model.set_mode(base::Model::Mode::kInfer);
    const torch::Tensor logits = model.run({{"image", image}})["logits"].contiguous();
    base::write_safetensors(folder / "pictures.safetensors",
                            std::vector{base::view_of("image", image), base::view_of("logits", logits)});
    return 0;
  });
}
