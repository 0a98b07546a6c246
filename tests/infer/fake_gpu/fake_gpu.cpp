#include "tests/infer/fake_gpu/fake_gpu.h"

#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <utility>

#include "base/infer/cuda_device.h"
#include "base/infer/cuda_memory.h"
#include "base/infer/tensorrt_builder.h"
#include "base/infer/tensorrt_engine.h"
#include "base/infer/tensorrt_library.h"
#include "base/infer/tensorrt_log.h"
#include "base/records/bytes.h"

using Work = std::vector<std::function<void()>>;

struct CUstream_st {
  Work* recording = nullptr;

  void give(const std::function<void()>& work) {
    if (recording != nullptr) {
      recording->push_back(work);
    } else {
      work();
    }
  }
};

struct CUgraphExec_st {
  Work work;
};

namespace base {

FakeGpu& fake_gpu() {
  static FakeGpu gpu;
  return gpu;
}

std::string fake_plan() {
  return "plan of " + fake_gpu().version + " for " + fake_gpu().compute_capability;
}

// ---- cuda_device.h

std::string why_no_cuda_device(int index) {
  return index < fake_gpu().devices ? "" : "there is no GPU";
}

CudaDevice open_cuda_device(int index) {
  if (const std::string reason = why_no_cuda_device(index); !reason.empty()) {
    throw Error(ErrorKind::kDevice, reason, "", "");
  }
  return {.index = index, .name = "a fake", .compute_capability = fake_gpu().compute_capability};
}

void use_cuda_device(int index) {
  fake_gpu().used.push_back(index);
}

// ---- cuda_memory.h

CudaStream::CudaStream() : stream_(new CUstream_st) {}
CudaStream::~CudaStream() {
  delete stream_;
}
void CudaStream::synchronize() const {}

DeviceBuffer::~DeviceBuffer() {
  std::free(data_);
}
DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
void DeviceBuffer::reserve(std::size_t bytes) {
  if (bytes <= size_) return;
  std::free(data_);
  data_ = std::malloc(bytes);
  size_ = bytes;
}

PinnedBuffer::~PinnedBuffer() {
  std::free(data_);
}
PinnedBuffer::PinnedBuffer(PinnedBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
void PinnedBuffer::reserve(std::size_t bytes) {
  if (bytes <= size_) return;
  std::free(data_);
  data_ = static_cast<std::byte*>(std::malloc(bytes));
  size_ = bytes;
}

void copy_to_device(void* to, const void* from, std::size_t bytes, const CudaStream& stream) {
  stream.get()->give([=] { std::memcpy(to, from, bytes); });
}
void copy_to_host(void* to, const void* from, std::size_t bytes, const CudaStream& stream) {
  copy_to_device(to, from, bytes, stream);
}

CudaGraph::~CudaGraph() {
  clear();
}
void CudaGraph::clear() {
  delete std::exchange(graph_, nullptr);
}
bool CudaGraph::record(const CudaStream& stream, const std::function<void()>& work) {
  clear();
  Work recorded;
  stream.get()->recording = &recorded;
  work();
  stream.get()->recording = nullptr;
  if (!fake_gpu().can_record) return false;
  graph_ = new CUgraphExec_st{recorded};
  ++fake_gpu().recorded;
  return true;
}
void CudaGraph::launch(const CudaStream& /*stream*/) const {
  ++fake_gpu().launched;
  for (const auto& work : graph_->work) work();
}

// ---- tensorrt_log.h and tensorrt_library.h

class TensorRtLog::Listener {};
TensorRtLog::TensorRtLog() : listener_(std::make_unique<Listener>()) {}
TensorRtLog::~TensorRtLog() = default;
std::string TensorRtLog::take_errors() {
  return "the fake's own words";
}
Error TensorRtLog::error(const std::string& what, const std::string& value, const std::string& fix) {
  return {ErrorKind::kBackend, what, value + ": " + take_errors(), fix};
}

TensorRtLibrary::TensorRtLibrary() : version_(fake_gpu().version) {
  if (!fake_gpu().is_lean) create_builder_ = [](void*, int) -> void* { return nullptr; };
}
const TensorRtLibrary& TensorRtLibrary::get() {
  static std::map<std::string, TensorRtLibrary> libraries;  // one for each that a test sets up
  const std::string name = fake_gpu().version + (fake_gpu().is_lean ? " lean" : "");
  return libraries.try_emplace(name, TensorRtLibrary()).first->second;
}
int TensorRtLibrary::major_version() {
  return 11;
}
std::string TensorRtLibrary::why_not() {
  return {};
}

// ---- tensorrt_builder.h

TensorRtPlan build_plan(const std::filesystem::path& onnx, const OnnxFacts& facts, const TensorRtPlanKey& key,
                        const PlanCache& /*cache*/, TensorRtLog& /*log*/) {
  precision_rules(key.precision, facts, TensorRtLibrary::major_version());
  if (TensorRtLibrary::get().is_lean()) throw Error(ErrorKind::kBackend, "lean builds no plans", onnx.string(), "");
  ++fake_gpu().built;
  const auto plan = std::make_shared<std::string>(fake_plan());
  return {.bytes = bytes_of(*plan), .owner = plan};
}

// ---- tensorrt_engine.h

struct TensorRtEngine::Parts {
  const float* input = nullptr;
  float* output = nullptr;
  std::vector<std::int64_t> shape;
  std::vector<float> grown;

  std::size_t count() const {
    std::size_t count = 1;
    for (const std::int64_t size : shape) count *= static_cast<std::size_t>(size);
    return count;
  }
};

TensorRtEngine::TensorRtEngine(std::span<const std::byte> plan, bool allow_code, TensorRtLog& log)
    : parts_(std::make_unique<Parts>()) {
  if (text_of(plan) != fake_plan()) throw log.error("TensorRT does not take the plan", "the plan", "build it again");
  fake_gpu().ran_code = allow_code;
  ++fake_gpu().loaded;
}
TensorRtEngine::~TensorRtEngine() = default;

void TensorRtEngine::require_signature(const Signature& signature) const {
  if (signature.inputs.at(0).name != "x") throw Error(ErrorKind::kBackend, "the plan is of another model", "", "");
}
std::vector<ShapeRange> TensorRtEngine::profile(const Signature& signature) const {
  return make_profile(signature, {});
}
void TensorRtEngine::set_input(const std::string& /*name*/, std::span<const std::int64_t> shape, const void* address) {
  ++fake_gpu().shapes_set;
  parts_->shape.assign(shape.begin(), shape.end());
  parts_->input = static_cast<const float*>(address);
}
std::vector<std::int64_t> TensorRtEngine::output_shape(const std::string& /*name*/) const {
  return fake_gpu().output_grows ? std::vector<std::int64_t>(parts_->shape.size(), -1) : parts_->shape;
}
void TensorRtEngine::set_output(const std::string& /*name*/, void* address) {
  parts_->output = static_cast<float*>(address);
}
void TensorRtEngine::let_grow(const std::string& /*name*/) {}
TensorRtEngine::GrownOutput TensorRtEngine::grown_output(const std::string& /*name*/) const {
  return {.address = parts_->grown.data(), .shape = parts_->shape};
}
void TensorRtEngine::enqueue(const CudaStream& stream) {
  ++fake_gpu().enqueued;
  Parts* parts = parts_.get();
  if (fake_gpu().output_grows) {
    parts->grown.resize(parts->count());
    parts->output = parts->grown.data();
  }
  stream.get()->give([parts, input = parts->input, output = parts->output, count = parts->count()] {
    for (std::size_t i = 0; i < count; ++i) output[i] = 2 * input[i];
  });
}

}  // namespace base
