// cifar.h: CIFAR-10 in its binary version: 32 x 32 pictures of ten classes.
#ifndef BASE_DATA_CIFAR_H_
#define BASE_DATA_CIFAR_H_

#include <filesystem>
#include <vector>

#include "base/tensor/tensors.h"

namespace base {

/// The pictures of these files, one after the other: "image" uint8 [n, 3, 32, 32] and "label" int64 [n]. A file that is
/// missing, not made of whole records, or has a label above 9 is a data Error.
Tensors read_cifar10(const std::vector<std::filesystem::path>& files);

/// Those of the folder that cifar-10-binary.tar.gz unpacks to: data_batch_*.bin for training, otherwise test_batch.bin.
Tensors read_cifar10(const std::filesystem::path& folder, bool training);

}  // namespace base

#endif  // BASE_DATA_CIFAR_H_
