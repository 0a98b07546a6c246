#include "generator/git.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <utility>

#include "base/log/error.h"
#include "generator/probe.h"

namespace generator {
namespace {

constexpr ProcessLimits kLimits{.time = std::chrono::minutes(5), .output = std::size_t{1} << 28};

/// Those of git's that say where a repository is, as `git rev-parse --local-env-vars` lists them.
bool leads_elsewhere(std::string_view variable) {
  static constexpr std::array kNames = std::to_array<std::string_view>(
      {"GIT_ALTERNATE_OBJECT_DIRECTORIES=", "GIT_COMMON_DIR=", "GIT_CONFIG=", "GIT_CONFIG_COUNT=",
       "GIT_CONFIG_PARAMETERS=", "GIT_DIR=", "GIT_GRAFT_FILE=", "GIT_IMPLICIT_WORK_TREE=", "GIT_INDEX_FILE=",
       "GIT_INTERNAL_SUPER_PREFIX=", "GIT_NAMESPACE=", "GIT_NO_REPLACE_OBJECTS=", "GIT_OBJECT_DIRECTORY=",
       "GIT_PREFIX=", "GIT_REPLACE_REF_BASE=", "GIT_SHALLOW_FILE=", "GIT_WORK_TREE=", "LC_ALL=", "LANGUAGE="});
  return std::any_of(kNames.begin(), kNames.end(), [&](std::string_view name) { return variable.starts_with(name); });
}

}  // namespace

std::optional<Git> Git::find() {
  const std::optional<std::string> path = SystemProbe().find_program("git");
  if (!path) return std::nullopt;
  std::vector<std::string> environment{"LC_ALL=C"};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!leads_elsewhere(*variable)) environment.emplace_back(*variable);
  }
  return Git(*path, std::move(environment));
}

ProcessResult Git::run(const std::string& folder, const std::vector<std::string>& arguments,
                       const std::string& input) const {
  std::vector<std::string> argv{path_, "-C", folder};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return run_process(argv, kLimits, {input, environment_});
}

std::string Git::output(const std::string& folder, const std::vector<std::string>& arguments,
                        const std::string& input) const {
  ProcessResult result = run(folder, arguments, input);
  if (result.failure.empty()) return std::move(result.output);
  std::string words = result.complaint.substr(0, result.complaint.find_last_not_of('\n') + 1);
  if (words.empty()) words = result.failure;
  // The command: before it may stand settings, -c and what it takes.
  const auto command = std::find_if(arguments.begin(), arguments.end(), [](const std::string& argument) {
    return !argument.starts_with('-') && argument.find('=') == std::string::npos;
  });
  throw base::Error(base::ErrorKind::kConfig, "git " + (command != arguments.end() ? *command : "") + " failed", words,
                    "see what git says");
}

std::string Git::line(const std::string& folder, const std::vector<std::string>& arguments) const {
  std::string text = output(folder, arguments);
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

void commit_all(const Git& git, const std::string& folder, const std::string& message) {
  git.output(folder, {"init", "-q"});
  git.output(folder, {"add", "--all", "--force"});  // what a user ignores everywhere may be part of this project
  // Neither a hook nor a key with a password may stand between a user and the project; and there is nothing to tidy up.
  const std::vector<std::string> commit{"-c",          "maintenance.auto=false", "commit", "-q",
                                        "--no-verify", "--no-gpg-sign",          "-m",     message};
  if (git.run(folder, commit).failure.empty()) return;
  std::vector<std::string> with_identity{"-c", "user.name=scaffold", "-c", "user.email=scaffold@localhost"};
  with_identity.insert(with_identity.end(), commit.begin(), commit.end());
  git.output(folder, with_identity);
}

}  // namespace generator
