#include "generator/pages.h"

#include <CLI/App.hpp>
#include <cstddef>
#include <string_view>
#include <vector>

#include "base/log/format.h"
#include "generator/words.h"

namespace generator {
namespace {

/// One option or positional argument, as a completion or a page sees it.
struct Argument {
  std::vector<std::string> flags;   // "--task"; empty: positional
  std::string name;                 // of a positional one
  std::string value;                // "TEXT", "DIR", "a|b"; empty: it takes none
  std::vector<std::string> values;  // those to offer
  std::string text;
};

struct CommandPage {
  std::string name;
  std::string text;
  std::vector<Argument> arguments;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(separator, start), text.size());
    parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

CommandPage read(const CLI::App& command) {
  CommandPage page{command.get_name(), command.get_description(), {}};
  for (const CLI::Option* option : command.get_options()) {
    Argument argument;
    for (const std::string& name : option->get_snames()) argument.flags.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) argument.flags.push_back("--" + name);
    argument.name = option->get_positional() ? option->get_name(true) : "";
    argument.value = option->get_items_expected_max() > 0 ? option->get_type_name() : "";
    if (argument.value.find('|') != std::string::npos) argument.values = split(argument.value, '|');
    argument.text = option->get_description();
    page.arguments.push_back(argument);
  }
  return page;
}

std::vector<CommandPage> read_commands(const CLI::App& app) {
  std::vector<CommandPage> pages;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    pages.push_back(read(*command));
  return pages;
}

std::vector<std::string> flags_of(const CommandPage& page) {
  std::vector<std::string> flags;
  for (const Argument& argument : page.arguments)
    flags.insert(flags.end(), argument.flags.begin(), argument.flags.end());
  return flags;
}

/// What an option's value is completed with, in bash.
std::string bash_values(const Argument& argument) {
  if (!argument.values.empty()) {
    return base::format(R"(COMPREPLY=($(compgen -W "{}" -- "$word")))", joined(argument.values, " "));
  }
  if (argument.value == "DIR") return R"(compopt -o filenames; COMPREPLY=($(compgen -d -- "$word")))";
  if (argument.value == "FILE") return R"(compopt -o filenames; COMPREPLY=($(compgen -f -- "$word")))";
  return "COMPREPLY=()";
}

/// In single quotes, with what _arguments takes for its own notation escaped.
std::string zsh_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
      continue;
    }
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_action(const Argument& argument) {
  if (!argument.values.empty()) return "(" + joined(argument.values, " ") + ")";
  if (argument.value == "DIR") return "_files -/";
  if (argument.value == "FILE") return "_files";
  return "";
}

/// With what roff takes for its own escaped; a line must not start with a dot or a quote.
std::string roff_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') result += "\\e";
    if (c == '-') result += "\\-";
    if (c != '\\' && c != '-') result += c;
  }
  return result.starts_with('.') || result.starts_with('\'') ? "\\&" + result : result;
}

std::string roff_argument(const Argument& argument) {
  std::string term;
  for (const std::string& flag : argument.flags)
    term += (term.empty() ? "" : ", ") + ("\\fB" + roff_text(flag) + "\\fR");
  if (term.empty()) term = "\\fI" + roff_text(argument.name) + "\\fR";
  if (!argument.flags.empty() && !argument.value.empty()) term += " \\fI" + roff_text(argument.value) + "\\fR";
  std::string text = roff_text(argument.text);
  if (argument.flags.empty() && !argument.values.empty()) text += ": " + roff_text(joined(argument.values, ", "));
  return ".TP\n" + term + "\n" + text + "\n";
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  const std::vector<CommandPage> commands = read_commands(app);
  const std::vector<std::string_view> names = words_of(commands, &CommandPage::name);
  std::string text =
      "# bash completion for scaffold, written by `scaffold completion bash`\n"
      "_scaffold() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n";
  text += base::format("    COMPREPLY=($(compgen -W \"{} {}\" -- \"$word\"))\n", joined(names, " "),
                       joined(flags_of(read(app)), " "));
  text += "    return\n  fi\n  case $command in\n";
  for (const CommandPage& command : commands) {
    text += "    " + command.name + ")\n      case $before in\n";
    std::vector<std::string> words = flags_of(command);
    for (const Argument& argument : command.arguments) {
      if (argument.flags.empty()) words.insert(words.end(), argument.values.begin(), argument.values.end());
      if (argument.flags.empty() || argument.value.empty()) continue;
      text += "        " + joined(argument.flags, " | ") + ") " + bash_values(argument) + " ;;\n";
    }
    text += base::format("        *) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")) ;;\n      esac\n      ;;\n",
                         joined(words, " "));
  }
  text += "  esac\n}\ncomplete -F _scaffold scaffold";
  return text;
}

std::string zsh_completion(const CLI::App& app) {
  std::string text =
      "#compdef scaffold\n# written by `scaffold completion zsh`\n_scaffold() {\n  local -a commands\n  commands=(\n";
  const std::vector<CommandPage> commands = read_commands(app);
  for (const CommandPage& command : commands) text += "    '" + command.name + ":" + zsh_text(command.text) + "'\n";
  text +=
      "  )\n  if ((CURRENT == 2)); then\n    _describe command commands\n    return\n  fi\n"
      "  local command=$words[2]\n  shift words\n  ((CURRENT--))\n  case $command in\n";
  for (const CommandPage& command : commands) {
    text += "    " + command.name + ")\n      _arguments";
    for (const Argument& argument : command.arguments) {
      const std::string action = zsh_action(argument);
      if (argument.flags.empty()) {
        text += " \\\n        ':" + zsh_text(argument.name) + ":" + action + "'";
        continue;
      }
      for (const std::string& flag : argument.flags) {
        text += " \\\n        '" + flag + "[" + zsh_text(argument.text) + "]";
        if (!argument.value.empty()) text.append(":").append(zsh_text(argument.value)).append(":").append(action);
        text += "'";
      }
    }
    text += "\n      ;;\n";
  }
  return text + "  esac\n}\n_scaffold \"$@\"";
}

std::string manual_page(const CLI::App& app, const std::string& version) {
  std::string text = R"(.TH SCAFFOLD 1 "" ")" + roff_text(version) + "\" \"User Commands\"\n.SH NAME\n";
  text +=
      "scaffold \\- deep\\-learning projects in C++\n.SH SYNOPSIS\n.B scaffold\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n";
  text += ".SH DESCRIPTION\n" + roff_text(app.get_description()) + "\n";
  for (const Argument& argument : read(app).arguments) text += roff_argument(argument);
  text += ".SH COMMANDS\n";
  for (const CommandPage& command : read_commands(app)) {
    text += ".SS " + roff_text(command.name) + "\n" + roff_text(command.text) + ".\n";
    for (const Argument& argument : command.arguments) text += roff_argument(argument);
  }
  text +=
      ".SH EXIT STATUS\n0 is success. Of \\fBscaffold check\\fR, 2 says that an update would change something. "
      "1 is a defect of scaffold itself, 2 something that the machine lacks, 3 a wrong command line, 4 a wrong file.";
  return text;
}

}  // namespace generator
