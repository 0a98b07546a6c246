// suggestion.h: the declared key that a misspelt one most likely means. Internal to base/config.
#ifndef BASE_CONFIG_SUGGESTION_H_
#define BASE_CONFIG_SUGGESTION_H_

#include <span>
#include <string>
#include <string_view>

namespace base::config {

/// From 0, the same, to 1, nothing in common: the edit distance of the whole dotted keys as a part of the longer one's
/// length, or, if that is less, 0.1 + the same of their last names. A part, so that a short key is not near everything;
/// the last names, so that learning_rate, forgotten to be put into its section, is near optimizer.learning_rate.
double key_distance(std::string_view key, std::string_view declared);

/// The nearest of the declared keys, the first of them if several are; "" if there are none. Only the first 128 bytes
/// of `key` count: more is no typing error, and a hostile file must not cost minutes.
std::string nearest_key(std::string_view key, std::span<const std::string> declared);

}  // namespace base::config

#endif  // BASE_CONFIG_SUGGESTION_H_
