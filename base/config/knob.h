// knob.h: one declared knob, whatever its type. Internal to base/config.
#ifndef BASE_CONFIG_KNOB_H_
#define BASE_CONFIG_KNOB_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/config/literal.h"

namespace base::config {

/// Why a value is refused. A message is made of the knob's key, `what`, and `value` (or "(secret)" in its place).
struct Fault {
  std::string what;   // " is out of range: "
  std::string value;  // "-1"
  std::string fix;    // "give an integer from 1 to 8192"
};

class Knob {
 public:
  Knob(std::string key, std::string_view help, bool required, bool secret)
      : key_(std::move(key)), help_(help), required_(required), secret_(secret) {}
  virtual ~Knob() = default;
  Knob(const Knob&) = delete;
  Knob& operator=(const Knob&) = delete;

  const std::string& key() const { return key_; }
  /// The key without its section.
  std::string name() const { return key_.substr(key_.rfind('.') + 1); }
  const std::string& help() const { return help_; }
  bool required() const { return required_; }
  bool secret() const { return secret_; }

  /// Gives the member a value that fits its type and rule; otherwise says why not and leaves it alone.
  virtual std::optional<Fault> assign(const Literal& literal) = 0;
  /// What only the value that won is asked for: a ~ in front of a path becomes the home folder, `exists` is checked.
  virtual std::optional<Fault> settle(const std::optional<std::string>& home) = 0;
  /// What is wrong with the rule itself or with the default under it.
  virtual std::optional<std::string> mistake() const = 0;

  /// A flag of this knob needs no value.
  virtual bool is_switch() const = 0;
  /// The value is an empty text, path or list.
  virtual bool empty() const = 0;

  /// For the help: "INTEGER", "PATH,..."; the limits: "1 to 8192"; the value as people and as TOML files write it.
  virtual std::string value_form() const = 0;
  virtual std::string limits() const = 0;
  virtual std::string plain_value() const = 0;
  virtual std::string toml_value() const = 0;

 private:
  std::string key_;
  std::string help_;
  bool required_;
  bool secret_;
};

}  // namespace base::config

#endif  // BASE_CONFIG_KNOB_H_
