#include "base/config/help.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/config/environment.h"
#include "base/config/knob_table.h"
#include "base/config/settings.h"
#include "base/config/text.h"
#include "base/log/format.h"

namespace base::config {
namespace {

constexpr std::size_t kMostFlagColumns = 36;  // a longer flag has its line to itself

struct Row {
  std::string flag;
  std::string text;
};

struct Block {
  std::string heading;
  std::vector<Row> rows;
};

std::vector<Block> make_blocks(const KnobTable& knobs, const Sources& sources) {
  std::vector<Block> blocks;
  for (const Section& section : knobs.sections()) {
    if (section.knobs.empty()) continue;
    Block block{section.key.empty() ? "settings" : base::format("{}: {}", section.key, section.help), {}};
    for (const Knob* knob : section.knobs) {
      block.rows.push_back({base::format("--{} {}", knob->key(), knob->value_form()), sentence(*knob)});
    }
    blocks.push_back(std::move(block));
  }
  std::string config = "read settings from a TOML file; flags win over it";
  if (!sources.file.empty()) config += base::format(" (default {})", printable(sources.file.string()));
  blocks.push_back({"general",
                    {{"--config FILE", config},
                     {"--set KEY=VALUE", "the same as --KEY VALUE"},
                     {"-h, --help", "print this and stop"}}});
  return blocks;
}

std::string environment_rule(const KnobTable& knobs, const std::string& prefix) {
  if (prefix.empty() || knobs.knobs().empty()) return "";
  // The first key with a dot in it is the best example, as it shows what becomes of the dot.
  const std::vector<std::string> keys = knobs.keys();
  const auto dotted =
      std::ranges::find_if(keys, [](const std::string& name) { return name.find('.') != std::string::npos; });
  const std::string& key = dotted == keys.end() ? keys.front() : *dotted;
  return wrap(base::format(
                  "Each setting is also read from the environment: --{} from {} (in capitals, two underscores for a "
                  "dot). Flags win over the environment, which wins over the file.",
                  key, variable_name(prefix, key)),
              "", 0, kColumns) +
         '\n';
}

}  // namespace

std::string sentence(const Knob& knob) {
  std::vector<std::string> notes;
  if (!knob.limits().empty()) notes.push_back(knob.limits());
  if (knob.secret()) notes.emplace_back("secret");
  if (knob.required()) {
    notes.emplace_back("required");
  } else if (!knob.secret()) {
    notes.push_back("default " + knob.plain_value());
  }
  if (notes.empty()) return knob.help();
  std::string joined = notes[0];
  for (std::size_t i = 1; i < notes.size(); ++i) joined += ", " + notes[i];
  return base::format("{} ({})", knob.help(), joined);
}

std::string help(const Knobs& knobs, const Sources& sources) {
  const KnobTable& table = knobs.table();
  table.check_declarations();
  const std::string program = sources.program.empty() ? "program" : sources.program;
  std::string text = base::format("usage: {} [--config FILE] [--KEY VALUE]... [--set KEY=VALUE]...\n\n", program);
  if (!sources.description.empty()) text += wrap(sources.description, "", 0, kColumns) + "\n\n";

  const std::vector<Block> blocks = make_blocks(table, sources);
  std::size_t flag_columns = 0;
  for (const Block& block : blocks) {
    for (const Row& row : block.rows) {
      if (width(row.flag) <= kMostFlagColumns) flag_columns = std::max(flag_columns, width(row.flag));
    }
  }
  const std::string indent(flag_columns + 4, ' ');
  for (const Block& block : blocks) {
    text += wrap(block.heading, "", 0, kColumns) + '\n';
    for (const Row& row : block.rows) {
      text += "  " + row.flag;
      text += width(row.flag) > flag_columns ? '\n' + indent : std::string(flag_columns - width(row.flag) + 2, ' ');
      text += wrap(row.text, indent, indent.size(), kColumns) + '\n';
    }
    text += '\n';
  }
  return text + environment_rule(table, sources.environment_prefix);
}

}  // namespace base::config
