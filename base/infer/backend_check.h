// backend_check.h: whether two engines give the same answers, and how fast one is.
#ifndef BASE_INFER_BACKEND_CHECK_H_
#define BASE_INFER_BACKEND_CHECK_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/infer/backend.h"

namespace base {

/// How far one output is from the same output of another engine.
struct AnswerDifference {
  std::string output;
  /// Of floating-point numbers: the largest difference, as a part of the largest number of the reference (or of 1e-6,
  /// if that is larger). Of others: the part of them that differs. Infinite if the shapes differ, or if there is a NaN
  /// or an infinity in one that is not in the other.
  double difference = 0;
};

/// Of the outputs of `reference`, in its order; found by name in `answers`, which may be of another floating-point
/// type.
std::vector<AnswerDifference> compare_answers(std::span<const TensorView> answers,
                                              std::span<const TensorView> reference);

struct Latency {
  double p50 = 0;  // milliseconds of one run()
  double p90 = 0;
  double p99 = 0;
  double per_second = 0;  // run() calls, one after the other
};

/// Runs `warm_up` times without looking, then `runs` times with a clock.
Latency measure_latency(Backend& backend, std::span<const TensorView> inputs, int warm_up, int runs);

/// The value below which that part of the times lies (nearest rank). `sorted` is not empty.
double percentile(std::span<const double> sorted, double part);

struct BackendCheckOptions {
  std::vector<std::int64_t> batches = {1, 8, 64};
  double tolerance = 1e-4;  // of AnswerDifference::difference
  int warm_up = 20;
  int runs = 200;
  std::uint64_t seed = 1;
};

/// One size of the batch.
struct BackendCheckRow {
  std::int64_t batch = 0;
  AnswerDifference worst;
  Latency latency;
};

/// Gives both the same random inputs at each size of the axis called "batch" (once, if the model has none), compares,
/// and measures the first. A difference over the tolerance is no Error here: see worst_difference().
std::vector<BackendCheckRow> check_backend(Backend& backend, Backend& reference, const BackendCheckOptions& options);

double worst_difference(std::span<const BackendCheckRow> rows);

/// What may differ where nobody says otherwise: as much as the coarsest of these precisions ("fp32", "int8") allows.
double default_tolerance(std::span<const std::string> precisions);

/// A table for people: batch, difference, p50, p90, p99, examples a second.
std::string describe(std::span<const BackendCheckRow> rows);

}  // namespace base

#endif  // BASE_INFER_BACKEND_CHECK_H_
