#include "base/torch.h"

#include "base/train/work.h"

#include <ATen/record_function.h>

#include <limits>
#include <set>
#include <string_view>

#include "base/tensor/device.h"

namespace base {
namespace {

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

double work_of(std::string_view name, c10::ArrayRef<const c10::IValue> inputs, const std::set<const void*>& weights) {
  std::vector<torch::Tensor> tensors;
  double most = 0;
  for (const c10::IValue& input : inputs) {
    if (!input.isTensor() || !input.toTensor().defined()) continue;
    const torch::Tensor& tensor = tensors.emplace_back(input.toTensor());
    const bool is_weight = tensor.has_storage() && weights.contains(tensor.storage().data());
    if (!is_weight) most = std::max(most, static_cast<double>(tensor.numel()));
  }
  const auto product = [&](std::size_t left, std::size_t right) {
    return static_cast<double>(tensors.at(left).numel()) * static_cast<double>(tensors.at(right).size(-1));
  };
  if (is_one_of(name, {"aten::mm", "aten::bmm"})) return product(0, 1);
  if (is_one_of(name, {"aten::addmm", "aten::baddbmm"})) return product(1, 2);
  if (name == "aten::convolution") {  // at most: a stride makes it less
    const torch::Tensor& pictures = tensors.at(0);
    const double positions = static_cast<double>(pictures.numel()) / static_cast<double>(pictures.size(1));
    return positions * static_cast<double>(tensors.at(1).numel());
  }
  // These go through a sequence inside, by kernels that do not show their products.
  if (name.find("rnn_layer") != name.npos || name.find("attention") != name.npos)
    return std::numeric_limits<double>::infinity();
  return most;
}

/// Counts the work of what this thread calls, while it lives.
class Counting {
 public:
  explicit Counting(Model& model) {
    for (const torch::Tensor& parameter : model.parameters()) weights_.insert(parameter.storage().data());
    current = this;
    handle_ = at::addThreadLocalCallback(
        at::RecordFunctionCallback(&note).needsInputs(true).scopes({at::RecordScope::FUNCTION}));
  }
  ~Counting() { at::removeCallback(handle_); }
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;

  double multiplications() const { return multiplications_; }

 private:
  static std::unique_ptr<at::ObserverContext> note(const at::RecordFunction& function) {
    current->multiplications_ += work_of(function.name(), function.inputs(), current->weights_);
    return {};
  }

  static thread_local Counting* current;  // a callback of LibTorch's is a plain function

  std::set<const void*> weights_;  // which need not grow with the batch
  double multiplications_ = 0;
  at::CallbackHandle handle_;
};

thread_local Counting* Counting::current = nullptr;

}  // namespace

double work_per_example(Model& model) {
  const Model::Mode before = model.mode();
  State random;
  save_random_state(torch::kCPU, random);
  model.set_mode(Model::Mode::kEval);
  double work = std::numeric_limits<double>::infinity();
  try {
    const torch::NoGradGuard no_grad;
    const Tensors inputs = model.example_inputs();
    const Counting counting(model);
    static_cast<void>(model.run(inputs));
    work = counting.multiplications() / static_cast<double>(inputs.begin()->second.size(0));
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): whoever needs the answer will hear of it
  }
  model.set_mode(before);
  load_random_state(torch::kCPU, random);
  return work;
}

bool is_small_step(double work_per_example, std::int64_t examples) {
  // Measured with small networks of every shape: from here on two threads are no slower than one.
  constexpr double kSmall = 4e6;
  return work_per_example * static_cast<double>(examples) <= kSmall;
}

}  // namespace base
