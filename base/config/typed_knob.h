// typed_knob.h: a knob that refers to a member of type T. Internal to base/config.
#ifndef BASE_CONFIG_TYPED_KNOB_H_
#define BASE_CONFIG_TYPED_KNOB_H_

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "base/config/knob.h"
#include "base/config/knobs.h"
#include "base/config/rule_check.h"
#include "base/config/text.h"
#include "base/config/value.h"
#include "base/log/error.h"
#include "base/log/format.h"

namespace base::config {

/// The elements of a list as a source wrote it: a TOML list, or as a word `1,2` or `[1, 2]`.
std::optional<Literal::List> list_elements(const Literal& literal);

template <typename T>
class TypedKnob final : public Knob {
 public:
  using E = typename Element<T>::Type;
  static constexpr bool kIsList = !std::same_as<T, E>;

  TypedKnob(std::string key, T& value, std::string_view help, const Rule<E>& rule)
      : Knob(std::move(key), help, rule.required, rule.secret), value_(value), rule_(rule) {}

  std::optional<Fault> assign(const Literal& literal) override {
    T read{};
    std::optional<Fault> fault;
    if constexpr (kIsList) {
      fault = read_list(literal, read);
    } else {
      fault = read_element(literal, read);
    }
    if (!fault) value_ = std::move(read);
    return fault;
  }

  std::optional<Fault> settle(const std::optional<std::string>& home) override {
    if constexpr (std::same_as<E, std::filesystem::path>) {
      for (std::filesystem::path& path : elements()) {
        if (std::optional<Fault> fault = settle_path(path, home)) return fault;
      }
    }
    return std::nullopt;
  }

  std::optional<std::string> mistake() const override {
    if constexpr (kHasRange<E>) {
      if (rule_.min && rule_.max && *rule_.max < *rule_.min) return "its min is above its max";
    }
    if (required()) return std::nullopt;  // its default is never used
    for (const E& element : elements()) {
      if (check_rule(rule_, element)) return "its default breaks its own rule";
    }
    return std::nullopt;
  }

  bool is_switch() const override { return std::same_as<T, bool>; }

  bool empty() const override {
    if constexpr (requires { value_.empty(); }) {
      return value_.empty();
    } else {
      return false;
    }
  }

  std::string value_form() const override {
    const std::string one(type_name<E>().value_form);
    return kIsList ? one + ",..." : one;
  }

  std::string limits() const override { return config::limits(rule_); }

  std::string plain_value() const override {
    return print([](const E& element) { return plain_text(element); });
  }

  std::string toml_value() const override {
    const auto element_text = [this](const E& element) {
      require_writable(element);
      return toml_text(element);
    };
    const std::string line = print(element_text);
    if (!kIsList || name().size() + std::string_view(" = ").size() + line.size() <= kListColumns) return line;
    std::string text = "[\n";
    for (const E& element : elements()) text += "  " + element_text(element) + ",\n";
    return text + "]";
  }

 private:
  static constexpr std::size_t kListColumns = 80;  // beyond that, a list has a line for each element

  // A single value as a list of one.
  std::span<E> elements() const {
    if constexpr (kIsList) {
      return std::span(value_);
    } else {
      return std::span(&value_, 1);
    }
  }

  std::optional<Fault> read_element(const Literal& literal, E& element) const {
    switch (read_value(literal, element)) {
      case Reading::kGood:
        return check_rule(rule_, element);
      case Reading::kWrongType:
        return Fault{base::format(" expects {}, found ", type_name<E>().one), describe(literal),
                     "give " + wanted(rule_)};
      case Reading::kNotUtf8:
        return Fault{" is not valid UTF-8: ", describe(literal), "give it in UTF-8"};
      case Reading::kHoldsNul:
        return Fault{" holds a NUL character: ", describe(literal), "take that character out"};
      case Reading::kOutOfRange:
        break;
    }
    return Fault{" is out of range: ", number_text(literal), "give " + wanted_in_type(rule_)};
  }

  static std::string number_text(const Literal& literal) {
    if (const auto* word = std::get_if<Literal::Word>(&literal.value)) return printable(word->text, kShownCharacters);
    const auto* integer = std::get_if<std::int64_t>(&literal.value);
    return integer != nullptr ? plain_text(*integer) : plain_text(std::get<double>(literal.value));
  }

  std::optional<Fault> read_list(const Literal& literal, T& list) const {
    const std::optional<Literal::List> elements = list_elements(literal);
    if (!elements) {
      const TypeName name = type_name<E>();
      const bool is_word = std::holds_alternative<Literal::Word>(literal.value);
      const std::string fix = is_word ? base::format("give a list such as {} or {}", name.list, name.toml_list)
                                      : base::format("give a list such as {}", name.toml_list);
      return Fault{base::format(" expects a list of {}, found ", name.many), describe(literal), fix};
    }
    for (const Literal& element : *elements) {
      std::optional<Fault> fault = read_element(element, list.emplace_back());
      if (!fault) continue;
      fault->what = base::format("[{}]", list.size() - 1) + fault->what;
      return fault;
    }
    return std::nullopt;
  }

  std::optional<Fault> settle_path(std::filesystem::path& path, const std::optional<std::string>& home)
      const requires std::same_as<E, std::filesystem::path> {
    const std::string text = path.string();
    if (text == "~" || text.starts_with("~/")) {
      if (!home) return Fault{" starts with ~ but HOME is not set: ", shown(path), "set HOME or give the whole path"};
      path = *home + text.substr(1);
    }
    std::error_code ignored;
    if (rule_.exists && !path.empty() && !std::filesystem::exists(path, ignored)) {
      return Fault{" does not exist: ", shown(path), "give a path that exists"};
    }
    return std::nullopt;
  }

  // A loaded text is always fit for a file; one that the program set need not be.
  void require_writable(const E& element) const {
    if constexpr (kIsText<E>) {
      std::string ignored;
      if (read_value({std::filesystem::path(element).string()}, ignored) != Reading::kGood) {
        throw Error(ErrorKind::kInternal, key() + " cannot be written: it is not UTF-8 without NUL", "", "");
      }
    }
  }

  template <typename Print>
  std::string print(const Print& print_element) const {
    std::string text;
    for (const E& element : elements()) text += (text.empty() ? "" : ", ") + print_element(element);
    return kIsList ? '[' + text + ']' : text;
  }

  T& value_;
  Rule<E> rule_;
};

}  // namespace base::config

#endif  // BASE_CONFIG_TYPED_KNOB_H_
