// bytes.h: texts as bytes, bytes as texts, and the little-endian numbers of file formats.
#ifndef BASE_RECORDS_BYTES_H_
#define BASE_RECORDS_BYTES_H_

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>

namespace base {

static_assert(std::endian::native == std::endian::little,
              "the file formats are read and written as they lie in memory");

/// The bytes of a text, and the other way round. Both are views: what they look at must outlive them.
inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}
inline std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};  // NOLINT(*-reinterpret-cast)
}

/// The number at `from`, which need not be aligned.
template <std::integral T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <std::integral T>
void store(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

}  // namespace base

#endif  // BASE_RECORDS_BYTES_H_
