#include "base/torch.h"

#include "base/data/tensor_loader.h"

#include <utility>

#include "base/log/error.h"
#include "base/log/format.h"

namespace base {

TensorLoader::TensorLoader(Tensors columns, Augmenters augmenters, std::string augmented)
    : columns_(std::move(columns)), augmenters_(std::move(augmenters)), augmented_(std::move(augmented)) {
  if (columns_.empty()) throw Error(ErrorKind::kData, "data without a single tensor", "", "give at least one column");
  for (auto& [name, column] : columns_) {
    if (!column.defined() || column.dim() == 0) {
      throw Error(ErrorKind::kData, "a column needs a first dimension, the examples",
                  format("{} {}", name, describe(column)), "stack the examples to one tensor");
    }
    if (column.size(0) != size()) {
      throw Error(ErrorKind::kData, "the columns differ in their number of examples", describe(columns_),
                  "give tensors with one row for each example");
    }
    column = column.contiguous();  // rows in one piece are gathered faster
  }
  if (!augmenters_.empty()) static_cast<void>(std::as_const(columns_)[augmented_]);  // there, or an Error
}

std::int64_t TensorLoader::size() const {
  return columns_.begin()->second.size(0);
}

Example TensorLoader::parse(std::int64_t index) const {
  Example example;
  for (const auto& [name, column] : columns_) example.set(name, column.select(0, index));
  return example;
}

Example TensorLoader::augment(Example example, Random& random) const {
  if (!augmenters_.empty()) {
    torch::Tensor& image = example[augmented_];
    image = apply(augmenters_, std::move(image), random);
  }
  return example;
}

Batch TensorLoader::make_batch(std::span<const std::int64_t> indices, const Draw& draw) const {
  if (draw.augment && !augmenters_.empty()) return DataLoader::make_batch(indices, draw);
  // from_blob only borrows the numbers, for the length of this call
  const auto rows = torch::from_blob(const_cast<std::int64_t*>(indices.data()),
                                     {static_cast<std::int64_t>(indices.size())}, torch::kLong);
  Batch batch{.tensors = {}, .indices = {indices.begin(), indices.end()}};
  for (const auto& [name, column] : columns_) batch.tensors.set(name, column.index_select(0, rows));
  return batch;
}

}  // namespace base
