// loop.cpp: what happens in training, from top to bottom. callback.h draws it.
#include "base/torch.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "base/config/duration.h"
#include "base/dist/sync_batch_norm.h"
#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/log.h"
#include "base/model/mode_scope.h"
#include "base/tensor/device.h"
#include "base/tensor/one_thread.h"
#include "base/train/precision.h"
#include "base/train/trainer.h"

namespace base {

Trainer& Trainer::run() {
  begin();
  if (state_.step > 0 && is_finished()) warn_of_nothing_left();
  while (!is_finished()) {
    train();
    const auto every = settings_.validate_every_epochs;
    const bool due = !stream_ && every > 0 && state_.epoch % every == 0;  // no stream: the epoch is over
    const bool last = is_finished() && control_.stop.empty();             // who stops a run may have no time for it
    control_.validate |= validation_ && validated_at_ != state_.step && (due || last);
    settle();
  }
  if (settings_.smoke) smoke();
  end();
  return *this;
}

Trainer& Trainer::train() {
  train_until(std::numeric_limits<std::int64_t>::max(), /*stop_at_epoch_end=*/true);
  return *this;
}

Trainer& Trainer::train(std::int64_t steps) {
  train_until(state_.step + steps, /*stop_at_epoch_end=*/false);
  return *this;
}

void Trainer::train_until(std::int64_t last_step, bool stop_at_epoch_end) {
  begin();
  while (accumulated_ > 0 || (!is_finished() && state_.step < last_step)) {  // a stop waits for the step to be whole
    if (!stream_) {
      stream_.emplace(*training_, BatchStream::Options{.settings = settings_.data,
                                                       .seed = settings_.seed,
                                                       .from = cursor_,
                                                       .training = true,
                                                       .pin = device_.is_cuda(),
                                                       .world = world()});
      state_.iterations_to_train = state_.iterations_per_epoch;
      if (settings_.steps > 0) {
        const auto left = state_.iteration + (settings_.steps - state_.step) * settings_.accumulate;
        state_.iterations_to_train = std::min(state_.iterations_per_epoch.value_or(left), left);
      }
      fire(events::kEpochBegin);
    }
    const std::int64_t taken = stream_->cursor().taken;
    const std::optional<Batch> batch = stream_->next();
    if (const std::int64_t examples = examples_of_all(*training_, *stream_, taken, batch); examples > 0) {
      fire(events::kIterationBegin);
      static const Batch kNone;
      Tensors data = train_batch(batch ? *batch : kNone, examples);
      fire(events::kIterationEnd);
      if (!data.empty()) callbacks_.process(std::move(data), state_, control_);
      if (accumulated_ == 0) settle();  // only between steps: gradients that wait are not saved
    } else {
      end_epoch();
      if (stop_at_epoch_end) return;
      settle();
    }
  }
}

void Trainer::check(const DataLoader& data, const Batch& batch) const {
  model_->check(batch.tensors,
                [&](std::int64_t position) { return data.name_of(batch.indices[static_cast<std::size_t>(position)]); });
}

/// preprocess() then does not get in training what it gets in serving: bytes there and floats from 0 to 1 here, say.
void Trainer::warn_of_other_types(const Tensors& batch) const {
  if (!world().is_first()) return;
  for (const auto& [name, example] : model_->example_inputs()) {
    const torch::Tensor* const given = batch.find(name);
    if (given == nullptr || given->scalar_type() == example.scalar_type()) continue;
    log::warn("{} of the data is {} where example_inputs() of the model, which is what it will be served, has {}", name,
              describe(*given), describe(example));
  }
}

/// Returns what callbacks may take, if there are any that do. `examples` are those of all processes in this step, of
/// which this one may have none.
Tensors Trainer::train_batch(const Batch& batch, std::int64_t examples) {
  const auto start = std::chrono::steady_clock::now();
  std::optional<OneThread> one_thread;
  if (small_steps_) one_thread.emplace();
  const bool has_examples = batch.size() > 0;
  if (has_examples) check(*training_, batch);
  if (has_examples && !std::exchange(types_compared_, true)) warn_of_other_types(batch.tensors);
  const Tensors tensors = to_device(has_examples ? batch.tensors : stand_in());
  Tensors outputs;
  torch::Tensor loss;
  {
    const PrecisionScope precision(settings_.precision, device_);
    const SyncBatchNorm norm(settings_.dist.sync_batch_norm ? group_.get() : nullptr, has_examples);
    loss = training_step(tensors, outputs);
  }
  // The mean over all examples, not over processes, which need not have as many each.
  const double share = static_cast<double>(batch.size()) / static_cast<double>(examples);
  note_loss(loss, share, examples, outputs, tensors);
  const torch::Tensor unscaled = loss.detach();

  // So does each example of the batches of a step, of which the last one of an epoch may be smaller.
  const double full = static_cast<double>(settings_.data.batch_size * world().size);
  const double weight = settings_.accumulate == 1 ? 1 : static_cast<double>(examples) / full;
  const double factor = share * world().size * weight / static_cast<double>(settings_.accumulate);
  if (factor != 1) loss = loss * factor;
  if (scaler_) loss = scaler_->scale(loss);
  ++accumulated_;
  accumulated_weight_ += weight;
  if (sync_ && accumulated_ == settings_.accumulate) sync_->before_backward(loss);
  group_->guarded([&] { loss.backward(); });
  if (sync_)
    group_->copy_from_first(model_->buffers());  // statistics of batches, which differ; backward needs them too
  ++state_.iteration;
  if (accumulated_ == settings_.accumulate) update_weights();
  state_.summary_step = state_.step;
  state_.batch_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!takes_data_) return {};
  state_.indices = batch.indices;
  Tensors data =
      data_of_all(*training_, data_for_callbacks(state_.mode, tensors, outputs), state_.indices, has_examples);
  data.set("loss", loss_of_all(unscaled, share));
  return data;
}

void Trainer::update_weights() {
  const auto& groups = optimizer_->groups();
  const bool clips = settings_.clip_value > 0 || settings_.clip_norm > 0;
  if (scaler_ && clips) scaler_->unscale(groups);
  if (const double factor = static_cast<double>(settings_.accumulate) / accumulated_weight_; factor != 1) {
    // the epoch ended: the mean over the examples that there are
    for (const auto& group : groups)
      for (const auto& parameter : group.parameters)
        if (parameter.tensor.grad().defined()) parameter.tensor.grad().mul_(factor);
  }
  if (settings_.clip_value > 0) clip_gradient_value(groups, settings_.clip_value);
  if (settings_.clip_norm > 0) clip_gradient_norm(groups, settings_.clip_norm);

  fire(events::kGradients);
  state_.learning_rate = settings_.optimizer.learning_rate * schedule_->factor(state_.step);
  if (scaler_) {
    scaler_->step(*optimizer_, state_.learning_rate);
  } else {
    optimizer_->step(state_.learning_rate);
  }
  optimizer_->zero_grad();
  if (average_) average_->update();

  ++state_.step;
  accumulated_ = 0;
  accumulated_weight_ = 0;
  cursor_ = stream_->cursor();
  if (validation_ && settings_.validate_every_steps > 0 && state_.step % settings_.validate_every_steps == 0)
    control_.validate = true;
}

void Trainer::end_epoch() {
  if (accumulated_ > 0) {
    if (sync_) sync_->average_now();
    update_weights();
  }
  stream_.reset();
  ++state_.epoch;
  cursor_ = {state_.epoch, 0};
  state_.iterations_per_epoch = state_.iteration;
  state_.training = training_results();
  fire(events::kEpochEnd);
  agree();
  state_.iteration = 0;
  metrics_.reset();
  loss_sum_ = 0;
  loss_count_ = 0;
}

/// Every batch counts in the figures of its epoch. Reading a number from a GPU waits for it, so there only those that
/// are logged do. `share` is this process's part of the `examples`.
void Trainer::note_loss(const torch::Tensor& loss, double share, std::int64_t examples, const Tensors& outputs,
                        const Tensors& batch) {
  const bool logged = state_.iteration % settings_.log_every == 0;  // the first of each epoch at least
  if (!logged && !device_.is_cpu()) return;
  state_.loss = loss_of_all(loss, share).item<double>();  // in all processes: a NaN ends them all
  if (!std::isfinite(state_.loss)) {
    const auto culprit = find_not_finite(optimizer_->groups());
    throw Error(ErrorKind::kTraining, format("the loss is {} at step {}", state_.loss, state_.step + 1),
                culprit ? format("{} is not finite either", *culprit) : "all parameters are finite still",
                "make the learning rate smaller, set clip_norm, or look for values in the data that are not numbers");
  }
  loss_sum_ += state_.loss * static_cast<double>(examples);
  loss_count_ += examples;
  const torch::NoGradGuard no_grad;
  if (std::exchange(metrics_restored_, false)) {
    // A checkpoint has the metrics' totals; which metrics these are, only measure() knows.
    State totals;
    metrics_.save_state(totals);
    metrics_ = {};
    model_->measure(outputs, batch, metrics_);
    metrics_.load_state(totals);
  }
  if (share > 0) model_->measure(outputs, batch, metrics_);
  if (logged) state_.training = training_results();
}

Results Trainer::training_results() {
  Results results{{"loss", loss_count_ > 0 ? loss_sum_ / static_cast<double>(loss_count_) : std::nan("")}};
  Metrics all;
  all.merge(metrics_);
  if (!group_->is_alone()) all.load_state(totals_of_all(metrics_));
  for (auto& result : all.results()) results.push_back(std::move(result));
  return results;
}

Trainer& Trainer::validate() {
  if (!validation_) {
    throw Error(ErrorKind::kUsage, "there are no data to validate on", "",
                "give the Trainer a second DataLoader, or call evaluate() with one");
  }
  prepare();
  const Model::Mode before = state_.mode;
  enter(Model::Mode::kEval, state_, control_);
  fire(events::kValidationBegin);
  const bool was_stopped = !control_.stop.empty();
  Results results = measure(*validation_, validation_data_settings(), /*with_callbacks=*/true);
  if (was_stopped || control_.stop.empty()) {
    state_.validation = std::move(results);
    validated_at_ = state_.step;
    if (const auto value = score()) schedule_->observe(*value, settings_.lower_is_better);
    fire(events::kValidationEnd);
  } else {
    control_.validate = true;  // as soon as the run goes on
  }
  enter(before, state_, control_);
  return *this;
}

/// One pass in the mode kEval, in which callbacks see its batches counted. Who stops the run in the middle of it has no
/// time for the rest: then there are no results.
Results Trainer::measure(const DataLoader& data, const DataSettings& settings, bool with_callbacks) {
  const torch::NoGradGuard no_grad;
  const auto average = swap_in_average();
  const ModeScope mode(*model_, Model::Mode::kEval);
  Metrics metrics;
  BatchStream stream(data, {.settings = settings, .seed = settings_.seed, .pin = device_.is_cuda(), .world = world()});
  TrainState pass = state_;
  enter(Model::Mode::kEval, pass, control_);
  pass.iteration = 0;
  pass.iterations_per_epoch = stream.batches_per_epoch();
  const bool takes_data = with_callbacks && group_->first_says(callbacks_.takes_data(pass.mode));
  const bool was_stopped = !control_.stop.empty();
  std::int64_t taken = stream.cursor().taken;
  std::optional<Batch> batch = stream.next();
  while (examples_of_all(data, stream, taken, batch) > 0) {
    taken = stream.cursor().taken;
    std::optional<Batch> next = stream.next();
    pass.is_last = !next;
    const std::int64_t to_come = pass.iterations_per_epoch.value_or(pass.iteration + 1) - 1 - pass.iteration;
    pass.summary_step = std::max<std::int64_t>(0, state_.step - to_come);
    if (with_callbacks) callbacks_.fire(events::kIterationBegin, pass, control_);
    const auto start = std::chrono::steady_clock::now();
    const bool has_examples = batch && batch->size() > 0;
    Tensors tensors, outputs;
    if (has_examples) {
      check(data, *batch);
      tensors = to_device(batch->tensors);
      const PrecisionScope precision(settings_.precision, device_);
      outputs = validation_step(tensors, metrics);
    }
    pass.batch_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    ++pass.iteration;
    if (with_callbacks) callbacks_.fire(events::kIterationEnd, pass, control_);
    if (takes_data) {
      pass.indices = has_examples ? batch->indices : std::vector<std::int64_t>{};
      Tensors all = data_of_all(data, has_examples ? data_for_callbacks(pass.mode, tensors, outputs) : Tensors{},
                                pass.indices, has_examples);
      callbacks_.process(std::move(all), pass, control_);
    }
    batch = std::move(next);
    if (with_callbacks && !was_stopped && group_->any(!control_.stop.empty())) {
      agree();
      enter(state_.mode, state_, control_);
      return {};
    }
  }
  if (!group_->is_alone()) metrics.load_state(totals_of_all(metrics));
  Results results = metrics.results();
  if (with_callbacks) callbacks_.add_results(pass, results);
  results = results_of_first(results);
  enter(state_.mode, state_, control_);
  return results;
}

bool Trainer::is_finished() const {
  const bool out_of_time =
      settings_.time.count() > 0 && agreed_seconds_ * 1000 >= static_cast<double>(settings_.time.count());
  return !control_.stop.empty() || out_of_time || (settings_.epochs > 0 && state_.epoch >= settings_.epochs) ||
         (settings_.steps > 0 && state_.step >= settings_.steps);
}

void Trainer::warn_of_nothing_left() const {
  if (!world().is_first() || !control_.stop.empty()) return;
  if (settings_.epochs > 0 && state_.epoch >= settings_.epochs) {
    log::warn("nothing is left to train: {} epochs are done, epochs = {}", state_.epoch, settings_.epochs);
  } else if (settings_.steps > 0 && state_.step >= settings_.steps) {
    log::warn("nothing is left to train: {} steps are done, steps = {}", state_.step, settings_.steps);
  } else {
    log::warn("nothing is left to train: {:.0f} s are over, time = {}", agreed_seconds_,
              print_duration(settings_.time));
  }
}

void Trainer::begin() {
  prepare();
  enter(Model::Mode::kTrain, state_, control_);
  model_->set_mode(Model::Mode::kTrain);
  takes_data_ = group_->first_says(callbacks_.takes_data(state_.mode));
  if (begun_) return settle();
  begun_ = true;
  started_ = std::chrono::steady_clock::now();
  if (validation_) rehearse_validation();
  if (run_) {
    const Checkpoint now = checkpoint();
    if (world().is_first()) store().prepare(now);
  }
  fire(events::kBegin);
  settle();
}

/// One batch, before hours of training: a mistake in it, or a score that it does not give, shows at once.
void Trainer::rehearse_validation() {
  DataSettings one = validation_data_settings();
  one.limit = one.batch_size;
  one.threads = 0;
  const KeepRandomState keep(device_);
  const Results last = std::exchange(state_.validation, measure(*validation_, one, /*with_callbacks=*/false));
  // What callbacks add comes only after a whole validation.
  if (!group_->first_says(callbacks_.has_results()) && !score()) {
    throw Error(ErrorKind::kConfig, "validation gives no figures, and so no score", settings_.score,
                "let validation_step() of the trainer add one to the metrics");
  }
  state_.validation = last;
}

void Trainer::end() {
  if (!control_.stop.empty()) log::info("stopped: {}", control_.stop);
  fire(events::kEnd);
  settle();
  if (store_) store_->wait();
  for (SummaryWriter& summary : summaries_) summary.flush();
  log_callback_times();
  begun_ = false;
}

void Trainer::log_callback_times() {
  const std::int64_t lost = summaries_.front().lost();  // all of the run's are siblings
  if (lost > 0) log::warn("TensorBoard lacks {} events that could not be written", lost);
  const std::chrono::duration<double> run = std::chrono::steady_clock::now() - started_;
  for (const auto& [name, seconds, is_disabled] : callbacks_.take_times()) {
    const double percent = 100 * seconds / run.count();
    if (percent < 0.1 && !is_disabled) continue;  // what costs nothing is not worth a line
    log::info("callback {:<20} {:8.3f} s  {:5.2f} % of the run{}", name, seconds, percent,
              is_disabled ? ", switched off" : "");
  }
}

/// Does what callbacks have asked for.
void Trainer::settle() {
  agree();
  // Who stops a run may have no time to validate: the checkpoint then says that it is still to be done.
  if (control_.stop.empty() && std::exchange(control_.validate, false) && validation_) {
    validate();
    agree();
  }
  if (std::exchange(control_.save, false)) {
    save_checkpoint();
    agree();
  }
}

void Trainer::fire(const CallbackGraph::Event& event) {
  if (begun_) {
    const std::chrono::duration<double> since = std::chrono::steady_clock::now() - started_;
    state_.seconds = seconds_before_ + since.count();
  }
  callbacks_.fire(event, state_, control_);
}

/// The stages that a short run would not reach.
void Trainer::smoke() {
  if (run_) {
    save_checkpoint();
    if (world().is_first()) store().wait();
    if (!restore(format("step-{}", state_.step))) RunFolder::refuse_without_checkpoint(*run_);
  }
  for (const Prediction& prediction : predict(*training_)) log::info("predicts {}", describe(prediction.outputs));
  log::info("smoke run passed: train{}{}, predict on {}", validation_ ? ", validate" : "",
            run_ ? ", save, restore" : "", device_.str());
}

}  // namespace base
