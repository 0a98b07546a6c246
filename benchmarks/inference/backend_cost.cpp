// What a Backend costs beside ONNX Runtime's own C API: the two take turns in one process, on one thread each.
//
//     backend_cost FOLDER BATCH SECONDS         as make_cnn_export left it
#include <base/infer/backend.h>
#include <base/infer/host_tensor.h>
#include <base/log/error.h>
#include <base/log/format.h>
#include <onnxruntime_c_api.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <vector>

#include "rate.h"

namespace {

const OrtApi& api() {
  static const OrtApi& api = *OrtGetApiBase()->GetApi(ORT_API_VERSION);
  return api;
}

void check(OrtStatus* status) {
  if (status != nullptr)
    throw base::Error(base::ErrorKind::kBackend, "ONNX Runtime", api().GetErrorMessage(status), "");
}

// As one writes it by hand: no names are looked up, nothing is checked.
class Raw {
 public:
  explicit Raw(const std::filesystem::path& model) {
    check(api().CreateEnv(ORT_LOGGING_LEVEL_ERROR, "raw", &env_));
    OrtSessionOptions* options = nullptr;
    check(api().CreateSessionOptions(&options));
    check(api().SetSessionGraphOptimizationLevel(options, ORT_ENABLE_ALL));
    check(api().SetIntraOpNumThreads(options, 1));
    check(api().CreateSession(env_, model.c_str(), options, &session_));
    api().ReleaseSessionOptions(options);
    check(api().CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory_));
  }
  ~Raw() {
    api().ReleaseMemoryInfo(memory_);
    api().ReleaseSession(session_);
    api().ReleaseEnv(env_);
  }
  Raw(const Raw&) = delete;
  Raw& operator=(const Raw&) = delete;

  float run(const base::TensorView& image) {
    OrtValue* input = nullptr;
    OrtValue* output = nullptr;
    auto* const bytes = const_cast<std::byte*>(image.bytes.data());  // NOLINT(*-const-cast)
    check(api().CreateTensorWithDataAsOrtValue(memory_, bytes, image.bytes.size(), image.shape.data(),
                                               image.shape.size(), ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &input));
    const char* const inputs[] = {"image"};
    const char* const outputs[] = {"logits"};
    check(api().Run(session_, nullptr, inputs, &input, 1, outputs, 1, &output));
    void* data = nullptr;
    check(api().GetTensorMutableData(output, &data));
    const float first = *static_cast<const float*>(data);
    api().ReleaseValue(output);
    api().ReleaseValue(input);
    return first;
  }

 private:
  OrtEnv* env_ = nullptr;
  OrtSession* session_ = nullptr;
  OrtMemoryInfo* memory_ = nullptr;
};

double median(std::vector<double>& values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  return base::run_main([&] {
    const std::filesystem::path folder = argc > 1 ? argv[1] : ".";
    const std::int64_t batch = argc > 2 ? std::atoi(argv[2]) : 1;  // NOLINT(cert-err34-c)
    const double seconds = argc > 3 ? std::strtod(argv[3], nullptr) : 2;
    const base::SafetensorsFile file(folder / "pictures.safetensors");
    base::HostTensor image = base::copy_of(*file.find("image"));
    image.view.bytes = image.view.bytes.first(image.view.bytes.size() / 64 * static_cast<std::size_t>(batch));
    image.view.shape[0] = batch;
    const auto backend = base::load_backend(folder / "1", "cpu", {.threads = 1});
    Raw raw(folder / "1" / "model.onnx");

    float sum = 0;
    const auto ours = [&] { sum += *reinterpret_cast<const float*>(backend->run({&image.view, 1})[0].bytes.data()); };
    const auto theirs = [&] { sum -= raw.run(image.view); };
    std::vector<double> our_times, their_times;
    const double until = benchmarks::now() + seconds;
    for (int turn = 0; benchmarks::now() < until; ++turn) {
      const double start = benchmarks::now();
      turn % 2 == 0 ? ours() : theirs();
      const double middle = benchmarks::now();
      turn % 2 == 0 ? theirs() : ours();
      const double end = benchmarks::now();
      our_times.push_back(turn % 2 == 0 ? middle - start : end - middle);
      their_times.push_back(turn % 2 == 0 ? end - middle : middle - start);
    }
    if (sum != 0) throw base::Error(base::ErrorKind::kInternal, "the two do not answer the same", "", "");
    std::cout << base::format("{{\"ours_us\": {:.2f}, \"raw_us\": {:.2f}, \"calls\": {}}}", median(our_times) * 1e6,
                              median(their_times) * 1e6, our_times.size())
              << std::endl;
    return 0;
  });
}
