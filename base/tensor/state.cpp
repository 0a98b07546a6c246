#include "base/torch.h"

#include "base/tensor/state.h"

#include "base/log/error.h"

namespace base {
namespace {

[[noreturn]] void refuse(const char* what, const std::string& name) {
  throw Error(ErrorKind::kCheckpoint, what, name,
              "the checkpoint is of another version of the program: restore with that one, or start anew");
}

template <typename T>
const T& value_of(const std::map<std::string, State::Value>& values, const std::string& name) {
  const auto found = values.find(name);
  if (found == values.end()) refuse("the saved state lacks a value", name);
  if (!std::holds_alternative<T>(found->second)) refuse("a saved value is of another type", name);
  return std::get<T>(found->second);
}

}  // namespace

void State::set(const std::string& name, const torch::Tensor& tensor) {
  values_.erase(name);
  tensors_[name] = tensor;
}

void State::set_value(const std::string& name, Value value) {
  tensors_.erase(name);
  values_[name] = std::move(value);
}

template <>
std::int64_t State::get(const std::string& name) const {
  return value_of<std::int64_t>(values_, name);
}

template <>
bool State::get(const std::string& name) const {
  return value_of<std::int64_t>(values_, name) != 0;
}

template <>
double State::get(const std::string& name) const {
  return value_of<double>(values_, name);
}

template <>
std::string State::get(const std::string& name) const {
  return value_of<std::string>(values_, name);
}

template <>
torch::Tensor State::get(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) refuse("the saved state lacks a tensor", name);
  return found->second;
}

}  // namespace base
