// Pictures a second through a Backend, in batches of 64, and how far the answers are from those in the file.
//
//     backend_rate FOLDER THREADS [TARGET]      as make_cnn_export left it
#include <base/infer/backend.h>
#include <base/infer/host_tensor.h>
#include <base/log/error.h>
#include <base/log/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "rate.h"

int main(int argc, char** argv) {
  return base::run_main([&] {
    const std::filesystem::path folder = argc > 1 ? argv[1] : ".";
    const base::SafetensorsFile file(folder / "pictures.safetensors");
    const auto backend = base::load_backend(folder / "1", argc > 3 ? argv[3] : "cpu",
                                            {.threads = argc > 2 ? std::atoi(argv[2]) : 0});  // NOLINT(cert-err34-c)
    const base::HostTensor image = base::copy_of(*file.find("image"));
    const double seconds = benchmarks::seconds_each(2, [&] { backend->run({&image.view, 1}); });
    const base::TensorView& logits = *file.find("logits");
    const base::TensorView answer = backend->run({&image.view, 1})[0];
    double difference = 0;
    for (std::size_t i = 0; i < logits.bytes.size() / sizeof(float); ++i)
      difference = std::max(difference, std::fabs(base::number_at(logits, i) - base::number_at(answer, i)));
    std::cout << base::format("{{\"samples_per_second\": {:.1f}, \"difference\": {:.3g}}}", 64 / seconds, difference)
              << std::endl;
    return 0;
  });
}
