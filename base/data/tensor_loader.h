// tensor_loader.h: data that are in memory already.
#ifndef BASE_DATA_TENSOR_LOADER_H_
#define BASE_DATA_TENSOR_LOADER_H_

#include "base/data/augment.h"
#include "base/data/data_loader.h"

namespace base {

/// Examples are the rows of tensors: example i holds row i of each. Without augmenters a batch is gathered in one go.
class TensorLoader : public DataLoader {
 public:
  /// All of `columns` have the same first dimension. `augmenters` change the tensor `augmented`, in training.
  explicit TensorLoader(Tensors columns, Augmenters augmenters = {}, std::string augmented = "image");

  std::int64_t size() const override;
  Example parse(std::int64_t index) const final;
  Example augment(Example example, Random& random) const final;
  Batch make_batch(std::span<const std::int64_t> indices, const Draw& draw) const override;

 private:
  Tensors columns_;
  Augmenters augmenters_;
  std::string augmented_;
};

}  // namespace base

#endif  // BASE_DATA_TENSOR_LOADER_H_
