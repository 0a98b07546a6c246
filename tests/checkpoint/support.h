// support.h: checkpoints to play with, and how to tell two of them apart.
#ifndef TESTS_CHECKPOINT_SUPPORT_H_
#define TESTS_CHECKPOINT_SUPPORT_H_

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "base/checkpoint/checkpoint.h"
#include "base/log/error.h"
#include "base/torch.h"
#include "tests/support/memory_folder.h"

namespace base {

namespace fs = std::filesystem;

using CheckpointsFolder = MemoryFolder;

/// The names in a folder, sorted.
inline std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

/// The text of the checkpoint Error that `run` throws; empty if it throws none.
template <typename Run>
std::string checkpoint_error(const Run& run) {
  try {
    run();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kCheckpoint) throw;
    return error.what();
  }
  return "";
}

inline bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

inline bool same(const torch::Tensor& a, const torch::Tensor& b) {
  const torch::Tensor left = a.cpu().contiguous();
  const torch::Tensor right = b.cpu().contiguous();
  return left.dtype() == right.dtype() && left.sizes() == right.sizes() &&
         (left.nbytes() == 0 || std::memcmp(left.const_data_ptr(), right.const_data_ptr(), left.nbytes()) == 0);
}

inline bool same(const State& a, const State& b) {
  const auto same_values = [](const auto& left, const auto& right) {
    if (left.first != right.first || left.second.index() != right.second.index()) return false;
    const auto* number = std::get_if<double>(&left.second);
    return number != nullptr ? same(*number, std::get<double>(right.second)) : left.second == right.second;
  };
  const auto same_tensors = [](const auto& left, const auto& right) {
    return left.first == right.first && same(left.second, right.second);
  };
  return std::ranges::equal(a.values(), b.values(), same_values) &&
         std::ranges::equal(a.tensors(), b.tensors(), same_tensors);
}

/// To the bit.
inline bool same(const Checkpoint& a, const Checkpoint& b) {
  const auto same_named = [](const auto& left, const auto& right) {
    return left.first == right.first && same(left.second, right.second);
  };
  return a.step == b.step && a.score.has_value() == b.score.has_value() && (!a.score || same(*a.score, *b.score)) &&
         std::ranges::equal(a.metrics, b.metrics, same_named) && std::ranges::equal(a.parts, b.parts, same_named);
}

/// As small as it gets with all kinds of files in it.
inline Checkpoint tiny_checkpoint(std::int64_t step = 400) {
  Checkpoint checkpoint{.step = step, .score = 0.5, .metrics = {{"loss", 0.25}}, .parts = {}};
  checkpoint.parts["model"].set("w", torch::arange(3, torch::kFloat));
  checkpoint.parts["loader"].set("next", 7);
  return checkpoint;
}

}  // namespace base

#endif  // TESTS_CHECKPOINT_SUPPORT_H_
