// data_loader.h: what the data are: 28 x 28 pictures of clothes and their ten classes, all of them in memory.
#ifndef EXAMPLES_FASHION_MNIST_DATA_LOADER_H_
#define EXAMPLES_FASHION_MNIST_DATA_LOADER_H_

#include <base/data/idx.h>
#include <base/data/tensor_loader.h>

#include <filesystem>
#include <string>

namespace fashion_mnist {

class DataLoader final : public base::TensorLoader {
 public:
  /// `part` is "train" or "t10k", as the files are named.
  DataLoader(const std::filesystem::path& folder, const std::string& part)
      : TensorLoader({{"image", base::read_idx(folder / (part + "-images-idx3-ubyte.gz")).unsqueeze(1)},
                      {"label", base::read_idx(folder / (part + "-labels-idx1-ubyte.gz")).to(torch::kLong)}}) {}
};

}  // namespace fashion_mnist

#endif  // EXAMPLES_FASHION_MNIST_DATA_LOADER_H_
