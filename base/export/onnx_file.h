// onnx_file.h: an OnnxGraph as a file that every ONNX runtime reads.
#ifndef BASE_EXPORT_ONNX_FILE_H_
#define BASE_EXPORT_ONNX_FILE_H_

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/export/onnx_graph.h"

namespace base {

struct OnnxWriteOptions {
  /// A model that would take more has its large constants in a file of their own: no protobuf reader takes 2 GB.
  std::uint64_t most_bytes = (std::uint64_t{1} << 31) - (std::uint64_t{1} << 20);
  /// Constants smaller than this stay in the model then: they may be shapes, which readers want to see at once.
  std::uint64_t least_external_bytes = 1024;
  bool sync = false;  // return only when the files are on the disk
};

/// Writes the model, beside `path` first and then renamed, so that a model of that name is a whole one at any time.
/// Weights that do not fit go to `<path>.data`; no copy of them is made in memory. Returns what was written: the model
/// and, if there is one, the file of weights, which must stay beside it under its name.
/// A graph that is not one (see problem_of) is an Error of the export kind, a full disk one of the data kind; neither
/// leaves anything behind.
std::vector<std::filesystem::path> write_onnx(const OnnxGraph& graph, const std::filesystem::path& path,
                                              const OnnxWriteOptions& options = {});

/// The number of a type in ONNX files, as the attribute `to` of Cast has it.
std::int64_t onnx_type(DType dtype);

}  // namespace base

#endif  // BASE_EXPORT_ONNX_FILE_H_
