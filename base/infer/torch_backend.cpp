#include "base/torch.h"

#include "base/infer/torch_backend.h"

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>
#include <torch/cuda.h>
#include <torch/version.h>

#include <string_view>
#include <utility>

#include "base/infer/engine.h"
#include "base/log/error.h"
#include "base/log/format.h"
#include "base/tensor/tensor_view.h"

namespace base {
namespace {

constexpr const char* kEngineName = "LibTorch";

// In one line. TorchScript tells where it was first, and last what happened.
std::string reason_of(std::string_view text) {
  constexpr std::string_view kReason = "RuntimeError: ";
  if (const std::size_t at = text.rfind(kReason); at != std::string_view::npos) text.remove_prefix(at + kReason.size());
  return std::string(text.substr(0, text.find('\n')));
}

// Runs `work`: whatever LibTorch throws becomes a backend Error.
template <typename Work>
auto with_torch(const char* what, const std::string& value, const Work& work) {
  const auto fail = [&](const char* message) {
    const std::string why = reason_of(message);
    return Error(ErrorKind::kBackend, what, value.empty() ? why : format("{} ({})", value, why),
                 "check the inputs, or copy or export the model again");
  };
  try {
    return work();
  } catch (const Error&) {
    throw;
  } catch (const c10::Error& error) {
    throw fail(error.what_without_backtrace());
  } catch (const std::exception& error) {  // TorchScript's own: a damaged archive, a failed run
    throw fail(error.what());
  }
}

class TorchBackend final : public Backend {
 public:
  TorchBackend(const Artifact& artifact, torch::Device device, const BackendOptions& options)
      : signature_(artifact.signature()), device_(device) {
    if (options.threads > 0) torch::set_num_threads(options.threads);
    const std::string file = artifact.file(kTorchScriptFile).string();
    module_ = with_torch("LibTorch cannot load the model", file, [&] {
      torch::jit::Module module = torch::jit::load(file, device);
      module.eval();
      return torch::jit::freeze(module);
    });
    outputs_.resize(signature_.outputs.size());
  }

  const Signature& signature() const override { return signature_; }

  std::span<const TensorView> run(std::span<const TensorView> inputs) override {
    const std::vector<const TensorView*> matched = match_inputs(signature_, inputs);
    const c10::InferenceMode no_gradients;
    answers_ = with_torch("LibTorch cannot run the model", "", [&] {
      std::vector<c10::IValue> arguments;
      for (const TensorView* view : matched) arguments.emplace_back(tensor_at(*view).to(device_));
      return tensors_of(module_.forward(std::move(arguments)));
    });
    if (answers_.size() != outputs_.size()) {
      throw Error(ErrorKind::kBackend, "the model is not the one that the manifest describes",
                  format("it gives {} tensors, not {}", answers_.size(), outputs_.size()), "export the model again");
    }
    for (std::size_t i = 0; i < answers_.size(); ++i) {
      answers_[i] = answers_[i].to(torch::kCPU).contiguous();
      outputs_[i] = view_of(signature_.outputs[i].name, answers_[i]);
    }
    return outputs_;
  }

  std::string description() const override {
    return format("{} {} on {}", kEngineName, TORCH_VERSION, device_.is_cpu() ? "the CPU" : device_.str());
  }

 private:
  // Over the caller's memory, unless that is not aligned.
  static torch::Tensor tensor_at(const TensorView& view) {
    const auto address = reinterpret_cast<std::uintptr_t>(view.bytes.data());  // NOLINT(*-reinterpret-cast)
    if (view.bytes.empty() || address % size_of(view.dtype) != 0) return tensor_of(view);
    auto* const bytes = const_cast<std::byte*>(view.bytes.data());  // NOLINT(*-const-cast): it is only read
    return torch::from_blob(bytes, view.shape, scalar_type(view.dtype));
  }

  // One tensor, several, or several by name.
  std::vector<torch::Tensor> tensors_of(const c10::IValue& value) const {
    if (value.isTensor()) return {value.toTensor()};
    std::vector<torch::Tensor> tensors;
    if (value.isTuple()) {
      for (const c10::IValue& element : value.toTupleRef().elements()) tensors.push_back(element.toTensor());
    } else if (value.isTensorList()) {
      tensors = value.toTensorVector();
    } else if (value.isGenericDict()) {
      const auto by_name = value.toGenericDict();
      for (const TensorSpec& spec : signature_.outputs) tensors.push_back(by_name.at(spec.name).toTensor());
    }
    return tensors;
  }

  const Signature signature_;
  const torch::Device device_;
  torch::jit::Module module_;
  std::vector<torch::Tensor> answers_;  // whose memory outputs_ look at
  std::vector<TensorView> outputs_;
};

std::string why_no_gpu(int device) {
  if (!torch::cuda::is_available()) return "it has no CUDA, or the machine no GPU";
  const auto count = static_cast<int>(torch::cuda::device_count());
  return device < count ? "" : format("the machine has {} GPUs", count);
}

}  // namespace

void use_torch_backend() {
  register_engine({kEngineName, "torch", [](int) { return std::string(); },
                   [](const Artifact& artifact, int, const BackendOptions& options) -> std::unique_ptr<Backend> {
                     return std::make_unique<TorchBackend>(artifact, torch::kCPU, options);
                   }});
  register_engine({kEngineName, "cuda", why_no_gpu,
                   [](const Artifact& artifact, int device, const BackendOptions& options) -> std::unique_ptr<Backend> {
                     const auto index = static_cast<c10::DeviceIndex>(device);
                     return std::make_unique<TorchBackend>(artifact, torch::Device(torch::kCUDA, index), options);
                   }});
}

}  // namespace base
