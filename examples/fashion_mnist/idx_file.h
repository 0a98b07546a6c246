// idx_file.h: the file format of MNIST and its successors, gzipped.
#ifndef EXAMPLES_FASHION_MNIST_IDX_FILE_H_
#define EXAMPLES_FASHION_MNIST_IDX_FILE_H_

#include <cstdint>
#include <filesystem>
#include <vector>

/// Unsigned bytes in any number of dimensions, row-major.
struct IdxFile {
  std::vector<std::int64_t> shape;
  std::vector<std::uint8_t> values;
};

/// Throws a base::Error of the data kind for a file that is missing, of another format, or cut short.
IdxFile read_idx(const std::filesystem::path& path);

#endif  // EXAMPLES_FASHION_MNIST_IDX_FILE_H_
