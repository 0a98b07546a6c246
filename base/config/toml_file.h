// toml_file.h: reads a settings file and those it inherits from. Internal to base/config.
#ifndef BASE_CONFIG_TOML_FILE_H_
#define BASE_CONFIG_TOML_FILE_H_

#include <filesystem>
#include <vector>

#include "base/config/literal.h"

namespace base::config {

class KnobTable;

/// The values in the file and in those it inherits from: the farthest ancestor's first, each file's in its own order.
/// Throws a config Error if one of the files cannot be used at all.
std::vector<Given> read_toml_files(const std::filesystem::path& file, const KnobTable& knobs);

}  // namespace base::config

#endif  // BASE_CONFIG_TOML_FILE_H_
