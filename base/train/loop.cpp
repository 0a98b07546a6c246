// loop.cpp: what happens in training, from top to bottom. callback.h draws it.
#include "base/torch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/log.h"
#include "base/tensor/device.h"
#include "base/train/precision.h"
#include "base/train/trainer.h"

namespace base {

Trainer& Trainer::run() {
  begin();
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
                                                       .world = world_});
      state_.iterations_to_train = state_.iterations_per_epoch;
      if (settings_.steps > 0) {
        const auto left = state_.iteration + (settings_.steps - state_.step) * settings_.accumulate;
        state_.iterations_to_train = std::min(state_.iterations_per_epoch.value_or(left), left);
      }
      fire(&Callback::on_epoch_begin);
    }
    if (const std::optional<Batch> batch = stream_->next()) {
      fire(&Callback::on_iteration_begin);
      train_batch(*batch);
      fire(&Callback::on_iteration_end);
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

void Trainer::train_batch(const Batch& batch) {
  check(*training_, batch);
  const Tensors tensors = to_device(batch.tensors);
  Tensors outputs;
  torch::Tensor loss;
  {
    const PrecisionScope precision(settings_.precision, device_);
    loss = training_step(tensors, outputs);
  }
  note_loss(loss, outputs, tensors);

  if (settings_.accumulate > 1) loss = loss / static_cast<double>(settings_.accumulate);
  if (scaler_) loss = scaler_->scale(loss);
  loss.backward();
  ++state_.iteration;
  if (++accumulated_ == settings_.accumulate) update_weights();
}

void Trainer::update_weights() {
  const auto& groups = optimizer_->groups();
  const bool clips = settings_.clip_value > 0 || settings_.clip_norm > 0;
  if (scaler_ && clips) scaler_->unscale(groups);
  if (accumulated_ < settings_.accumulate) {  // the epoch ended early: the mean of the batches that there are
    const double factor = static_cast<double>(settings_.accumulate) / static_cast<double>(accumulated_);
    for (const auto& group : groups)
      for (const auto& parameter : group.parameters)
        if (parameter.tensor.grad().defined()) parameter.tensor.grad().mul_(factor);
  }
  if (settings_.clip_value > 0) clip_gradient_value(groups, settings_.clip_value);
  if (settings_.clip_norm > 0) clip_gradient_norm(groups, settings_.clip_norm);

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
  cursor_ = stream_->cursor();
  if (validation_ && settings_.validate_every_steps > 0 && state_.step % settings_.validate_every_steps == 0)
    control_.validate = true;
}

void Trainer::end_epoch() {
  if (accumulated_ > 0) update_weights();
  stream_.reset();
  ++state_.epoch;
  cursor_ = {state_.epoch, 0};
  state_.iterations_per_epoch = state_.iteration;
  state_.training = training_results();
  fire(&Callback::on_epoch_end);
  state_.iteration = 0;
  metrics_.reset();
  loss_sum_ = 0;
  loss_count_ = 0;
}

/// Reading a number from a GPU waits for it, so there it is done only where it is logged.
void Trainer::note_loss(const torch::Tensor& loss, const Tensors& outputs, const Tensors& batch) {
  const bool logged = state_.iteration % settings_.log_every == 0;  // the first of each epoch at least
  if (!logged && !device_.is_cpu()) return;
  state_.loss = loss.item<double>();
  if (!std::isfinite(state_.loss)) {
    const auto culprit = find_not_finite(optimizer_->groups());
    throw Error(ErrorKind::kTraining, format("the loss is {} at step {}", state_.loss, state_.step),
                culprit ? format("{} is not finite either", *culprit) : "all parameters are finite still",
                "make the learning rate smaller, set clip_norm, or look for values in the data that are not numbers");
  }
  loss_sum_ += state_.loss;
  ++loss_count_;
  const torch::NoGradGuard no_grad;
  if (std::exchange(metrics_restored_, false)) {
    // A checkpoint has the metrics' totals; which metrics these are, only measure() knows.
    State totals;
    metrics_.save_state(totals);
    metrics_ = {};
    model_->measure(outputs, batch, metrics_);
    metrics_.load_state(totals);
  }
  if (!logged) return;
  model_->measure(outputs, batch, metrics_);
  state_.training = training_results();
}

Results Trainer::training_results() const {
  Results results{{"loss", loss_count_ > 0 ? loss_sum_ / static_cast<double>(loss_count_) : std::nan("")}};
  for (auto& result : metrics_.results()) results.push_back(std::move(result));
  return results;
}

Trainer& Trainer::validate() {
  if (!validation_) {
    throw Error(ErrorKind::kUsage, "there are no data to validate on", "",
                "give the Trainer a second DataLoader, or call evaluate() with one");
  }
  prepare();
  fire(&Callback::on_validation_begin);
  state_.validation = measure(*validation_, validation_data_settings());
  validated_at_ = state_.step;
  schedule_->observe(*score(), settings_.lower_is_better);
  fire(&Callback::on_validation_end);
  return *this;
}

Results Trainer::measure(const DataLoader& data, const DataSettings& settings) {
  const torch::NoGradGuard no_grad;
  const auto average = swap_in_average();
  const Model::Mode before = model_->mode();
  model_->set_mode(Model::Mode::kEval);
  Metrics metrics;
  BatchStream stream(data, {.settings = settings, .seed = settings_.seed, .pin = device_.is_cuda(), .world = world_});
  while (const std::optional<Batch> batch = stream.next()) {
    check(data, *batch);
    const PrecisionScope precision(settings_.precision, device_);
    validation_step(to_device(batch->tensors), metrics);
  }
  model_->set_mode(before);
  return metrics.results();
}

bool Trainer::is_finished() const {
  const bool out_of_time =
      settings_.time.count() > 0 && state_.seconds * 1000 >= static_cast<double>(settings_.time.count());
  return !control_.stop.empty() || out_of_time || (settings_.epochs > 0 && state_.epoch >= settings_.epochs) ||
         (settings_.steps > 0 && state_.step >= settings_.steps);
}

void Trainer::begin() {
  prepare();
  model_->set_mode(Model::Mode::kTrain);
  if (begun_) return settle();
  begun_ = true;
  started_ = std::chrono::steady_clock::now();
  if (validation_) rehearse_validation();
  if (run_) store().prepare(checkpoint());
  fire(&Callback::on_begin);
  settle();
}

/// One batch, before hours of training: a mistake in it, or a score that it does not give, shows at once.
void Trainer::rehearse_validation() {
  DataSettings one = validation_data_settings();
  one.limit = one.batch_size;
  one.threads = 0;
  State random;
  save_random_state(device_, random);
  const Results last = std::exchange(state_.validation, measure(*validation_, one));
  static_cast<void>(score());
  state_.validation = last;
  load_random_state(device_, random);
}

void Trainer::end() {
  if (!control_.stop.empty()) log::info("stopped: {}", control_.stop);
  fire(&Callback::on_end);
  settle();
  if (store_) store_->wait();
  begun_ = false;
}

/// Does what callbacks have asked for.
void Trainer::settle() {
  if (std::exchange(control_.validate, false) && validation_) validate();
  if (std::exchange(control_.save, false)) save_checkpoint();
}

void Trainer::fire(Event event) {
  if (begun_) {
    const std::chrono::duration<double> since = std::chrono::steady_clock::now() - started_;
    state_.seconds = seconds_before_ + since.count();
  }
  for (const auto& callback : callbacks_) (callback.get()->*event)(state_, control_);
}

/// The stages that a short run would not reach.
void Trainer::smoke() {
  if (run_) {
    save_checkpoint();
    store().wait();
    if (!restore(format("step-{}", state_.step))) RunFolder::refuse_without_checkpoint(*run_);
  }
  for (const Prediction& prediction : predict(*training_)) log::info("predicts {}", describe(prediction.outputs));
  log::info("smoke run passed: {} on {}", run_ ? "train, validate, save, restore, predict" : "train, validate, predict",
            device_.str());
}

}  // namespace base
