// support.h: template sets, projects and git for the tests of the generator.
#ifndef TESTS_GENERATOR_SUPPORT_H_
#define TESTS_GENERATOR_SUPPORT_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/log/error.h"
#include "generator/git.h"
#include "tests/support/temporary_folder.h"

namespace generator {

/// The message of the Error that `run` throws, after checking its kind.
template <typename Run>
std::string complaint(base::ErrorKind kind, const Run& run) {
  try {
    run();
  } catch (const base::Error& error) {
    EXPECT_EQ(base::info(kind).name, base::info(error.kind()).name) << error.what();
    return error.what();
  }
  return "nothing was thrown";
}

/// The files below a folder by their paths, without git's own; an executable one has a * behind its path.
inline std::map<std::string, std::string> tree_of(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::map<std::string, std::string> tree;
  for (auto at = fs::recursive_directory_iterator(folder); at != fs::recursive_directory_iterator(); ++at) {
    if (at->path().filename() == ".git") {
      at.disable_recursion_pending();
    } else if (!at->is_directory()) {
      const bool is_executable = (at->status().permissions() & fs::perms::owner_exec) != fs::perms::none;
      tree[at->path().lexically_relative(folder).string() + (is_executable ? "*" : "")] = base::contents_of(at->path());
    }
  }
  return tree;
}

inline std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

inline std::string git(const std::filesystem::path& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"-c", "user.name=Test", "-c", "user.email=test@localhost"});
  return Git::find()->output(folder.string(), arguments);
}

inline void commit(const std::filesystem::path& folder) {
  git(folder, {"add", "--all"});
  git(folder, {"commit", "-q", "--allow-empty", "-m", "edit"});
}

/// template.json around the lists of questions and files.
inline std::string index_of(const std::string& questions, const std::string& files, const std::string& more = "",
                            const std::string& version = "1.0") {
  return "{\"version\": \"" + version + "\",\n\"questions\": [" + questions + "],\n\"files\": [" + files + "]" + more +
         "}\n";
}

}  // namespace generator

#endif  // TESTS_GENERATOR_SUPPORT_H_
