#include "base/infer/tensorrt_backend.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/infer/cuda_device.h"
#include "base/infer/cuda_memory.h"
#include "base/infer/tensorrt_builder.h"
#include "base/infer/tensorrt_engine.h"
#include "base/infer/tensorrt_library.h"
#include "base/log/format.h"
#include "base/log/log.h"

namespace base {
namespace {

using Shapes = std::vector<std::vector<std::int64_t>>;

std::size_t byte_count(DType dtype, std::span<const std::int64_t> shape) {
  std::size_t count = size_of(dtype);
  for (const std::int64_t size : shape) count *= static_cast<std::size_t>(size);
  return count;
}

/// One tensor, where the program reads or writes it and where the GPU does.
struct Binding {
  const TensorSpec* spec = nullptr;
  PinnedBuffer host = {};
  DeviceBuffer device = {};
  std::size_t bytes = 0;
  bool grows = false;  // an output whose size is known only after the work
};

class TensorRtBackend final : public Backend {
 public:
  TensorRtBackend(CudaDevice device, Signature signature, std::unique_ptr<TensorRtLog> log,
                  std::unique_ptr<TensorRtEngine> engine, bool use_graphs)
      : device_(std::move(device)),
        signature_(std::move(signature)),
        log_(std::move(log)),
        engine_(std::move(engine)),
        profile_(engine_->profile(signature_)),
        use_graphs_(use_graphs) {
    for (const TensorSpec& spec : signature_.inputs) inputs_.push_back({.spec = &spec});
    for (const TensorSpec& spec : signature_.outputs) {
      outputs_.push_back({.spec = &spec});
      answers_.push_back({.name = spec.name, .dtype = spec.dtype, .shape = {}, .bytes = {}});
    }
  }

  const Signature& signature() const override { return signature_; }

  std::string description() const override {
    const TensorRtLibrary& library = TensorRtLibrary::get();
    return format("TensorRT {}{} on {}", library.version(), library.is_lean() ? " (lean)" : "", device_.name);
  }

  std::span<const TensorView> run(std::span<const TensorView> inputs) override {
    const std::vector<const TensorView*> matched = match_inputs(signature_, inputs);
    check_shapes(profile_, matched);
    use_device();
    if (!has_shapes_of(matched)) take_shapes(matched);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i].bytes > 0) std::memcpy(inputs_[i].host.data(), matched[i]->bytes.data(), inputs_[i].bytes);
    }
    work();
    stream_.synchronize();
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      if (outputs_[i].grows) fetch_grown(outputs_[i], answers_[i]);
    }
    return answers_;
  }

 private:
  // The current GPU is one of the thread's, and the caller may have changed threads.
  void use_device() const { use_cuda_device(device_.index); }

  bool has_shapes_of(const std::vector<const TensorView*>& inputs) const {
    return shapes_.size() == inputs.size() &&
           std::equal(inputs.begin(), inputs.end(), shapes_.begin(),
                      [](const TensorView* input, const auto& shape) { return input->shape == shape; });
  }

  void take_shapes(const std::vector<const TensorView*>& inputs) {
    shapes_.clear();  // stays so if anything below throws
    graph_.clear();
    runs_with_shapes_ = 0;
    Shapes shapes;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      prepare(inputs_[i], inputs[i]->shape);
      engine_->set_input(inputs_[i].spec->name, inputs[i]->shape, inputs_[i].device.data());
      shapes.push_back(inputs[i]->shape);
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      Binding& output = outputs_[i];
      const std::string& name = output.spec->name;
      answers_[i].shape = engine_->output_shape(name);
      output.grows =
          std::any_of(answers_[i].shape.begin(), answers_[i].shape.end(), [](auto size) { return size < 0; });
      if (output.grows) {
        engine_->let_grow(name);
        continue;
      }
      prepare(output, answers_[i].shape);
      engine_->set_output(name, output.device.data());
      answers_[i].bytes = {output.host.data(), output.bytes};
    }
    shapes_ = std::move(shapes);
  }

  static void prepare(Binding& binding, std::span<const std::int64_t> shape) {
    binding.bytes = byte_count(binding.spec->dtype, shape);
    const std::size_t room = std::max<std::size_t>(binding.bytes, 1);  // TensorRT wants an address even for nothing
    binding.host.reserve(room);
    binding.device.reserve(room);
  }

  void work() {
    if (graph_.empty() && may_record()) {
      if (!graph_.record(stream_, [this] { enqueue(); })) {
        log::info("the model cannot be recorded as a CUDA graph, and runs without: {}", log_->take_errors());
        use_graphs_ = false;
      }
    }
    if (graph_.empty()) {
      enqueue();
    } else {
      graph_.launch(stream_);
    }
    ++runs_with_shapes_;
  }

  // TensorRT sets itself up in the first run with new shapes, so what is recorded is the second.
  bool may_record() const {
    return use_graphs_ && runs_with_shapes_ > 0 &&
           std::none_of(outputs_.begin(), outputs_.end(), [](const Binding& output) { return output.grows; });
  }

  void enqueue() {
    for (const Binding& input : inputs_) {
      if (input.bytes > 0) copy_to_device(input.device.data(), input.host.data(), input.bytes, stream_);
    }
    engine_->enqueue(stream_);
    for (const Binding& output : outputs_) {
      if (!output.grows && output.bytes > 0) {
        copy_to_host(output.host.data(), output.device.data(), output.bytes, stream_);
      }
    }
  }

  void fetch_grown(Binding& output, TensorView& answer) {
    const TensorRtEngine::GrownOutput grown = engine_->grown_output(output.spec->name);
    answer.shape = grown.shape;
    output.bytes = byte_count(output.spec->dtype, grown.shape);
    output.host.reserve(std::max<std::size_t>(output.bytes, 1));
    if (output.bytes > 0) copy_to_host(output.host.data(), grown.address, output.bytes, stream_);
    stream_.synchronize();
    answer.bytes = {output.host.data(), output.bytes};
  }

  CudaDevice device_;
  Signature signature_;
  std::unique_ptr<TensorRtLog> log_;
  std::unique_ptr<TensorRtEngine> engine_;
  std::vector<ShapeRange> profile_;
  bool use_graphs_;
  CudaStream stream_;
  CudaGraph graph_;  // of the work with shapes_
  std::vector<Binding> inputs_;
  std::vector<Binding> outputs_;
  std::vector<TensorView> answers_;
  Shapes shapes_;  // of the last run's inputs
  std::int64_t runs_with_shapes_ = 0;
};

std::unique_ptr<TensorRtEngine> engine_from(std::span<const std::byte> plan, bool allow_code,
                                            const Signature& signature, TensorRtLog& log) {
  auto engine = std::make_unique<TensorRtEngine>(plan, allow_code, log);
  engine->require_signature(signature);
  return engine;
}

// A plan that the user names: one of ours with its label, or as TensorRT's own tools write it.
std::unique_ptr<TensorRtEngine> engine_from_file(const TensorRtOptions& options, const Signature& signature,
                                                 TensorRtLog& log) {
  const MappedFile file(options.plan);
  std::string place = options.plan.string();
  std::span<const std::byte> plan = file.bytes();
  std::optional<SealedFile> ours;
  if (looks_sealed(plan)) {
    std::variant<SealedFile, std::string> sealed = read_sealed(options.plan);
    if (const auto* reason = std::get_if<std::string>(&sealed)) {
      throw Error(ErrorKind::kBackend, "the plan " + *reason, place, "build it again");
    }
    ours = std::move(std::get<SealedFile>(sealed));
    plan = ours->bytes;
    place += ", built for " + ours->label;
  }
  try {
    return engine_from(plan, options.allow_plan_code, signature, log);
  } catch (const Error& error) {
    throw error.with_place(place);
  }
}

// Null if the cache has none that can be used.
std::unique_ptr<TensorRtEngine> engine_from_cache(const PlanCache& cache, const TensorRtPlanKey& key,
                                                  const TensorRtOptions& options, const Signature& signature,
                                                  TensorRtLog& log) {
  const std::optional<SealedFile> plan = cache.find(file_name(key), describe(key));
  if (!plan) return nullptr;
  try {
    auto engine = engine_from(plan->bytes, key.embed_lean_runtime, signature, log);
    log::info("TensorRT plan {}", plan->file.path());
    if (!options.save_plan.empty()) publish_file(options.save_plan, plan->bytes);
    return engine;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kBackend) throw;
    log::warn("{} cannot be used, and is built anew: {}", plan->file.path(), error.problem());
    return nullptr;
  }
}

std::unique_ptr<TensorRtEngine> engine_from_model(const std::filesystem::path& onnx, const Signature& signature,
                                                  const CudaDevice& device, const TensorRtOptions& options,
                                                  TensorRtLog& log) {
  const OnnxFacts facts = read_onnx_facts(onnx);
  const TensorRtPlanKey key{.tensorrt_version = TensorRtLibrary::get().version(),
                            .compute_capability = device.compute_capability,
                            .onnx_sha256 = facts.sha256,
                            .precision = precision_from_text(options.precision),
                            .profile = make_profile(signature, options.axes),
                            .workspace_bytes = options.workspace_bytes,
                            .optimization_level = options.optimization_level,
                            .version_compatible = options.version_compatible,
                            .embed_lean_runtime = options.version_compatible && options.embed_lean_runtime};
  const PlanCache cache(options.cache_folder.empty() ? default_plan_folder() : options.cache_folder);
  if (auto engine = engine_from_cache(cache, key, options, signature, log)) return engine;
  const PlanCacheLock lock(cache);
  if (lock.has_waited()) {
    if (auto engine = engine_from_cache(cache, key, options, signature, log)) return engine;
  }
  const TensorRtPlan plan = build_plan(onnx, facts, key, cache, log);
  auto engine = engine_from(plan.bytes, key.embed_lean_runtime, signature, log);
  cache.store(file_name(key), describe(key), plan.bytes);
  if (!options.save_plan.empty()) publish_file(options.save_plan, plan.bytes);
  return engine;
}

std::string why_not_tensorrt(int device) {
  const std::string reason = why_no_cuda_device(device);
  return reason.empty() ? TensorRtLibrary::why_not() : reason;
}

std::unique_ptr<Backend> load_artifact(const Artifact& artifact, int device, const BackendOptions& options) {
  const std::string weights = std::string(kOnnxFile) + ".data";
  if (artifact.has(weights)) artifact.file(weights);  // checks it
  return load_tensorrt_backend(artifact.file(kOnnxFile), artifact.signature(), device, options.tensorrt);
}

}  // namespace

Engine tensorrt_engine() {
  return {.name = "TensorRT", .target = "tensorrt", .why_not = why_not_tensorrt, .load = load_artifact};
}

std::unique_ptr<Backend> load_tensorrt_backend(const std::filesystem::path& onnx, const Signature& signature,
                                               int device, const TensorRtOptions& options) {
  CudaDevice gpu = open_cuda_device(device);
  auto log = std::make_unique<TensorRtLog>();
  auto engine = options.plan.empty() ? engine_from_model(onnx, signature, gpu, options, *log)
                                     : engine_from_file(options, signature, *log);
  return std::make_unique<TensorRtBackend>(std::move(gpu), signature, std::move(log), std::move(engine),
                                           options.cuda_graphs);
}

}  // namespace base
