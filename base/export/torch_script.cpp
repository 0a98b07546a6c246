#include "base/torch.h"

#include "base/export/torch_script.h"

#include <torch/csrc/jit/api/module.h>

#include "base/log/error.h"
#include "base/log/format.h"

namespace base {

void write_torch_script(const Trace& trace, const std::filesystem::path& path) {
  try {
    trace.module->save(path.string());
  } catch (const c10::Error& error) {
    throw Error(ErrorKind::kData, "the TorchScript file cannot be written",
                format("{}: {}", path, error.what_without_backtrace()), "check the folder and the free disk");
  }
}

}  // namespace base
