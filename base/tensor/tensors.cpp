#include "base/torch.h"

#include "base/tensor/tensors.h"

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/suggest.h"

namespace base {

const torch::Tensor* Tensors::find(std::string_view name) const {
  for (const auto& [known, tensor] : entries_)
    if (known == name) return &tensor;
  return nullptr;
}

const torch::Tensor& Tensors::operator[](std::string_view name) const {
  if (const torch::Tensor* tensor = find(name)) return *tensor;
  std::vector<std::string_view> names;
  std::string known;
  for (const auto& entry : entries_) {
    names.push_back(entry.first);
    known += (known.empty() ? "" : ", ") + entry.first;
  }
  const std::string_view nearest = nearest_word(name, names);
  throw Error(ErrorKind::kUsage, "there is no tensor of this name", std::string(name),
              known.empty()     ? "there are none at all here"
              : nearest.empty() ? format("there are: {}", known)
                                : format("did you mean {}? There are: {}", nearest, known));
}

torch::Tensor& Tensors::operator[](std::string_view name) {
  return const_cast<torch::Tensor&>(std::as_const(*this)[name]);
}

void Tensors::set(std::string_view name, torch::Tensor tensor) {
  for (auto& [known, value] : entries_) {
    if (known == name) {
      value = std::move(tensor);
      return;
    }
  }
  entries_.emplace_back(std::string(name), std::move(tensor));
}

Tensors Tensors::to(torch::Device device, bool non_blocking) const {
  Tensors moved;
  moved.entries_.reserve(entries_.size());
  for (const auto& [name, tensor] : entries_) moved.entries_.emplace_back(name, tensor.to(device, non_blocking));
  return moved;
}

std::string describe(const torch::Tensor& tensor) {
  if (!tensor.defined()) return "undefined";
  std::string sizes;
  for (const auto size : tensor.sizes()) sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
  return format("{} [{}]", c10::getDtypeNames(tensor.scalar_type()).first, sizes);
}

std::string describe(const Tensors& tensors) {
  std::string text;
  for (const auto& [name, tensor] : tensors)
    text += format("{}{} {}", text.empty() ? "" : ", ", name, describe(tensor));
  return text;
}

}  // namespace base
