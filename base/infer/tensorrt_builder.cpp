#include "base/infer/tensorrt_builder.h"

#include <NvInfer.h>
#include <NvOnnxParser.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "base/infer/cuda_memory.h"
#include "base/infer/tensorrt_library.h"
#include "base/infer/tensorrt_precision.h"
#include "base/log/format.h"
#include "base/log/log.h"

namespace base {
namespace {

nvinfer1::Dims dims_of(const std::vector<std::int64_t>& shape, const std::string& input) {
  nvinfer1::Dims dims{};
  if (shape.size() > nvinfer1::Dims::MAX_DIMS) {
    throw Error(ErrorKind::kBackend, format("TensorRT takes {} axes at most", nvinfer1::Dims::MAX_DIMS), input,
                "export the model with fewer");
  }
  dims.nbDims = static_cast<std::int32_t>(shape.size());
  std::copy(shape.begin(), shape.end(), dims.d);
  return dims;
}

std::span<const std::byte> bytes_of_memory(const nvinfer1::IHostMemory& memory) {
  return {static_cast<const std::byte*>(memory.data()), memory.size()};
}

class PlanBuilder {
 public:
  PlanBuilder(const std::filesystem::path& onnx, const OnnxFacts& facts, const TensorRtPlanKey& key,
              const PlanCache& cache, TensorRtLog& log)
      : onnx_(onnx),
        key_(key),
        rules_(precision_rules(key.precision, facts, TensorRtLibrary::major_version())),
        cache_(cache),
        log_(log) {}

  TensorRtPlan build() {
    builder_.reset(static_cast<nvinfer1::IBuilder*>(TensorRtLibrary::get().create_builder(log_)));
    network_.reset(builder_->createNetworkV2(network_flags()));
    config_.reset(builder_->createBuilderConfig());
    if (!network_ || !config_) throw log_.error("TensorRT cannot build a plan", onnx_.string(), "see nvidia-smi");
    parse();
    set_precision();
    set_profile();
    set_limits();
    const std::unique_ptr<nvinfer1::ITimingCache> timings = take_timings();
    const CudaStream stream;
    config_->setProfileStream(stream.get());
    const std::shared_ptr<nvinfer1::IHostMemory> plan(builder_->buildSerializedNetwork(*network_, *config_));
    if (!plan || plan->size() == 0) {
      throw log_.error("TensorRT cannot build a plan for the model", onnx_.string(),
                       "see its words; less workspace, smaller shapes or another precision may help");
    }
    keep_timings();
    return {.bytes = bytes_of_memory(*plan), .owner = plan};
  }

 private:
  nvinfer1::NetworkDefinitionCreationFlags network_flags() const {
#if NV_TENSORRT_MAJOR >= 11
    return 0;  // every network is strongly typed
#else
    return rules_.strongly_typed
               ? 1U << static_cast<std::uint32_t>(nvinfer1::NetworkDefinitionCreationFlag::kSTRONGLY_TYPED)
               : 0U;
#endif
  }

  void parse() {
    parser_.reset(static_cast<nvonnxparser::IParser*>(TensorRtLibrary::create_parser(network_.get(), log_)));
    const bool is_parsed = parser_->parseFromFile(
        onnx_.c_str(), static_cast<int>(nvinfer1::ILogger::Severity::kWARNING));  // it finds the weights' files itself
    if (is_parsed && parser_->getNbErrors() == 0) return;
    std::string errors;
    for (int i = 0; i < std::min(parser_->getNbErrors(), 8); ++i) {
      const nvonnxparser::IParserError* error = parser_->getError(i);
      const char* node = error->nodeName();
      errors += format("{}{}{}{}", errors.empty() ? "" : "; ", node != nullptr ? node : "",
                       node != nullptr && *node != '\0' ? ": " : "", error->desc());
    }
    log_.take_errors();  // the same, in more words
    throw Error(ErrorKind::kBackend, "TensorRT cannot read the model " + onnx_.string(), errors,
                "export it without that operator, or run it on the target cpu or cuda:0");
  }

  void set_precision() {
    set(nvinfer1::BuilderFlag::kTF32, rules_.tf32);
#if NV_TENSORRT_MAJOR < 11
// Deprecated since TensorRT 10.12, but the one way to lower a graph that is in FP32.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    if (rules_.fp16) config_->setFlag(nvinfer1::BuilderFlag::kFP16);
    if (rules_.int8) config_->setFlag(nvinfer1::BuilderFlag::kINT8);
#pragma GCC diagnostic pop
#endif
  }

  void set_profile() {
    nvinfer1::IOptimizationProfile* profile = builder_->createOptimizationProfile();
    bool is_dynamic = false;
    for (std::int32_t i = 0; i < network_->getNbInputs(); ++i) {
      const nvinfer1::ITensor& input = *network_->getInput(i);
      const std::string name = input.getName();
      if (input.isShapeTensor()) {
        throw Error(ErrorKind::kBackend, "the values of an input decide the shapes in the model", name,
                    "export it with a dynamic axis instead, or take the target cpu");
      }
      const nvinfer1::Dims dims = input.getDimensions();
      if (std::none_of(dims.d, dims.d + dims.nbDims, [](std::int64_t size) { return size < 0; })) continue;
      is_dynamic = true;
      const auto found = std::find_if(key_.profile.begin(), key_.profile.end(),
                                      [&](const ShapeRange& shapes) { return shapes.input == name; });
      if (found == key_.profile.end()) {
        throw Error(ErrorKind::kBackend, "the model has an input that its signature lacks", name, "export it again");
      }
      using nvinfer1::OptProfileSelector;
      const bool is_set = profile->setDimensions(name.c_str(), OptProfileSelector::kMIN, dims_of(found->min, name)) &&
                          profile->setDimensions(name.c_str(), OptProfileSelector::kOPT, dims_of(found->best, name)) &&
                          profile->setDimensions(name.c_str(), OptProfileSelector::kMAX, dims_of(found->max, name));
      if (!is_set) throw log_.error("TensorRT does not take the shapes", name, "give the axes other ranges");
    }
    if (is_dynamic && (!profile->isValid() || config_->addOptimizationProfile(profile) < 0)) {
      throw log_.error("TensorRT does not take the shapes", describe(key_.profile), "give the axes other ranges");
    }
  }

  void set_limits() {
    if (key_.workspace_bytes > 0) {
      config_->setMemoryPoolLimit(nvinfer1::MemoryPoolType::kWORKSPACE, key_.workspace_bytes);
    }
    config_->setBuilderOptimizationLevel(key_.optimization_level);
    set(nvinfer1::BuilderFlag::kVERSION_COMPATIBLE, key_.version_compatible);
    set(nvinfer1::BuilderFlag::kEXCLUDE_LEAN_RUNTIME, key_.version_compatible && !key_.embed_lean_runtime);
  }

  void set(nvinfer1::BuilderFlag flag, bool value) {
    if (value) {
      config_->setFlag(flag);
    } else {
      config_->clearFlag(flag);
    }
  }

  std::string timing_label() const {
    return format("timings of TensorRT {} on {}", key_.tensorrt_version, key_.compute_capability);
  }

  std::unique_ptr<nvinfer1::ITimingCache> timings_from(const std::optional<SealedFile>& file) {
    std::unique_ptr<nvinfer1::ITimingCache> timings;
    if (file) timings.reset(config_->createTimingCache(file->bytes.data(), file->bytes.size()));
    log_.take_errors();  // of a cache that it does not take: it starts with an empty one
    return timings;
  }

  std::unique_ptr<nvinfer1::ITimingCache> take_timings() {
    auto timings = timings_from(cache_.find(timing_file_name(key_), timing_label()));
    if (!timings) timings.reset(config_->createTimingCache(nullptr, 0));
    if (timings) config_->setTimingCache(*timings, false);
    return timings;
  }

  // Whoever builds holds the lock of the cache, so nobody else's timings are lost.
  void keep_timings() {
    const nvinfer1::ITimingCache* timings = config_->getTimingCache();
    if (timings == nullptr) return;
    const std::unique_ptr<nvinfer1::IHostMemory> bytes(timings->serialize());
    if (bytes) cache_.store(timing_file_name(key_), timing_label(), bytes_of_memory(*bytes));
  }

  const std::filesystem::path& onnx_;
  const TensorRtPlanKey& key_;
  PrecisionRules rules_;
  const PlanCache& cache_;
  TensorRtLog& log_;
  // In the order in which they need each other.
  std::unique_ptr<nvinfer1::IBuilder> builder_;
  std::unique_ptr<nvinfer1::INetworkDefinition> network_;
  std::unique_ptr<nvonnxparser::IParser> parser_;
  std::unique_ptr<nvinfer1::IBuilderConfig> config_;
};

}  // namespace

TensorRtPlan build_plan(const std::filesystem::path& onnx, const OnnxFacts& facts, const TensorRtPlanKey& key,
                        const PlanCache& cache, TensorRtLog& log) {
  log::info("building a TensorRT plan for {}", onnx);
  const auto start = std::chrono::steady_clock::now();
  TensorRtPlan plan = PlanBuilder(onnx, facts, key, cache, log).build();
  log::info("built in {:.1f} s: {:.1f} MB",
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
            static_cast<double>(plan.bytes.size()) / 1e6);
  return plan;
}

}  // namespace base
