// Pictures a second through the CNN in eager LibTorch, in batches of 64 in the default layout.
//
//     eager_rate THREADS
#include <base/torch.h>  // first, since it is precompiled

#include <base/log/error.h>
#include <base/log/format.h>
#include <base/model/mnist_cnn.h>

#include <cstdlib>
#include <iostream>

#include "rate.h"

int main(int argc, char** argv) {
  return base::run_main([&] {
    torch::set_num_threads(argc > 1 ? std::atoi(argv[1]) : 1);  // NOLINT(cert-err34-c)
    torch::manual_seed(1);
    const c10::InferenceMode no_gradients;
    base::MnistCnn network;
    network.eval();
    const torch::Tensor image = torch::rand({64, 1, 28, 28});
    const double seconds = benchmarks::seconds_each(2, [&] { network.forward(image); });
    std::cout << base::format("{{\"samples_per_second\": {:.1f}}}", 64 / seconds) << std::endl;
    return 0;
  });
}
