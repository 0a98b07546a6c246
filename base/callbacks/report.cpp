#include "base/torch.h"

#include "base/callbacks/report.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <set>

#include "base/log/format.h"
#include "base/records/bytes.h"
#include "base/records/output_file.h"

namespace base {
namespace {

constexpr std::size_t kMostPoints = 2000;  // of a curve
constexpr std::int64_t kMostClasses = 100;
constexpr const char* kStyle = R"(
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; background: #fff }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2rem }
table { border-collapse: collapse } td, th { padding: .15rem .6rem; text-align: right } th { font-weight: 600 }
pre { background: #f5f5f5; padding: 1rem; overflow-x: auto; font-size: 13px }
.plots { display: flex; flex-wrap: wrap; gap: 1.5rem } figure { margin: 0 } figcaption { font-weight: 600 }
.key { font-weight: 400; color: #666 } .t { color: #2a6fb0 } .v { color: #d2691e }
svg text { font: 11px system-ui, sans-serif; fill: #666 })";

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '&')
      result += "&amp;";
    else if (c == '"')
      result += "&quot;";
    else
      result += c;
  }
  return result;
}

struct Range {
  double low = INFINITY;
  double high = -INFINITY;
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  double part(double value) const { return high > low ? (value - low) / (high - low) : 0.5; }
};

/// One picture: training and validation of the same figure.
class Plot {
 public:
  void add(const Curve& curve, std::string_view colour) {
    for (std::size_t i = 0; i < curve.steps.size(); ++i) {
      steps_.add(curve.steps[i]);
      values_.add(curve.values[i]);
    }
    curves_.emplace_back(&curve, colour);
  }

  std::string svg() const {
    std::string text =
        format(R"(<svg viewBox="0 0 {} {}" width="{}" height="{}" role="img">)", kWidth, kHeight, kWidth, kHeight);
    text += format(R"(<rect x="{}" y="{}" width="{}" height="{}" fill="none" stroke="#ddd"/>)", kLeft, kTop,
                   kWidth - kLeft - kRight, kHeight - kTop - kBottom);
    text += format(R"(<text x="{}" y="{}" text-anchor="end">{:.4g}</text>)", kLeft - 4, kTop + 8, values_.high);
    text += format(R"(<text x="{}" y="{}" text-anchor="end">{:.4g}</text>)", kLeft - 4, kHeight - kBottom, values_.low);
    text += format(R"(<text x="{}" y="{}">{:.0f}</text>)", kLeft, kHeight - 4, steps_.low);
    text += format(R"(<text x="{}" y="{}" text-anchor="end">step {:.0f}</text>)", kWidth - kRight, kHeight - 4,
                   steps_.high);
    for (const auto& [curve, colour] : curves_) text += line(*curve, colour);
    return text + "</svg>";
  }

 private:
  static constexpr int kWidth = 430, kHeight = 240, kLeft = 52, kRight = 8, kTop = 8, kBottom = 20;

  std::string line(const Curve& curve, std::string_view colour) const {
    std::string points;
    for (std::size_t i = 0; i < curve.steps.size(); ++i) {
      const double x = kLeft + steps_.part(curve.steps[i]) * (kWidth - kLeft - kRight);
      const double y = kHeight - kBottom - values_.part(curve.values[i]) * (kHeight - kTop - kBottom);
      points += format("{:.1f},{:.1f} ", x, y);
    }
    std::string text = format(R"(<polyline fill="none" stroke="{}" stroke-width="1.5" points="{}"/>)", colour, points);
    if (curve.steps.size() > 30) return text;  // else the points themselves are to be seen
    for (std::size_t i = 0; i < curve.steps.size(); ++i) {
      const double x = kLeft + steps_.part(curve.steps[i]) * (kWidth - kLeft - kRight);
      const double y = kHeight - kBottom - values_.part(curve.values[i]) * (kHeight - kTop - kBottom);
      text += format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="2.5" fill="{}"><title>step {:.0f}: {:.6g}</title></circle>)",
                     x, y, colour, curve.steps[i], curve.values[i]);
    }
    return text;
  }

  Range steps_;
  Range values_;
  std::vector<std::pair<const Curve*, std::string_view>> curves_;
};

std::string plots(const std::map<std::string, Curve>& training, const std::map<std::string, Curve>& validation) {
  std::set<std::string> names;
  for (const auto& [name, curve] : training) names.insert(name);
  for (const auto& [name, curve] : validation) names.insert(name);
  std::string text;
  for (const std::string& name : names) {
    Plot plot;
    std::string key;
    if (const auto found = training.find(name); found != training.end()) {
      plot.add(found->second, "#2a6fb0");
      key += R"( <span class="t">training</span>)";
    }
    if (const auto found = validation.find(name); found != validation.end()) {
      plot.add(found->second, "#d2691e");
      key += R"( <span class="v">validation</span>)";
    }
    text += format("<figure><figcaption>{} <span class=\"key\">{}</span></figcaption>{}</figure>\n", escaped(name), key,
                   plot.svg());
  }
  return text;
}

std::string table_of(const torch::Tensor& confusion) {
  const auto counts = confusion.accessor<std::int64_t, 2>();
  std::string text = "<h2>Classes</h2>\n<table><tr><th>true \\ said</th>";
  for (std::int64_t said = 0; said < confusion.size(1); ++said) text += format("<th>{}</th>", said);
  text += "<th>found</th></tr>\n";
  for (std::int64_t truth = 0; truth < confusion.size(0); ++truth) {
    std::int64_t total = 0;
    for (std::int64_t said = 0; said < confusion.size(1); ++said) total += counts[truth][said];
    text += format("<tr><th>{}</th>", truth);
    for (std::int64_t said = 0; said < confusion.size(1); ++said) {
      const double part = total > 0 ? static_cast<double>(counts[truth][said]) / static_cast<double>(total) : 0;
      text += format(R"html(<td style="background: rgba({}, {:.2f})">{}</td>)html",
                     truth == said ? "46, 139, 87" : "205, 51, 51",
                     std::min(1.0, truth == said ? 0.7 * part : 2 * part), counts[truth][said]);
    }
    const double found =
        total > 0 ? 100.0 * static_cast<double>(counts[truth][truth]) / static_cast<double>(total) : NAN;
    text += format("<td>{:.1f} %</td></tr>\n", found);
  }
  return text + "</table>\n";
}

void save_curves(const std::map<std::string, Curve>& curves, const std::string& prefix, State& state) {
  for (const auto& [name, curve] : curves)
    state.set(prefix + name,
              torch::stack({torch::tensor(curve.steps, torch::kDouble), torch::tensor(curve.values, torch::kDouble)}));
}

std::map<std::string, Curve> curves_of(const State& state, const std::string& prefix) {
  std::map<std::string, Curve> curves;
  for (const auto& [name, tensor] : state.tensors()) {
    if (!name.starts_with(prefix)) continue;
    Curve& curve = curves[name.substr(prefix.size())];
    const torch::Tensor rows = tensor.contiguous();
    const double* const values = rows.const_data_ptr<double>();
    curve.steps.assign(values, values + rows.size(1));
    curve.values.assign(values + rows.size(1), values + 2 * rows.size(1));
  }
  return curves;
}

}  // namespace

void ReportSettings::declare(Knobs& knobs) {
  knobs.add("every_steps", every_steps, "steps between the points of a curve", {.min = 1});
  knobs.add("label_key", label_key, "the tensor with the true class of each example");
  knobs.add("class_key", class_key, "the tensor with the class that the model says");
}

void Curve::add(double step, double value) {
  if (!std::isfinite(value)) return;
  steps.push_back(step);
  values.push_back(value);
  if (steps.size() < kMostPoints) return;
  const auto thin = [](std::vector<double>& list) {
    for (std::size_t i = 0; 2 * i + 1 < list.size(); ++i) list[i] = list[2 * i + 1];
    list.resize(list.size() / 2);
  };
  thin(steps);
  thin(values);
}

void Report::on_iteration_end(const TrainState& state, TrainControl& /*control*/) {
  if (state.mode != Model::Mode::kTrain || state.step % settings_.every_steps != 0) return;
  training_["loss"].add(static_cast<double>(state.step), state.loss);
  training_["learning_rate"].add(static_cast<double>(state.step), state.learning_rate);
}

std::optional<Tensors> Report::process(const Tensors& data, const TrainState& state, TrainControl& /*control*/) {
  const torch::Tensor* const labels = data.find(settings_.label_key);
  const torch::Tensor* const said = data.find(settings_.class_key);
  if (state.mode != Model::Mode::kEval || labels == nullptr || said == nullptr) return Tensors{};
  if (labels->is_floating_point() || said->is_floating_point() || labels->dim() != 1 ||
      !labels->sizes().equals(said->sizes()))
    return Tensors{};
  const torch::Tensor rows = labels->to(torch::kCPU, torch::kLong).contiguous();
  const torch::Tensor columns = said->to(torch::kCPU, torch::kLong).contiguous();
  const std::int64_t classes = std::max(rows.max().item<std::int64_t>(), columns.max().item<std::int64_t>()) + 1;
  if (classes > kMostClasses || rows.min().item<std::int64_t>() < 0 || columns.min().item<std::int64_t>() < 0)
    return Tensors{};
  if (!confusion_.defined() || confusion_.size(0) < classes) {
    torch::Tensor larger = torch::zeros({classes, classes}, torch::kLong);
    if (confusion_.defined())
      larger.narrow(0, 0, confusion_.size(0)).narrow(1, 0, confusion_.size(1)).copy_(confusion_);
    confusion_ = larger;
  }
  confusion_.index_put_({rows, columns}, torch::ones_like(rows), /*accumulate=*/true);
  return Tensors{};
}

void Report::on_validation_begin(const TrainState& /*state*/, TrainControl& /*control*/) {
  confusion_ = torch::Tensor();
}

void Report::on_validation_end(const TrainState& state, TrainControl& /*control*/) {
  for (const auto& [name, value] : state.training) {
    if (name != "loss") training_[name].add(static_cast<double>(state.step), value);
  }
  for (const auto& [name, value] : state.validation) validation_[name].add(static_cast<double>(state.step), value);
  write(state);
}

void Report::on_end(const TrainState& state, TrainControl& /*control*/) {
  write(state);
}

void Report::write(const TrainState& state) const {
  if (state.run.empty()) return;
  const std::string title = escaped(state.run.filename().string());
  std::string page = format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title>\n"
      "<style>{}</style></head>\n<body>\n<h1>{}</h1>\n",
      title, kStyle, title);
  page += format("<p>{} steps, {} epochs, {:.0f} seconds of training.</p>\n<table>", state.step, state.epoch,
                 state.seconds);
  for (const auto& [name, value] : state.validation)
    page += format("<tr><th>{}</th><td>{:.4f}</td></tr>\n", escaped(name), value);
  page += "</table>\n<h2>Curves</h2>\n<div class=\"plots\">\n" + plots(training_, validation_) + "</div>\n";
  if (confusion_.defined()) page += table_of(confusion_);
  std::ifstream file(state.run / "config.toml", std::ios::binary);
  const std::string settings{std::istreambuf_iterator<char>(file), {}};
  if (!settings.empty()) page += "<h2>Settings</h2>\n<pre>" + escaped(settings) + "</pre>\n";
  const std::filesystem::path partial = state.run / "report.html.partial";
  OutputFile output(partial);
  output.append(bytes_of(page + "</body></html>\n"));
  output.close();
  std::filesystem::rename(partial, state.run / "report.html");
}

void Report::save_state(State& state) const {
  save_curves(training_, "training/", state);
  save_curves(validation_, "validation/", state);
  if (confusion_.defined()) state.set("confusion", confusion_);
}

void Report::load_state(const State& state) {
  training_ = curves_of(state, "training/");
  validation_ = curves_of(state, "validation/");
  if (state.has("confusion")) confusion_ = state.get<torch::Tensor>("confusion").clone();
}

}  // namespace base
