#include "base/torch.h"

#include "base/train/callback_graph.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/log.h"
#include "base/log/suggest.h"

namespace base {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

std::string_view name_of(Model::Mode mode) {
  switch (mode) {
    case Model::Mode::kTrain:
      return "training";
    case Model::Mode::kEval:
      return "validation";
    case Model::Mode::kInfer:
      break;
  }
  return "prediction";
}

}  // namespace

void CallbackGraph::add(std::unique_ptr<Callback> callback) {
  Entry entry;
  entry.callback = std::move(callback);
  Callback& added = *entry.callback;
  entry.name = added.name();
  entry.needs = added.needs();
  entry.wants = added.wants();
  entry.makes = added.makes();
  for (const auto mode : {Model::Mode::kTrain, Model::Mode::kEval, Model::Mode::kInfer})
    entry.modes[static_cast<std::size_t>(mode)] = added.runs_in(mode);
  for (const Entry& other : entries_) {
    if (other.name != entry.name) continue;
    throw Error(ErrorKind::kConfig, "two callbacks have one name", entry.name,
                "name one of them differently, or leave it out");
  }
  entries_.push_back(std::move(entry));
  is_sorted_ = false;
}

const CallbackGraph::Entry* CallbackGraph::maker_of(std::string_view key) const {
  const auto found = std::ranges::find_if(entries_, [&](const Entry& entry) { return contains(entry.makes, key); });
  return found != entries_.end() ? &*found : nullptr;
}

/// As they were added, but for those that must wait for others.
void CallbackGraph::sort() {
  is_sorted_ = true;
  std::set<std::string> made;
  for (const Entry& entry : entries_) {
    for (const std::string& key : entry.makes) {
      if (made.insert(key).second) continue;
      throw Error(ErrorKind::kConfig, "two callbacks make one key",
                  format("{} ({} and {})", key, maker_of(key)->name, entry.name),
                  "leave one of them out, or rename its key");
    }
  }
  std::vector<Entry> sorted;
  std::vector<Entry> waiting = std::move(entries_);
  std::set<std::string> missing = std::move(made);  // keys that are made, but not yet
  while (!waiting.empty()) {
    const auto next = std::ranges::find_if(waiting, [&](const Entry& entry) {
      const auto is_missing = [&](const std::string& key) { return missing.contains(key); };
      return std::ranges::none_of(entry.needs, is_missing) && std::ranges::none_of(entry.wants, is_missing);
    });
    if (next == waiting.end()) {
      std::vector<std::string> names;
      for (const Entry& entry : waiting) names.push_back(entry.name);
      std::ranges::move(waiting, std::back_inserter(sorted));
      entries_ = std::move(sorted);
      throw Error(ErrorKind::kConfig, "callbacks wait for each other's keys", joined(names),
                  "break the circle: one of them must do without a key");
    }
    for (const std::string& key : next->makes) missing.erase(key);
    sorted.push_back(std::move(*next));
    waiting.erase(next);
  }
  entries_ = std::move(sorted);
}

template <typename Call>
void CallbackGraph::guard(Entry& entry, std::string_view event, const TrainState& state, Clock::time_point& start,
                          Call call) {
  const auto fail = [&](const Error& error) {
    if (on_error_ == OnError::kStop) throw error;
    entry.is_disabled = true;
    log::warn("the callback {} is switched off: {}", entry.name, error.what());
  };
  const auto place = [&] {
    return format("callback {}, {}, iteration {} of epoch {} ({})", entry.name, event, state.iteration, state.epoch + 1,
                  name_of(state.mode));
  };
  try {
    call();
  } catch (const Error& error) {
    fail(error.with_place(place()));
  } catch (const std::exception& error) {
    const std::string text = error.what();
    fail(Error(ErrorKind::kTraining, "a callback failed", text.substr(0, text.find("\nException raised from")),
               "mend it, leave it out, or go on without it: callbacks.on_error = \"disable\"")
             .with_place(place()));
  }
  const auto end = Clock::now();
  entry.seconds += std::chrono::duration<double>(end - start).count();
  start = end;
}

void CallbackGraph::fire(const Event& event, const TrainState& state, TrainControl& control) {
  if (!is_sorted_) sort();
  auto start = Clock::now();
  for (Entry& entry : entries_) {
    const bool is_of_mode =
        state.mode == Model::Mode::kInfer || (event.is_of_batch && state.mode == Model::Mode::kEval);
    if (entry.is_disabled || (is_of_mode && !entry.runs_in(state.mode))) continue;
    guard(entry, event.name, state, start, [&] { (entry.callback.get()->*event.call)(state, control); });
  }
}

bool CallbackGraph::takes_data(Model::Mode mode) const {
  return std::ranges::any_of(entries_, [&](const Entry& entry) { return entry.runs_in(mode) && entry.has_keys(); });
}

bool CallbackGraph::lacks_keys(Model::Mode mode, const Tensors& data) const {
  const auto is_lacking = [&](const std::string& key) { return data.find(key) == nullptr && maker_of(key) == nullptr; };
  return std::ranges::any_of(entries_, [&](const Entry& entry) {
    return entry.runs_in(mode) &&
           (std::ranges::any_of(entry.needs, is_lacking) || std::ranges::any_of(entry.wants, is_lacking));
  });
}

void CallbackGraph::refuse_key(const Entry& entry, const std::string& key, const Tensors& data) const {
  std::vector<std::string> known;
  for (const auto& [name, tensor] : data) known.push_back(name);
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  const std::string_view meant = nearest_word(key, candidates);
  throw Error(ErrorKind::kConfig, "nobody makes a key that a callback needs", format("{} (for {})", key, entry.name),
              format("{}there are {}", meant.empty() ? "" : format("did you mean `{}`? ", meant), joined(known)));
}

void CallbackGraph::process(Tensors data, const TrainState& state, TrainControl& control) {
  if (!is_sorted_) sort();
  for (Entry& entry : entries_) {
    if (entry.runs_in(state.mode) && entry.has_keys()) process(entry, data, state, control);
  }
}

void CallbackGraph::process(Entry& entry, Tensors& data, const TrainState& state, TrainControl& control) {
  Tensors own;
  for (const std::string& key : entry.needs) {
    const torch::Tensor* tensor = data.find(key);
    if (tensor == nullptr) {
      const Entry* maker = maker_of(key);
      if (maker == nullptr || !maker->modes[static_cast<std::size_t>(state.mode)]) refuse_key(entry, key, data);
      return;  // its maker has nothing this time
    }
    own.set(key, *tensor);
  }
  for (const std::string& key : entry.wants) {
    if (const torch::Tensor* tensor = data.find(key)) own.set(key, *tensor);
  }
  std::optional<Tensors> made;
  auto start = Clock::now();
  guard(entry, "process", state, start, [&] {
    const torch::NoGradGuard no_grad;
    made = entry.callback->process(own, state, control);
    if (!made) return;
    for (const auto& [key, tensor] : *made) {
      if (contains(entry.makes, key)) continue;
      throw Error(ErrorKind::kInternal, "a callback makes a key that its makes() does not name", key, "");
    }
  });
  if (!made || entry.is_disabled) return;
  for (auto& [key, tensor] : *made) data.set(key, std::move(tensor));
}

bool CallbackGraph::has_results() const {
  return std::ranges::any_of(entries_, [](const Entry& entry) { return entry.callback->has_results(); });
}

void CallbackGraph::add_results(const TrainState& state, Results& results) {
  for (Entry& entry : entries_) {
    if (entry.is_disabled || !entry.callback->has_results()) continue;
    Results own;
    auto start = Clock::now();
    guard(entry, "add_results", state, start, [&] { entry.callback->add_results(state, own); });
    for (auto& [name, value] : own) {
      if (std::isfinite(value)) {
        results.emplace_back(name, value);
      } else {
        log::warn("the figure {} of the callback {} is {} at step {}: it is left out", name, entry.name, value,
                  state.step);
      }
    }
  }
}

std::vector<CallbackGraph::Time> CallbackGraph::take_times() {
  std::vector<Time> times;
  for (Entry& entry : entries_) times.push_back({entry.name, std::exchange(entry.seconds, 0), entry.is_disabled});
  std::ranges::stable_sort(times, std::ranges::greater{}, &Time::seconds);
  return times;
}

}  // namespace base
