// Random crops of 224 x 224 out of JPEG files, at the work of peers/jpeg_loader.py and with its flags.
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
    knobs.add("data", data, "folder with a folder of pictures for each class", {.required = true});
    knobs.add("batch_size", batch_size, "pictures in a batch", {.min = 1});
    knobs.add("epochs", epochs, "passes over the pictures; the first one is not timed", {.min = 2});
    knobs.add("threads", threads, "that decode", {.min = 0});
  }
};

int measure(const Settings& settings) {
  const base::ImageLoader loader(base::read_image_folders(settings.data), {.height = 224, .width = 224});
  auto start = std::chrono::steady_clock::now();
  std::int64_t pictures = 0;
  torch::Tensor last;
  for (std::int64_t epoch = 0; epoch < settings.epochs; ++epoch) {
    if (epoch == 1) start = std::chrono::steady_clock::now();
    base::BatchStream stream(loader, {.settings = {.batch_size = settings.batch_size, .threads = settings.threads},
                                      .seed = 1,
                                      .from = {.epoch = epoch},
                                      .training = true});
    while (const auto batch = stream.next()) {
      if (epoch > 0) pictures += batch->size();
      last = (*batch)["image"];
    }
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::cout << base::format(R"({{"name": "scaffold", "work": "jpeg", "samples_per_second": {}, "mean": {}}})",
                            static_cast<double>(pictures) / seconds, last.mean().item<double>())
            << std::endl;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return base::run_main([&] {
    Settings settings;
    return base::load_settings(settings, argc, argv, {.description = "Measures the loading of pictures."}) ? measure(settings) : 0;
  });
}
