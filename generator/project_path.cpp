#include "generator/project_path.h"

#include <algorithm>
#include <cstddef>

namespace generator {
namespace {

constexpr std::size_t kLongest = 200;

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("._-+/").find(c) != std::string_view::npos;
}

/// git refuses these in any case, since some file systems take .GIT for the same.
bool is_git(std::string_view part) {
  return part.size() == 4 && part[0] == '.' && (part[1] | 0x20) == 'g' && (part[2] | 0x20) == 'i' &&
         (part[3] | 0x20) == 't';
}

}  // namespace

std::string objection_to_path(std::string_view path) {
  if (path.empty()) return "it is empty";
  if (path.size() > kLongest) return "it is longer than 200 characters";
  if (path.front() == '/') return "it is absolute";
  if (path == ".scaffold.json" || path == ".scaffold.lock") return "it is scaffold's own record";
  if (path.find('\\') != std::string_view::npos) return "it has a backslash in it";
  if (!std::all_of(path.begin(), path.end(), is_plain)) return "it has other characters than letters, digits and ._-+/";
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    const std::string_view part = path.substr(start, end - start);
    if (part == "..") return "it leads out of the folder";
    if (part.empty() || part == ".") return "it has an empty part";
    if (is_git(part)) return "it is git's own";
    start = end + 1;
  }
  return "";
}

}  // namespace generator
