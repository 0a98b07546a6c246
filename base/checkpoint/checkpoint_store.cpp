#include "base/torch.h"

#include "base/checkpoint/checkpoint_store.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <future>
#include <set>
#include <string_view>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>

#include "base/checkpoint/checkpoint_files.h"
#include "base/checkpoint/staging.h"
#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/log.h"
#include "base/log/suggest.h"
#include "base/records/folder.h"

namespace base {
namespace {

namespace fs = std::filesystem;
using Entry = CheckpointStore::Entry;

constexpr std::string_view kPrefix = "step-";

std::string name_of(std::int64_t step) {
  return format("{}{}", kPrefix, step);
}

// "400" and "step-400".
std::optional<std::int64_t> step_named(std::string_view text) {
  if (text.starts_with(kPrefix)) text.remove_prefix(kPrefix.size());
  std::int64_t step = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), step);
  if (error != std::errc() || end != text.data() + text.size() || step < 0) return std::nullopt;
  return step;
}

struct Found {
  Entry entry;
  bool looks_whole = false;  // by the manifest and the sizes of the files: the checksums would take reading it all
};

Found look_at(std::int64_t step, const fs::path& folder) {
  Found found{.entry = {.step = step, .folder = folder, .score = {}}};
  try {
    const Manifest manifest = read_manifest(folder);
    found.entry.score = manifest.score;
    found.looks_whole = std::ranges::all_of(manifest.files, [&](const CheckedFile& file) {
      std::error_code error;
      return fs::file_size(folder / file.name, error) == file.size && !error;
    });
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): it is not whole, and load() says why
  }
  return found;
}

// In the order of their steps. What others remove meanwhile is not there.
std::vector<Found> look_into(const fs::path& folder) {
  std::vector<Found> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const auto step = step_named(entry->path().filename().string());
    if (step && entry->path().filename() == name_of(*step) && entry->is_directory(error))
      found.push_back(look_at(*step, entry->path()));
  }
  if (error) throw folder_error(kCheckpointFolder, "the checkpoints' folder cannot be read", folder, error.value());
  std::ranges::sort(found, {}, [](const Found& one) { return one.entry.step; });
  return found;
}

bool has_score(const Entry& entry) {
  return entry.score.has_value() && !std::isnan(*entry.score);
}

// The best first, those without a score left out. `entries` are in the order of their steps.
std::vector<Entry> by_score(const std::vector<Entry>& entries, bool lower_is_better) {
  std::vector<Entry> ranked;
  std::copy_if(entries.rbegin(), entries.rend(), std::back_inserter(ranked), has_score);
  std::ranges::stable_sort(ranked, [&](const Entry& a, const Entry& b) {
    return lower_is_better ? *a.score < *b.score : *a.score > *b.score;
  });
  return ranked;
}

// Removes what the options do not keep once `step` is written.
void prune(const fs::path& folder, const CheckpointStore::Options& options, std::int64_t step) {
  std::vector<Entry> whole;
  for (const Found& found : look_into(folder))
    if (found.looks_whole) whole.push_back(found.entry);
  const auto later = std::ranges::find_if(whole, [&](const Entry& entry) { return entry.step > step; });
  const std::vector<Entry> until_now(whole.begin(), later);

  std::set<std::int64_t> kept{step};
  const auto last = std::min(until_now.size(), static_cast<std::size_t>(options.keep_last));
  for (const Entry& entry : std::span(until_now).last(last)) kept.insert(entry.step);
  const std::vector<Entry> ranked = by_score(whole, options.lower_is_better);
  const auto best = std::min(ranked.size(), static_cast<std::size_t>(options.keep_best));
  for (const Entry& entry : std::span(ranked).first(best)) kept.insert(entry.step);

  for (const Entry& entry : until_now)
    if (!kept.contains(entry.step)) remove_folder(kCheckpointFolder, entry.folder);
}

// A process that was just killed may hold the lock a moment longer, and so does one that starts and cleans up.
FolderLock lock_for_writing(const fs::path& folder) {
  for (int attempt = 0; attempt < 60; ++attempt) {
    if (auto lock = FolderLock::try_lock(kCheckpointFolder, folder)) return std::move(*lock);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  throw Error(ErrorKind::kCheckpoint, "another run is writing checkpoints there", folder.string(),
              "end the other run, or give this one a folder of its own");
}

std::string list_of(const std::vector<Entry>& entries) {
  constexpr std::size_t kMost = 10;
  std::string text = entries.size() > kMost ? "..., " : "";
  const std::size_t first = entries.size() - std::min(entries.size(), kMost);
  for (std::size_t i = first; i < entries.size(); ++i) text += (i > first ? ", " : "") + name_of(entries[i].step);
  return text;
}

[[noreturn]] void refuse(const std::string& which, const fs::path& folder, const std::vector<Entry>& entries) {
  std::string fix = format("there is none at all in {}", folder);
  if (!entries.empty()) {
    std::vector<std::string> names{"latest", "best"};
    for (const Entry& entry : entries) names.push_back(name_of(entry.step));
    std::string nearest(nearest_word(which, std::vector<std::string_view>(names.begin(), names.end())));
    if (const auto step = step_named(which)) {
      const auto distance = [&](const Entry& entry) { return std::abs(entry.step - *step); };
      nearest = name_of(std::ranges::min_element(entries, {}, distance)->step);
    }
    fix = format("{}there are: {}, and latest and best", nearest.empty() ? "" : format("did you mean {}? ", nearest),
                 list_of(entries));
  }
  throw Error(ErrorKind::kCheckpoint, "there is no such checkpoint", which, fix);
}

// The first that is whole; nothing if one of them vanished meanwhile, so that it is worth to look again.
std::optional<Checkpoint> first_whole(const std::vector<Entry>& entries, const fs::path& folder) {
  bool vanished = false;
  for (const Entry& entry : entries) {
    try {
      return read_checkpoint(entry.folder);
    } catch (const Error& error) {
      std::error_code ignored;
      if (!fs::exists(entry.folder, ignored)) {
        vanished = true;
      } else {
        log::warn("the checkpoint {} is passed over: {}", name_of(entry.step), error.problem());
      }
    }
  }
  if (vanished) return std::nullopt;
  throw Error(ErrorKind::kCheckpoint, "none of the checkpoints is whole", format("{} ({})", folder, list_of(entries)),
              "bring one back from a backup, or start a new run");
}

}  // namespace

// What a store that only reads does not need.
class CheckpointStore::Writer {
 public:
  Staging staging;
  std::optional<FolderLock> lock;
  bool has_saved = false;
  std::future<void> writing;  // what is done beside the training, or its error
};

CheckpointStore::CheckpointStore(fs::path folder, const Options& options)
    : folder_(std::move(folder)), options_(options), writer_(std::make_unique<Writer>()) {
  if (options_.keep_last < 1 || options_.keep_best < 0) {
    throw Error(ErrorKind::kConfig, "too few checkpoints are kept",
                format("last {}, best {}", options_.keep_last, options_.keep_best), "keep the last one at least");
  }
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw folder_error(kCheckpointFolder, "the checkpoints' folder cannot be made", folder_, error.value());
  try {
    if (const auto lock = FolderLock::try_lock(kCheckpointFolder, folder_)) remove_leftovers(folder_);
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): who may not write may still read; save() would say so
  }
}

CheckpointStore::~CheckpointStore() {
  try {
    wait();
  } catch (const std::exception& error) {
    log::error("the last checkpoint is lost: {}", error.what());
  }
}

void CheckpointStore::claim() {
  if (!writer_->lock) writer_->lock.emplace(lock_for_writing(folder_));
}

void CheckpointStore::save(const Checkpoint& checkpoint) {
  check_savable(checkpoint);
  wait();
  claim();
  if (!writer_->has_saved) {
    writer_->has_saved = true;
    if (const auto there = entries(); !there.empty() && there.back().step > checkpoint.step) {
      log::warn(
          "{} is of an earlier attempt: \"latest\" restores it until this run has passed it, unless you remove it",
          there.back().folder);
    }
  }
  writer_->writing = std::async(
      std::launch::async, [folder = folder_, options = options_, copy = writer_->staging.copy_of(checkpoint)] {
        write_checkpoint(folder / name_of(copy.step), copy);
        try {
          prune(folder, options, copy.step);
        } catch (const std::exception& error) {  // the checkpoint is there: no reason to end a run
          log::warn("{}", error.what());
        }
      });
}

void CheckpointStore::prepare(const Checkpoint& checkpoint) {
  check_savable(checkpoint);
  wait();
  claim();
  writer_->writing = std::async(std::launch::async, [this, checkpoint] { writer_->staging.prepare(checkpoint); });
}

void CheckpointStore::wait() {
  if (writer_->writing.valid()) writer_->writing.get();
}

std::vector<Entry> CheckpointStore::entries() const {
  std::vector<Entry> entries;
  for (Found& found : look_into(folder_)) entries.push_back(std::move(found.entry));
  return entries;
}

std::optional<Checkpoint> CheckpointStore::load(const std::string& which) {
  if (writer_->writing.valid()) writer_->writing.wait();  // an error stays for the next save() or wait()
  if (which != "latest" && which != "best") {
    const auto step = step_named(which);
    const fs::path path = step ? folder_ / name_of(*step) : fs::path(which);
    std::error_code ignored;
    if (!fs::exists(path, ignored)) refuse(which, folder_, entries());
    return read_checkpoint(path);
  }
  // Another process may be writing: what was listed can be gone when it is read, and a list made in the moment between
  // a new one and the removal of the old one can lack both.
  for (int attempt = 0; attempt < 100; ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::vector<Entry> candidates = entries();
    if (candidates.empty()) {
      if (attempt < 3) continue;
      return std::nullopt;
    }
    if (which == "best") {
      candidates = by_score(candidates, options_.lower_is_better);
      if (candidates.empty()) {
        throw Error(ErrorKind::kCheckpoint, "none of the checkpoints has a score", folder_.string(),
                    "restore \"latest\", or validate before saving");
      }
    } else {
      std::ranges::reverse(candidates);
    }
    if (auto checkpoint = first_whole(candidates, folder_)) return checkpoint;
  }
  throw Error(ErrorKind::kCheckpoint, "the checkpoints vanish while they are read", folder_.string(),
              "try again, or keep more of them");
}

}  // namespace base
