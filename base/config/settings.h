// settings.h: from a declared settings struct (see knobs.h) to its values, and back to a file.
//
//     int main(int argc, char** argv) {
//       return base::run_main([&] {
//         Settings settings;
//         const auto origins = base::load_settings(settings, argc, argv);
//         if (!origins) return 0;  // --help was asked for and is printed
//         base::write_settings(settings, "run/config.toml", *origins);
//         ...
#ifndef BASE_CONFIG_SETTINGS_H_
#define BASE_CONFIG_SETTINGS_H_

#include <concepts>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/config/knobs.h"

namespace base {

/// Where values come from. Later wins: the member's default, the settings file (after those it inherits from), the
/// environment, the flags in the order of the command line.
struct Sources {
  /// Read when there is no --config; empty: none. A file that is named but missing is an error.
  std::filesystem::path file{};
  /// SCAFFOLD_SET_OPTIMIZER__LEARNING_RATE=0.1 gives optimizer.learning_rate; empty: the environment is not looked at.
  /// The prefix is this long because Kubernetes gives every container variables named after its services: one called
  /// scaffold brings SCAFFOLD_SERVICE_HOST, which must not count as a misspelt setting.
  std::string environment_prefix = "SCAFFOLD_SET_";
  /// "NAME=value" strings that end with a nullptr; itself a nullptr: this process's environment. Its HOME stands for ~.
  const char* const* environment = nullptr;
  /// For the help: the command's name (argv's, if empty) and what it does.
  std::string program{};
  std::string description{};
  /// For a flag that is not known, if it may be meant for another program: how it gets there.
  std::string other_flags{};
};

/// Which source gave a value, by key: "train.toml:3", "--width", "--set width", "SCAFFOLD_SET_WIDTH". Defaults are not
/// listed.
using Origins = std::map<std::string, std::string>;

/// A struct of settings: copyable, with defaults, and a declare() as knobs.h shows.
template <typename S>
concept SettingsStruct = std::copyable<S> && std::default_initializable<S> && requires(S& settings, Knobs& knobs) {
  settings.declare(knobs);
};

namespace config {
std::optional<Origins> load(const Knobs& knobs, const std::vector<std::string>& arguments, const Sources& sources);
std::string help(const Knobs& knobs, const Sources& sources);
std::string toml(const Knobs& knobs, const Knobs& defaults, const Origins& origins);
std::vector<std::pair<std::string, std::string>> values(const Knobs& knobs);
void write_file(const std::filesystem::path& path, const std::string& text);
Sources with_program(Sources sources, int argc, const char* const* argv);
}  // namespace config

/// Gives `settings` their values from all sources. `arguments` are the flags alone, without the program's name: for
/// callers that took a command off first. When --help is among them it prints the help to standard output and returns
/// nothing.
///
/// Throws one Error that lists everything that is wrong, a usage error if all of it is on the command line and a config
/// error otherwise; `settings` are then as they were.
template <SettingsStruct S>
[[nodiscard]] std::optional<Origins> load_settings(S& settings, const std::vector<std::string>& arguments,
                                                   const Sources& sources = {}) {
  S loaded = settings;
  Knobs knobs;
  loaded.declare(knobs);
  std::optional<Origins> origins = config::load(knobs, arguments, sources);
  if (origins) settings = std::move(loaded);
  return origins;
}

template <SettingsStruct S>
[[nodiscard]] std::optional<Origins> load_settings(S& settings, int argc, const char* const* argv,
                                                   const Sources& sources = {}) {
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  return load_settings(settings, arguments, config::with_program(sources, argc, argv));
}

/// What --help prints; the defaults are the values that `settings` have.
template <SettingsStruct S>
std::string settings_help(const S& settings, const Sources& sources = {}) {
  S copy = settings;
  Knobs knobs;
  copy.declare(knobs);
  return config::help(knobs, sources);
}

/// The settings as a commented TOML file that gives exactly these values when it is read again; secrets are left out.
/// With the origins that load_settings() returned, each value that is no default says where it came from.
/// `untouched` has the same knobs with their defaults.
template <SettingsStruct S>
std::string settings_toml(const S& settings, const Origins& origins = {}, S untouched = {}) {
  S copy = settings;
  Knobs knobs;
  Knobs defaults;
  copy.declare(knobs);
  untouched.declare(defaults);
  return config::toml(knobs, defaults, origins);
}

/// Every knob by its key, with its value as people write it; secrets are left out.
template <SettingsStruct S>
std::vector<std::pair<std::string, std::string>> settings_values(const S& settings) {
  S copy = settings;
  Knobs knobs;
  copy.declare(knobs);
  return config::values(knobs);
}

/// Writes settings_toml() to a file, which is complete or not there at all, even when the machine stops half-way.
template <SettingsStruct S>
void write_settings(const S& settings, const std::filesystem::path& path, const Origins& origins = {}) {
  config::write_file(path, settings_toml(settings, origins));
}

}  // namespace base

#endif  // BASE_CONFIG_SETTINGS_H_
