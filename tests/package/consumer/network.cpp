// A project's own module and settings, on the installed runtime.
#include <base/torch.h>  // first, since it is precompiled

#include <base/config/settings.h>
#include <base/log/error.h>
#include <base/log/log.h>

#include <iostream>

struct Settings {
  std::int64_t width = 8;
  void declare(base::Knobs& knobs) { knobs.add("width", width, "units in the hidden layer", {.min = 1, .max = 64}); }
};

class Network final : public torch::nn::Module {
 public:
  explicit Network(const Settings& settings) {
    hidden_ = register_module("hidden", torch::nn::Linear(4, settings.width));
    head_ = register_module("head", torch::nn::Linear(settings.width, 2));
  }
  torch::Tensor forward(const torch::Tensor& x) { return head_(torch::relu(hidden_(x))); }

 private:
  torch::nn::Linear hidden_{nullptr}, head_{nullptr};
};

int main(int argc, char** argv) {
  return base::run_main([&] {
    Settings settings;
    if (!base::load_settings(settings, argc, argv)) return 0;
    Network network(settings);
    base::log::info("{} parameters", network.parameters().size());
    std::cout << network.forward(torch::ones({3, 4})).sizes() << " "
              << network.named_parameters()["hidden.weight"].sizes() << "\n";
    return 0;
  });
}
