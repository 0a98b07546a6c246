#include "base/infer/backend_check.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/infer/random_inputs.h"
#include "base/infer/tensorrt_precision.h"
#include "base/log/error.h"
#include "base/log/format.h"
#include "base/records/bytes.h"
#include "base/records/half.h"

namespace base {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kSmallest = 1e-6;

double float_at(const TensorView& view, std::size_t index) {
  const std::byte* at = view.bytes.data() + index * size_of(view.dtype);
  switch (view.dtype) {
    case DType::kF16:
      return float_of(load<std::uint16_t>(at));
    case DType::kBF16:
      return std::bit_cast<float>(static_cast<std::uint32_t>(load<std::uint16_t>(at)) << 16U);
    case DType::kF32:
      return std::bit_cast<float>(load<std::uint32_t>(at));
    default:
      return std::bit_cast<double>(load<std::uint64_t>(at));
  }
}

double floating_difference(const TensorView& answer, const TensorView& reference) {
  double worst = 0;
  double largest = kSmallest;
  for (std::size_t i = 0; i < reference.bytes.size() / size_of(reference.dtype); ++i) {
    const double a = float_at(answer, i);
    const double b = float_at(reference, i);
    if (std::isfinite(a) && std::isfinite(b)) {
      worst = std::max(worst, std::abs(a - b));
      largest = std::max(largest, std::abs(b));
    } else if (!(a == b || (std::isnan(a) && std::isnan(b)))) {
      return kInfinite;
    }
  }
  return worst / largest;
}

double differing_part(const TensorView& answer, const TensorView& reference) {
  const std::size_t size = size_of(reference.dtype);
  const std::size_t count = reference.bytes.size() / size;
  std::size_t differing = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (std::memcmp(answer.bytes.data() + i * size, reference.bytes.data() + i * size, size) != 0) ++differing;
  }
  return count == 0 ? 0 : static_cast<double>(differing) / static_cast<double>(count);
}

double difference_of(const TensorView& answer, const TensorView& reference) {
  if (answer.shape != reference.shape) return kInfinite;
  if (is_floating(answer.dtype) && is_floating(reference.dtype)) return floating_difference(answer, reference);
  return answer.dtype == reference.dtype ? differing_part(answer, reference) : kInfinite;
}

bool has_batch(const Signature& signature) {
  for (const TensorSpec& spec : signature.inputs) {
    for (const Axis& axis : spec.axes) {
      if (axis.name == "batch") return true;
    }
  }
  return false;
}

}  // namespace

std::vector<AnswerDifference> compare_answers(std::span<const TensorView> answers,
                                              std::span<const TensorView> reference) {
  std::vector<AnswerDifference> differences;
  for (const TensorView& expected : reference) {
    const auto found = std::find_if(answers.begin(), answers.end(),
                                    [&](const TensorView& view) { return view.name == expected.name; });
    differences.push_back({expected.name, found == answers.end() ? kInfinite : difference_of(*found, expected)});
  }
  return differences;
}

double percentile(std::span<const double> sorted, double part) {
  const auto rank = static_cast<std::size_t>(std::ceil(part * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

Latency measure_latency(Backend& backend, std::span<const TensorView> inputs, int warm_up, int runs) {
  for (int i = 0; i < warm_up; ++i) backend.run(inputs);
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  const Clock::time_point start = Clock::now();
  Clock::time_point last = start;
  for (int i = 0; i < std::max(runs, 1); ++i) {
    backend.run(inputs);
    const Clock::time_point now = Clock::now();
    times.push_back(std::chrono::duration<double, std::milli>(now - last).count());
    last = now;
  }
  const double seconds = std::chrono::duration<double>(last - start).count();
  std::sort(times.begin(), times.end());
  return {.p50 = percentile(times, 0.5),
          .p90 = percentile(times, 0.9),
          .p99 = percentile(times, 0.99),
          .per_second = static_cast<double>(times.size()) / std::max(seconds, 1e-9)};
}

std::vector<BackendCheckRow> check_backend(Backend& backend, Backend& reference, const BackendCheckOptions& options) {
  std::vector<std::int64_t> batches = options.batches;
  if (!has_batch(backend.signature())) batches = {1};
  std::vector<BackendCheckRow> rows;
  for (const std::int64_t batch : batches) {
    if (batch < 1) {
      throw Error(ErrorKind::kUsage, "a batch has one example at least", std::to_string(batch), "give a larger number");
    }
    const RandomInputs inputs(backend.signature(), {{"batch", batch}}, options.seed);
    BackendCheckRow& row = rows.emplace_back();
    row.batch = batch;
    const auto expected = reference.run(inputs.views());
    // Three times: a CUDA graph is recorded in the second run, and used alone in the third.
    for (int i = 0; i < 3; ++i) {
      for (const AnswerDifference& difference : compare_answers(backend.run(inputs.views()), expected)) {
        if (row.worst.output.empty() || difference.difference > row.worst.difference) row.worst = difference;
      }
    }
    row.latency = measure_latency(backend, inputs.views(), options.warm_up, options.runs);
  }
  return rows;
}

double worst_difference(std::span<const BackendCheckRow> rows) {
  double worst = 0;
  for (const BackendCheckRow& row : rows) worst = std::max(worst, row.worst.difference);
  return worst;
}

double default_tolerance(std::span<const std::string> precisions) {
  double tolerance = 0;
  for (const std::string& precision : precisions)
    tolerance = std::max(tolerance, tolerance_of(precision_from_text(precision)));
  return tolerance;
}

std::string describe(std::span<const BackendCheckRow> rows) {
  std::string text = format("{:>7} {:>11} {:>10} {:>10} {:>10} {:>12}\n", "batch", "difference", "p50 ms", "p90 ms",
                            "p99 ms", "examples/s");
  for (const BackendCheckRow& row : rows) {
    text += format("{:>7} {:>11.2e} {:>10.3f} {:>10.3f} {:>10.3f} {:>12.1f}\n", row.batch, row.worst.difference,
                   row.latency.p50, row.latency.p90, row.latency.p99,
                   row.latency.per_second * static_cast<double>(row.batch));
  }
  return text;
}

}  // namespace base
