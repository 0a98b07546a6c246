// calibration_batches.h: examples in a file, as calibrate() takes them.
#ifndef TESTS_E2E_CALIBRATION_BATCHES_H_
#define TESTS_E2E_CALIBRATION_BATCHES_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/export/calibration.h"
#include "base/records/safetensors.h"

/// The tensors of a file, 64 examples at a time.
inline base::CalibrationData batches_of(const base::SafetensorsFile& file) {
  return [&file, first = std::int64_t{0}]() mutable -> std::optional<std::vector<base::TensorView>> {
    constexpr std::int64_t kBatch = 64;
    std::vector<base::TensorView> inputs = file.tensors();
    const std::int64_t count = inputs.at(0).shape.at(0);
    if (first >= count) return std::nullopt;
    const std::int64_t size = std::min(kBatch, count - first);
    for (base::TensorView& input : inputs) {
      const std::size_t example = input.bytes.size() / static_cast<std::size_t>(count);
      input.bytes =
          input.bytes.subspan(static_cast<std::size_t>(first) * example, static_cast<std::size_t>(size) * example);
      input.shape[0] = size;
    }
    first += size;
    return inputs;
  };
}

#endif  // TESTS_E2E_CALIBRATION_BATCHES_H_
