#include "base/torch.h"

#include "base/callbacks/training_log.h"

#include <fstream>
#include <iterator>

#include "base/log/format.h"
#include "base/records/bytes.h"
#include "base/records/output_file.h"

namespace base {

void TrainingLogSettings::declare(Knobs& knobs) {
  knobs.add("file", file, "the log to write to");
}

std::string with_result(const std::string& log, const std::string& run, const std::string& line) {
  const std::string heading = "## " + run + "\n";
  auto section = log.starts_with(heading) ? 0 : log.find("\n" + heading);
  if (section == std::string::npos)
    return log + (log.empty() || log.ends_with('\n') ? "" : "\n") + "\n" + heading + "\n**Results**\n\n" + line + "\n";
  section += heading.size();
  auto end = log.find("\n## ", section);
  if (end == std::string::npos) end = log.size();
  const std::string title = "**Results**\n";
  auto place = log.find(title, section);
  if (place == std::string::npos || place >= end) {
    const std::string before = log.substr(0, end);
    return before + (before.ends_with('\n') ? "" : "\n") + "\n" + title + "\n" + line + "\n" + log.substr(end);
  }
  place += title.size();
  return log.substr(0, place) + "\n" + line + "\n" + log.substr(place);
}

void TrainingLog::on_end(const TrainState& state, TrainControl& control) {
  if (state.run.empty()) return;
  std::string figures;
  for (const auto& [name, value] : state.validation) figures += format(", {} {:.4f}", name, value);
  const std::string line = format("- step {}, epoch {}, {:.0f} s{}{}", state.step, state.epoch, state.seconds, figures,
                                  control.stop.empty() ? "" : format(" (stopped: {})", control.stop));
  std::ifstream file(settings_.file, std::ios::binary);
  const std::string log{std::istreambuf_iterator<char>(file), {}};
  const std::filesystem::path partial = settings_.file.string() + ".partial";
  OutputFile output(partial);
  output.append(bytes_of(with_result(log, state.run.filename().string(), line)));
  output.close();
  std::filesystem::rename(partial, settings_.file);
}

}  // namespace base
