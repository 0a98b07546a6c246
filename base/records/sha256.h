// sha256.h: the name of a file's content: two files with the same one are the same.
#ifndef BASE_RECORDS_SHA256_H_
#define BASE_RECORDS_SHA256_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace base {

/// SHA-256 (FIPS 180-4) of what is appended. crc32c is ten times as fast, but of 32 bits: it tells a damaged file from
/// a whole one, not one model from all others.
class Sha256 {
 public:
  void append(std::span<const std::byte> bytes);
  /// 64 hexadecimal digits. Nothing may be appended afterwards.
  std::string finish();

 private:
  void take(const std::byte* block);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> gathered_ = {};
  std::uint64_t size_ = 0;
};

std::string sha256(std::span<const std::byte> bytes);

}  // namespace base

#endif  // BASE_RECORDS_SHA256_H_
