// report.h: a run on one page.
#ifndef BASE_CALLBACKS_REPORT_H_
#define BASE_CALLBACKS_REPORT_H_

#include <map>
#include <string>
#include <vector>

#include "base/config/knobs.h"
#include "base/train/callback.h"

namespace base {

struct ReportSettings {
  std::int64_t every_steps = 10;
  std::string label_key = "label";
  std::string class_key = "class";

  void declare(Knobs& knobs);
};

/// A figure over the steps. With more points than a page can show, every second one is dropped.
struct Curve {
  std::vector<double> steps;
  std::vector<double> values;

  void add(double step, double value);
};

/// report.html in the run's folder, written anew after each validation and at the end: the curves of training and
/// validation, the last figures, the settings, and how classes were confused in the last validation if the model has
/// classes. One file with everything in it, which opens without a network.
class Report final : public Callback {
 public:
  explicit Report(ReportSettings settings) : settings_(std::move(settings)) {}

  std::string name() const override { return "report"; }
  bool runs_in(Model::Mode mode) const override { return mode == Model::Mode::kEval; }
  std::vector<std::string> wants() const override { return {settings_.label_key, settings_.class_key}; }
  std::optional<Tensors> process(const Tensors& data, const TrainState& state, TrainControl& control) override;
  void on_iteration_end(const TrainState& state, TrainControl& control) override;
  void on_validation_begin(const TrainState& state, TrainControl& control) override;
  void on_validation_end(const TrainState& state, TrainControl& control) override;
  void on_end(const TrainState& state, TrainControl& control) override;
  void save_state(State& state) const override;
  void load_state(const State& state) override;

 private:
  void write(const TrainState& state) const;

  ReportSettings settings_;
  std::map<std::string, Curve> training_;
  std::map<std::string, Curve> validation_;
  torch::Tensor confusion_;  // [true class, said class], of the last validation; not defined without classes
};

}  // namespace base

#endif  // BASE_CALLBACKS_REPORT_H_
