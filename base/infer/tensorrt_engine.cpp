#include "base/infer/tensorrt_engine.h"

#include <NvInferRuntime.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/infer/tensorrt_library.h"
#include "base/log/format.h"

namespace base {
namespace {

std::optional<DType> dtype_of(nvinfer1::DataType type) {
  switch (type) {
    case nvinfer1::DataType::kFLOAT:
      return DType::kF32;
    case nvinfer1::DataType::kHALF:
      return DType::kF16;
    case nvinfer1::DataType::kBF16:
      return DType::kBF16;
    case nvinfer1::DataType::kINT8:
      return DType::kI8;
    case nvinfer1::DataType::kUINT8:
      return DType::kU8;
    case nvinfer1::DataType::kINT32:
      return DType::kI32;
    case nvinfer1::DataType::kINT64:
      return DType::kI64;
    case nvinfer1::DataType::kBOOL:
      return DType::kBool;
    default:
      return std::nullopt;
  }
}

std::vector<std::int64_t> shape_of(const nvinfer1::Dims& dims) {
  return {dims.d, dims.d + std::max(dims.nbDims, 0)};
}

// The memory of an output whose size is known only while the work is done.
class GrowingOutput final : public nvinfer1::IOutputAllocator {
 public:
  void* reallocateOutputAsync(const char* /*name*/, void* /*current*/, std::uint64_t size, std::uint64_t /*alignment*/,
                              cudaStream_t /*stream*/) override {
    try {
      buffer_.reserve(std::max<std::uint64_t>(size, 1));  // CUDA aligns to 256 bytes, more than anybody asks for
      return buffer_.data();
    } catch (const Error&) {
      return nullptr;  // TensorRT then says that it found no memory
    }
  }
  void notifyShape(const char* /*name*/, const nvinfer1::Dims& dims) noexcept override { dims_ = dims; }

  TensorRtEngine::GrownOutput output() const { return {.address = buffer_.data(), .shape = shape_of(dims_)}; }

 private:
  DeviceBuffer buffer_;
  nvinfer1::Dims dims_{};
};

}  // namespace

struct TensorRtEngine::Parts {
  TensorRtLog* log = nullptr;
  // In the order in which they need each other.
  std::unique_ptr<nvinfer1::IRuntime> runtime;
  std::unique_ptr<nvinfer1::ICudaEngine> engine;
  std::map<std::string, GrowingOutput> growing;
  std::unique_ptr<nvinfer1::IExecutionContext> context;
};

TensorRtEngine::TensorRtEngine(std::span<const std::byte> plan, bool allow_code, TensorRtLog& log)
    : parts_(std::make_unique<Parts>()) {
  constexpr const char* kFix = "build the plan again, on this GPU and with this TensorRT";
  log.take_errors();
  parts_->log = &log;
  parts_->runtime.reset(static_cast<nvinfer1::IRuntime*>(TensorRtLibrary::get().create_runtime(log)));
  parts_->runtime->setEngineHostCodeAllowed(allow_code);
  parts_->engine.reset(parts_->runtime->deserializeCudaEngine(plan.data(), plan.size()));
  if (!parts_->engine) throw log.error("TensorRT does not take the plan", format("{} bytes", plan.size()), kFix);
  parts_->context.reset(parts_->engine->createExecutionContext());
  if (!parts_->context) {
    throw log.error("TensorRT cannot run the plan", "", "free memory of the GPU, or build it for smaller shapes");
  }
}

TensorRtEngine::~TensorRtEngine() = default;

void TensorRtEngine::require_signature(const Signature& signature) const {
  const nvinfer1::ICudaEngine& engine = *parts_->engine;
  std::map<std::string, const TensorSpec*> expected;
  for (const TensorSpec& spec : signature.inputs) expected[spec.name] = &spec;
  for (const TensorSpec& spec : signature.outputs) expected[spec.name] = &spec;
  std::string problems;
  const auto complain = [&](const std::string& name, const char* what) {
    problems += format("{}{} {}", problems.empty() ? "" : "; ", name, what);
  };
  for (std::int32_t i = 0; i < engine.getNbIOTensors(); ++i) {
    const char* name = engine.getIOTensorName(i);
    const auto found = expected.find(name);
    if (found == expected.end()) {
      complain(name, "is in the plan alone");
      continue;
    }
    const TensorSpec& spec = *found->second;
    expected.erase(found);
    const bool is_input = engine.getTensorIOMode(name) == nvinfer1::TensorIOMode::kINPUT;
    const bool should_be_input = std::any_of(signature.inputs.begin(), signature.inputs.end(),
                                             [&](const TensorSpec& in) { return &in == &spec; });
    if (is_input != should_be_input) complain(name, is_input ? "is an input of the plan" : "is an output of the plan");
    if (dtype_of(engine.getTensorDataType(name)) != spec.dtype) complain(name, "is of another type");
    if (engine.getTensorShape(name).nbDims != static_cast<std::int32_t>(spec.axes.size())) {
      complain(name, "has another number of axes");
    }
    if (engine.getTensorLocation(name) != nvinfer1::TensorLocation::kDEVICE) complain(name, "is not on the GPU");
  }
  for (const auto& [name, spec] : expected) complain(name, "is not in the plan");
  if (problems.empty()) return;
  throw Error(ErrorKind::kBackend, "the plan is of another model", problems, "build it again from this one");
}

std::vector<ShapeRange> TensorRtEngine::profile(const Signature& signature) const {
  std::vector<ShapeRange> profile;
  for (const TensorSpec& spec : signature.inputs) {
    const auto shape = [&](nvinfer1::OptProfileSelector selector) {
      const nvinfer1::Dims fixed = parts_->engine->getTensorShape(spec.name.c_str());
      const bool is_dynamic = std::any_of(fixed.d, fixed.d + fixed.nbDims, [](std::int64_t size) { return size < 0; });
      return shape_of(is_dynamic ? parts_->engine->getProfileShape(spec.name.c_str(), 0, selector) : fixed);
    };
    profile.push_back({.input = spec.name,
                       .min = shape(nvinfer1::OptProfileSelector::kMIN),
                       .best = shape(nvinfer1::OptProfileSelector::kOPT),
                       .max = shape(nvinfer1::OptProfileSelector::kMAX)});
  }
  return profile;
}

void TensorRtEngine::set_input(const std::string& name, std::span<const std::int64_t> shape, const void* address) {
  nvinfer1::Dims dims{};
  dims.nbDims = static_cast<std::int32_t>(shape.size());
  std::copy(shape.begin(), shape.end(), dims.d);  // as many as the plan's, see require_signature()
  if (!parts_->context->setInputShape(name.c_str(), dims) ||
      !parts_->context->setInputTensorAddress(name.c_str(), address)) {
    throw parts_->log->error("TensorRT does not take the input", name, "build the plan for its shape");
  }
}

std::vector<std::int64_t> TensorRtEngine::output_shape(const std::string& name) const {
  const nvinfer1::Dims dims = parts_->context->getTensorShape(name.c_str());
  if (dims.nbDims < 0) {
    throw parts_->log->error("TensorRT does not know the shape of the output", name, "build the plan again");
  }
  return shape_of(dims);
}

void TensorRtEngine::set_output(const std::string& name, void* address) {
  if (!parts_->context->setOutputTensorAddress(name.c_str(), address)) {
    throw parts_->log->error("TensorRT does not take the memory of the output", name, "build the plan again");
  }
}

void TensorRtEngine::let_grow(const std::string& name) {
  if (!parts_->context->setOutputAllocator(name.c_str(), &parts_->growing[name])) {
    throw parts_->log->error("TensorRT does not take the memory of the output", name, "build the plan again");
  }
}

TensorRtEngine::GrownOutput TensorRtEngine::grown_output(const std::string& name) const {
  return parts_->growing.at(name).output();
}

void TensorRtEngine::enqueue(const CudaStream& stream) {
  if (!parts_->context->enqueueV3(stream.get())) {
    throw parts_->log->error("TensorRT cannot run the model", "", "see its words, and nvidia-smi");
  }
}

}  // namespace base
