// Random crops of 224 x 224 out of JPEG files, as floats in batches: what peers/jpeg_loader.py does, with its flags.
#include <base/torch.h>  // first, since it is precompiled

#include <base/config/settings.h>
#include <base/data/batch_stream.h>
#include <base/data/image_list.h>
#include <base/log/error.h>
#include <base/log/format.h>

#include <chrono>
#include <iostream>

namespace {

struct Settings {
  std::filesystem::path data;
  std::int64_t batch_size = 64;
  std::int64_t epochs = 3;
  int threads = 2;

  void declare(base::Knobs& knobs) {
    knobs.add("data", data, "folder with a folder of pictures for each class");
    knobs.add("batch_size", batch_size, "pictures in a batch", {.min = 1});
    knobs.add("epochs", epochs, "passes over them; the first one is not timed", {.min = 2});
    knobs.add("threads", threads, "that decode", {.min = 1});
  }
};

int measure(const Settings& settings) {
  at::set_num_threads(1);  // the threads that count are the loader's
  const base::ImageLoader loader(base::read_image_folders(settings.data), {.height = 224, .width = 224});
  std::chrono::steady_clock::time_point start;
  torch::Tensor last;
  double brightness = 0;
  for (std::int64_t epoch = 0; epoch < settings.epochs; ++epoch) {
    if (epoch == 1) start = std::chrono::steady_clock::now();
    base::BatchStream stream(loader, {.settings = {.batch_size = settings.batch_size, .threads = settings.threads},
                                      .seed = 1,
                                      .from = {.epoch = epoch},
                                      .training = true});
    while (const auto batch = stream.next()) {
      last = (*batch)["image"];
      brightness += last[0][0][0][0].item<double>();  // it is there, and a float
    }
  }
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  std::cout << base::format(R"({{"name": "scaffold", "work": "jpeg", "samples_per_second": {}, "mean": {}}})",
                            static_cast<double>(loader.size() * (settings.epochs - 1)) / time.count(),
                            last.mean().item<double>())
            << std::endl;
  return brightness >= 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return base::run_main([&] {
    Settings settings;
    return base::load_settings(settings, argc, argv, {.description = "Measures how fast pictures are read."})
               ? measure(settings)
               : 0;
  });
}
