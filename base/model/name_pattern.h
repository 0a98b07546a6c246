// name_pattern.h: layers and weights chosen by name.
#ifndef BASE_MODEL_NAME_PATTERN_H_
#define BASE_MODEL_NAME_PATTERN_H_

#include <string>
#include <vector>

namespace base {

/// True if the pattern stands for the name: "layer1.0.conv1.weight" for itself, "layer1" for all that is in it, and *,
/// ? and [...] as in a shell, where * goes across dots too: "layer1.*", "*.bias".
bool matches(const std::string& pattern, const std::string& name);

/// The names that a pattern stands for. A pattern that stands for none is a usage Error with the nearest name.
std::vector<std::string> matching_names(const std::vector<std::string>& patterns,
                                        const std::vector<std::string>& names);

}  // namespace base

#endif  // BASE_MODEL_NAME_PATTERN_H_
