// plan_cache.h: plans that were built before, in a folder that all processes of a user share.
#ifndef BASE_INFER_PLAN_CACHE_H_
#define BASE_INFER_PLAN_CACHE_H_

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "base/infer/sealed_file.h"

namespace base {

/// $XDG_CACHE_HOME/scaffold/tensorrt, or ~/.cache/scaffold/tensorrt; empty if there is neither: a folder that others
/// may write to will not do, since a plan can hold code.
std::filesystem::path default_plan_folder();

/// Files by name, each sealed with a label that says what it was built for. A cache is no place of record: what cannot
/// be read is as if it were not there, what cannot be written is left out, and either is said in the log.
class PlanCache {
 public:
  /// An empty folder: nothing is kept.
  explicit PlanCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Nothing if there is no such file, or it is damaged, or its label is another one.
  std::optional<SealedFile> find(const std::string& name, const std::string& label) const;
  void store(const std::string& name, const std::string& label, std::span<const std::byte> bytes) const;

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

/// Held by the one process that builds: another one that wants the same plan waits for it, and two that build different
/// ones do not spoil each other's timings. The system frees it when the process ends, however it does.
class PlanCacheLock {
 public:
  /// Waits. Where there is no folder or no locking, nobody waits for anybody.
  explicit PlanCacheLock(const PlanCache& cache);
  ~PlanCacheLock();
  PlanCacheLock(const PlanCacheLock&) = delete;
  PlanCacheLock& operator=(const PlanCacheLock&) = delete;

  /// Another process held it before: the plan may be there now.
  bool has_waited() const { return has_waited_; }

 private:
  int descriptor_ = -1;
  bool has_waited_ = false;
};

}  // namespace base

#endif  // BASE_INFER_PLAN_CACHE_H_
