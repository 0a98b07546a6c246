// tensors.h: tensors by name. An example, the inputs of a model and its answers are all of this one kind.
#ifndef BASE_TENSOR_TENSORS_H_
#define BASE_TENSOR_TENSORS_H_

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/torch.h"

namespace base {

/// A short list of named tensors, in the order in which they were given.
///
///     Tensors batch{{"image", images}, {"label", labels}};
///     batch["image"]                       // there, or an Error that names what is
///     batch.set("mask", mask);
///
/// A handful of names at most: looking one up walks the list, which is faster than any map at that size.
class Tensors {
 public:
  using Entry = std::pair<std::string, torch::Tensor>;

  Tensors() = default;
  Tensors(std::initializer_list<Entry> entries) : entries_(entries) {}

  /// The tensor of this name; a usage Error with the nearest name if there is none.
  torch::Tensor& operator[](std::string_view name);
  const torch::Tensor& operator[](std::string_view name) const;
  /// Null if there is none of this name.
  const torch::Tensor* find(std::string_view name) const;
  /// Replaces the tensor of this name, or adds it at the end.
  void set(std::string_view name, torch::Tensor tensor);

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  auto begin() { return entries_.begin(); }
  auto end() { return entries_.end(); }

  /// Every tensor on `device`. What is there already is shared, not copied.
  Tensors to(torch::Device device, bool non_blocking = false) const;

 private:
  std::vector<Entry> entries_;
};

/// "image float32 [64, 1, 28, 28], label int64 [64]", for messages.
std::string describe(const Tensors& tensors);
std::string describe(const torch::Tensor& tensor);

}  // namespace base

#endif  // BASE_TENSOR_TENSORS_H_
