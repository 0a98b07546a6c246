// together.cpp: what the processes of a world do together, so that all of them take the same way through the loop. In a
// world of one everything here returns at once what it was given.
#include "base/torch.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "base/log/format.h"
#include "base/train/trainer.h"

namespace base {
namespace {

State to_state(const Results& results) {
  State state;
  std::string names;
  std::vector<double> values;
  for (const auto& [name, value] : results) {
    names += name + '\n';
    values.push_back(value);
  }
  state.set("names", names);
  state.set("values", torch::tensor(values, torch::kDouble));
  return state;
}

Results to_results(const State& state) {
  Results results;
  const auto values = state.get<torch::Tensor>("values");
  std::istringstream names(state.get<std::string>("names"));
  for (std::string name; std::getline(names, name);)
    results.emplace_back(name, values[static_cast<std::int64_t>(results.size())].item<double>());
  return results;
}

constexpr const char* kStartAlike = "start all ranks with the same program, settings and data";

}  // namespace

/// Ranks with other data or settings would take other ways through the loop, and wait for each other in vain.
void Trainer::check_same_work() {
  std::string work;
  for (const auto& [part, data] : {std::pair{"training", training_}, {"validation", validation_}}) {
    if (data && data->size() != DataLoader::kUnknownSize)
      work += format("{} data of {} examples\n", part, data->size());
  }
  for (const auto& [key, value] : settings_values(settings_))
    if (!TrainSettings::is_of_machine(key)) work += format("{} = {}\n", key, value);
  group_->check_same("the work", work, kStartAlike);
}

/// Callbacks ask in the first process, and a signal may come to any: what one is asked for, all do in the same step.
void Trainer::agree() {
  agreed_seconds_ = state_.seconds;
  if (group_->is_alone()) return;
  const std::vector<double> mine{control_.validate ? 1.0 : 0.0, control_.save ? 1.0 : 0.0,
                                 control_.stop.empty() ? 0.0 : 1.0, world().is_first() ? state_.seconds : 0.0};
  auto all = torch::tensor(mine, torch::kDouble);
  group_->sum(all);
  const double* wishes = all.const_data_ptr<double>();
  control_.validate = wishes[0] > 0;
  control_.save = wishes[1] > 0;
  agreed_seconds_ = wishes[3];
  if (wishes[2] == 0) return;
  const std::vector<std::string> reasons = group_->gather(control_.stop);
  for (std::size_t rank = 0; rank < reasons.size() && control_.stop.empty(); ++rank)
    if (!reasons[rank].empty()) control_.stop = format("{} by rank {}", reasons[rank], rank);
}

/// How many examples all processes have in this step; 0: the data are at their end for all of them. Data of known size
/// are shared out by numbers, which every process can work out; only where the end shows by itself do they have to ask.
std::int64_t Trainer::examples_of_all(const DataLoader& data, const BatchStream& stream, std::int64_t taken_before,
                                      const std::optional<Batch>& batch) {
  const std::int64_t mine = batch ? batch->size() : 0;
  if (group_->is_alone()) return mine;
  if (data.size() != DataLoader::kUnknownSize) return batch ? stream.cursor().taken - taken_before : 0;
  auto all = torch::tensor(mine);
  group_->sum(all);
  return all.item<std::int64_t>();
}

/// Again where some were frozen or unfrozen since: by authors, whose program is the same in all processes.
void Trainer::share_gradients() {
  if (group_->is_alone()) return;
  if (!sync_) check_same_work();
  GradientSync::NamedTensors parameters;
  for (const auto& item : model_->named_parameters()) parameters.emplace_back(item.key(), item.value());
  if (sync_ && sync_->is_for(parameters)) return;
  sync_.reset();  // its hooks would see the gradients too
  sync_ = std::make_unique<GradientSync>(*group_, settings_.dist, parameters);
  std::string buffers;
  for (const auto& item : model_->named_buffers()) buffers += format("{} {}\n", item.key(), describe(item.value()));
  group_->check_same("the network", buffers, kStartAlike);
  group_->copy_from_first(model_->buffers());
}

/// The mean over the examples of all, of which this process has a `share`.
torch::Tensor Trainer::loss_of_all(const torch::Tensor& loss, double share) {
  if (group_->is_alone()) return loss;
  torch::Tensor mean = share > 0 ? loss.detach().to(torch::kDouble) * share : torch::zeros_like(loss, torch::kDouble);
  group_->sum(mean);
  return mean.to(loss.scalar_type());
}

/// What a process without examples computes with, for nothing: the others wait for its gradients, which then weigh
/// zero.
Tensors Trainer::stand_in() {
  const std::array<std::int64_t, 2> two{0, 0};  // batch norm refuses a single one
  return training_->make_batch(two, {.seed = settings_.seed}).tensors;
}

/// In the first process the rows of all, in the order of the data: its callbacks see a batch as one process alone would
/// have read it.
Tensors Trainer::data_of_all(const DataLoader& loader, const Tensors& data, std::vector<std::int64_t>& indices,
                             bool has_examples) {
  if (group_->is_alone()) return data;
  State mine;
  if (has_examples) {
    for (const auto& [name, tensor] : data) mine.set("data " + name, tensor);
    mine.set("indices", torch::tensor(indices, torch::kLong));
  }
  const std::vector<State> states = group_->gather(mine);
  if (!world().is_first()) return data;
  Tensors all;
  const std::vector<Padding> ragged = loader.ragged();
  for (const auto& [name, tensor] : data) {
    std::vector<torch::Tensor> rows;
    for (const State& state : states)
      if (state.has("data " + name)) rows.push_back(state.get<torch::Tensor>("data " + name));
    const auto padding = std::ranges::find(ragged, std::string_view(name), &Padding::name);
    all.set(name, tensor.dim() > 0 ? join(rows, {name, padding == ragged.end() ? 0 : padding->value}) : rows.front());
  }
  indices.clear();
  for (const State& state : states) {
    if (!state.has("indices")) continue;
    const auto theirs = state.get<torch::Tensor>("indices");
    const auto* first = theirs.const_data_ptr<std::int64_t>();
    indices.insert(indices.end(), first, first + theirs.numel());
  }
  return all;
}

/// What the metrics of all processes have seen.
State Trainer::totals_of_all(const Metrics& metrics) {
  State totals;
  metrics.save_state(totals);
  if (group_->is_alone()) return totals;
  const std::vector<State> states = group_->gather(totals);
  totals = {};
  for (const State& state : states) {
    for (const auto& [name, theirs] : state.tensors())
      totals.set(name, totals.has(name) ? totals.get<torch::Tensor>(name) + theirs : theirs);
  }
  return totals;
}

Results Trainer::results_of_first(const Results& results) {
  if (group_->is_alone()) return results;
  return to_results(group_->from_first(to_state(results)));
}

/// Only the first process has to see the run's folder; it sends what it has read to the others.
std::optional<Checkpoint> Trainer::checkpoint_of_first(std::optional<Checkpoint> checkpoint) {
  if (group_->is_alone()) return checkpoint;
  if (!group_->first_says(checkpoint.has_value())) return {};
  State head;
  std::string names;
  if (checkpoint) {
    for (const auto& [name, part] : checkpoint->parts) names += name + '\n';
    head.set("step", checkpoint->step);
    if (checkpoint->score) head.set("score", *checkpoint->score);
    head.set("parts", names);
  }
  head = group_->from_first(head);
  Checkpoint copy{.step = head.get<std::int64_t>("step"), .score = {}, .metrics = {}, .parts = {}};
  if (head.has("score")) copy.score = head.get<double>("score");
  copy.metrics = results_of_first(checkpoint ? checkpoint->metrics : Results{});
  std::istringstream parts(head.get<std::string>("parts"));
  for (std::string name; std::getline(parts, name);)
    copy.parts[name] = group_->from_first(checkpoint ? checkpoint->parts.at(name) : State{});
  return copy;
}

}  // namespace base
