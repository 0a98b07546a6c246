#include "base/export/onnx_runner.h"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include "base/artifact/artifact.h"
#include "base/export/onnx_file.h"
#include "base/infer/backend.h"
#include "base/log/error.h"
#include "base/log/format.h"

namespace base {
namespace {

class TemporaryExport {
 public:
  explicit TemporaryExport(const OnnxGraph& graph) {
    std::string pattern = (std::filesystem::temp_directory_path() / "scaffold_model_XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
      throw Error(ErrorKind::kExport, "no temporary folder can be made",
                  format("{} ({})", pattern, std::strerror(errno)), "set TMPDIR to a folder that may be written");
    }
    parent_ = pattern;
    try {
      ArtifactWriter writer(folder());
      write_onnx(graph, writer.path() / kOnnxFile);
      writer.complete({.opset = graph.opset, .signature = graph.signature});
      writer.publish();
    } catch (...) {
      remove();
      throw;
    }
  }
  ~TemporaryExport() { remove(); }
  TemporaryExport(const TemporaryExport&) = delete;
  TemporaryExport& operator=(const TemporaryExport&) = delete;

  std::filesystem::path folder() const { return parent_ / "model"; }

 private:
  void remove() const {
    std::error_code ignored;
    std::filesystem::remove_all(parent_, ignored);
  }

  std::filesystem::path parent_;
};

struct Running {
  explicit Running(const OnnxGraph& graph, const std::string& target)
      : model(graph), backend(load_backend(model.folder(), target)) {}

  TemporaryExport model;  // outlives the backend, which may read its weights from there
  std::unique_ptr<Backend> backend;
};

}  // namespace

OnnxRun load_onnx(const OnnxGraph& graph, const std::string& target) {
  const auto running = std::make_shared<Running>(graph, target);
  return [running](std::span<const TensorView> inputs) { return running->backend->run(inputs); };
}

}  // namespace base
