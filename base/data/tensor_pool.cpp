#include "base/torch.h"

#include "base/data/tensor_pool.h"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

namespace base {

/// The pieces that nobody uses at the moment.
class TensorPool::Shelf {
 public:
  struct Piece {
    c10::DataPtr memory;
    std::size_t size = 0;
  };

  Piece take(std::size_t size) {
    {
      const std::lock_guard lock(mutex_);
      const auto found = std::ranges::find_if(pieces_, [&](const Piece& piece) { return piece.size >= size; });
      if (found != pieces_.end()) {
        Piece piece = std::move(*found);
        pieces_.erase(found);
        return piece;
      }
      pieces_.clear();  // too small for what is wanted now
    }
    return {c10::GetAllocator(c10::kCPU)->allocate(size), size};
  }

  void put(Piece piece) {
    const std::lock_guard lock(mutex_);
    pieces_.push_back(std::move(piece));
  }

 private:
  std::mutex mutex_;
  std::vector<Piece> pieces_;
};

TensorPool::TensorPool() : shelf_(std::make_shared<Shelf>()) {}

torch::Tensor TensorPool::take(torch::IntArrayRef shape) const {
  auto piece = std::make_shared<Shelf::Piece>(
      shelf_->take(static_cast<std::size_t>(c10::multiply_integers(shape)) * sizeof(float)));
  void* const memory = piece->memory.get();
  return torch::from_blob(
      memory, shape, [shelf = shelf_, piece](void*) { shelf->put(std::move(*piece)); }, torch::kFloat);
}

}  // namespace base
