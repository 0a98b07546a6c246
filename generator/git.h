// git.h: git, run for what it prints: by its arguments, never through a shell.
#ifndef GENERATOR_GIT_H_
#define GENERATOR_GIT_H_

#include <optional>
#include <string>
#include <vector>

#include "generator/process.h"

namespace generator {

class Git {
 public:
  /// The git on $PATH; nothing if there is none.
  static std::optional<Git> find();

  /// git in a folder. Variables such as GIT_DIR are not passed on, so that a hook that calls us does not lead us
  /// astray.
  ProcessResult run(const std::string& folder, const std::vector<std::string>& arguments,
                    const std::string& input = "") const;

  /// The same; anything but success is an error of the config kind with git's own words.
  std::string output(const std::string& folder, const std::vector<std::string>& arguments,
                     const std::string& input = "") const;
  /// Without the newline at its end.
  std::string line(const std::string& folder, const std::vector<std::string>& arguments) const;

 private:
  Git(std::string path, std::vector<std::string> environment)
      : path_(std::move(path)), environment_(std::move(environment)) {}

  std::string path_;
  std::vector<std::string> environment_;
};

/// Makes a repository of a folder, with all its files in a first commit.
void commit_all(const Git& git, const std::string& folder, const std::string& message);

}  // namespace generator

#endif  // GENERATOR_GIT_H_
