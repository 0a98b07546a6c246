// The Inferer as a pipeline and in one thread, where reading a sample costs as much as running it. The network has one
// thread, the reader is another: two cores are the most that can be used.
//
//     pipeline_gain FOLDER SECONDS         as make_cnn_export left it
#include <base/infer/inferer.h>
#include <base/log/error.h>
#include <base/log/format.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "rate.h"

namespace {

constexpr int kBatch = 32;

// Arithmetic of a fixed length, not a wait: on a core that is busy it takes longer. From where the last one ended, so
// that nothing of it is known before.
float grind(long rounds, float value) {
  for (long i = 0; i < rounds; ++i) value = value * 0.999F + 0.001F;
  return value;
}

class GrindingReader final : public base::SampleReader {
 public:
  GrindingReader(base::HostTensor row, long rounds, long samples)
      : row_(std::move(row)), rounds_(rounds), left_(samples) {}
  std::optional<base::Sample> next() override {
    if (left_-- == 0) return std::nullopt;
    value_ = grind(rounds_, value_);
    return base::Sample{.name = "sample", .feeds = {{row_}}};
  }

 private:
  base::HostTensor row_;
  long rounds_;
  long left_;
  volatile float value_ = 0;
};

class CountingSink final : public base::AnswerSink {
 public:
  void take(const base::Sample& /*sample*/, std::span<const base::TensorView> outputs) override {
    bytes += outputs[0].bytes.size();
  }
  std::size_t bytes = 0;
};

}  // namespace

int main(int argc, char** argv) {
  return base::run_main([&] {
    const std::filesystem::path folder = argc > 1 ? argv[1] : ".";
    const double seconds = argc > 2 ? std::strtod(argv[2], nullptr) : 2;
    const base::SafetensorsFile file(folder / "pictures.safetensors");
    base::TensorView first = *file.find("image");
    first.shape[0] = kBatch;
    first.bytes = first.bytes.first(first.bytes.size() / 64 * kBatch);
    const base::HostTensor batch = base::copy_of(first);
    base::HostTensor row = batch;
    row.view.shape = {1, 28, 28};
    row.view.bytes = row.view.bytes.first(row.view.bytes.size() / kBatch);

    const auto backend = base::load_backend(folder / "1", "cpu", {.threads = 1});
    const double network = benchmarks::seconds_each(0.5, [&] { backend->run({&batch.view, 1}); }) / kBatch;
    volatile float value = 0;
    const double round = benchmarks::seconds_each(0.5, [&] { value = grind(100000, value); }) / 100000;
    const long rounds = static_cast<long>(network / round);
    const double reading = benchmarks::seconds_each(0.5, [&] { value = grind(rounds, value); });

    const long samples = static_cast<long>(seconds / (network + reading)) / kBatch * kBatch;
    double times[2];
    for (const bool pipeline : {false, true}) {
      base::Inferer inferer(folder / "1", {.target = "cpu", .threads = 1, .batch_size = kBatch, .pipeline = pipeline});
      GrindingReader reader(row, rounds, samples);
      CountingSink answers;
      times[pipeline ? 1 : 0] = inferer.run(reader, answers).seconds;
      if (answers.bytes != static_cast<std::size_t>(samples) * 40)
        throw base::Error(base::ErrorKind::kInternal, "answers are missing", std::to_string(answers.bytes), "");
    }
    std::cout << base::format(
                     "{{\"network_us\": {:.2f}, \"reading_us\": {:.2f}, \"one_thread\": {:.1f}, \"pipeline\": {:.1f}}}",
                     network * 1e6, reading * 1e6, static_cast<double>(samples) / times[0],
                     static_cast<double>(samples) / times[1])
              << std::endl;
    return 0;
  });
}
