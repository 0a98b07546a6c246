// tensor_board.h: the curves of a run, for TensorBoard: `tensorboard --logdir runs`.
#ifndef BASE_CALLBACKS_TENSOR_BOARD_H_
#define BASE_CALLBACKS_TENSOR_BOARD_H_

#include <memory>

#include "base/config/knobs.h"
#include "base/train/callback.h"

namespace base {

struct TensorBoardSettings {
  std::int64_t every_steps = 10;
  bool graph = true;

  void declare(Knobs& knobs);
};

/// Loss, learning rate and metrics in train/, the results of validation in validation/, under the same names, so that
/// they are drawn into the same picture; the settings as a text and as a line in the table of runs; the network as a
/// graph.
class TensorBoard final : public Callback {
 public:
  /// What is in the table of runs: the settings to compare them by, and the figures to compare.
  struct Table {
    std::vector<HyperParameter> settings;
    std::vector<TableFigure> figures;
  };

  TensorBoard(const TensorBoardSettings& settings, std::shared_ptr<Model> model, Table table)
      : settings_(settings), model_(std::move(model)), table_(std::move(table)) {}

  std::string name() const override { return "tensor_board"; }
  void on_begin(const TrainState& state, TrainControl& control) override;
  void on_iteration_end(const TrainState& state, TrainControl& control) override;
  void on_epoch_end(const TrainState& state, TrainControl& control) override;
  void on_validation_end(const TrainState& state, TrainControl& control) override;
  void on_end(const TrainState& state, TrainControl& control) override;

 private:
  TensorBoardSettings settings_;
  std::shared_ptr<Model> model_;
  Table table_;
  SummaryWriter table_writer_;  // above train/ and validation/, which both have figures for it
  std::int64_t last_step_ = 0;  // several batches may belong to one step
};

}  // namespace base

#endif  // BASE_CALLBACKS_TENSOR_BOARD_H_
