#include "base/infer/plan_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "base/log/error.h"
#include "base/log/log.h"

namespace base {

std::filesystem::path default_plan_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return std::filesystem::path(cache) / "scaffold/tensorrt";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return std::filesystem::path(home) / ".cache/scaffold/tensorrt";
  return {};
}

std::optional<SealedFile> PlanCache::find(const std::string& name, const std::string& label) const {
  if (folder_.empty()) return std::nullopt;
  const std::filesystem::path path = folder_ / name;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  std::string reason;
  try {
    std::variant<SealedFile, std::string> file = read_sealed(path);
    if (auto* sealed = std::get_if<SealedFile>(&file)) {
      if (sealed->label == label) return std::move(*sealed);
      reason = "was built for something else";
    } else {
      reason = std::get<std::string>(file);
    }
  } catch (const Error& failure) {
    reason = "cannot be read (" + failure.problem() + ")";
  }
  log::warn("{} {}: it is built anew", path, reason);
  return std::nullopt;
}

void PlanCache::store(const std::string& name, const std::string& label, std::span<const std::byte> bytes) const {
  if (folder_.empty()) return;
  try {
    write_sealed(folder_ / name, label, bytes);
  } catch (const Error& error) {
    log::warn("not kept for the next time: {}", error.problem());
  } catch (const std::filesystem::filesystem_error& error) {
    log::warn("not kept for the next time: {}", error.what());
  }
}

PlanCacheLock::PlanCacheLock(const PlanCache& cache) {
  if (cache.folder().empty()) return;
  try {
    make_private_folder(cache.folder());
  } catch (const Error&) {
    return;  // store() will say why
  }
  descriptor_ = ::open((cache.folder() / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor_ < 0) return;
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  log::info("waiting for another process that builds a plan");
  has_waited_ = true;
  while (::flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
  }
}

PlanCacheLock::~PlanCacheLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace base
