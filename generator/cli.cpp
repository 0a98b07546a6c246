#include "generator/cli.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <string_view>
#include <vector>

#include "base/log/error.h"
#include "base/log/suggest.h"
#include "generator/pages.h"
#include "generator/template_set.h"
#include "generator/words.h"

namespace generator {
namespace {

/// Without the blank lines that CLI11 ends it with, how many depends on its version.
std::string help_of(const CLI::App& app) {
  const std::string help = app.help();
  return help.substr(0, help.find_last_not_of('\n') + 1);
}

/// The commands and their options, bound to an Invocation.
class CommandLine {
 public:
  CommandLine()
      : set_(embedded_templates()),
        app_("Writes deep-learning projects in C++ that train the minute they are built.", "scaffold") {
    version_ = "scaffold " SCAFFOLD_VERSION " (templates " + set_.version + ")";
    app_.set_version_flag("--version", version_, "Print the version, and that of the templates");
    app_.require_subcommand(0, 1);
    add_new_project();
    add_add();
    add_updates();
    add_catalog();
    add_command("doctor", "Look at what this machine has and how to get what it lacks", Command::kDoctor);
    add_pages();
  }

  Invocation parse(int argc, const char* const* argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::CallForVersion& version) {
      return {Command::kPrint, version.what()};
    } catch (const CLI::CallForHelp&) {
      return {Command::kPrint, help_of(app_)};
    } catch (const CLI::ExtrasError& error) {
      const std::vector<std::string> words = app_.remaining(true);
      throw not_understood(words.empty() ? error.what() : words.front());
    } catch (const CLI::ParseError& error) {
      throw base::Error(base::ErrorKind::kUsage, error.what(), "", help_hint());
    }
    if (app_.get_subcommands().empty()) return {Command::kPrint, help_of(app_)};
    return invocation_;
  }

 private:
  CLI::App* add_command(const std::string& name, const std::string& text, Command command) {
    CLI::App* const added = app_.add_subcommand(name, text);
    added->callback([this, command] { invocation_.command = command; });
    return added;
  }

  /// "a|b|c", which the help shows and the completion offers.
  template <typename List, typename Member>
  static std::string alternatives(const List& list, Member member) {
    return joined(words_of(list, member), "|");
  }

  static void add_templates(CLI::App& command, std::string& variable) {
    command.add_option("--templates", variable, "Use the template set of a folder instead of the built-in one")
        ->type_name("DIR");
  }

  static void add_answers(CLI::App& command, GivenAnswers& answers) {
    const auto keep = [&answers](const CLI::results_t& values) {
      for (const std::string& value : values) {
        const std::size_t at = value.find('=');
        if (at == std::string::npos) {
          throw base::Error(base::ErrorKind::kUsage, "--set takes an answer as key=value", value, "--set cuda=yes");
        }
        answers.emplace_back(value.substr(0, at), value.substr(at + 1));
      }
      return true;
    };
    command.add_option("--set", keep, "Give an answer by its key; may be repeated")
        ->type_name("KEY=VALUE")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }

  void add_new_project() {
    CLI::App& command = *add_command("new-project",
                                     "Write a new project. Asks what no option says if a terminal is there, "
                                     "and takes the defaults if not",
                                     Command::kNewProject);
    NewProjectOptions& options = invocation_.project;
    command.add_option("NAME", options.name, "Name: letters, digits and single - or _")->type_name("");
    command.add_option("DIR", options.folder, "Folder of its own (default: ./NAME)")->type_name("");
    for (const Question& question : set_.questions) add_question(command, question);
    add_answers(command, options.answers);
    command.add_option("--answers", options.answers_file, "Take answers from a JSON file")->type_name("FILE");
    command.add_flag("--defaults", options.takes_defaults, "Ask nothing");
    command.add_flag("--dry-run", options.is_dry_run, "Show what would be written, with sizes in bytes");
    command.add_flag_callback(
        "--no-git", [&options] { options.uses_git = false; }, "Make no git repository");
    add_templates(command, options.templates);
  }

  /// A named flag for a question of the built-in set.
  void add_question(CLI::App& command, const Question& question) {
    GivenAnswers& answers = invocation_.project.answers;
    std::string flag = question.key;
    std::replace(flag.begin(), flag.end(), '_', '-');
    if (question.kind == Question::Kind::kBool) {
      const std::string no = flag.starts_with("with-") ? "without-" + flag.substr(5) : "no-" + flag;
      const auto give = [&answers, key = question.key](const char* value) {
        return [&answers, key, value] { answers.emplace_back(key, value); };
      };
      CLI::Option* const yes = command.add_flag_callback("--" + flag, give("yes"), question.text);
      command.add_flag_callback("--" + no, give("no"), "The opposite")->excludes(yes);
      return;
    }
    const auto keep = [&answers, key = question.key](const CLI::results_t& values) {
      answers.emplace_back(key, joined(values, ","));
      return true;
    };
    const bool is_list = question.kind == Question::Kind::kList;
    CLI::Option* const option =
        command.add_option("--" + flag, keep, question.text + (is_list ? "; several as a,b" : ""));
    option->type_name(question.choices.empty() ? "TEXT" : alternatives(question.choices, &Choice::value));
    option->multi_option_policy(is_list ? CLI::MultiOptionPolicy::TakeAll : CLI::MultiOptionPolicy::TakeLast);
  }

  void add_add() {
    CLI::App& command = *add_command("add", "Add a class with its TODOs and a test to the project", Command::kAdd);
    command.add_option("KIND", invocation_.kind, "What to add")
        ->type_name(alternatives(set_.additions, &Addition::kind))
        ->required();
    command.add_option("NAME", invocation_.name, "Name of the class: ResNetTiny or res_net_tiny")
        ->type_name("")
        ->required();
    add_templates(command, invocation_.templates);
  }

  void add_updates() {
    CLI::App& update = *add_command(
        "update", "Merge newer templates, or other answers, into the project; exit code 2 if conflicts are left",
        Command::kUpdate);
    CLI::App& check = *add_command(
        "check", "Tell the state of each file; exit code 2 if an update would change something", Command::kCheck);
    CLI::App& diff = *add_command("diff", "Show what an update would change", Command::kDiff);
    for (CLI::App* command : {&update, &check, &diff}) {
      add_answers(*command, invocation_.update.answers);
      add_templates(*command, invocation_.update.templates);
    }
    const auto keep = [this](const CLI::results_t& values) {
      if (values.back() != "inline" && values.back() != "rej") {
        throw base::Error(base::ErrorKind::kUsage, "unknown way to write conflicts", values.back(),
                          "it is inline or rej");
      }
      invocation_.update.conflict = values.back() == "rej" ? ConflictStyle::kReject : ConflictStyle::kInline;
      return true;
    };
    update
        .add_option("--conflict", keep, "Write conflicts into the file, or into FILE.rej beside it (default: inline)")
        ->type_name("inline|rej");
  }

  void add_catalog() {
    CLI::App& list = *add_command("list", "List the tasks, and what can be added to a project", Command::kList);
    add_templates(list, invocation_.templates);
    CLI::App& show = *add_command("show", "Tell what a task is for and which files its project has", Command::kShow);
    const Question* const question = set_.find("task");
    show.add_option("TASK", invocation_.name, "One that `scaffold list` lists")
        ->type_name(question != nullptr ? alternatives(question->choices, &Choice::value) : "TEXT")
        ->required();
    add_templates(show, invocation_.templates);
  }

  void add_pages() {
    CLI::App& completion = *add_command("completion", "Print the completion script of a shell", Command::kPrint);
    const auto print = [this](const CLI::results_t& values) {
      if (values.back() != "bash" && values.back() != "zsh") {
        throw base::Error(base::ErrorKind::kUsage, "no completion for this shell", values.back(), "it is bash or zsh");
      }
      invocation_.text = values.back() == "zsh" ? zsh_completion(app_) : bash_completion(app_);
      return true;
    };
    completion.add_option("SHELL", print, "The shell")->type_name("bash|zsh")->required();
    CLI::App& manual = *app_.add_subcommand("man", "Print the manual page: scaffold man | man -l -");
    manual.callback([this] { invocation_.text = manual_page(app_, version_); });
  }

  /// In our own words, since CLI11's do not say what was meant.
  base::Error not_understood(const std::string& word) const {
    const std::vector<const CLI::App*> chosen = chosen_commands();
    const bool is_option = word.starts_with('-');
    const bool is_command = !is_option && chosen.empty();
    std::vector<std::string> known;
    if (is_command) {
      for (const CLI::App* command : app_.get_subcommands([](const CLI::App*) { return true; })) {
        known.push_back(command->get_name());
      }
    } else if (is_option) {
      const CLI::App& command = chosen.empty() ? app_ : *chosen.front();
      for (const CLI::Option* option : command.get_options()) {
        for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
      }
    }
    const std::vector<std::string_view> candidates(known.begin(), known.end());
    const std::string meant(base::nearest_word(word.substr(0, word.find('=')), candidates));
    const char* const what = is_command ? "unknown command" : is_option ? "unknown option" : "unexpected argument";
    return {base::ErrorKind::kUsage, what, word, (meant.empty() ? "" : "did you mean `" + meant + "`? ") + help_hint()};
  }

  std::string help_hint() const {
    const std::vector<const CLI::App*> chosen = chosen_commands();
    return chosen.empty() ? "`scaffold --help` lists the commands"
                          : "`scaffold " + chosen.front()->get_name() + " --help` says what it takes";
  }

  std::vector<const CLI::App*> chosen_commands() const {
    const std::vector<CLI::App*> chosen = app_.get_subcommands();
    return {chosen.begin(), chosen.end()};
  }

  const TemplateSet set_;
  CLI::App app_;
  std::string version_;
  Invocation invocation_;
};

}  // namespace

Invocation parse(int argc, const char* const* argv) {
  return CommandLine().parse(argc, argv);
}

}  // namespace generator
