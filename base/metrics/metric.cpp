#include "base/torch.h"

#include "base/metrics/metric.h"

#include <cmath>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/tensor/tensors.h"

namespace base {
namespace {

void check_size(const torch::Tensor& mine, const torch::Tensor& other) {
  if (other.defined() && other.sizes() == mine.sizes()) return;
  throw Error(ErrorKind::kCheckpoint, "the totals of a metric are of another size",
              format("{}, not {}", describe(other), describe(mine)),
              "merge or restore a metric of the same kind, with as many classes");
}

}  // namespace

void Metric::merge(const torch::Tensor& totals) {
  check_size(totals_, totals);
  totals_ += totals.to(totals_.options());
}

void Metric::set_totals(const torch::Tensor& totals) {
  check_size(totals_, totals);
  totals_.copy_(totals);
}

Results Metrics::results() const {
  Results results;
  for (const Entry& entry : metrics_) entry.metric->add_results(entry.name, results);
  return results;
}

void Metrics::reset() {
  for (Entry& entry : metrics_) entry.metric->reset();
  restored_ = {};
}

void Metrics::merge(const Metrics& other) {
  for (const Entry& theirs : other.metrics_) {
    if (Metric* mine = find(theirs.name))
      mine->merge(theirs.metric->totals());
    else
      add(theirs.name, theirs.copier(*theirs.metric), theirs.copier);
  }
}

void Metrics::save_state(State& state) const {
  for (const auto& [name, totals] : restored_.tensors()) state.set(name, totals);
  for (const Entry& entry : metrics_) state.set(entry.name, entry.metric->totals());
}

void Metrics::load_state(const State& state) {
  restored_ = state;
  for (Entry& entry : metrics_) {
    if (state.has(entry.name))
      entry.metric->set_totals(state.get<torch::Tensor>(entry.name));
    else
      entry.metric->reset();
  }
}

Metric* Metrics::find(const std::string& name) {
  for (Entry& entry : metrics_)
    if (entry.name == name) return entry.metric.get();
  return nullptr;
}

Metric& Metrics::add(const std::string& name, std::unique_ptr<Metric> metric, Copier copier) {
  if (restored_.has(name)) metric->merge(restored_.get<torch::Tensor>(name));
  return *metrics_.emplace_back(Entry{name, std::move(metric), copier}).metric;
}

void Metrics::refuse_kind(const std::string& name) {
  throw Error(ErrorKind::kUsage, "there is a metric of another kind by this name", name,
              "give each metric a name of its own");
}

double result_of(const Results& results, std::string_view name) {
  for (const auto& [known, value] : results)
    if (known == name) return value;
  return std::nan("");
}

std::string describe(const Results& results) {
  std::string text;
  for (const auto& [name, value] : results) text += format("{}{} {:.4f}", text.empty() ? "" : "  ", name, value);
  return text;
}

}  // namespace base
