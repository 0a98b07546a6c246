#include "base/infer/onnxruntime_backend.h"

#ifdef SCAFFOLD_WITH_ONNXRUNTIME

#include <onnxruntime_cxx_api.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/log.h"

namespace base {
namespace {

constexpr const char* kName = "ONNX Runtime";

constexpr std::array<std::pair<DType, ONNXTensorElementDataType>, 13> kElementTypes = {{
    {DType::kBool, ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL},
    {DType::kU8, ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8},
    {DType::kI8, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8},
    {DType::kI16, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16},
    {DType::kU16, ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16},
    {DType::kF16, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16},
    {DType::kBF16, ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16},
    {DType::kI32, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32},
    {DType::kU32, ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32},
    {DType::kF32, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT},
    {DType::kF64, ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE},
    {DType::kI64, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64},
    {DType::kU64, ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64},
}};

ONNXTensorElementDataType element_type(DType dtype) {
  return std::ranges::find(kElementTypes, dtype, &decltype(kElementTypes)::value_type::first)->second;
}

std::string type_text(ONNXTensorElementDataType type) {
  const auto found = std::ranges::find(kElementTypes, type, &decltype(kElementTypes)::value_type::second);
  return found == kElementTypes.end() ? format("ONNX type {}", static_cast<int>(type))
                                      : std::string(name_of(found->first));
}

// ONNX Runtime's messages go over several lines.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool is_space = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (!is_space) line += c;
    if (is_space && !line.empty() && line.back() != ' ') line += ' ';
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

void ORT_API_CALL to_log(void* /*unused*/, OrtLoggingLevel /*level*/, const char* /*category*/, const char* /*id*/,
                         const char* /*place*/, const char* message) {
  log::debug("ONNX Runtime: {}", one_line(message));  // what matters comes as an exception too
}

// One for the whole process, as ONNX Runtime wants it. Never destroyed: backends may be static objects of somebody's.
Ort::Env& environment() {
  static Ort::Env& env = *new Ort::Env(ORT_LOGGING_LEVEL_WARNING, "scaffold", to_log, nullptr);
  return env;
}

std::vector<std::string> names_of(const std::vector<TensorSpec>& tensors) {
  std::vector<std::string> names;
  for (const TensorSpec& spec : tensors) names.push_back(spec.name);
  return names;
}

class OnnxRuntimeBackend final : public Backend {
 public:
  // `cuda`: the number of the GPU; below zero for the CPU.
  OnnxRuntimeBackend(const Artifact& artifact, int cuda, const BackendOptions& options)
      : signature_(artifact.signature()),
        cuda_(cuda),
        session_(load(artifact, cuda, options)),
        input_names_(names_of(signature_.inputs)),
        output_names_(names_of(signature_.outputs)),
        outputs_(output_names_.size()) {
    check_model(artifact.folder() / kOnnxFile);
    for (const std::string& name : input_names_) input_pointers_.push_back(name.c_str());
    for (const std::string& name : output_names_) {
      output_pointers_.push_back(name.c_str());
      answers_.emplace_back(nullptr);
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) outputs_[i].name = output_names_[i];
    aligned_.resize(input_names_.size());
  }

  const Signature& signature() const override { return signature_; }

  std::span<const TensorView> run(std::span<const TensorView> inputs) override {
    const std::vector<const TensorView*> matched = match_inputs(signature_, inputs);
    try {
      inputs_.clear();
      for (std::size_t i = 0; i < matched.size(); ++i) inputs_.push_back(value_of(*matched[i], aligned_[i]));
      for (Ort::Value& value : answers_) value = Ort::Value(nullptr);  // ONNX Runtime makes new ones
      session_.Run(run_options_, input_pointers_.data(), inputs_.data(), inputs_.size(), output_pointers_.data(),
                   answers_.data(), answers_.size());
      for (std::size_t i = 0; i < outputs_.size(); ++i) view(answers_[i], signature_.outputs[i], outputs_[i]);
    } catch (const Ort::Exception& error) {
      throw Error(ErrorKind::kBackend, "ONNX Runtime cannot run the model", one_line(error.what()),
                  "check the inputs, or export the model again");
    }
    return outputs_;
  }

  std::string description() const override {
    return format("{} {} on {}", kName, Ort::GetVersionString(), cuda_ < 0 ? "the CPU" : format("cuda:{}", cuda_));
  }

 private:
  static Ort::Session load(const Artifact& artifact, int cuda, const BackendOptions& options) {
    const std::filesystem::path file = artifact.file(kOnnxFile);
    for (const CheckedFile& other : artifact.manifest().files)  // weights beside it
      if (other.name.starts_with(kOnnxFile) && other.name != kOnnxFile) static_cast<void>(artifact.file(other.name));
    try {
      Ort::SessionOptions session;
      session.SetGraphOptimizationLevel(GraphOptimizationLevel::ORT_ENABLE_ALL);
      if (options.threads > 0) session.SetIntraOpNumThreads(options.threads);
      if (cuda >= 0) {
        OrtCUDAProviderOptions provider;
        provider.device_id = cuda;
        session.AppendExecutionProvider_CUDA(provider);
      }
      return {environment(), file.c_str(), session};
    } catch (const Ort::Exception& error) {
      throw Error(ErrorKind::kBackend, "ONNX Runtime cannot load the model",
                  format("{} ({})", file, one_line(error.what())), "copy or export the model again");
    }
  }

  // The manifest is what callers see: the model has to be what it says.
  void check_model(const std::filesystem::path& file) const {
    const Ort::AllocatorWithDefaultOptions allocator;
    std::string problems;
    const auto compare = [&](const std::vector<TensorSpec>& expected, std::size_t count, const auto& name_at,
                             const auto& type_at) {
      for (const TensorSpec& spec : expected) {
        bool found = false;
        for (std::size_t i = 0; i < count; ++i) {
          if (spec.name != name_at(i)) continue;
          found = true;
          const Ort::TypeInfo type = type_at(i);
          const ONNXTensorElementDataType there = type.GetONNXType() == ONNX_TYPE_TENSOR
                                                      ? type.GetTensorTypeAndShapeInfo().GetElementType()
                                                      : ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
          if (there != element_type(spec.dtype))
            problems += format("; {} is {}, not {}", spec.name, type_text(there), name_of(spec.dtype));
        }
        if (!found) problems += format("; it has no {}", spec.name);
      }
      return count;
    };
    const std::size_t inputs = compare(
        signature_.inputs, session_.GetInputCount(),
        [&](std::size_t i) { return std::string(session_.GetInputNameAllocated(i, allocator).get()); },
        [&](std::size_t i) { return session_.GetInputTypeInfo(i); });
    compare(
        signature_.outputs, session_.GetOutputCount(),
        [&](std::size_t i) { return std::string(session_.GetOutputNameAllocated(i, allocator).get()); },
        [&](std::size_t i) { return session_.GetOutputTypeInfo(i); });
    if (inputs > signature_.inputs.size())
      problems += format("; it takes {} inputs, not {}", inputs, signature_.inputs.size());
    if (!problems.empty()) {
      throw Error(ErrorKind::kBackend, "the model is not the one that the manifest describes",
                  format("{} ({})", file, std::string_view(problems).substr(2)), "export the model again");
    }
  }

  // Over the caller's memory. Bytes that are not aligned to their elements are copied to where they are: a file that is
  // mapped may have such.
  Ort::Value value_of(const TensorView& view, std::vector<std::max_align_t>& aligned) const {
    const std::byte* bytes = view.bytes.data();
    if (reinterpret_cast<std::uintptr_t>(bytes) % size_of(view.dtype) != 0) {  // NOLINT(*-reinterpret-cast)
      aligned.resize(view.bytes.size() / sizeof(std::max_align_t) + 1);
      std::memcpy(aligned.data(), bytes, view.bytes.size());
      bytes = reinterpret_cast<const std::byte*>(aligned.data());  // NOLINT(*-reinterpret-cast)
    }
    static std::byte nothing{};  // of an empty tensor
    auto* const data =
        bytes == nullptr ? &nothing : const_cast<std::byte*>(bytes);  // NOLINT(*-const-cast): it only reads
    return Ort::Value::CreateTensor(memory_, data, view.bytes.size(), view.shape.data(), view.shape.size(),
                                    element_type(view.dtype));
  }

  static void view(const Ort::Value& value, const TensorSpec& spec, TensorView& view) {
    const Ort::TensorTypeAndShapeInfo info = value.GetTensorTypeAndShapeInfo();
    view.dtype = spec.dtype;  // as check_model() has seen
    view.shape.resize(info.GetDimensionsCount());
    Ort::ThrowOnError(Ort::GetApi().GetDimensions(info, view.shape.data(), view.shape.size()));
    view.bytes = {static_cast<const std::byte*>(value.GetTensorRawData()),
                  info.GetElementCount() * size_of(spec.dtype)};
  }

  const Signature signature_;
  const int cuda_;
  Ort::Session session_;
  const Ort::RunOptions run_options_;
  const Ort::MemoryInfo memory_ = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  std::vector<std::string> input_names_, output_names_;
  std::vector<const char*> input_pointers_, output_pointers_;
  std::vector<Ort::Value> inputs_;
  std::vector<Ort::Value> answers_;  // whose memory outputs_ look at
  std::vector<TensorView> outputs_;
  std::vector<std::vector<std::max_align_t>> aligned_;
};

std::string why_no_cuda(int /*device*/) {
  const std::vector<std::string> providers = Ort::GetAvailableProviders();
  const bool has = std::ranges::find(providers, "CUDAExecutionProvider") != providers.end();
  if (!has) return format("version {} here was built without CUDA", Ort::GetVersionString());
  const bool has_gpu = std::filesystem::exists("/dev/nvidiactl") || std::filesystem::exists("/dev/dxg");  // or in WSL
  return has_gpu ? "" : "this machine has no GPU";
}

}  // namespace

std::vector<Engine> onnxruntime_engines() {
  return {{kName, "cpu", [](int) { return std::string(); },
           [](const Artifact& artifact, int, const BackendOptions& options) -> std::unique_ptr<Backend> {
             return std::make_unique<OnnxRuntimeBackend>(artifact, -1, options);
           }},
          {kName, "cuda", why_no_cuda,
           [](const Artifact& artifact, int device, const BackendOptions& options) -> std::unique_ptr<Backend> {
             return std::make_unique<OnnxRuntimeBackend>(artifact, device, options);
           }}};
}

}  // namespace base

#endif  // SCAFFOLD_WITH_ONNXRUNTIME
