#include "base/torch.h"

#include "base/checkpoint/staging.h"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <sys/mman.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "base/log/error.h"
#include "base/log/format.h"

namespace base {
namespace {

constexpr std::int64_t kAlignment = 64;                    // of each tensor in the block: a cache line
constexpr std::int64_t kHugePage = std::int64_t{2} << 20;  // the system gives 2 MB as fast as 4 kB
constexpr std::int64_t kPiece = std::int64_t{1} << 20;     // of memory that a thread copies at a time

std::int64_t round_up(std::int64_t value, std::int64_t to) {
  return (value + to - 1) / to * to;
}

struct Piece {
  std::byte* to;  // aligned to kAlignment
  const std::byte* from;
  std::size_t bytes;
};

// memcpy, but past the cache: the copy is not read soon, and the processor need not fetch what it overwrites. A quarter
// faster; the C library does the same, but only for blocks far larger than most tensors.
void copy(const Piece& piece) {
  std::size_t done = 0;
#ifdef __SSE2__
  constexpr std::size_t kLane = sizeof(__m128i);
  for (; done + 4 * kLane <= piece.bytes; done += 4 * kLane) {
    const auto* from = reinterpret_cast<const __m128i*>(piece.from + done);  // NOLINT(*-reinterpret-cast)
    auto* to = reinterpret_cast<__m128i*>(piece.to + done);                  // NOLINT(*-reinterpret-cast)
    const __m128i lanes[] = {_mm_loadu_si128(from), _mm_loadu_si128(from + 1), _mm_loadu_si128(from + 2),
                             _mm_loadu_si128(from + 3)};
    for (int i = 0; i < 4; ++i) _mm_stream_si128(to + i, lanes[i]);
  }
  _mm_sfence();  // what was written is there for the thread that reads it next
#endif
  std::memcpy(piece.to + done, piece.from + done, piece.bytes - done);
}

// All pieces of all tensors at once, by threads of its own: Tensor::copy_ waits for the slowest thread after each
// tensor, and at::parallel_for is serial where OpenMP is not compiled in.
void copy(const std::vector<Piece>& pieces) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < pieces.size(); i = next++) copy(pieces[i]);
  };
  const std::size_t threads = std::min(pieces.size() / 4, static_cast<std::size_t>(torch::get_num_threads()));
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
  work();
}

}  // namespace

void Staging::prepare(const Checkpoint& checkpoint) {
  reserve(checkpoint);
  std::memset(block_.data_ptr(), 0, block_.nbytes());  // a page comes when it is written to
}

Checkpoint Staging::copy_of(const Checkpoint& checkpoint) {
  reserve(checkpoint);
  const torch::NoGradGuard no_grad;
  Checkpoint copied{.step = checkpoint.step,
                    .score = checkpoint.score,
                    .metrics = checkpoint.metrics,
                    .parts = {},
                    .finite = checkpoint.finite};
  std::vector<Piece> pieces;
  std::vector<torch::Device> devices;  // that have not finished their copies
  auto* to = static_cast<std::byte*>(block_.data_ptr());
  for (const auto& [part, state] : checkpoint.parts) {
    State& copied_state = copied.parts[part];
    for (const auto& [name, value] : state.values()) {
      std::visit([&](const auto& plain) { copied_state.set(name, plain); }, value);
    }
    for (const auto& [name, tensor] : state.tensors()) {
      const auto size = static_cast<std::int64_t>(tensor.nbytes());
      const auto options = torch::TensorOptions().dtype(tensor.dtype());
      const torch::Tensor copied_tensor =
          size == 0 ? torch::empty(tensor.sizes(), options) : torch::from_blob(to, tensor.sizes(), options);
      if (tensor.is_cpu() && tensor.is_contiguous() && !tensor.is_neg()) {
        const auto* from = static_cast<const std::byte*>(tensor.const_data_ptr());
        for (std::int64_t at = 0; at < size; at += kPiece)
          pieces.push_back({to + at, from + at, static_cast<std::size_t>(std::min(kPiece, size - at))});
      } else {
        copied_tensor.copy_(tensor, /*non_blocking=*/true);
        if (!tensor.is_cpu() && std::ranges::find(devices, tensor.device()) == devices.end())
          devices.push_back(tensor.device());
      }
      copied_state.set(name, copied_tensor);
      to += round_up(size, kAlignment);
    }
  }
  copy(pieces);
  for (const torch::Device device : devices) {
    c10::impl::VirtualGuardImpl(device.type()).getStream(device).synchronize();
  }
  return copied;
}

void Staging::reserve(const Checkpoint& checkpoint) {
  std::int64_t bytes = 1;
  bool pinned = false;  // a GPU copies fast only to memory that stays in its place
  for (const auto& [part, state] : checkpoint.parts) {
    for (const auto& [name, tensor] : state.tensors()) {
      bytes += round_up(static_cast<std::int64_t>(tensor.nbytes()), kAlignment);
      pinned = pinned || tensor.is_cuda();
    }
  }
  if (block_.defined() && block_.numel() >= bytes && (!pinned || block_.is_pinned())) return;
  block_.reset();  // first, since there may not be room for both
  if (pinned) {
    block_ = torch::empty(bytes, torch::TensorOptions().dtype(torch::kByte).pinned_memory(true));
    return;
  }
  const std::int64_t size = round_up(bytes, kHugePage);
  void* const memory = std::aligned_alloc(kHugePage, static_cast<std::size_t>(size));
  if (memory == nullptr) {
    throw Error(ErrorKind::kCheckpoint, "there is no memory for a copy of the checkpoint", format("{} MB", size >> 20),
                "give the run more memory, or train a smaller model");
  }
  static_cast<void>(::madvise(memory, static_cast<std::size_t>(size), MADV_HUGEPAGE));  // faster where it is granted
  block_ = torch::from_blob(
      memory, size, [](void* block) { std::free(block); }, torch::kByte);
}

}  // namespace base
