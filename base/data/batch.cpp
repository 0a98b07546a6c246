#include "base/data/batch.h"

#include <algorithm>

#include "base/log/error.h"
#include "base/log/format.h"

namespace base {
namespace {

/// The largest size in each dimension.
std::vector<std::int64_t> common_shape(const std::vector<torch::Tensor>& tensors, std::string_view name) {
  std::vector<std::int64_t> shape = tensors.front().sizes().vec();
  for (const auto& tensor : tensors) {
    if (tensor.dim() != tensors.front().dim()) {
      throw Error(ErrorKind::kData, format("the examples' {} differ in their number of dimensions", name),
                  format("{} and {}", describe(tensors.front()), describe(tensor)),
                  "give all examples the same number of dimensions in parse()");
    }
    for (std::size_t d = 0; d < shape.size(); ++d) shape[d] = std::max(shape[d], tensor.size(static_cast<long>(d)));
  }
  return shape;
}

/// Into the first corner of a place that may be larger.
void put(torch::Tensor place, const torch::Tensor& values) {
  for (std::int64_t d = 0; d < values.dim(); ++d) place = place.narrow(d, 0, values.size(d));
  place.copy_(values);
}

torch::Tensor pad_and_stack(const std::vector<torch::Tensor>& tensors, const Padding& padding) {
  std::vector<std::int64_t> shape = common_shape(tensors, padding.name);
  shape.insert(shape.begin(), static_cast<std::int64_t>(tensors.size()));
  const torch::Tensor padded = torch::full(shape, padding.value, tensors.front().options());
  for (std::size_t row = 0; row < tensors.size(); ++row) {
    put(padded[static_cast<std::int64_t>(row)], tensors[row]);
  }
  return padded;
}

}  // namespace

Tensors stack(std::span<const Example> examples, std::span<const Padding> ragged) {
  Tensors batch;
  if (examples.empty()) return batch;
  std::vector<torch::Tensor> tensors(examples.size());
  for (const auto& [name, first] : examples.front()) {
    for (std::size_t row = 0; row < examples.size(); ++row) {
      tensors[row] = examples[row][name];
      if (tensors[row].scalar_type() != first.scalar_type()) {
        throw Error(ErrorKind::kData, format("the examples' {} differ in type", name),
                    format("{} and {}", describe(first), describe(tensors[row])),
                    "give all examples one type in parse()");
      }
    }
    const auto padding = std::ranges::find(ragged, std::string_view(name), &Padding::name);
    if (padding == ragged.end()) {
      for (const auto& tensor : tensors) {
        if (tensor.sizes() != first.sizes()) {
          throw Error(ErrorKind::kData, format("the examples' {} differ in shape", name),
                      format("{} and {}", describe(first), describe(tensor)),
                      format("give all examples one shape in parse(), or pad them: name {} in ragged()", name));
        }
      }
      batch.set(name, torch::stack(tensors));
      continue;
    }
    std::vector<std::int64_t> lengths;
    for (const auto& tensor : tensors) lengths.push_back(tensor.dim() == 0 ? 1 : tensor.size(0));
    batch.set(name, pad_and_stack(tensors, *padding));
    batch.set(name + "_length", torch::tensor(lengths, torch::kLong));
  }
  return batch;
}

torch::Tensor join(const std::vector<torch::Tensor>& batches, const Padding& padding) {
  std::vector<std::int64_t> shape = common_shape(batches, padding.name);
  shape[0] = 0;
  for (const auto& batch : batches) shape[0] += batch.size(0);
  const torch::Tensor joined = torch::full(shape, padding.value, batches.front().options());
  std::int64_t row = 0;
  for (const auto& batch : batches) {
    put(joined.narrow(0, row, batch.size(0)), batch);
    row += batch.size(0);
  }
  return joined;
}

}  // namespace base
