// The settings as a file: what config.toml in a run's folder looks like, and getting it onto the disk whole.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "base/config/help.h"
#include "base/config/knob_table.h"
#include "base/config/settings.h"
#include "base/config/text.h"
#include "base/log/error.h"
#include "base/log/format.h"

namespace base::config {
namespace {

std::string comment(const std::string& text) {
  return "# " + wrap(text, "# ", 2, kColumns) + '\n';
}

std::string entry(const Knob& knob, const Knob& default_knob, const Origins& origins) {
  std::string text = comment(sentence(default_knob));
  if (knob.secret()) return text + base::format("# {} is a secret, so it is not written here.\n", knob.name());
  text += base::format("{} = {}", knob.name(), knob.toml_value());
  const auto origin = origins.find(knob.key());
  if (origin != origins.end()) text += base::format("  # from {}", printable(origin->second));
  return text + '\n';
}

// An open file that is closed when it is left.
class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, int flags) : number_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  bool is_open() const { return number_ >= 0; }
  bool write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t count = ::write(number_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  bool sync() const { return ::fsync(number_) == 0; }

 private:
  int number_;
};

}  // namespace

std::string toml(const Knobs& knobs, const Knobs& defaults, const Origins& origins) {
  std::string text = "# All settings of a run. Give this file to --config to use them again.\n";
  for (const Section& section : knobs.table().sections()) {
    if (section.knobs.empty()) continue;
    if (!section.key.empty()) text += base::format("\n{}[{}]\n", comment(section.help), section.key);
    for (const Knob* knob : section.knobs) {
      text += '\n' + entry(*knob, *defaults.table().find(knob->key()), origins);
    }
  }
  return text;
}

std::vector<std::pair<std::string, std::string>> values(const Knobs& knobs) {
  std::vector<std::pair<std::string, std::string>> result;
  for (const auto& knob : knobs.table().knobs()) {
    if (!knob->secret()) result.emplace_back(knob->key(), knob->plain_value());
  }
  return result;
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  // Beside the file, because a rename does not cross file systems; the process's number keeps two writers apart.
  std::filesystem::path temporary = path;
  temporary += base::format(".{}.tmp", static_cast<int>(::getpid()));
  const auto written = [&] {
    const Descriptor file(temporary, O_WRONLY | O_CREAT | O_TRUNC);
    return file.is_open() && file.write(text) && file.sync();
  };
  if (!written() || ::rename(temporary.c_str(), path.c_str()) != 0) {
    const std::string reason = std::strerror(errno);
    ::unlink(temporary.c_str());
    throw Error(ErrorKind::kConfig, "the settings cannot be written", base::format("{} ({})", path, reason),
                "check that its folder exists and can be written to");
  }
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  // The rename itself is on the disk only with the folder; where that is not possible, the file is good all the same.
  static_cast<void>(Descriptor(folder, O_RDONLY | O_DIRECTORY).sync());
}

}  // namespace base::config
