#include "base/torch.h"

#include "base/train/optimizer.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <unordered_set>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/tensor/one_thread.h"
#include "base/train/restore.h"

namespace base {
namespace {

/// What is remembered about a parameter from step to step.
struct Memory {
  std::size_t group = 0;
  NamedParameter parameter;
  std::vector<torch::Tensor> moments;  // laid out as the parameter; none before its first step
  torch::Tensor steps;                 // how many it made, on its device: a scaler can skip one without our knowing
  bool moving = false;                 // in one of the batches
};

/// Parameters that one call of a kernel moves: of one group, device and type, that have made as many steps.
struct Bundle {
  std::size_t group = 0;
  double count = 0;
  std::vector<Memory*> members;
  std::vector<torch::Tensor> parameters, gradients;
  std::array<std::vector<torch::Tensor>, 2> moments;
  std::vector<torch::Tensor> steps;  // the same tensor for all of them
  bool small = false;                // not worth a second thread
};

/// The kernels walk through the memory of all tensors alike, so these must be laid out alike. The stride of a dimension
/// of size 1 means nothing.
bool same_layout(const torch::Tensor& a, const torch::Tensor& b) {
  if (a.strides() == b.strides()) return true;
  for (std::int64_t i = 0; i < a.dim(); ++i) {
    if (a.size(i) != 1 && a.stride(i) != b.stride(i)) return false;
  }
  return true;
}

/// The values of `tensor` on the device and in the type and layout of `model`.
torch::Tensor laid_out_as(const torch::Tensor& model, const torch::Tensor& tensor) {
  return torch::empty_like(model.detach()).copy_(tensor);
}

std::string shape_of(const torch::Tensor& tensor) {
  std::ostringstream text;
  text << tensor.sizes();
  return text.str();
}

bool has_gradient(const torch::Tensor& parameter) {
  return parameter.requires_grad() && parameter.grad().defined();
}

/// What the kinds have in common: the lists of tensors that the kernels take, made once and again only when other
/// parameters get gradients than in the step before; with small networks, making them would take longer than the step.
class FusedOptimizer : public Optimizer {
 public:
  FusedOptimizer(const OptimizerSettings& settings, std::vector<ParameterGroup> groups,
                 std::vector<std::string> moment_names)
      : Optimizer(std::move(groups)), settings_(settings), moment_names_(std::move(moment_names)) {
    for (std::size_t group = 0; group < groups_.size(); ++group) {
      for (const NamedParameter& parameter : groups_[group].parameters) memories_.push_back({group, parameter, {}, {}});
    }
  }

  void step(double learning_rate, const torch::Tensor& found_inf) final {
    const torch::NoGradGuard no_grad;
    if (!batches_fit()) make_batches();
    for (Bundle& batch : batches_) {
      take_gradients(batch);
      const torch::Tensor& steps = batch.steps.front();
      count_step(steps, found_inf);
      const ParameterGroup& group = groups_[batch.group];
      // The kernels for the CPU split even the smallest tensor among all threads.
      std::optional<OneThread> one_thread;
      if (batch.small) one_thread.emplace();
      move(batch, learning_rate * group.learning_rate_factor, group.weight_decay.value_or(settings_.weight_decay),
           found_inf.defined() ? std::optional(found_inf) : std::nullopt);
      batch.gradients.clear();  // held on to, zero_grad() would not free them
    }
  }

  void save_state(State& state) const final {
    state.set("kind", settings_.kind);
    for (const Memory& memory : memories_) {
      const std::string& name = memory.parameter.name;
      state.set(name + ".shape", shape_of(memory.parameter.tensor));  // of those that never moved, too
      if (!memory.steps.defined()) continue;
      state.set(name + ".steps", memory.steps);
      for (std::size_t i = 0; i < moment_names_.size(); ++i) state.set(name + moment_names_[i], memory.moments[i]);
    }
  }

  void load_state(const State& state) final {
    const auto kind = state.get<std::string>("kind");
    if (kind != settings_.kind) {
      throw Error(ErrorKind::kCheckpoint, "the checkpoint is of another optimizer", kind + ", not " + settings_.kind,
                  format("set optimizer.kind to {}, or start anew", kind));
    }
    check(state);
    for (Memory& memory : memories_) {
      const std::string& name = memory.parameter.name;
      memory.moments.clear();
      memory.steps.reset();
      if (!state.has(name + ".steps")) continue;
      const torch::Tensor& parameter = memory.parameter.tensor;
      for (const std::string& moment : moment_names_) {
        memory.moments.push_back(laid_out_as(parameter, state.get<torch::Tensor>(name + moment)));
      }
      memory.steps = make_steps(state.get<torch::Tensor>(name + ".steps").item<double>(), parameter.device());
    }
    forget_batches();
  }

 protected:
  virtual void move(Bundle& batch, double learning_rate, double weight_decay,
                    const std::optional<torch::Tensor>& found_inf) = 0;

  OptimizerSettings settings_;

 private:
  static torch::Tensor make_steps(double count, torch::Device device) {
    return torch::full({}, count, torch::dtype(torch::kFloat).device(device));
  }

  static void count_step(const torch::Tensor& steps, const torch::Tensor& found_inf) {
    if (steps.is_cpu() && !found_inf.defined()) {
      ++*steps.data_ptr<float>();  // an operator would take longer than all else that is done here
      return;
    }
    steps.add_(1);
    if (found_inf.defined()) steps.sub_(found_inf);
  }

  bool batches_fit() const {
    return std::ranges::all_of(memories_, [](const Memory& memory) {
      const torch::Tensor& parameter = memory.parameter.tensor;
      if (has_gradient(parameter) != memory.moving) return false;
      return !memory.moving || std::ranges::all_of(memory.moments, [&](const torch::Tensor& moment) {
        return same_layout(moment, parameter);
      });
    });
  }

  void forget_batches() {
    batches_.clear();
    for (Memory& memory : memories_) memory.moving = false;
  }

  void make_batches() {
    forget_batches();
    for (Memory& memory : memories_) {
      if (has_gradient(memory.parameter.tensor)) remember(memory);
    }
    for (Memory& memory : memories_) {
      memory.moving = has_gradient(memory.parameter.tensor);
      if (!memory.moving) continue;
      Bundle& batch = batch_for(memory);
      batch.members.push_back(&memory);
      batch.parameters.push_back(memory.parameter.tensor);
      for (std::size_t i = 0; i < moment_names_.size(); ++i) batch.moments[i].push_back(memory.moments[i]);
    }
    for (Bundle& batch : batches_) {
      // Of their own: parameters that rest now may have counted along with these so far.
      batch.steps.assign(batch.members.size(), make_steps(batch.count, batch.parameters.front().device()));
      for (Memory* memory : batch.members) memory->steps = batch.steps.front();
      batch.gradients.reserve(batch.members.size());
      std::int64_t weights = 0;
      for (const torch::Tensor& parameter : batch.parameters) weights += parameter.numel();
      constexpr std::int64_t kWorthAThread = 8192;  // weights in a tensor: about 8 us with Adam
      batch.small = batch.parameters.front().is_cpu() &&
                    weights < kWorthAThread * static_cast<std::int64_t>(batch.parameters.size());
    }
  }

  /// Makes the moments of a parameter that moves for the first time, or has been laid out anew.
  void remember(Memory& memory) const {
    const torch::Tensor& parameter = memory.parameter.tensor;
    if (!parameter.is_non_overlapping_and_dense()) {
      throw Error(ErrorKind::kInternal, "a parameter does not fill its memory without gaps", memory.parameter.name,
                  "register a tensor of its own, not a part of another one: tensor.clone()");
    }
    if (!memory.steps.defined()) memory.steps = make_steps(0, parameter.device());
    memory.moments.resize(moment_names_.size());
    for (torch::Tensor& moment : memory.moments) {
      if (!moment.defined()) moment = torch::zeros_like(parameter.detach());
      if (!same_layout(moment, parameter)) moment = laid_out_as(parameter, moment);
    }
  }

  Bundle& batch_for(const Memory& memory) {
    const torch::Tensor& parameter = memory.parameter.tensor;
    const auto count = memory.steps.item<double>();
    const auto found = std::ranges::find_if(batches_, [&](const Bundle& batch) {
      const torch::Tensor& other = batch.parameters.front();
      return batch.group == memory.group && batch.count == count && other.device() == parameter.device() &&
             other.scalar_type() == parameter.scalar_type();
    });
    if (found != batches_.end()) return *found;
    Bundle& batch = batches_.emplace_back();
    batch.group = memory.group;
    batch.count = count;
    return batch;
  }

  static void take_gradients(Bundle& batch) {
    batch.gradients.clear();
    for (std::size_t i = 0; i < batch.parameters.size(); ++i) {
      const torch::Tensor& parameter = batch.parameters[i];
      const torch::Tensor& gradient = parameter.grad();
      if (gradient.layout() != torch::kStrided) {
        throw Error(ErrorKind::kInternal, "the optimizers take no sparse gradients", batch.members[i]->parameter.name,
                    "make the embedding without sparse(true)");
      }
      batch.gradients.push_back(same_layout(gradient, parameter) ? gradient : laid_out_as(parameter, gradient));
    }
  }

  /// A checkpoint Error that lists what does not match.
  void check(const State& state) const {
    Mismatches mismatches;
    std::set<std::string> expected = {"kind"};
    for (const Memory& memory : memories_) {
      const std::string& name = memory.parameter.name;
      const std::string shape = shape_of(memory.parameter.tensor);
      expected.insert(name + ".shape");
      if (!state.has(name + ".shape")) {
        mismatches.add(name + " is not in the checkpoint");
        continue;
      }
      if (const auto saved = state.get<std::string>(name + ".shape"); saved != shape) {
        mismatches.add(format("{} is {} in the checkpoint and {} here", name, saved, shape));
      }
      check_memory(state, memory, expected, mismatches);
    }
    const auto look = [&](const auto& saved) {
      for (const auto& [name, value] : saved) {
        if (!expected.contains(name)) mismatches.add(name + " is only in the checkpoint");
      }
    };
    look(state.values());
    look(state.tensors());
    mismatches.refuse_any("the optimizer");
  }

  void check_memory(const State& state, const Memory& memory, std::set<std::string>& expected,
                    Mismatches& mismatches) const {
    const std::string& name = memory.parameter.name;
    const bool moved = state.has(name + ".steps");
    expected.insert(name + ".steps");
    if (moved) {
      const auto steps = state.get<torch::Tensor>(name + ".steps");
      const bool is_count = steps.numel() == 1 && steps.item<double>() >= 0;
      if (!is_count) mismatches.add(name + ".steps is not a count");
    }
    for (const std::string& moment : moment_names_) {
      const std::string key = name + moment;
      expected.insert(key);
      if (state.has(key) != moved)
        mismatches.add(key + (moved ? " is missing" : " is there without " + name + ".steps"));
      if (!state.has(key)) continue;
      const auto saved = state.get<torch::Tensor>(key);
      if (saved.sizes() != memory.parameter.tensor.sizes()) {
        mismatches.add(format("{} is {} in the checkpoint, its parameter {} here", key, shape_of(saved),
                              shape_of(memory.parameter.tensor)));
      }
    }
  }

  std::vector<std::string> moment_names_;
  std::vector<Memory> memories_;
  std::vector<Bundle> batches_;
};

class Sgd final : public FusedOptimizer {
 public:
  Sgd(const OptimizerSettings& settings, std::vector<ParameterGroup> groups)
      : FusedOptimizer(settings, std::move(groups), moment_names(settings)) {}

 private:
  static std::vector<std::string> moment_names(const OptimizerSettings& settings) {
    if (settings.momentum == 0) return {};
    return {".momentum"};
  }

  void move(Bundle& batch, double learning_rate, double weight_decay,
            const std::optional<torch::Tensor>& found_inf) override {
    // Never a first step: the momentum starts as zeros, and without dampening that comes to the same. A first step that
    // the scaler skips would leave it unset.
    at::_fused_sgd_(batch.parameters, batch.gradients, batch.moments[0], weight_decay, settings_.momentum,
                    learning_rate,
                    /*dampening=*/0, settings_.nesterov, /*maximize=*/false, /*is_first_step=*/false, {}, found_inf);
  }
};

class Adam final : public FusedOptimizer {
 public:
  Adam(const OptimizerSettings& settings, std::vector<ParameterGroup> groups)
      : FusedOptimizer(settings, std::move(groups), {".exp_avg", ".exp_avg_sq"}),
        decoupled_(settings.kind == "adamw") {}

 private:
  void move(Bundle& batch, double learning_rate, double weight_decay,
            const std::optional<torch::Tensor>& found_inf) override {
    const auto kernel = [&](auto fused) {
      fused(batch.parameters, batch.gradients, batch.moments[0], batch.moments[1], at::TensorList(), batch.steps,
            learning_rate, settings_.beta1, settings_.beta2, weight_decay, settings_.epsilon, /*amsgrad=*/false,
            /*maximize=*/false, std::nullopt, found_inf);
    };
    if (decoupled_) {
      kernel([](const auto&... arguments) { at::_fused_adamw_(arguments...); });
    } else {
      kernel([](const auto&... arguments) { at::_fused_adam_(arguments...); });
    }
  }

  bool decoupled_;
};

/// Shared weights are listed under each of their names; they are to move once.
void drop_repeated(std::vector<ParameterGroup>& groups) {
  std::unordered_set<const void*> seen;
  std::set<std::string> names;
  for (ParameterGroup& group : groups) {
    std::erase_if(group.parameters, [&](const NamedParameter& parameter) {
      return !seen.insert(parameter.tensor.unsafeGetTensorImpl()).second;
    });
    for (const NamedParameter& parameter : group.parameters) {
      if (!names.insert(parameter.name).second) {
        throw Error(ErrorKind::kInternal, "two parameters of the optimizer have one name", parameter.name,
                    "give the names of named_parameters()");
      }
    }
  }
}

}  // namespace

void OptimizerSettings::declare(Knobs& knobs) {
  knobs.add("kind", kind, "which optimizer moves the weights", {.choices = {"sgd", "adam", "adamw"}});
  knobs.add("learning_rate", learning_rate, "size of the steps, before the schedule", {.min = 0.0});
  knobs.add("weight_decay", weight_decay, "pull of the weights towards zero", {.min = 0.0});
  knobs.add("momentum", momentum, "sgd: part of the last step that goes on in the next", {.min = 0.0, .max = 1.0});
  knobs.add("nesterov", nesterov, "sgd: look ahead along the momentum");
  // Below 1: the bias correction divides by 1 - beta.
  knobs.add("beta1", beta1, "adam, adamw: memory of the mean gradient", {.min = 0.0, .max = 0.999999});
  knobs.add("beta2", beta2, "adam, adamw: memory of the mean squared gradient", {.min = 0.0, .max = 0.999999});
  knobs.add("epsilon", epsilon, "adam, adamw: keeps the division by small gradients tame", {.min = 0.0});
}

std::unique_ptr<Optimizer> Optimizer::make(const OptimizerSettings& settings, std::vector<ParameterGroup> groups) {
  drop_repeated(groups);
  if (settings.kind == "adam" || settings.kind == "adamw") return std::make_unique<Adam>(settings, std::move(groups));
  if (settings.kind != "sgd") {
    throw Error(ErrorKind::kConfig, "there is no such optimizer", settings.kind,
                "optimizer.kind is one of sgd, adam, adamw");
  }
  if (settings.nesterov && settings.momentum == 0) {
    throw Error(ErrorKind::kConfig, "nesterov looks ahead along a momentum that is not there", "momentum = 0",
                "set optimizer.momentum, such as 0.9, or optimizer.nesterov = false");
  }
  return std::make_unique<Sgd>(settings, std::move(groups));
}

void Optimizer::zero_grad() {
  for (const ParameterGroup& group : groups_) {
    for (const NamedParameter& parameter : group.parameters) {
      if (parameter.tensor.grad().defined()) parameter.tensor.mutable_grad().reset();
    }
  }
}

}  // namespace base
