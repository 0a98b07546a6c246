// crc32c.h: the checksum of TFRecord files, TensorBoard event files and checkpoints (CRC-32C, Castagnoli's polynomial).
// By hand, because Debian has no library for it and ConanCenter's ISA-L wants another assembler.
#ifndef BASE_RECORDS_CRC32C_H_
#define BASE_RECORDS_CRC32C_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace base {

/// The checksum of `bytes`, with the processor's own instruction where it has one. What comes in pieces is continued:
/// `crc32c(b, crc32c(a))` is the checksum of a and b in a row.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t continue_from = 0);

/// The same without that instruction: what crc32c() does on other processors.
std::uint32_t crc32c_by_table(std::span<const std::byte> bytes, std::uint32_t continue_from = 0);

/// The form in which record files store it: rotated and shifted, so that a checksum of data that holds checksums
/// stays a good one.
constexpr std::uint32_t mask_crc32c(std::uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8U;
}
inline std::uint32_t masked_crc32c(std::span<const std::byte> bytes) {
  return mask_crc32c(crc32c(bytes));
}

}  // namespace base

#endif  // BASE_RECORDS_CRC32C_H_
