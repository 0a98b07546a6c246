// help.h: a knob in words, for --help and for the comments of a written file. Internal to base/config.
#ifndef BASE_CONFIG_HELP_H_
#define BASE_CONFIG_HELP_H_

#include <cstddef>
#include <string>

#include "base/config/knob.h"

namespace base::config {

inline constexpr std::size_t kColumns = 100;

/// `units in the hidden layer (1 to 8192, default 128)`, where the default is the value that the knob has.
std::string sentence(const Knob& knob);

}  // namespace base::config

#endif  // BASE_CONFIG_HELP_H_
