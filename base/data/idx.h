// idx.h: the file format of MNIST and its successors.
#ifndef BASE_DATA_IDX_H_
#define BASE_DATA_IDX_H_

#include <filesystem>

#include "base/torch.h"

namespace base {

/// The values of an IDX file, gzipped or not, in its own type (bytes, integers of 16 and 32 bits, floats of 32 and 64)
/// and shape:
///
///     const torch::Tensor images = read_idx("train-images-idx3-ubyte.gz");  // uint8 [60000, 28, 28]
///
/// Where there is no such file but one with .gz behind its name, as these are published, that is read.
///
/// A file that is missing, of another format, cut short, or longer or shorter than its header says is a data Error.
torch::Tensor read_idx(const std::filesystem::path& path);

}  // namespace base

#endif  // BASE_DATA_IDX_H_
