#include "base/torch.h"

#include "base/dist/gradient_sync.h"

#include <torch/csrc/distributed/c10d/logger.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/tensor/tensors.h"

namespace base {
namespace {

/// Half of the bytes on the network: the gradients are rounded to 16 bits on their way. LibTorch has one for fp16 only.
class SendAsBfloat16 final : public c10d::CppCommHookInterface<c10::intrusive_ptr<c10d::ProcessGroup>> {
 public:
  using CppCommHookInterface::CppCommHookInterface;

  c10::intrusive_ptr<c10::ivalue::Future> runHook(c10d::GradBucket& bucket) override {
    torch::Tensor small = bucket.getBuffer().to(torch::kBFloat16).div_(state_->getSize());
    std::vector<torch::Tensor> tensors{small};
    auto work = state_->allreduce(tensors);
    return work->getFuture()->then(
        [buffer = bucket.getBuffer()](c10::ivalue::Future& sent) {
          const auto value = sent.value();
          buffer.copy_(value.isTensorList() ? value.toTensorVector().front() : value.toTensor());
          return c10::IValue(buffer);
        },
        c10::TensorType::get());
  }
};

/// Each tensor once, though a network may use it in several places.
GradientSync::NamedTensors trainable(const GradientSync::NamedTensors& parameters) {
  GradientSync::NamedTensors found;
  std::unordered_set<const c10::TensorImpl*> seen;
  for (const auto& parameter : parameters) {
    const torch::Tensor& tensor = parameter.second;
    if (tensor.requires_grad() && seen.insert(tensor.unsafeGetTensorImpl()).second) found.push_back(parameter);
  }
  return found;
}

}  // namespace

void DistSettings::declare(Knobs& knobs) {
  knobs.add("timeout", timeout, "how long a process waits for the others before it gives up",
            {.min = std::chrono::milliseconds(1000)});
  knobs.add("bucket", bucket, "MB of gradients that are sent at once, while backward goes on", {.min = 0.01});
  knobs.add("compress", compress, "gradients on their way between processes", {.choices = {"none", "bf16", "fp16"}});
  knobs.add("find_unused", find_unused, "the network does not use all of its parameters in every step; slower");
  knobs.add("sync_batch_norm", sync_batch_norm,
            "batch norm takes the mean and variance of all processes' batches together");
}

class GradientSync::Hooks {
 public:
  Hooks(const c10::intrusive_ptr<c10d::ProcessGroup>& group, const DistSettings& settings,
        const std::vector<torch::Tensor>& parameters, std::unordered_map<std::size_t, std::string> names) {
    const auto bytes = static_cast<std::size_t>(settings.bucket * 1e6);
    const std::vector<bool> is_sparse(parameters.size(), false);
    reducer_ = std::make_shared<c10d::Reducer>(
        parameters, assign(parameters, bytes), group, is_sparse, static_cast<std::int64_t>(bytes), settings.find_unused,
        /*gradient_as_bucket_view=*/true, std::move(names), c10d::kDefaultFirstBucketBytes,
        /*skip_all_reduce_unused_params=*/false, /*use_python_reducer=*/false, /*bucket_bytes_cap_list=*/
        std::vector<std::int64_t>{});
    logger_ = std::make_shared<c10d::Logger>(reducer_);
    reducer_->set_logger(logger_);  // find_unused does not work without one
    if (settings.compress == "fp16") reducer_->register_builtin_comm_hook(c10d::BuiltinCommHookType::FP16_COMPRESS);
    if (settings.compress == "bf16") reducer_->register_comm_hook(std::make_unique<SendAsBfloat16>(group));
  }

  void prepare(const torch::Tensor& loss) {
    reducer_->prepare_for_forward();
    reducer_->rebuild_buckets();  // once, in the order in which backward made the gradients
    reducer_->prepare_for_backward({loss});
  }

 private:
  /// Backward makes the gradients of the last layers first.
  static std::vector<std::vector<std::size_t>> assign(const std::vector<torch::Tensor>& parameters, std::size_t bytes) {
    auto [buckets, limits] = c10d::compute_bucket_assignment_by_size(
        parameters, {static_cast<std::size_t>(c10d::kDefaultFirstBucketBytes), bytes},
        std::vector<bool>(parameters.size(), false));
    return {buckets.rbegin(), buckets.rend()};
  }

  std::shared_ptr<c10d::Reducer> reducer_;
  std::shared_ptr<c10d::Logger> logger_;
};

GradientSync::GradientSync(ProcessGroup& group, const DistSettings& settings, const NamedTensors& parameters)
    : group_(group) {
  std::string outline;
  std::unordered_map<std::size_t, std::string> names;
  for (const auto& [name, tensor] : parameters)
    outline += format("{} {}{}\n", name, describe(tensor), tensor.requires_grad() ? "" : ", frozen");
  for (const auto& [name, tensor] : trainable(parameters)) {
    names[parameters_.size()] = name;
    parameters_.push_back(tensor);
  }
  group_.check_same("the network", outline, "start all ranks with the same program, settings and data");
  std::vector<torch::Tensor> values;
  for (const auto& [name, tensor] : parameters) values.push_back(tensor.detach());
  group_.copy_from_first(values);
  if (parameters_.empty()) return;  // all are frozen
  hooks_ =
      group_.guarded([&] { return std::make_unique<Hooks>(group_.c10d(), settings, parameters_, std::move(names)); });
}

GradientSync::~GradientSync() = default;

bool GradientSync::is_for(const NamedTensors& parameters) const {
  return std::ranges::equal(trainable(parameters), parameters_,
                            [](const auto& now, const torch::Tensor& then) { return now.second.is_same(then); });
}

void GradientSync::before_backward(const torch::Tensor& loss) {
  if (!hooks_) return;
  group_.guarded([&] {
    try {
      hooks_->prepare(loss);
    } catch (const c10::Error& error) {
      if (std::string_view(error.what_without_backtrace()).find("finished reduction") == std::string_view::npos) throw;
      throw Error(ErrorKind::kConfig, "the network did not use all of its parameters in the last step",
                  "find_unused = false", "set find_unused = true in [dist], or freeze what is never used");
    }
  });
}

void GradientSync::average_now() {
  // Those that a process has not used are zeros there.
  const torch::NoGradGuard no_grad;
  for (torch::Tensor& parameter : parameters_) {
    if (!parameter.grad().defined()) parameter.mutable_grad() = torch::zeros_like(parameter);
    group_.sum(parameter.grad().div_(group_.world().size));
  }
}

}  // namespace base
