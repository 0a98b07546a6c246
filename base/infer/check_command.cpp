#include "base/infer/check_command.h"

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/artifact/artifact.h"
#include "base/config/settings.h"
#include "base/infer/backend_check.h"
#include "base/infer/tensorrt_settings.h"
#include "base/log/error.h"
#include "base/log/format.h"

namespace base {
namespace {

struct CheckSettings {
  std::filesystem::path folder;
  std::string target = "tensorrt:0";
  std::string reference = "cpu";
  BackendCheckOptions check{.tolerance = 0};
  int threads = 0;
  TensorRtSettings tensorrt;

  void declare(Knobs& knobs) {
    knobs.add("export", folder, "the exported folder", {.exists = true, .required = true});
    knobs.add("target", target, "what to check: cpu, cuda:0, tensorrt:0 or torch");
    knobs.add("reference", reference, "what gives the answers to compare with");
    knobs.add("batches", check.batches, "sizes of the batch", {.min = 1});
    knobs.add("runs", check.runs, "runs to measure at each size", {.min = 1});
    knobs.add("warm_up", check.warm_up, "runs before them", {.min = 0});
    knobs.add("tolerance", check.tolerance,
              "difference that may be, as a part of the largest answer; 0: what the precision allows", {.min = 0.0});
    knobs.add("seed", check.seed, "of the random inputs");
    knobs.add("threads", threads, "of a run on the CPU; 0: all cores", {.min = 0});
    knobs.section("tensorrt", tensorrt, "how TensorRT builds and runs");
  }
};

// What the export is in, and what TensorRT is told to make of it. An engine that runs it as FP32 is compared with that
// all the same.
std::vector<std::string> precisions_of(const std::filesystem::path& folder, const Backend& backend,
                                       const Backend& reference, const std::string& of_tensorrt) {
  std::vector<std::string> precisions{Artifact::open(folder, Artifact::Check::kSizes).manifest().precision};
  for (const Backend* each : {&backend, &reference})
    if (each->description().starts_with("TensorRT")) precisions.push_back(of_tensorrt);
  return precisions;
}

}  // namespace

int run_check_command(const std::vector<std::string>& arguments, const std::string& program,
                      const std::string& description) {
  CheckSettings settings;
  if (!load_settings(settings, arguments, {.program = program, .description = description})) return 0;
  const std::filesystem::path folder = choose_export(settings.folder);
  const BackendOptions options{.threads = settings.threads, .tensorrt = settings.tensorrt.options()};
  const auto backend = load_backend(folder, settings.target, options);
  const auto reference = load_backend(folder, settings.reference, options);
  double tolerance = settings.check.tolerance;
  if (tolerance == 0)
    tolerance = default_tolerance(precisions_of(folder, *backend, *reference, settings.tensorrt.values.precision));
  const auto rows = check_backend(*backend, *reference, settings.check);
  std::printf("%s\ncompared with %s; %.2e may differ\n%s", backend->description().c_str(),
              reference->description().c_str(), tolerance, describe(rows).c_str());
  const double worst = worst_difference(rows);
  if (worst <= tolerance) return 0;
  throw Error(ErrorKind::kBackend, "the answers differ from those of " + settings.reference,
              format("{:.2e}, and {:.2e} may be", worst, tolerance),
              "export with a finer precision, or allow more: --tolerance");
}

}  // namespace base
