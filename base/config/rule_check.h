// rule_check.h: what a knob's rule says about a value, and in words. Internal to base/config.
#ifndef BASE_CONFIG_RULE_CHECK_H_
#define BASE_CONFIG_RULE_CHECK_H_

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/config/knob.h"
#include "base/config/knobs.h"
#include "base/config/text.h"
#include "base/config/value.h"
#include "base/log/format.h"

namespace base::config {

template <typename E>
inline constexpr bool kIsText = std::same_as<E, std::string> || std::same_as<E, std::filesystem::path>;
template <typename E>
inline constexpr bool kHasRange = requires(Rule<E> rule) {
  rule.min;
};
template <typename E>
inline constexpr bool kHasChoices = requires(Rule<E> rule) {
  rule.choices;
};

template <typename E>
std::string choices_text(const Rule<E>& rule) {
  if (rule.secret) return "one of its choices";
  std::vector<std::string> choices;
  for (const E& choice : rule.choices) choices.push_back(plain_text(choice));
  return one_of(choices);
}

/// A value as messages show it.
template <typename E>
std::string shown(const E& element) {
  if constexpr (kIsText<E>) {
    return in_quotes(std::filesystem::path(element).string(), kShownCharacters);
  } else {
    return plain_text(element);
  }
}

/// For the help: "1 to 8192", "\"sgd\" or \"adam\""; "" if everything is allowed.
template <typename E>
std::string limits(const Rule<E>& rule) {
  if constexpr (kHasChoices<E>) {
    if (!rule.choices.empty()) return choices_text(rule);
  }
  if constexpr (kHasRange<E>) {
    if (rule.min && rule.max) return plain_text(*rule.min) + " to " + plain_text(*rule.max);
    if (rule.min) return "at least " + plain_text(*rule.min);
    if (rule.max) return "at most " + plain_text(*rule.max);
  }
  if constexpr (std::same_as<E, std::filesystem::path>) {
    if (rule.exists) return "must exist";
  }
  return "";
}

/// For a fix: "an integer from 1 to 8192".
template <typename E>
std::string wanted(const Rule<E>& rule) {
  const TypeName name = type_name<E>();
  if constexpr (kHasChoices<E>) {
    if (!rule.choices.empty()) return choices_text(rule);
  }
  if constexpr (kHasRange<E>) {
    if (rule.min && rule.max) {
      return base::format("{} from {} to {}", name.one, plain_text(*rule.min), plain_text(*rule.max));
    }
    if (rule.min) return base::format("{} of at least {}", name.one, plain_text(*rule.min));
    if (rule.max) return base::format("{} of at most {}", name.one, plain_text(*rule.max));
  }
  return std::string(name.example);
}

/// The same for a number that its type cannot hold: with the type's limits where the rule has none.
template <typename E>
std::string wanted_in_type(const Rule<E>& rule) {
  if constexpr (kHasRange<E> && std::numeric_limits<E>::is_specialized) {
    Rule<E> complete{.min = rule.min.value_or(std::numeric_limits<E>::lowest()), .max = rule.max};
    constexpr bool kBeyondToml = std::same_as<E, std::uint64_t>;
    if (!rule.max) {
      complete.max =
          kBeyondToml ? static_cast<E>(std::numeric_limits<std::int64_t>::max()) : std::numeric_limits<E>::max();
    }
    return wanted(complete);
  } else {
    return wanted(rule);
  }
}

/// Why the rule refuses a value, if it does.
template <typename E>
std::optional<Fault> check_rule(const Rule<E>& rule, const E& element) {
  if constexpr (kHasRange<E>) {
    if ((rule.min && element < *rule.min) || (rule.max && *rule.max < element)) {
      return Fault{" is out of range: ", shown(element), "give " + wanted(rule)};
    }
  }
  if constexpr (kHasChoices<E>) {
    if (!rule.choices.empty() && std::ranges::find(rule.choices, element) == rule.choices.end()) {
      return Fault{" is none of its choices: ", shown(element), "give " + wanted(rule)};
    }
  }
  return std::nullopt;
}

}  // namespace base::config

#endif  // BASE_CONFIG_RULE_CHECK_H_
