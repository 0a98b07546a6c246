// summary_judge.cpp FOLDER: writes what summary_judge_test.py knows the values of, for TensorBoard's own reader to
// find.
#include "base/torch.h"

#include <cmath>
#include <iostream>

#include "base/log/error.h"
#include "base/model/mnist_cnn.h"
#include "base/summary/model_graph.h"
#include "base/summary/summary_writer.h"

namespace {

class Network final : public base::Model {
 public:
  Network() { cnn_ = register_module("cnn", std::make_shared<base::MnistCnn>()); }
  base::Tensors example_inputs() const override { return {{"image", torch::zeros({1, 1, 28, 28})}}; }
  base::Tensors forward(const base::Tensors& inputs) override { return {{"logits", cnn_->forward(inputs["image"])}}; }
  base::Tensors postprocess(base::Tensors outputs) const override { return {{"class", outputs["logits"].argmax(1)}}; }
  torch::Tensor loss(const base::Tensors& outputs, const base::Tensors& batch) override {
    return torch::cross_entropy_loss(outputs["logits"], batch["label"]);
  }

 private:
  std::shared_ptr<base::MnistCnn> cnn_;
};

void write(const std::filesystem::path& folder) {
  base::SummaryWriter writer(folder / "train");
  base::SummaryWriter validation(folder / "validation");
  for (std::int64_t step = 0; step < 1000; ++step)
    writer.scalar("loss", std::sin(0.01 * static_cast<double>(step)), step);
  for (std::int64_t step = 99; step < 1000; step += 100) validation.scalar("loss", 0.5, step);
  writer.scalar("odd/values", std::nan(""), 1);
  writer.scalar("odd/values", INFINITY, 2);
  writer.scalar("odd/values", 1e-30, 3);

  const torch::Tensor ramp = torch::arange(0, 3 * 4 * 5, torch::kUInt8).view({3, 4, 5});
  writer.image("picture", ramp, 7);
  writer.image("grey", torch::linspace(0, 1, 6).view({2, 3}), 8);
  writer.image("several", torch::full({5, 1, 4, 4}, 255, torch::kUInt8), 9);

  torch::Tensor weights = torch::linspace(-1, 1, 1001);
  writer.histogram("weights", weights, 10);
  weights.zero_();  // the writer has a copy
  writer.histogram("one_value", torch::full({10}, 3.0), 11);
  writer.histogram("nothing", torch::full({10}, std::nan("")), 12);
  writer.text("note", "**bold** \u00e4\u00f6\u00fc", 13);
  writer.hyper_parameters({{"learning_rate", 0.01}, {"nesterov", true}, {"optimizer", std::string("sgd")}},
                          {{"", "loss"}, {"validation", "loss"}});
  writer.end_hyper_parameters(true);
  Network network;
  writer.graph(base::graph_of(network));
  writer.embedding("points", torch::arange(0, 12, torch::kFloat).view({4, 3}), {"a", "b\tc", "d", "e"},
                   torch::full({4, 1, 8, 8}, 128, torch::kUInt8));
  writer.embedding("more points", torch::ones({2, 2}));
}

}  // namespace

int main(int argc, char** argv) {
  return base::run_main([&] {
    if (argc != 2) throw base::Error(base::ErrorKind::kUsage, "one folder is needed", "", "summary_judge FOLDER");
    write(argv[1]);
    return 0;
  });
}
