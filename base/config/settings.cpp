#include "base/config/settings.h"

#include <unistd.h>

#include <cstdio>
#include <map>
#include <utility>

#include "base/config/command_line.h"
#include "base/config/environment.h"
#include "base/config/knob_table.h"
#include "base/config/problem.h"
#include "base/config/suggestion.h"
#include "base/config/text.h"
#include "base/config/toml_file.h"
#include "base/log/format.h"

namespace base::config {
namespace {

constexpr double kNear = 0.4;  // of the letters at most, for a slip of the fingers

bool on_command_line(SourceKind source) {
  return source == SourceKind::kFlag || source == SourceKind::kSet;
}

Problem as_problem(const Knob& knob, const Fault& fault, const std::string& where, bool on_command_line) {
  const std::string value = knob.secret() ? "(secret)" : fault.value;
  return {base::format("{}{}{} ({})", knob.key(), fault.what, value, where), fault.fix, on_command_line};
}

// Applies the given values one after the other and collects everything that is wrong with them.
class Loader {
 public:
  Loader(const KnobTable& knobs, const Sources& sources) : knobs_(knobs), sources_(sources) {}

  void apply(const std::vector<Given>& values) {
    for (const Given& given : values) apply(given);
  }

  // Two spellings of one variable have no order that could decide between them.
  void refuse_doubles(const std::vector<Given>& variables) {
    std::map<std::string, std::string> first;
    for (const Given& given : variables) {
      const auto [entry, is_new] = first.emplace(given.key, given.where);
      if (is_new) continue;
      problems_.push_back(
          {base::format("{} and {} give the same setting", entry->second, given.where), "unset one of them"});
    }
  }

  // What is wrong with the command line itself; its values are applied by themselves.
  void add_problems(const CommandLine& line) {
    problems_.insert(problems_.end(), line.problems.begin(), line.problems.end());
    for (const std::string& key : line.without_value) last_.insert_or_assign(key, Last{"--" + key, true, true});
  }

  // To be called when everything is applied.
  Origins finish(const std::optional<std::string>& home) {
    for (const auto& knob : knobs_.knobs()) check(*knob, home);
    if (!problems_.empty()) throw as_error(problems_);
    Origins origins;
    for (const auto& [key, last] : last_) origins[key] = last.where;
    return origins;
  }

 private:
  // The last source that gave a key.
  struct Last {
    std::string where;
    bool on_command_line;
    bool faulty;  // already told, so not checked any further
  };

  void apply(const Given& given) {
    if (Knob* knob = knobs_.find(given.key)) {
      const std::optional<Fault> fault = knob->assign(given.value);
      const Last last{given.where, on_command_line(given.source), fault.has_value()};
      if (fault) problems_.push_back(as_problem(*knob, *fault, last.where, last.on_command_line));
      last_.insert_or_assign(given.key, last);
    } else if (const Section* section = knobs_.find_section(given.key)) {
      refuse_section(given, *section);
    } else {
      refuse_unknown(given);
    }
  }

  void refuse_section(const Given& given, const Section& section) {
    if (std::holds_alternative<Literal::Table>(given.value.value)) return;  // an empty table
    const bool in_file = given.source == SourceKind::kFile;
    const std::string found = in_file ? ", found " + describe(given.value) : "";
    const std::string knob = section.knobs.empty() ? section.key : section.knobs.front()->key();
    problems_.push_back(
        {base::format("{} is a section{} ({})", given.key, found, given.where),
         base::format("give its settings, such as {}{}", given.source == SourceKind::kFlag ? "--" : "", knob),
         on_command_line(given.source)});
  }

  void refuse_unknown(const Given& given) {
    std::vector<std::string> candidates = knobs_.keys();
    const bool is_flag = given.source == SourceKind::kFlag;
    if (is_flag) candidates.insert(candidates.end(), {"config", "set", "help"});
    const std::string nearest = problems_.size() < kMostShown ? nearest_key(given.key, candidates) : "";
    Problem problem{"", "take it out: there are no settings", on_command_line(given.source)};
    const auto suggest = [&](const std::string& spelling) {
      if (!nearest.empty()) problem.fix = base::format("did you mean {}? (--help lists all)", spelling);
    };
    switch (given.source) {
      case SourceKind::kFlag:
        problem.what = "unknown flag: " + given.where;
        suggest("--" + nearest);
        if (!sources_.other_flags.empty() && key_distance(given.key, nearest) > kNear)
          problem.fix = sources_.other_flags;
        break;
      case SourceKind::kEnvironment:
        problem.what = "unknown variable: " + given.where;
        suggest(variable_name(sources_.environment_prefix, nearest));
        break;
      case SourceKind::kSet:
      case SourceKind::kFile:
        problem.what = base::format("unknown setting: {} ({})", printable(given.key, kShownCharacters), given.where);
        suggest(nearest);
        break;
    }
    problems_.push_back(std::move(problem));
  }

  void check(Knob& knob, const std::optional<std::string>& home) {
    const auto found = last_.find(knob.key());
    const bool is_given = found != last_.end();
    const Last last = is_given ? found->second : Last{"its default", false, false};
    if (last.faulty) return;
    if (knob.required() && !is_given) {
      problems_.push_back({knob.key() + " is required", ways_to_give(knob)});
    } else if (knob.required() && knob.empty()) {
      problems_.push_back({base::format("{} is required but empty ({})", knob.key(), last.where), ways_to_give(knob),
                           last.on_command_line});
    } else if (const std::optional<Fault> fault = knob.settle(home)) {
      problems_.push_back(as_problem(knob, *fault, last.where, last.on_command_line));
    }
  }

  std::string ways_to_give(const Knob& knob) const {
    std::string ways =
        base::format("give --{} {}, or {} in a settings file", knob.key(), knob.value_form(), knob.key());
    if (!sources_.environment_prefix.empty()) {
      ways += ", or " + variable_name(sources_.environment_prefix, knob.key());
    }
    return ways;
  }

  const KnobTable& knobs_;
  const Sources& sources_;
  std::map<std::string, Last> last_;
  std::vector<Problem> problems_;
};

}  // namespace

std::optional<Origins> load(const Knobs& knobs, const std::vector<std::string>& arguments, const Sources& sources) {
  const KnobTable& table = knobs.table();
  table.check_declarations();
  const CommandLine line = read_command_line(arguments, table);
  if (line.help) {
    static_cast<void>(std::fputs(help(knobs, sources).c_str(), stdout));
    return std::nullopt;
  }
  const char* const* environment = sources.environment != nullptr ? sources.environment : environ;
  const std::vector<Given> variables = read_environment(environment, sources.environment_prefix);

  Loader loader(table, sources);
  if (line.file || !sources.file.empty()) {
    loader.apply(read_toml_files(line.file ? std::filesystem::path(*line.file) : sources.file, table));
  }
  loader.refuse_doubles(variables);
  loader.apply(variables);
  loader.add_problems(line);
  loader.apply(line.given);
  return loader.finish(variable(environment, "HOME"));
}

Sources with_program(Sources sources, int argc, const char* const* argv) {
  if (sources.program.empty() && argc > 0) sources.program = std::filesystem::path(argv[0]).filename().string();
  return sources;
}

}  // namespace base::config
