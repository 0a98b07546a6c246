// metric.h: figures that say how good a model is, gathered over batches and processes.
#ifndef BASE_METRICS_METRIC_H_
#define BASE_METRICS_METRIC_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/tensor/state.h"

namespace base {

/// Names and values, in the order in which they are to be shown.
using Results = std::vector<std::pair<std::string, double>>;

/// The value of this name; NaN if there is none.
double result_of(const Results& results, std::string_view name);

/// "loss 0.3758  accuracy 0.8616", for the log.
std::string describe(const Results& results);

/// All that a metric has seen is in its totals, which are sums: two metrics merge by adding them, and processes by an
/// all-reduce. That is also what a checkpoint keeps.
class Metric {
 public:
  virtual ~Metric() = default;
  Metric& operator=(const Metric&) = delete;

  /// Adds this metric's figures to `results` under `name`, or under names that begin with it if it has several. Before
  /// the first update they are NaN.
  virtual void add_results(const std::string& name, Results& results) const = 0;

  /// float64, on the CPU.
  const torch::Tensor& totals() const { return totals_; }
  /// Of a metric of the same kind and size; a checkpoint Error if the size differs.
  void merge(const torch::Tensor& totals);
  void set_totals(const torch::Tensor& totals);
  void reset() { totals_.zero_(); }

 protected:
  explicit Metric(torch::IntArrayRef shape) : totals_(torch::zeros(shape, torch::kDouble)) {}
  Metric(const Metric& other) : totals_(other.totals_.clone()) {}  // a copy goes on with totals of its own

  /// The totals to add to: an update costs no tensor operation for it.
  double* sums() { return totals_.mutable_data_ptr<double>(); }
  const double* sums() const { return totals_.const_data_ptr<double>(); }

 private:
  torch::Tensor totals_;
};

/// The metrics of one pass over the data. They come into being when they are first asked for:
///
///     metrics.get<Accuracy>("accuracy").update(outputs["logits"], batch["label"]);
class Metrics final : public Stateful {
 public:
  template <typename M, typename... Arguments>
  M& get(const std::string& name, Arguments&&... arguments) {
    if (Metric* found = find(name)) {
      if (M* metric = dynamic_cast<M*>(found)) return *metric;
      refuse_kind(name);
    }
    const Copier copier = [](const Metric& metric) -> std::unique_ptr<Metric> {
      return std::make_unique<M>(static_cast<const M&>(metric));
    };
    return static_cast<M&>(add(name, std::make_unique<M>(std::forward<Arguments>(arguments)...), copier));
  }

  Results results() const;
  void reset();
  /// Adds what another pass over other data has seen; a metric that only one of them has is kept.
  void merge(const Metrics& other);

  /// A metric's totals are kept until get() makes it again.
  void save_state(State& state) const override;
  void load_state(const State& state) override;

 private:
  using Copier = std::unique_ptr<Metric> (*)(const Metric&);
  struct Entry {
    std::string name;
    std::unique_ptr<Metric> metric;
    Copier copier;
  };

  Metric* find(const std::string& name);
  Metric& add(const std::string& name, std::unique_ptr<Metric> metric, Copier copier);
  [[noreturn]] static void refuse_kind(const std::string& name);

  std::vector<Entry> metrics_;
  State restored_;  // totals of a checkpoint whose metrics have not been asked for yet
};

}  // namespace base

#endif  // BASE_METRICS_METRIC_H_
