#include "base/config/toml_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/config/knob_table.h"
#include "base/config/text.h"
#include "base/config/toml_parser.h"
#include "base/config/value.h"
#include "base/log/error.h"
#include "base/log/format.h"

namespace base::config {
namespace {

constexpr std::size_t kMostMebibytes = 16;
constexpr std::size_t kMostBytes = kMostMebibytes << 20;

// A settings file and the line that asked for it.
struct FileName {
  std::filesystem::path path;
  std::string inherited_by;  // "train.toml:1"; "" for the file that the user named

  std::string label() const { return path.empty() ? "\"\"" : printable(path.string()); }
};

Error file_error(const FileName& file, std::string_view what, const std::string& detail, const std::string& fix) {
  const std::string_view which = file.inherited_by.empty() ? "the settings file" : "the inherited settings file";
  std::string value = file.label() + detail;
  if (!file.inherited_by.empty()) value += base::format(" (inherited by {})", file.inherited_by);
  return {ErrorKind::kConfig, base::format("{} {}", which, what), value, fix};
}

std::string read_bytes(const FileName& file) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file.path, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    throw file_error(file, "does not exist", "",
                     file.inherited_by.empty()
                         ? "name a file that exists with --config"
                         : "correct its path, which starts at the folder of the file that names it");
  }
  if (!error && status.type() != std::filesystem::file_type::regular) {
    throw file_error(file, "is not a regular file", "", "name a TOML file");
  }
  const int descriptor = ::open(file.path.c_str(), O_RDONLY | O_CLOEXEC);
  const auto unreadable = [&](int reason) {
    return file_error(file, "cannot be read", base::format(" ({})", std::strerror(reason)), "check its permissions");
  };
  if (descriptor < 0) throw unreadable(errno);

  // One byte more than allowed tells a file that is too large, whatever size the file system claims.
  std::string bytes;
  std::string block(1 << 16, '\0');
  ssize_t count = 0;
  while (bytes.size() <= kMostBytes && (count = ::read(descriptor, block.data(), block.size())) > 0) {
    bytes.append(block, 0, static_cast<std::size_t>(count));
  }
  const int reason = errno;
  ::close(descriptor);
  if (count < 0) throw unreadable(reason);
  if (bytes.size() > kMostBytes) {
    throw file_error(file, base::format("is larger than {} MiB", kMostMebibytes), "",
                     "name a settings file: this one holds something else");
  }
  return bytes;
}

std::vector<TomlEntry> parse_file(const FileName& file, const KnobTable& knobs) {
  const std::string bytes = read_bytes(file);
  try {
    return parse_toml(bytes, [&](const std::string& key) { return key == "inherits" || knobs.find(key) != nullptr; });
  } catch (const TomlSyntaxError& error) {
    std::string_view why = error.description;
    // It may quote a value, such as a number that is too long: with a secret among the knobs, it must not be shown.
    if (knobs.has_secret()) why = why.substr(0, why.find(':'));
    std::string where = error.line > 0 ? base::format(":{}", error.line) : "";
    if (error.column > 0) where += base::format(":{}", error.column);
    throw file_error(file, "is not valid TOML", base::format("{} ({})", where, printable(why)),
                     "correct it there; remember that a text needs quotes");
  }
}

// Takes `inherits` out of the entries: the file it names, if any.
std::optional<FileName> take_parent(std::vector<TomlEntry>& entries, const FileName& file) {
  const auto found = std::ranges::find(entries, "inherits", &TomlEntry::key);
  if (found == entries.end()) return std::nullopt;
  const std::string where = base::format("{}:{}", file.label(), found->line);
  std::filesystem::path name;
  if (read_value(found->value, name) != Reading::kGood) {
    throw Error(ErrorKind::kConfig,
                base::format("inherits expects a path, found {} ({})", describe(found->value), where), "",
                "give the path of a settings file in quotes");
  }
  entries.erase(found);
  return FileName{file.path.parent_path() / name, where};
}

}  // namespace

std::vector<Given> read_toml_files(const std::filesystem::path& file, const KnobTable& knobs) {
  std::vector<std::vector<Given>> files;  // the oldest first
  std::vector<std::filesystem::path> seen;
  std::string chain;
  std::optional<FileName> next = FileName{file, ""};
  while (next) {
    const FileName current = *std::exchange(next, std::nullopt);
    chain += (chain.empty() ? "" : " -> ") + current.label();
    std::error_code ignored;
    const std::filesystem::path canonical = std::filesystem::weakly_canonical(current.path, ignored);
    if (std::ranges::find(seen, canonical) != seen.end()) {
      throw Error(ErrorKind::kConfig, "settings files inherit from each other in a circle", chain,
                  "take out one of their inherits lines");
    }
    seen.push_back(canonical);

    std::vector<TomlEntry> entries = parse_file(current, knobs);
    next = take_parent(entries, current);
    std::vector<Given>& given = *files.emplace(files.begin());
    for (TomlEntry& entry : entries) {
      const std::string where = base::format("{}:{}", current.label(), entry.line);
      given.push_back({std::move(entry.key), std::move(entry.value), where, SourceKind::kFile});
    }
  }

  std::vector<Given> all;
  for (std::vector<Given>& given : files) std::ranges::move(given, std::back_inserter(all));
  return all;
}

}  // namespace base::config
