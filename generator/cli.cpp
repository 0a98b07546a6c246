#include "generator/cli.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <string_view>
#include <vector>

#include "base/log/error.h"
#include "base/log/suggest.h"

namespace generator {
namespace {

constexpr const char* kHelp = "`scaffold --help` lists the commands";

/// In our own words, since CLI11's do not say what was meant.
base::Error not_understood(const CLI::App& app, const std::string& word) {
  const bool is_option = word.starts_with('-');
  const bool is_command = !is_option && app.get_subcommands().empty();
  std::vector<std::string> known{"--help", "--version"};
  if (is_command) {
    known.clear();
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
      known.push_back(command->get_name());
    }
  }
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  const std::string meant(base::nearest_word(word, candidates));
  const char* const what = is_command ? "unknown command" : is_option ? "unknown option" : "unexpected argument";
  return {base::ErrorKind::kUsage, what, word, (meant.empty() ? "" : "did you mean `" + meant + "`? ") + kHelp};
}

/// Without the blank lines that CLI11 ends it with, how many depends on its version.
std::string help_of(const CLI::App& app) {
  const std::string help = app.help();
  return help.substr(0, help.find_last_not_of('\n') + 1);
}

}  // namespace

Invocation parse(int argc, const char* const* argv) {
  CLI::App app("Writes deep-learning projects in C++ that train the minute they are built.", "scaffold");
  app.set_version_flag("--version", "scaffold " SCAFFOLD_VERSION, "Print the version");
  app.require_subcommand(0, 1);
  const CLI::App* doctor = app.add_subcommand("doctor", "Look at what this machine has and how to get what it lacks");

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion& version) {
    return {Command::kPrint, version.what()};
  } catch (const CLI::CallForHelp&) {
    return {Command::kPrint, help_of(app)};
  } catch (const CLI::ExtrasError& error) {
    const std::vector<std::string> words = app.remaining(true);
    throw not_understood(app, words.empty() ? error.what() : words.front());
  } catch (const CLI::ParseError& error) {
    throw base::Error(base::ErrorKind::kUsage, error.what(), "", kHelp);
  }
  if (doctor->parsed()) return {Command::kDoctor, ""};
  return {Command::kPrint, help_of(app)};
}

}  // namespace generator
