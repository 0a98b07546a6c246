#include "base/torch.h"

#include "base/metrics/confusion.h"

#include <limits>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/metrics/decision.h"

namespace base {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::int64_t checked(std::int64_t classes) {
  if (classes >= 2) return classes;
  throw Error(ErrorKind::kUsage, "there is nothing to tell apart with so few classes", format("{}", classes),
              "give 2 or more");
}

// A row of totals of PrecisionRecall
enum Column : std::int64_t { kHits, kPredicted, kActual, kColumns };

}  // namespace

ConfusionMatrix::ConfusionMatrix(std::int64_t classes) : Metric({checked(classes), classes + 1}), classes_(classes) {}

void ConfusionMatrix::update(const torch::Tensor& outputs, const torch::Tensor& labels) {
  const Decisions decisions(outputs, labels);
  decisions.check(classes_);
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const std::int64_t predicted = decisions.predicted()[i];
    const std::int64_t column = predicted == Decisions::kUndecided ? classes_ : predicted;
    sums()[decisions.labels()[i] * (classes_ + 1) + column] += 1;
  }
}

torch::Tensor ConfusionMatrix::matrix() const {
  return totals().narrow(1, 0, classes_).clone();
}

torch::Tensor ConfusionMatrix::undecided() const {
  return totals().select(1, classes_).clone();
}

void ConfusionMatrix::add_results(const std::string& name, Results& results) const {
  results.emplace_back(name, matrix().trace().item<double>() / totals().sum().item<double>());
}

PrecisionRecall::PrecisionRecall(const Options& options)
    : Metric({checked(options.classes), kColumns}), options_(options) {}

void PrecisionRecall::update(const torch::Tensor& outputs, const torch::Tensor& labels) {
  const Decisions decisions(outputs, labels);
  decisions.check(options_.classes);
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const std::int64_t predicted = decisions.predicted()[i];
    const std::int64_t label = decisions.labels()[i];
    sums()[label * kColumns + kActual] += 1;
    if (predicted == Decisions::kUndecided) continue;
    sums()[predicted * kColumns + kPredicted] += 1;
    if (predicted == label) sums()[label * kColumns + kHits] += 1;
  }
}

PrecisionRecall::Scores PrecisionRecall::of_class(std::int64_t number) const {
  const double* row = sums() + number * kColumns;
  if (row[kPredicted] + row[kActual] == 0) return {kNaN, kNaN, kNaN};
  return {.precision = row[kPredicted] == 0 ? 0 : row[kHits] / row[kPredicted],
          .recall = row[kActual] == 0 ? 0 : row[kHits] / row[kActual],
          .f1 = 2 * row[kHits] / (row[kPredicted] + row[kActual])};
}

PrecisionRecall::Scores PrecisionRecall::value() const {
  if (options_.classes == 2) return of_class(1);
  Scores mean{0, 0, 0};
  double seen = 0;
  for (std::int64_t c = 0; c < options_.classes; ++c) {
    const Scores scores = of_class(c);
    if (scores.f1 != scores.f1) continue;  // neither occurs nor is predicted
    mean.precision += scores.precision;
    mean.recall += scores.recall;
    mean.f1 += scores.f1;
    seen += 1;
  }
  return {mean.precision / seen, mean.recall / seen, mean.f1 / seen};
}

void PrecisionRecall::add_results(const std::string& name, Results& results) const {
  const auto add = [&](const Scores& scores, const std::string& ending) {
    results.emplace_back(name + "_precision" + ending, scores.precision);
    results.emplace_back(name + "_recall" + ending, scores.recall);
    results.emplace_back(name + "_f1" + ending, scores.f1);
  };
  add(value(), "");
  if (!options_.per_class) return;
  for (std::int64_t c = 0; c < options_.classes; ++c) add(of_class(c), format("_{}", c));
}

}  // namespace base
