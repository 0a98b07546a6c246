// support.h: what the tests of base/config share: a sample of settings, a folder of its own for each test, and errors
// as text.
#ifndef TESTS_CONFIG_SUPPORT_H_
#define TESTS_CONFIG_SUPPORT_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/config/settings.h"
#include "base/log/error.h"
#include "tests/support/temporary_folder.h"

namespace config_test {

using base::TemporaryFolder;

struct OptimizerSettings {
  double learning_rate = 0.1;
  std::string kind = "sgd";
  bool nesterov = false;

  void declare(base::Knobs& knobs) {
    knobs.add("learning_rate", learning_rate, "step size", {.min = 0.0, .max = 10.0});
    knobs.add("kind", kind, "update rule", {.choices = {"sgd", "adam"}});
    knobs.add("nesterov", nesterov, "look ahead along the momentum");
  }
  bool operator==(const OptimizerSettings&) const = default;
};

/// The settings of a program as an author would write them.
struct Sample {
  std::filesystem::path data = "data";
  int width = 128;
  std::chrono::milliseconds save_every = std::chrono::minutes(10);
  std::vector<std::int64_t> layers = {64, 32};
  std::vector<std::string> tags;
  bool shuffle = true;
  std::string name = "run";
  OptimizerSettings optimizer;

  void declare(base::Knobs& knobs) {
    knobs.add("data", data, "folder with the examples");
    knobs.add("width", width, "units in the hidden layer", {.min = 1, .max = 8192});
    knobs.add("save_every", save_every, "time between checkpoints", {.min = std::chrono::seconds(1)});
    knobs.add("layers", layers, "units per layer", {.min = 1});
    knobs.add("tags", tags, "words to find the run by");
    knobs.add("shuffle", shuffle, "examples in random order");
    knobs.add("name", name, "of the run");
    knobs.section("optimizer", optimizer, "how the weights move");
  }
  bool operator==(const Sample&) const = default;
};

/// One knob of type T called "value", for tests of a type or a rule.
template <typename T>
struct One {
  T value{};
  base::RuleOf<T> rule{};

  void declare(base::Knobs& knobs) { knobs.add("value", value, "a value", rule); }
};

/// An environment block that is not the process's.
class Environment {
 public:
  Environment(std::initializer_list<std::string> variables = {}) : variables_(variables) {
    for (const std::string& variable : variables_) pointers_.push_back(variable.c_str());
    pointers_.push_back(nullptr);
  }
  explicit Environment(std::vector<std::string> variables) : variables_(std::move(variables)) {
    for (const std::string& variable : variables_) pointers_.push_back(variable.c_str());
    pointers_.push_back(nullptr);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  const char* const* block() const { return pointers_.data(); }

 private:
  std::vector<std::string> variables_;
  std::vector<const char*> pointers_;
};

/// Loads with nothing but what is given: the environment is empty unless `sources` have one.
template <typename S>
base::Origins load(S& settings, const std::vector<std::string>& arguments, base::Sources sources = {}) {
  static const Environment none;
  if (sources.environment == nullptr) sources.environment = none.block();
  return base::load_settings(settings, arguments, sources).value();
}

/// What a fresh S becomes.
template <typename S>
S loaded(const std::vector<std::string>& arguments, const base::Sources& sources = {}) {
  S settings;
  load(settings, arguments, sources);
  return settings;
}

/// The exit code and whole message of the error that `action` throws; "accepted" if it throws none.
template <typename Action>
std::string error_of(const Action& action) {
  try {
    action();
  } catch (const base::Error& error) {
    return "exit " + std::to_string(error.exit_code()) + ", " + error.what();
  }
  return "accepted";
}

/// The same for loading into `settings`.
template <typename S>
std::string refusal(S settings, const std::vector<std::string>& arguments, const base::Sources& sources = {}) {
  return error_of([&] { load(settings, arguments, sources); });
}

template <typename S = Sample>
std::string refusal(const std::vector<std::string>& arguments, const base::Sources& sources = {}) {
  return refusal(S{}, arguments, sources);
}

/// What becomes of a file called train.toml with this text.
template <typename S = Sample>
std::string file_refusal(std::string_view text, S settings = {}) {
  const TemporaryFolder folder;
  return folder.shorten(refusal(settings, {}, {.file = folder.write("train.toml", text)}));
}

template <typename S = Sample>
S loaded_file(std::string_view text) {
  const TemporaryFolder folder;
  return loaded<S>({}, {.file = folder.write("train.toml", text)});
}

}  // namespace config_test

#endif  // TESTS_CONFIG_SUPPORT_H_
