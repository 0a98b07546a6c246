// state.h: what an object must remember to go on exactly where it stopped.
#ifndef BASE_TENSOR_STATE_H_
#define BASE_TENSOR_STATE_H_

#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "base/torch.h"

namespace base {

/// Values and tensors by name. A tensor is shared with its owner until a checkpoint copies it.
///
///     void EarlyStop::save_state(State& state) const { state.set("bad_in_a_row", bad_in_a_row_); }
///     void EarlyStop::load_state(const State& state) { bad_in_a_row_ = state.get<std::int64_t>("bad_in_a_row"); }
class State {
 public:
  using Value = std::variant<std::int64_t, double, std::string>;

  /// Takes the place of whatever had this name before.
  void set(const std::string& name, const torch::Tensor& tensor);
  void set(const std::string& name, std::integral auto value) { set_value(name, static_cast<std::int64_t>(value)); }
  void set(const std::string& name, std::floating_point auto value) { set_value(name, static_cast<double>(value)); }
  void set(const std::string& name, std::string value) { set_value(name, std::move(value)); }

  /// The value of this name: a checkpoint Error if there is none, or one of another type. T is std::int64_t, bool,
  /// double, std::string or torch::Tensor.
  template <typename T>
  T get(const std::string& name) const;
  bool has(const std::string& name) const { return values_.contains(name) || tensors_.contains(name); }

  const std::map<std::string, Value>& values() const { return values_; }
  const std::map<std::string, torch::Tensor>& tensors() const { return tensors_; }

 private:
  void set_value(const std::string& name, Value value);

  std::map<std::string, Value> values_;
  std::map<std::string, torch::Tensor> tensors_;
};

template <>
std::int64_t State::get(const std::string& name) const;
template <>
bool State::get(const std::string& name) const;
template <>
double State::get(const std::string& name) const;
template <>
std::string State::get(const std::string& name) const;
template <>
torch::Tensor State::get(const std::string& name) const;

/// Has a state that goes into checkpoints.
class Stateful {
 public:
  virtual ~Stateful() = default;
  virtual void save_state(State& /*state*/) const {}
  virtual void load_state(const State& /*state*/) {}
};

}  // namespace base

#endif  // BASE_TENSOR_STATE_H_
