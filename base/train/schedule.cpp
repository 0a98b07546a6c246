#include "base/torch.h"

#include "base/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/log.h"

namespace base {
namespace {

/// The factor s steps after the warm-up.
using Shape = std::function<double(std::int64_t s)>;

/// From `from` to `to` along half a cosine, `part` of the way.
double along_cosine(double from, double to, double part) {
  return to + (from - to) * (1 + std::cos(std::numbers::pi * part)) / 2;
}

[[noreturn]] void refuse(const std::string& what, const std::string& value, const std::string& fix) {
  throw Error(ErrorKind::kConfig, what, value, fix);
}

double checked_period(const ScheduleSettings& settings) {
  if (settings.period < 1) {
    refuse(format("the {} schedule needs a period", settings.kind), format("period = {}", settings.period),
           "give schedule.period, the number of steps in which the learning rate falls by schedule.factor");
  }
  return static_cast<double>(settings.period);
}

void check_milestones(const std::vector<std::int64_t>& milestones) {
  const std::string fix = "give schedule.milestones as rising numbers of steps, such as [1000, 2000]";
  if (milestones.empty()) refuse("the multi_step schedule needs milestones", "milestones = []", fix);
  std::int64_t before = 0;
  for (const std::int64_t milestone : milestones) {
    if (milestone <= before) refuse("the milestones do not rise", format("{} after {}", milestone, before), fix);
    before = milestone;
  }
}

/// The steps from the end of the warm-up to that of the run, at least 1.
double steps_left(const ScheduleSettings& settings, std::int64_t total_steps) {
  if (total_steps < 1) {
    refuse(format("the {} schedule needs to know how long the run is", settings.kind), format("{} steps", total_steps),
           "limit the run by steps or by epochs over data of a known size, or choose a schedule without an end, such "
           "as constant or plateau");
  }
  // Not an error: a short run to try something out should not need another schedule.
  if (total_steps <= settings.warmup_steps) {
    log::warn("the run of {} steps ends within the warm-up of the learning rate, which takes {}", total_steps,
              settings.warmup_steps);
  }
  return static_cast<double>(std::max<std::int64_t>(total_steps - settings.warmup_steps, 1));
}

/// PyTorch's OneCycleLR with its cosines: the peak is at step rise * n - 1, the end at step n - 1.
Shape make_one_cycle(const ScheduleSettings& settings, double steps) {
  const double last = steps - 1;
  const double peak = std::min(settings.rise * steps - 1, last);
  return [start = settings.start_factor, end = settings.final_factor, peak, last](std::int64_t s) {
    const auto now = static_cast<double>(s);
    if (now >= last) return peak == last ? 1.0 : end;
    // A peak at or before the first step means that there is no rise: PyTorch divides by zero there, or worse.
    if (now < peak) return along_cosine(start, 1, now / peak);
    const double top = std::max(peak, 0.0);
    return along_cosine(1, end, (now - top) / (last - top));
  };
}

/// Nothing for an unknown kind, and for plateau, which is more than a shape.
Shape make_shape(const ScheduleSettings& settings, std::int64_t total_steps) {
  const std::string& kind = settings.kind;
  const double factor = settings.factor;
  const double end = settings.final_factor;
  if (kind == "constant") return [](std::int64_t) { return 1.0; };
  if (kind == "step") {
    return [factor, period = checked_period(settings)](std::int64_t s) {
      return std::pow(factor, std::floor(static_cast<double>(s) / period));
    };
  }
  if (kind == "multi_step") {
    check_milestones(settings.milestones);
    return [factor, milestones = settings.milestones](std::int64_t s) {
      return std::pow(factor, std::upper_bound(milestones.begin(), milestones.end(), s) - milestones.begin());
    };
  }
  if (kind == "exponential") {
    return [factor, period = checked_period(settings)](std::int64_t s) {
      return std::pow(factor, static_cast<double>(s) / period);
    };
  }
  if (kind == "cosine") {
    return [end, steps = steps_left(settings, total_steps)](std::int64_t s) {
      return along_cosine(1, end, std::min(static_cast<double>(s) / steps, 1.0));
    };
  }
  if (kind == "polynomial") {
    return [end, power = settings.power, steps = steps_left(settings, total_steps)](std::int64_t s) {
      return end + (1 - end) * std::pow(1 - std::min(static_cast<double>(s) / steps, 1.0), power);
    };
  }
  if (kind == "one_cycle") return make_one_cycle(settings, steps_left(settings, total_steps));
  return {};
}

class WarmedUp : public Schedule {
 public:
  explicit WarmedUp(std::int64_t warmup_steps) : warmup_steps_(warmup_steps) {}

  double factor(std::int64_t step) const final {
    if (step >= warmup_steps_) return value(step - warmup_steps_);
    return value(0) * static_cast<double>(step + 1) / static_cast<double>(warmup_steps_);
  }

 private:
  virtual double value(std::int64_t s) const = 0;

  std::int64_t warmup_steps_;
};

class ByStep final : public WarmedUp {
 public:
  ByStep(std::int64_t warmup_steps, Shape shape) : WarmedUp(warmup_steps), shape_(std::move(shape)) {}

 private:
  double value(std::int64_t s) const override { return shape_(s); }

  Shape shape_;
};

class Plateau final : public WarmedUp {
 public:
  explicit Plateau(const ScheduleSettings& settings) : WarmedUp(settings.warmup_steps), settings_(settings) {}

  void observe(double score, bool lower_is_better) override {
    if (is_progress(score, lower_is_better)) {
      best_ = score;
      bad_in_a_row_ = 0;
    } else if (++bad_in_a_row_ > settings_.patience) {
      value_ *= settings_.factor;
      bad_in_a_row_ = 0;
    }
  }

  void save_state(State& state) const override {
    state.set("value", value_);
    state.set("bad_in_a_row", bad_in_a_row_);
    if (best_) state.set("best", *best_);
  }

  void load_state(const State& state) override {
    const auto value = state.get<double>("value");
    const auto bad_in_a_row = state.get<std::int64_t>("bad_in_a_row");
    best_ = state.has("best") ? std::optional(state.get<double>("best")) : std::nullopt;
    value_ = value;
    bad_in_a_row_ = bad_in_a_row;
  }

 private:
  double value(std::int64_t /*s*/) const override { return value_; }

  bool is_progress(double score, bool lower_is_better) const {
    if (!std::isfinite(score)) return false;
    if (!best_) return true;
    // Of the best score's size, so that a negative one has to be bettered too.
    const double margin = settings_.threshold * std::abs(*best_);
    return lower_is_better ? score < *best_ - margin : score > *best_ + margin;
  }

  ScheduleSettings settings_;
  double value_ = 1.0;
  std::int64_t bad_in_a_row_ = 0;
  std::optional<double> best_;
};

const std::vector<std::string> kKinds = {"constant", "step",       "multi_step", "exponential",
                                         "cosine",   "polynomial", "one_cycle",  "plateau"};

}  // namespace

void ScheduleSettings::declare(Knobs& knobs) {
  knobs.add("kind", kind, "how the learning rate changes over the run", {.choices = kKinds});
  knobs.add("warmup_steps", warmup_steps, "steps in which the learning rate first rises linearly", {.min = 0});
  knobs.add("period", period, "step, exponential: steps in which the learning rate falls by the factor", {.min = 0});
  knobs.add("milestones", milestones, "multi_step: the steps at which the learning rate falls by the factor",
            {.min = 1});
  knobs.add("factor", factor, "step, multi_step, exponential, plateau: what the learning rate is multiplied by",
            {.min = 0.0});
  knobs.add("final_factor", final_factor, "cosine, polynomial, one_cycle: part of the learning rate left at the end",
            {.min = 0.0});
  knobs.add("power", power, "polynomial: 1 is a straight line, more falls faster at first", {.min = 0.0});
  knobs.add("rise", rise, "one_cycle: the part of the run in which the learning rate rises", {.min = 0.0, .max = 1.0});
  knobs.add("start_factor", start_factor, "one_cycle: the part of the learning rate to start with", {.min = 0.0});
  knobs.add("patience", patience, "plateau: validations without progress before the learning rate falls", {.min = 0});
  knobs.add("threshold", threshold, "plateau: progress is to better the best score by this part of it", {.min = 0.0});
}

std::unique_ptr<Schedule> Schedule::make(const ScheduleSettings& settings, std::int64_t total_steps) {
  if (settings.kind == "plateau") return std::make_unique<Plateau>(settings);
  if (Shape shape = make_shape(settings, total_steps)) {
    return std::make_unique<ByStep>(settings.warmup_steps, std::move(shape));
  }
  std::string kinds = kKinds.front();
  for (std::size_t i = 1; i < kKinds.size(); ++i) kinds += ", " + kKinds[i];
  refuse("there is no such schedule", settings.kind, "schedule.kind is one of " + kinds);
}

}  // namespace base
