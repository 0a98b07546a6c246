// add.h: `scaffold add`: one more class in a project, with its test, wired in.
#ifndef GENERATOR_ADD_H_
#define GENERATOR_ADD_H_

#include <filesystem>
#include <string>

namespace generator {

struct AddOptions {
  std::string kind;            // of the set's additions: model, data-loader, trainer, callback
  std::string name;            // ResNetTiny or res_net_tiny
  std::string templates = {};  // a folder; empty: what the project was made from
};

/// Writes the addition's files and its lines in files that are there, and returns what to tell the user. A file that is
/// there already is an error of the usage kind, and nothing is written. Lines whose place is gone are printed instead.
std::string add_to_project(const std::filesystem::path& folder, const AddOptions& options);

}  // namespace generator

#endif  // GENERATOR_ADD_H_
