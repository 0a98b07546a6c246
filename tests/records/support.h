// support.h: what the tests of base/records share: a folder of its own for each test, and errors as text.
#ifndef TESTS_RECORDS_SUPPORT_H_
#define TESTS_RECORDS_SUPPORT_H_

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "base/log/error.h"
#include "base/records/bytes.h"

namespace records_test {

/// A folder that is gone when the test is over.
class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "records_test.XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline std::filesystem::path write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The whole message of the error that `action` throws; "accepted" if it throws none.
template <typename Action>
std::string error_of(const Action& action) {
  try {
    action();
  } catch (const base::Error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace records_test

#endif  // TESTS_RECORDS_SUPPORT_H_
