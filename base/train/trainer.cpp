#include "base/torch.h"

#include "base/train/trainer.h"

#include <algorithm>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/log.h"
#include "base/metrics/mean.h"
#include "base/model/hook.h"
#include "base/tensor/device.h"
#include "base/train/precision.h"
#include "base/train/restore.h"
#include "base/train/work.h"

namespace base {
namespace {

/// What is drawn in training, such as dropout, is another thing in each process.
constexpr std::uint64_t kSeedsApart = 0x9e3779b97f4a7c15;

/// One batch of everything, in each process, is enough to see that it works.
TrainSettings for_smoke(TrainSettings settings, int world_size) {
  settings.epochs = 1;
  settings.steps = 1;
  settings.accumulate = 1;
  settings.log_every = 1;
  settings.data.limit = settings.data.batch_size * world_size;
  return settings;
}

void use_channels_last(torch::nn::Module& model) {
  const torch::NoGradGuard no_grad;
  for (auto& parameter : model.parameters()) {
    // Not contiguous(), which leaves the strides of a single channel as they are, and with them the layout of what
    // follows.
    if (parameter.dim() == 4)
      parameter.set_data(
          at::empty_like(parameter, parameter.options(), torch::MemoryFormat::ChannelsLast).copy_(parameter));
  }
}

/// All that a model remembers: its parameters and its buffers.
std::vector<NamedParameter> weights_of(torch::nn::Module& model) {
  std::vector<NamedParameter> weights;
  for (const auto& item : model.named_parameters()) weights.push_back({item.key(), item.value()});
  for (const auto& item : model.named_buffers()) weights.push_back({item.key(), item.value()});
  return weights;
}

void load_model(torch::nn::Module& model, const State& state) {
  const auto weights = weights_of(model);
  Mismatches mismatches;
  for (const auto& [name, tensor] : weights) {
    const auto saved = state.tensors().find(name);
    if (saved == state.tensors().end()) {
      mismatches.add(format("{} is not in the checkpoint", name));
    } else if (saved->second.sizes() != tensor.sizes()) {
      mismatches.add(format("{} is {} in the checkpoint and {} here", name, describe(saved->second), describe(tensor)));
    }
  }
  for (const auto& [name, tensor] : state.tensors()) {
    if (std::ranges::find(weights, name, &NamedParameter::name) == weights.end())
      mismatches.add(format("{} is only in the checkpoint", name));
  }
  mismatches.refuse_any("the network");
  const torch::NoGradGuard no_grad;
  for (const auto& [name, tensor] : weights) torch::Tensor(tensor).copy_(state.tensors().at(name));
}

std::string random_part(std::size_t rank) {
  return rank == 0 ? "random" : format("random-{}", rank);
}

/// What loss() of the author gives: one number, which in training depends on what is trained.
torch::Tensor loss_of(Model& model, const Tensors& outputs, const Tensors& batch) {
  torch::Tensor loss = run_hook("loss", outputs, [&] { return model.loss(outputs, batch); });
  if (!loss.defined() || loss.numel() != 1) {
    throw Error(ErrorKind::kTraining, "loss() of the model does not give one number",
                loss.defined() ? describe(loss) : "nothing", "take the mean of what it is for each example");
  }
  if (at::GradMode::is_enabled() && !loss.requires_grad()) {
    throw Error(ErrorKind::kTraining, "the loss depends on no parameter that is trained", describe(loss),
                "compute it from what forward() gives, without detach() or item(), and leave some layers to train");
  }
  return loss;
}

const State& part(const Checkpoint& checkpoint, const std::string& name) {
  const auto found = checkpoint.parts.find(name);
  if (found != checkpoint.parts.end()) return found->second;
  throw Error(ErrorKind::kCheckpoint, "the checkpoint lacks a part that the settings ask for", name,
              "restore it with the settings of its run (config.toml), or start anew");
}

}  // namespace

Trainer::Trainer(const TrainSettings& settings, std::shared_ptr<Model> model,
                 std::shared_ptr<const DataLoader> training, std::shared_ptr<const DataLoader> validation,
                 std::shared_ptr<ProcessGroup> group)
    : settings_(settings),
      model_(std::move(model)),
      training_(std::move(training)),
      validation_(settings.data.overfit > 0 ? training_ : std::move(validation)),
      device_(choose_device(settings.device, (group ? group->world() : World::from_environment()).local_rank)),
      group_(group ? std::move(group)
                   : ProcessGroup::of_process({.device = device_, .timeout = settings.dist.timeout})) {
  if (settings_.smoke) settings_ = for_smoke(settings, world().size);
  if (settings_.precision == "fp16" && !device_.is_cuda()) {
    throw Error(ErrorKind::kConfig, "fp16 needs a GPU", format("device = \"{}\"", settings_.device),
                "use precision = \"bf16\" or \"fp32\" on the CPU");
  }
  if (settings_.precision == "bf16" && device_.is_cpu()) explain_illegal_instructions();
  keep_freed_memory();
  set_compute_threads(settings_.threads);
  flush_denormals();
  limit_gpu_memory(device_, settings_.gpu_memory);
  set_deterministic(settings_.deterministic);
  seed_everything(settings_.seed + static_cast<std::uint64_t>(world().rank) * kSeedsApart);
  model_->to(device_);
  channels_last_ =
      settings_.layout == "channels_last" || (settings_.layout == "auto" && model_->prefers_channels_last());
  if (channels_last_) use_channels_last(*model_);
  enter(Model::Mode::kTrain, state_, control_);
}

Trainer::~Trainer() = default;

Trainer& Trainer::set_run(RunFolder run) {
  store_.reset();
  summaries_ = {};
  state_.run = run.path();
  run_ = std::move(run);
  enter(Model::Mode::kTrain, state_, control_);
  return *this;
}

Trainer& Trainer::claim_run() {
  if (world().is_first()) store().claim();
  return *this;
}

Trainer& Trainer::add(std::unique_ptr<Callback> callback) {
  if (world().is_first() || callback->runs_everywhere()) callbacks_.add(std::move(callback));
  return *this;
}

torch::Tensor Trainer::training_step(const Tensors& batch, Tensors& outputs) {
  outputs = model_->run(batch);
  return loss_of(*model_, outputs, batch);
}

Tensors Trainer::validation_step(const Tensors& batch, Metrics& metrics) {
  Tensors outputs = model_->run(batch);
  const torch::Tensor& first = batch.begin()->second;
  const torch::Tensor loss = loss_of(*model_, outputs, batch);
  metrics.get<Mean>("loss").update(loss.item<double>(), static_cast<double>(first.size(0)));
  model_->measure(outputs, batch, metrics);
  return outputs;
}

std::vector<ParameterGroup> Trainer::parameter_groups() {
  ParameterGroup all;
  for (const auto& item : model_->named_parameters()) all.parameters.push_back({item.key(), item.value()});
  return {std::move(all)};
}

void Trainer::prepare() {
  share_gradients();
  if (optimizer_) return;
  // Without threads a stream reads nothing: it only counts.
  DataSettings counting = settings_.data;
  counting.threads = 0;
  const BatchStream stream(*training_,
                           {.settings = counting, .seed = settings_.seed, .training = true, .world = world()});
  state_.iterations_per_epoch = stream.batches_per_epoch();
  if (state_.iterations_per_epoch && settings_.epochs > 0) {
    const auto steps_per_epoch = (*state_.iterations_per_epoch + settings_.accumulate - 1) / settings_.accumulate;
    state_.total_steps = steps_per_epoch * settings_.epochs;
  }
  if (settings_.steps > 0) state_.total_steps = std::min(state_.total_steps.value_or(settings_.steps), settings_.steps);

  schedule_ = Schedule::make(settings_.schedule, state_.total_steps.value_or(0));
  if (settings_.precision == "fp16") scaler_ = std::make_unique<GradientScaler>(device_, GradientScaler::Options{});
  if (settings_.average.decay > 0) average_ = std::make_unique<WeightAverage>(*model_, settings_.average.decay);
  optimizer_ = Optimizer::make(settings_.optimizer, parameter_groups());
  small_steps_ = device_.is_cpu() && is_small_step(work_per_example(*model_), settings_.data.batch_size);
}

/// What callbacks see from now on.
void Trainer::enter(Model::Mode mode, TrainState& state, TrainControl& control) {
  static constexpr std::array<std::string_view, 3> kFolders{"train", "validation", "predict"};
  const auto index = static_cast<std::size_t>(mode);
  state.mode = mode;
  if (run_ && world().is_first()) {
    state.log_dir = run_->path() / kFolders.at(index);
    if (!summaries_.at(index).is_on()) {
      SummaryWriter::Options options;
      if (state_.step > 0) options.from_step = state_.step + 1;  // restored: what came after that step was undone
      summaries_.at(index) = summaries_.front().sibling(state.log_dir, options);
    }
  }
  control.summary = &summaries_.at(index);
}

Tensors Trainer::data_for_callbacks(Model::Mode mode, const Tensors& batch, const Tensors& outputs) {
  Tensors data = batch;
  for (const auto& [name, tensor] : outputs) data.set(name, tensor.detach());
  // The first process's callbacks may lack some; only it knows.
  if (mode != Model::Mode::kInfer && (!group_->is_alone() || callbacks_.lacks_keys(mode, data))) {
    const torch::NoGradGuard no_grad;
    for (const auto& [name, tensor] : model_->postprocess(outputs)) data.set(name, tensor.detach());
  }
  return data;
}

Tensors Trainer::to_device(const Tensors& batch) const {
  Tensors moved = batch.to(device_, /*non_blocking=*/true);
  if (channels_last_) {
    for (auto& [name, tensor] : moved)
      if (tensor.dim() == 4) tensor = tensor.contiguous(torch::MemoryFormat::ChannelsLast);
  }
  return moved;
}

DataSettings Trainer::validation_data_settings() const {
  DataSettings data = settings_.data;
  data.drop_last = false;
  if (settings_.validation_batch_size > 0) data.batch_size = settings_.validation_batch_size;
  if (settings_.smoke) data.limit = data.batch_size;
  return data;
}

std::unique_ptr<WeightAverage::Swap> Trainer::swap_in_average() {
  if (!average_ || !settings_.average.evaluate) return {};
  return std::make_unique<WeightAverage::Swap>(*average_);
}

std::optional<double> Trainer::score() const {
  if (state_.validation.empty()) return {};
  std::vector<std::string_view> names;
  for (const auto& [name, value] : state_.validation) {
    if (name == settings_.score) return value;
    names.push_back(name);
  }
  std::string known;
  for (const auto name : names) known += format("{}{}", known.empty() ? "" : ", ", name);
  throw Error(ErrorKind::kConfig, "validation has no figure of this name for the score", settings_.score,
              format("set score to one of {}", known));
}

CheckpointStore& Trainer::store() {
  if (!run_) {
    throw Error(ErrorKind::kUsage, "a trainer without a run folder has no checkpoints", "",
                "give it one: trainer.set_run(RunFolder::create(\"runs\", \"experiment\"))");
  }
  if (!store_) {
    store_ = std::make_unique<CheckpointStore>(run_->checkpoints(),
                                               CheckpointStore::Options{.keep_last = settings_.checkpoint.keep_last,
                                                                        .keep_best = settings_.checkpoint.keep_best,
                                                                        .lower_is_better = settings_.lower_is_better});
  }
  return *store_;
}

Checkpoint Trainer::checkpoint() {
  Checkpoint checkpoint{.step = state_.step, .score = {}, .metrics = state_.validation, .parts = {}};
  if (validated_at_ == state_.step) checkpoint.score = score();  // that of other weights would make these the best
  for (const auto& [name, tensor] : weights_of(*model_)) {
    checkpoint.parts["model"].set(name, tensor.detach());
    if (tensor.requires_grad()) checkpoint.finite.push_back(name);  // a mask may well hold infinity
  }
  optimizer_->save_state(checkpoint.parts["optimizer"]);
  schedule_->save_state(checkpoint.parts["schedule"]);
  checkpoint.parts["metrics"] = totals_of_all(metrics_);
  State random;
  save_random_state(device_, random);
  const std::vector<State> randoms = group_->gather(random);
  for (std::size_t rank = 0; rank < randoms.size(); ++rank) checkpoint.parts[random_part(rank)] = randoms[rank];
  if (scaler_) scaler_->save_state(checkpoint.parts["scaler"]);
  if (average_) average_->save_state(checkpoint.parts["average"]);
  callbacks_.visit(
      [&](const Callback& callback) { callback.save_state(checkpoint.parts["callback-" + callback.name()]); });

  State& train = checkpoint.parts["train"];
  train.set("epoch", cursor_.epoch);
  train.set("taken", cursor_.taken);
  train.set("iteration", state_.iteration);
  train.set("step", state_.step);
  train.set("loss", state_.loss);
  train.set("loss_sum", loss_sum_);
  train.set("loss_count", loss_count_);
  train.set("seconds", state_.seconds);
  train.set("validated_at", validated_at_);
  train.set("validate", std::int64_t{control_.validate});
  if (state_.iterations_per_epoch) train.set("iterations_per_epoch", *state_.iterations_per_epoch);
  return checkpoint;
}

Trainer& Trainer::save_checkpoint() {
  prepare();
  Checkpoint saved = checkpoint();
  if (world().is_first()) store().save(saved);
  fire(events::kCheckpoint);
  return *this;
}

bool Trainer::restore(const std::string& which) {
  if (settings_.smoke && !begun_ && run_ && !store().entries().empty()) {
    throw Error(ErrorKind::kUsage, "a smoke run tries everything from the start, and this run has begun",
                run_->path().string(), "give it a folder of its own, or leave out --smoke");
  }
  prepare();
  const auto checkpoint = checkpoint_of_first(world().is_first() ? store().load(which) : std::nullopt);
  if (!checkpoint) return false;
  load(*checkpoint);
  std::int64_t ranks = 0;
  while (checkpoint->parts.contains(random_part(static_cast<std::size_t>(ranks)))) ++ranks;
  const bool is_between = cursor_.taken == 0 && cursor_.epoch > 0;
  log::info(
      "restored step {}, {} epoch {}{}", state_.step, is_between ? "at the end of" : "in",
      is_between ? cursor_.epoch : cursor_.epoch + 1,
      ranks == world().size ? "" : format("; it was saved by {} ranks, this is a run of {}", ranks, world().size));
  return true;
}

void Trainer::load(const Checkpoint& checkpoint) {
  load_model(*model_, part(checkpoint, "model"));
  optimizer_->load_state(part(checkpoint, "optimizer"));
  schedule_->load_state(part(checkpoint, "schedule"));
  metrics_.reset();
  if (world().is_first()) {  // the sums of all processes go on in one
    metrics_.load_state(part(checkpoint, "metrics"));
    metrics_restored_ = true;
  }
  const auto random = checkpoint.parts.find(random_part(static_cast<std::size_t>(world().rank)));
  if (random != checkpoint.parts.end()) load_random_state(device_, random->second);  // else there were fewer processes
  if (scaler_) scaler_->load_state(part(checkpoint, "scaler"));
  if (average_) average_->load_state(part(checkpoint, "average"));
  callbacks_.visit([&](Callback& callback) {
    const auto saved = checkpoint.parts.find("callback-" + callback.name());
    if (saved != checkpoint.parts.end()) callback.load_state(saved->second);  // one that was added since begins anew
  });

  const State& train = part(checkpoint, "train");
  cursor_ = {train.get<std::int64_t>("epoch"), train.get<std::int64_t>("taken")};
  state_.epoch = cursor_.epoch;
  state_.iteration = train.get<std::int64_t>("iteration");
  state_.step = train.get<std::int64_t>("step");
  state_.loss = train.get<double>("loss");
  loss_sum_ = train.get<double>("loss_sum");
  loss_count_ = train.get<std::int64_t>("loss_count");
  agreed_seconds_ = state_.seconds = seconds_before_ = train.get<double>("seconds");
  validated_at_ = train.get<std::int64_t>("validated_at");
  if (!state_.iterations_per_epoch && train.has("iterations_per_epoch"))  // which only a whole epoch shows
    state_.iterations_per_epoch = train.get<std::int64_t>("iterations_per_epoch");
  state_.validation = checkpoint.metrics;
  summaries_ = {};  // new files, which say from where on the old ones no longer hold
  stream_.reset();
  accumulated_ = 0;
  accumulated_weight_ = 0;
  control_ = {};
  // It was stopped before it could: now, and the checkpoint gets its score.
  control_.validate = control_.save = train.get<std::int64_t>("validate") != 0;
  enter(Model::Mode::kTrain, state_, control_);
  begun_ = false;
  optimizer_->zero_grad();
}

Results Trainer::evaluate(const DataLoader& data) {
  prepare();
  Results results = measure(data, validation_data_settings(), /*with_callbacks=*/true);
  summaries_.at(static_cast<std::size_t>(Model::Mode::kEval)).flush();
  return results;
}

void Trainer::serve(const std::function<void(Model&)>& use) {
  struct Back {  // also after an Error, which callers may get over
    Model& model;
    Model::Mode mode;
    ~Back() { model.set_mode(mode); }
  };
  const auto average = swap_in_average();
  const Back back{*model_, model_->mode()};
  model_->set_mode(Model::Mode::kInfer);
  use(*model_);
}

Tensors Trainer::predict(const Tensors& inputs) {
  const torch::NoGradGuard no_grad;
  const PrecisionScope precision(settings_.precision, device_);
  Tensors outputs;
  serve([&](Model& model) { outputs = model.run(to_device(inputs)).to(torch::kCPU); });
  return outputs;
}

Predictions Trainer::predict(const DataLoader& data) {
  return {*this, BatchStream(
                     data, {.settings = validation_data_settings(), .seed = settings_.seed, .pin = device_.is_cuda()})};
}

void Predictions::advance() {
  CallbackGraph& callbacks = trainer_->callbacks_;
  const bool is_first = !current_;
  if (is_first) {
    state_ = trainer_->state_;
    trainer_->enter(Model::Mode::kInfer, state_, control_);
    state_.iteration = 0;
    state_.iterations_per_epoch = stream_.batches_per_epoch();
    callbacks.fire(events::kBegin, state_, control_);
  }
  std::optional<Batch> batch = is_first ? stream_.next() : std::move(next_);
  if (!batch) {
    current_.reset();
    callbacks.fire(events::kEnd, state_, control_);
    return control_.summary->flush();
  }
  next_ = stream_.next();
  state_.is_last = !next_;
  state_.summary_step = state_.iteration;
  callbacks.fire(events::kIterationBegin, state_, control_);
  const auto start = std::chrono::steady_clock::now();
  Tensors outputs = trainer_->predict(batch->tensors);
  state_.batch_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  ++state_.iteration;
  callbacks.fire(events::kIterationEnd, state_, control_);
  if (callbacks.takes_data(state_.mode)) {
    state_.indices = batch->indices;
    callbacks.process(trainer_->data_for_callbacks(state_.mode, batch->tensors, outputs), state_, control_);
  }
  current_ = Prediction{std::move(*batch), std::move(outputs)};
}

}  // namespace base
