// Written by hand and not with CLI11, which the generator uses: a value must arrive exactly as it was typed and all
// mistakes must be found in one go. CLI11 takes the next argument for the value of `--name=`, its newer versions turn
// [[aa]] into [a], and it stops at the first mistake.
#include "base/config/command_line.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/config/knob_table.h"
#include "base/config/text.h"
#include "base/log/format.h"

namespace base::config {
namespace {

class Reader {
 public:
  Reader(const std::vector<std::string>& arguments, const KnobTable& knobs) : arguments_(arguments), knobs_(knobs) {}

  CommandLine read() {
    while (next_ < arguments_.size()) {
      const std::string& argument = arguments_[next_++];
      if (argument == "-h" || argument == "--help") {
        line_.help = true;
      } else if (argument.size() > 1 && argument[0] == '-' && argument != "--") {
        read_flag(argument);
      } else {
        complain(base::format("a word that belongs to no flag: {}", show(argument)), "give settings as --KEY VALUE");
      }
    }
    return std::move(line_);
  }

 private:
  void read_flag(std::string_view argument) {
    const std::size_t equals = argument.find('=');
    const std::string_view flag = argument.substr(0, equals);
    std::optional<std::string> value;
    if (equals != std::string_view::npos) value = argument.substr(equals + 1);

    // -width becomes _width, which is nobody's name.
    std::string key(flag.substr(flag.starts_with("--") ? 2 : 0));
    std::ranges::replace(key, '-', '_');
    const Knob* knob = knobs_.find(key);
    if (knob == nullptr && key != "config" && key != "set") {
      // What follows a flag that does not exist is most likely its value: one mistake, not two.
      if (!value) take_value();
      line_.given.push_back({key, {}, printable(flag, kShownCharacters), SourceKind::kFlag});
      return;
    }
    const bool is_switch = knob != nullptr && knob->is_switch();
    const bool flag_follows = next_ < arguments_.size() && arguments_[next_].starts_with('-');
    if (!value && !(is_switch && flag_follows)) value = take_value();
    if (!value && is_switch) value = "true";
    if (!value) {
      if (knob != nullptr) line_.without_value.push_back(key);
      const std::string form = knob != nullptr ? knob->value_form() : key == "config" ? "FILE" : "KEY=VALUE";
      complain(base::format("--{} needs a value", key),
               base::format("give --{} {} (or --{}=... for a value that starts with --)", key, form, key));
    } else if (key == "config") {
      line_.file = std::move(value);
    } else if (key == "set") {
      read_assignment(*value);
    } else {
      line_.given.push_back({key, {Literal::Word{*value}}, "--" + key, SourceKind::kFlag});
    }
  }

  void read_assignment(const std::string& assignment) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos) {
      complain(base::format("--set needs KEY=VALUE, found {}", show(assignment)),
               "put a = between the key and the value");
      return;
    }
    std::string key = assignment.substr(0, equals);
    std::ranges::replace(key, '-', '_');
    const std::string where = "--set " + printable(key, kShownCharacters);
    line_.given.push_back({key, {Literal::Word{assignment.substr(equals + 1)}}, where, SourceKind::kSet});
  }

  std::optional<std::string> take_value() {
    if (next_ == arguments_.size()) return std::nullopt;
    const std::string& candidate = arguments_[next_];
    if (candidate.starts_with("--") || candidate == "-h") return std::nullopt;
    ++next_;
    return candidate;
  }

  // A word on its own may be a secret that lost its flag.
  std::string show(const std::string& word) const {
    return knobs_.has_secret() ? "(not shown: it may be a secret)" : in_quotes(word, kShownCharacters);
  }

  void complain(std::string what, std::string fix) {
    line_.problems.push_back({std::move(what), std::move(fix), true});
  }

  const std::vector<std::string>& arguments_;
  const KnobTable& knobs_;
  std::size_t next_ = 0;
  CommandLine line_;
};

}  // namespace

CommandLine read_command_line(const std::vector<std::string>& arguments, const KnobTable& knobs) {
  return Reader(arguments, knobs).read();
}

}  // namespace base::config
