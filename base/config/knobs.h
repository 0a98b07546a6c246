// knobs.h: where the author of a project declares its settings. A plain struct names each member once; that gives the
// TOML key, the flag, the environment variable, the help, the check and the default (see settings.h for using them).
#ifndef BASE_CONFIG_KNOBS_H_
#define BASE_CONFIG_KNOBS_H_

#include <chrono>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace base {

namespace config {
class KnobTable;

template <typename T>
struct Element {
  using Type = T;
};
template <typename T>
struct Element<std::vector<T>> {
  using Type = T;
};

template <typename T, typename... Types>
concept OneOf = (std::same_as<T, Types> || ...);
}  // namespace config

/// What one knob can hold. A std::uint64_t goes up to the largest std::int64_t, because TOML's integers end there.
template <typename T>
concept KnobElement = config::OneOf<T, bool, int, std::int64_t, std::uint64_t, float, double, std::string,
                                    std::filesystem::path, std::chrono::milliseconds>;

/// A knob's type: one of the above, or a list of them (but not of bool: a std::vector<bool> holds no bools to refer
/// to).
template <typename T>
concept KnobType = KnobElement<T> ||
    (KnobElement<typename config::Element<T>::Type> && !std::same_as<typename config::Element<T>::Type, bool>);

/// What a value must satisfy, for numbers and durations. For a list, the rule holds for each element.
template <typename T>
struct Rule {
  std::optional<T> min{};
  std::optional<T> max{};
  std::vector<T> choices{};  // empty: any
  bool required = false;     // some source must give it; a required text, path or list may not be empty either
  bool secret = false;       // never written back, never shown in the help or in an error
};

template <>
struct Rule<bool> {
  bool required = false;
  bool secret = false;
};

template <>
struct Rule<std::string> {
  std::vector<std::string> choices{};
  bool required = false;
  bool secret = false;
};

template <>
struct Rule<std::filesystem::path> {
  bool exists = false;  // there must be a file or folder of this name; an empty path stands for "none" and passes
  bool required = false;
  bool secret = false;
};

/// The rule of a knob of type T: that of its elements if T is a list.
template <typename T>
using RuleOf = Rule<typename config::Element<T>::Type>;

/// The table of knobs that a settings struct fills in its declare():
///
///     struct Settings {
///       int width = 128;
///       OptimizerSettings optimizer;
///       void declare(base::Knobs& knobs) {
///         knobs.add("width", width, "units in the hidden layer", {.min = 1, .max = 8192});
///         knobs.section("optimizer", optimizer, "how the weights move");
///       }
///     };
///
/// It refers to the struct's members, so it must not outlive the struct. A mistake in the declaration (a name twice, a
/// default outside its own rule, ...) is an internal Error, thrown when the settings are loaded.
class Knobs {
 public:
  Knobs();
  ~Knobs();
  Knobs(const Knobs&) = delete;
  Knobs& operator=(const Knobs&) = delete;

  /// Declares one knob. The value at this moment is its default. A name is made of lower-case words with single
  /// underscores between them, as in save_every: a double one stands for the dot in environment variables.
  template <typename T>
  void add(std::string_view name, T& value, std::string_view help, const RuleOf<T>& rule = {}) {
    static_assert(KnobType<T>,
                  "a knob is a bool, int, std::int64_t, std::uint64_t, float, double, std::string, "
                  "std::filesystem::path, std::chrono::milliseconds, or a std::vector of these (but not of bool)");
    add_knob(name, value, help, rule);
  }

  /// Declares a nested struct, which has a declare() of its own, that may take `more`: its knobs are called name.knob,
  /// in a TOML table [name].
  template <typename S, typename... More>
  requires requires(S& settings, Knobs& knobs, const More&... more) { settings.declare(knobs, more...); }
  void section(std::string_view name, S& settings, std::string_view help, const More&... more) {
    open_section(name, help);
    settings.declare(*this, more...);
    close_section();
  }

  /// For the rest of base/config.
  const config::KnobTable& table() const { return *table_; }

 private:
  template <typename T>
  void add_knob(std::string_view name, T& value, std::string_view help, const RuleOf<T>& rule);
  void open_section(std::string_view name, std::string_view help);
  void close_section();

  std::unique_ptr<config::KnobTable> table_;
};

}  // namespace base

#endif  // BASE_CONFIG_KNOBS_H_
