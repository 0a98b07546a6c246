// engine.h: the engines that run exported models, by the targets that load_backend() takes. Those without LibTorch are
// in the table by themselves as far as they were compiled in; others are added by who links them.
#ifndef BASE_INFER_ENGINE_H_
#define BASE_INFER_ENGINE_H_

#include <memory>
#include <string>
#include <vector>

#include "base/artifact/artifact.h"
#include "base/infer/backend.h"

namespace base {

struct Engine {
  std::string name;    // "ONNX Runtime"
  std::string target;  // "cpu", "cuda", "tensorrt" or "torch", without the number of the device
  /// Why it cannot run on this device of this machine; empty if it can.
  std::string (*why_not)(int device);
  /// Loads its own file of the export, which it gets from Artifact::file().
  std::unique_ptr<Backend> (*load)(const Artifact& artifact, int device, const BackendOptions& options);
};

/// Adds it behind the others, or replaces the one of the same name and target. Thread-safe.
void register_engine(const Engine& engine);

/// Those of a target, in the order in which they are tried.
std::vector<Engine> engines_for(const std::string& target);

}  // namespace base

#endif  // BASE_INFER_ENGINE_H_
