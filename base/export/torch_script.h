// torch_script.h: a traced model as a TorchScript file, which LibTorch and Python's torch.jit.load read.
#ifndef BASE_EXPORT_TORCH_SCRIPT_H_
#define BASE_EXPORT_TORCH_SCRIPT_H_

#include <filesystem>

#include "base/export/trace.h"

namespace base {

/// Writes a module with the model's parameters and buffers under their names. Its forward() takes the inputs in the
/// order of the signature and returns the outputs in theirs: a tuple if there are several. A file that cannot be
/// written is a data Error.
void write_torch_script(const Trace& trace, const std::filesystem::path& path);

}  // namespace base

#endif  // BASE_EXPORT_TORCH_SCRIPT_H_
