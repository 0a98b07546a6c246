#include "base/data/data_loader.h"

#include <c10/util/Exception.h>

#include <algorithm>

#include "base/log/error.h"
#include "base/log/format.h"

namespace base {
namespace {

bool is_like(const Example& one, const Example& other) {
  for (const auto& [name, tensor] : one) {
    const torch::Tensor* const same = other.find(name);
    if (same == nullptr || same->sizes() != tensor.sizes() || same->scalar_type() != tensor.scalar_type()) return false;
  }
  return true;
}

std::string reason_of(const std::exception& error) {
  const auto* const of_torch = dynamic_cast<const c10::Error*>(&error);
  return of_torch != nullptr ? of_torch->what_without_backtrace() : error.what();
}

}  // namespace

void DataLoader::rethrow_for(std::int64_t index) const {
  const std::string example = name_of(index);
  try {
    throw;
  } catch (const Error& error) {
    throw error.with_place(example);
  } catch (const std::exception& error) {
    throw Error(ErrorKind::kData, format("an example cannot be made: {}", reason_of(error)), example,
                "see parse() and augment() of the data loader");
  }
}

std::string DataLoader::name_of(std::int64_t index) const {
  const std::string file = where(index);
  return file.empty() ? format("example {}", index) : format("example {} ({})", index, file);
}

Batch DataLoader::make_batch(std::span<const std::int64_t> indices, const Draw& draw) const {
  std::vector<Example> examples;
  examples.reserve(indices.size());
  for (const std::int64_t index : indices) {
    try {
      Example example = parse(index);
      if (example.empty()) break;
      if (draw.augment) {
        Random random = draw.random_at(examples.size());
        example = augment(std::move(example), random);
      }
      examples.push_back(std::move(example));
    } catch (...) {
      rethrow_for(index);
    }
  }
  if (examples.empty()) return {};
  return {collate_named(examples, indices),
          {indices.begin(), indices.begin() + static_cast<std::ptrdiff_t>(examples.size())}};
}

Tensors DataLoader::collate_named(std::span<const Example> examples, std::span<const std::int64_t> indices) const {
  try {
    return collate(examples);
  } catch (const Error& error) {
    const auto unlike =
        std::ranges::find_if(examples, [&](const Example& one) { return !is_like(examples.front(), one); });
    if (unlike == examples.end() || !ragged().empty()) throw;
    throw error.with_place(name_of(indices[static_cast<std::size_t>(unlike - examples.begin())]));
  } catch (const std::exception& error) {
    throw Error(ErrorKind::kData, format("a batch cannot be made: {}", reason_of(error)),
                format("{} and the {} after it", name_of(indices.front()), examples.size() - 1),
                "see collate() of the data loader");
  }
}

}  // namespace base
