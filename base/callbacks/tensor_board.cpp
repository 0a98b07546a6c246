#include "base/torch.h"

#include "base/callbacks/tensor_board.h"

#include <fstream>
#include <iterator>

#include "base/summary/model_graph.h"

namespace base {
void TensorBoardSettings::declare(Knobs& knobs) {
  knobs.add("every_steps", every_steps, "steps between the points of a curve", {.min = 1});
  knobs.add("graph", graph, "draw the network too");
}

void TensorBoard::on_begin(const TrainState& state, TrainControl& control) {
  last_step_ = state.step;
  if (!state.run.empty()) table_writer_ = control.summary->sibling(state.run, {});
  if (state.step > 0 || !control.summary->is_on()) return;  // a run that goes on has all this
  std::ifstream file(state.run / "config.toml");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!text.empty()) control.summary->text("settings", "```\n" + text + "```\n", 0);
  if (settings_.graph) control.summary->graph(graph_of(*model_));
  table_writer_.hyper_parameters(table_.settings, table_.figures);
}

void TensorBoard::on_iteration_end(const TrainState& state, TrainControl& control) {
  if (state.step == last_step_ || (state.step % settings_.every_steps != 0 && state.step != 1)) return;
  last_step_ = state.step;
  control.summary->scalar("loss", state.loss, state.summary_step);
  control.summary->scalar("learning_rate", state.learning_rate, state.summary_step);
}

void TensorBoard::on_epoch_end(const TrainState& state, TrainControl& control) {
  for (const auto& [name, value] : state.training) {
    if (name != "loss") control.summary->scalar(name, value, state.step);
  }
  control.summary->scalar("epoch", static_cast<double>(state.epoch), state.step);
}

void TensorBoard::on_validation_end(const TrainState& state, TrainControl& control) {
  for (const auto& [name, value] : state.validation) control.summary->scalar(name, value, state.step);
}

void TensorBoard::on_end(const TrainState& /*state*/, TrainControl& /*control*/) {
  table_writer_.end_hyper_parameters(/*is_success=*/true);
  table_writer_.flush();
}

}  // namespace base
