#include "generator/probe.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

namespace generator {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestFile = std::size_t{1} << 20;  // the files looked at are headers of a few kilobytes

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::optional<std::string> SystemProbe::find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_program(name) ? std::optional(name) : std::nullopt;
  const std::string folders = variable("PATH");
  for (std::size_t start = 0; start <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', start), folders.size());
    const fs::path path = fs::path(folders.substr(start, end - start)) / name;
    // A relative entry (or an empty one, the current folder) would run whatever lies where one happens to stand.
    if (path.is_absolute() && is_program(path)) return path.string();
    start = end + 1;
  }
  return std::nullopt;
}

std::optional<std::string> SystemProbe::read_file(const std::string& path) {
  std::error_code ignored;
  std::ifstream file(path, std::ios::binary);
  if (!file || !fs::is_regular_file(path, ignored)) return std::nullopt;
  std::string text(kLargestFile, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

std::string SystemProbe::variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value != nullptr ? value : "";
}

std::string SystemProbe::tool_folder() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path().string();
}

std::optional<CudaDriver> SystemProbe::cuda_driver() {
  // Opened by hand and kept open: this binary must start where there is no driver, and the driver starts threads that
  // outlive a dlclose().
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return std::nullopt;
  const auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(library, "cuInit"));
  const auto version = reinterpret_cast<int (*)(int*)>(dlsym(library, "cuDriverGetVersion"));
  const auto count = reinterpret_cast<int (*)(int*)>(dlsym(library, "cuDeviceGetCount"));
  if (init == nullptr || version == nullptr || count == nullptr) return std::nullopt;
  CudaDriver driver;
  driver.error = init(0);
  if (driver.error == 0) driver.error = version(&driver.version);
  if (driver.error == 0) driver.error = count(&driver.devices);
  return driver;
}

}  // namespace generator
