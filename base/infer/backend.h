// backend.h: an exported model, ready to answer.
//
//     const auto backend = base::load_backend("runs/demo/.../exports/400", "auto");
//     for (const base::TensorView& output : backend->run(inputs)) ...
//
#ifndef BASE_INFER_BACKEND_H_
#define BASE_INFER_BACKEND_H_

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "base/artifact/signature.h"
#include "base/infer/tensorrt_options.h"

namespace base {

/// Runs one exported model. The engine is chosen when it is loaded; callers never see it. Not thread-safe: give each
/// thread its own.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual const Signature& signature() const = 0;

  /// The answers, in the order of the signature. Inputs are taken by name, in any order; what does not fit the
  /// signature is a usage Error that names all of it. No input is copied if the engine can read it where it is, and
  /// none is looked at after the call. The answers belong to the backend and hold until its next run().
  virtual std::span<const TensorView> run(std::span<const TensorView> inputs) = 0;

  /// "ONNX Runtime 1.31.1 on the CPU", for people.
  virtual std::string description() const = 0;
};

struct BackendOptions {
  int threads = 0;                // inside one run(); 0: as many as there are cores
  TensorRtOptions tensorrt = {};  // for the target tensorrt alone
};

/// `folder` is an export or holds several, see choose_export(). `target` is "cpu" (ONNX Runtime), "cuda:0" (ONNX
/// Runtime or LibTorch on a GPU), "tensorrt:0", "torch" (LibTorch on the CPU), or "auto": the fastest of those that
/// this program and this machine have and that take the model; a warning tells which one does not. An engine that is
/// not there is a backend Error that says how to get it, a machine that lacks what it needs is a device Error.
std::unique_ptr<Backend> load_backend(const std::filesystem::path& folder, const std::string& target = "auto",
                                      const BackendOptions& options = {});

}  // namespace base

#endif  // BASE_INFER_BACKEND_H_
