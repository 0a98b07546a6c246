// check_backend: runs an export in one engine, compares its answers with those of another, and says how fast it is.
//
//     check_backend --export exports/400 --target tensorrt:0 --batches 1,8,64
//     check_backend --export exports/400 --target tensorrt:0 --tensorrt.precision fp16 --tensorrt.save_plan model.plan
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/config/settings.h"
#include "base/infer/backend_check.h"
#include "base/infer/tensorrt_precision.h"
#include "base/infer/tensorrt_settings.h"
#include "base/log/error.h"
#include "base/log/format.h"

namespace {

struct CheckSettings {
  std::filesystem::path folder;
  std::string target = "tensorrt:0";
  std::string reference = "cpu";
  base::BackendCheckOptions check{.tolerance = 0};
  int threads = 0;
  base::TensorRtSettings tensorrt;

  void declare(base::Knobs& knobs) {
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

int run_check(int argc, char** argv) {
  CheckSettings settings;
  const auto origins =
      base::load_settings(settings, argc, argv,
                          {.description = "Compares the answers of an engine with those of another, and measures it."});
  if (!origins) return 0;
  const bool is_tensorrt = settings.target.starts_with("tensorrt");
  double tolerance = settings.check.tolerance;
  if (tolerance == 0) {
    tolerance = is_tensorrt ? tolerance_of(base::precision_from_text(settings.tensorrt.values.precision)) : 1e-4;
  }
  const base::BackendOptions options{.threads = settings.threads, .tensorrt = settings.tensorrt.options()};
  const auto backend = base::load_backend(settings.folder, settings.target, options);
  const auto reference = base::load_backend(settings.folder, settings.reference, options);
  const auto rows = base::check_backend(*backend, *reference, settings.check);
  std::printf("%s\ncompared with %s\n%s", backend->description().c_str(), reference->description().c_str(),
              base::describe(rows).c_str());
  const double worst = base::worst_difference(rows);
  if (worst <= tolerance) return 0;
  throw base::Error(base::ErrorKind::kBackend, "the answers differ from those of " + settings.reference,
                    base::format("{:.2e}, and {:.2e} may be", worst, tolerance),
                    "export with a finer precision, or allow more: --tolerance");
}

}  // namespace

int main(int argc, char** argv) {
  return base::run_main([&] { return run_check(argc, argv); });
}
