#include "base/infer/backend.h"

#include <array>
#include <charconv>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/infer/engine.h"
#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/log.h"
#include "base/log/suggest.h"
#ifdef SCAFFOLD_WITH_ONNXRUNTIME
#include "base/infer/onnxruntime_backend.h"
#endif
#ifdef SCAFFOLD_WITH_TENSORRT
#include "base/infer/tensorrt_backend.h"
#endif

namespace base {
namespace {

// What there can be, the fastest first, and how to get it where it is missing.
struct KnownTarget {
  std::string_view name;
  bool has_devices;
  std::string_view how;
};
constexpr std::array<KnownTarget, 4> kTargets = {{
    {"tensorrt", true,
     "on a machine with TensorRT: scaffold update --set tensorrt=true in a project; else build the package with -o "
     "'&:with_tensorrt=True'"},
    {"cuda", true,
     "link an ONNX Runtime with CUDA, or scaffold::scaffold with CUDA and call base::use_torch_backend()"},
    {"cpu", false, "build the package with -o '&:with_onnxruntime=True'"},
    {"torch", false, "link scaffold::scaffold and call base::use_torch_backend(), or take the target cpu"},
}};

struct Table {
  std::mutex mutex;
  std::vector<Engine> engines;

  Table() {
#ifdef SCAFFOLD_WITH_ONNXRUNTIME
    for (const Engine& engine : onnxruntime_engines()) engines.push_back(engine);
#endif
#ifdef SCAFFOLD_WITH_TENSORRT
    engines.push_back(tensorrt_engine());
#endif
  }
};

Table& table() {
  static Table table;
  return table;
}

struct Target {
  const KnownTarget* known;
  int device = 0;
};

[[noreturn]] void refuse_target(const std::string& text) {
  std::vector<std::string_view> names{"auto"};
  for (const KnownTarget& target : kTargets) names.push_back(target.name);
  const std::string_view nearest = nearest_word(std::string_view(text).substr(0, text.find(':')), names);
  throw Error(ErrorKind::kUsage, "there is no such target", text,
              format("{}give auto, cpu, cuda:0, tensorrt:0 or torch",
                     nearest.empty() ? "" : format("did you mean {}? ", nearest)));
}

// "cpu", "cuda", "cuda:1"
Target parse_target(const std::string& text) {
  const std::string_view name = std::string_view(text).substr(0, text.find(':'));
  for (const KnownTarget& known : kTargets) {
    if (known.name != name) continue;
    Target target{&known};
    if (name.size() == text.size()) return target;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + name.size() + 1, end, target.device);
    if (!known.has_devices || error != std::errc() || stop != end || target.device < 0) break;
    return target;
  }
  refuse_target(text);
}

// Null if no engine can; then `reasons` says why. With `any`, an engine that refuses the model is only told: the next
// one may take it.
std::unique_ptr<Backend> try_load(const Artifact& artifact, const Target& target, const BackendOptions& options,
                                  std::string& reasons, bool any = false) {
  for (const Engine& engine : engines_for(std::string(target.known->name))) {
    std::string reason = engine.why_not(target.device);
    try {
      if (reason.empty()) return engine.load(artifact, target.device, options);
    } catch (const Error& error) {
      if (!any || (error.kind() != ErrorKind::kBackend && error.kind() != ErrorKind::kDevice)) throw;
      reason = error.problem().substr(0, error.problem().find('\n'));
      log::warn("{} does not run the model, so the next engine is tried: {}", engine.name, reason);
    }
    reasons += format("{}{}: {}", reasons.empty() ? "" : "; ", engine.name, reason);
  }
  return nullptr;
}

}  // namespace

void register_engine(const Engine& engine) {
  const std::lock_guard lock(table().mutex);
  for (Engine& there : table().engines) {
    if (there.name == engine.name && there.target == engine.target) {
      there = engine;
      return;
    }
  }
  table().engines.push_back(engine);
}

std::vector<Engine> engines_for(const std::string& target) {
  const std::lock_guard lock(table().mutex);
  std::vector<Engine> found;
  for (const Engine& engine : table().engines)
    if (engine.target == target) found.push_back(engine);
  return found;
}

std::unique_ptr<Backend> load_backend(const std::filesystem::path& folder, const std::string& target,
                                      const BackendOptions& options) {
  if (options.threads < 0)
    throw Error(ErrorKind::kUsage, "the number of threads is below zero", std::to_string(options.threads), "give 0");
  std::string reasons;
  if (target == "auto") {
    const Artifact artifact = Artifact::open(choose_export(folder), Artifact::Check::kSizes);
    for (const KnownTarget& known : kTargets)
      if (auto backend = try_load(artifact, {&known}, options, reasons, /*any=*/true)) return backend;
    throw Error(ErrorKind::kBackend, "this program has no engine for the model",
                reasons.empty() ? folder.string() : reasons, std::string(kTargets[2].how));
  }
  const Target wanted = parse_target(target);
  const Artifact artifact = Artifact::open(choose_export(folder), Artifact::Check::kSizes);
  if (auto backend = try_load(artifact, wanted, options, reasons)) return backend;
  if (reasons.empty()) {
    throw Error(ErrorKind::kBackend, "this program has no engine for the target", target,
                std::string(wanted.known->how));
  }
  throw Error(ErrorKind::kDevice, "no engine can run on the target", format("{} ({})", target, reasons),
              "take another target, such as cpu, or a machine that has what is missing");
}

}  // namespace base
