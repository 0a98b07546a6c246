#include "base/infer/infer_batch.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/log/format.h"

namespace base {
namespace {

bool have_same_shapes(const Feed& a, const Feed& b) {
  return std::ranges::equal(
      a, b, {}, [](const HostTensor& tensor) { return tensor.view.shape; },
      [](const HostTensor& tensor) { return tensor.view.shape; });
}

// Tensor `index` of all rows, one after the other.
HostTensor stacked(const std::vector<Feed>& rows, std::size_t index) {
  const HostTensor& first = rows.front()[index];
  std::vector<std::int64_t> shape{static_cast<std::int64_t>(rows.size())};
  shape.insert(shape.end(), first.view.shape.begin(), first.view.shape.end());
  if (rows.size() == 1) {  // the same bytes, seen with one axis more
    HostTensor same = first;
    same.view.shape = std::move(shape);
    return same;
  }
  NewTensor all = new_tensor(first.view.name, first.view.dtype, std::move(shape));
  std::byte* to = all.bytes.data();
  for (const Feed& row : rows) {
    const std::span<const std::byte> bytes = row[index].view.bytes;
    if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
    to += bytes.size();
  }
  return std::move(all.tensor);
}

}  // namespace

void InferBatch::add(Sample sample, std::vector<Feed> feeds, bool whole) {
  Entry entry{.sample = std::move(sample)};
  for (Feed& feed : feeds) {
    const bool joins =
        !whole && !runs_.empty() && !runs_.back().is_batch && have_same_shapes(runs_.back().rows[0], feed);
    if (!joins) runs_.push_back({.is_batch = whole});
    Run& run = runs_.back();
    entry.places.push_back({runs_.size() - 1, run.rows.size()});
    run.rows.push_back(std::move(feed));
    ++run.count;
    ++rows_;
  }
  entries_.push_back(std::move(entry));
}

void InferBatch::stack() {
  for (Run& run : runs_) {
    if (run.is_batch) {
      run.inputs = run.rows.front();
      continue;
    }
    for (std::size_t i = 0; i < run.rows.front().size(); ++i) run.inputs.push_back(stacked(run.rows, i));
    if (run.count > 1) run.rows.clear();  // they were copied
  }
}

std::vector<TensorView> InferBatch::answer(const Place& place) const {
  const Run& run = runs_[place.run];
  std::vector<TensorView> views;
  views.reserve(run.outputs.size());
  for (const HostTensor& output : run.outputs) {
    TensorView view = output.view;
    if (!run.is_batch) {
      const std::size_t row = view.bytes.size() / static_cast<std::size_t>(run.count);
      view.shape.erase(view.shape.begin());
      view.bytes = view.bytes.subspan(place.row * row, row);
    }
    views.push_back(std::move(view));
  }
  return views;
}

std::string InferBatch::name() const {
  if (entries_.size() == 1) return entries_[0].sample.name;
  return format("{} to {}", entries_.front().sample.name, entries_.back().sample.name);
}

}  // namespace base
