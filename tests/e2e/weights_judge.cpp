// weights_judge.cpp: what weights_judge_test.py asks of the runtime.
//
//     weights_judge NETWORK WEIGHTS INPUTS OUTPUTS SAVED   load WEIGHTS, run the tensor x of INPUTS in eval mode, write
//     y
//                                                          to OUTPUTS and the weights again to SAVED
//     weights_judge time NETWORK THREADS                   milliseconds of a forward pass of 8 pictures, the fastest
#include "base/torch.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/model/mlp.h"
#include "base/model/mnist_cnn.h"
#include "base/model/resnet.h"
#include "base/model/weights.h"
#include "base/tensor/tensor_view.h"

namespace {

using base::Error;
using base::ErrorKind;

struct Network {
  std::shared_ptr<torch::nn::Module> module;
  std::function<torch::Tensor(torch::Tensor)> forward;
};

template <typename T>
Network make(const typename T::Options& options) {
  const auto network = std::make_shared<T>(options);
  network->eval();
  return {network, [network](torch::Tensor x) { return network->forward(std::move(x)); }};
}

Network make(const std::string& name) {
  if (name == "mlp") return make<base::Mlp>({.inputs = 784, .hidden = {64, 32}, .outputs = 10});
  if (name == "mnist_cnn") return make<base::MnistCnn>({});
  if (name == "resnet18") return make<base::ResNet>({.depth = 18});
  if (name == "resnet34") return make<base::ResNet>({.depth = 34});
  if (name == "resnet50") return make<base::ResNet>({.depth = 50});
  for (const int depth : {20, 32, 56})
    if (name == base::format("cifar_resnet{}", depth)) return make<base::CifarResNet>({.depth = depth});
  throw Error(ErrorKind::kUsage, "there is no such network", name, "");
}

void judge(const std::string& name, char** paths) {
  const Network network = make(name);
  std::cout << base::load_weights(*network.module, paths[0]).summary() << '\n';
  const base::SafetensorsFile inputs(paths[1]);
  const torch::Tensor y = network.forward(base::tensor_of(*inputs.find("x"))).contiguous();
  base::write_safetensors(paths[2], std::vector{base::view_of("y", y)});
  base::save_weights(*network.module, paths[3]);
}

void measure(const std::string& name, int threads) {
  torch::set_num_threads(threads);
  const Network network = make(name);
  const torch::Tensor x = torch::rand({8, 3, 224, 224});
  double fastest = 1e9;
  for (int i = 0; i < 10; ++i) {
    const auto start = std::chrono::steady_clock::now();
    network.forward(x);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    fastest = std::min(fastest, took.count());
  }
  std::cout << fastest << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  return base::run_main([&] {
    const torch::NoGradGuard no_grad;
    if (argc == 4 && std::string(argv[1]) == "time")
      measure(argv[2], std::stoi(argv[3]));
    else if (argc == 6)
      judge(argv[1], argv + 2);
    else
      throw Error(ErrorKind::kUsage, "there are too few or too many arguments", std::to_string(argc - 1), "");
    return 0;
  });
}
