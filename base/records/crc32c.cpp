#include "base/records/crc32c.h"

#include <array>

#include "base/records/bytes.h"

#if defined(__x86_64__)
#include <nmmintrin.h>
#define CRC32C_TARGET __attribute__((target("sse4.2")))
#elif defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#define CRC32C_TARGET
#endif

namespace base {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // reflected: the highest power is the lowest bit
constexpr std::uint32_t kOne = 0x80000000;         // x^0 in that order

using ByteTable = std::array<std::uint32_t, 256>;

// The product of two polynomials modulo the checksum's.
constexpr std::uint32_t multiply(std::uint32_t a, std::uint32_t b) {
  std::uint32_t product = 0;
  for (std::uint32_t bit = kOne; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) product ^= b;
    b = (b >> 1) ^ ((b & 1) != 0 ? kPolynomial : 0);  // times x
  }
  return product;
}

// What a checksum is to be multiplied with to get the one after that many zero bytes: x^(8 bytes).
constexpr std::uint32_t zeros(std::size_t bytes) {
  std::uint32_t result = kOne;
  std::uint32_t power = kOne >> 8;
  for (; bytes != 0; bytes >>= 1) {
    if ((bytes & 1) != 0) result = multiply(result, power);
    power = multiply(power, power);
  }
  return result;
}

// tables[i][b]: what byte b adds to the checksum when `after - i` bytes follow it. With four tables for the four bytes
// of a checksum, one look into each shifts the whole of it.
template <std::size_t kTables>
constexpr std::array<ByteTable, kTables> make_tables(std::size_t after) {
  std::array<ByteTable, kTables> tables{};
  for (std::size_t i = 0; i < kTables; ++i) {
    const std::uint32_t factor = zeros(after - i);
    for (std::uint32_t b = 0; b < 256; ++b) tables[i][b] = multiply(b, factor);
  }
  return tables;
}

constexpr std::array<ByteTable, 8> kStep = make_tables<8>(8);

std::uint32_t add_by_table(std::uint32_t crc, std::span<const std::byte> bytes) {
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    const std::uint64_t word = load<std::uint64_t>(bytes.data()) ^ crc;
    crc = 0;
    for (std::size_t i = 0; i < 8; ++i) crc ^= kStep[i][(word >> (8 * i)) & 0xff];
  }
  for (const std::byte byte : bytes) crc = (crc >> 8) ^ kStep[7][(crc ^ static_cast<std::uint32_t>(byte)) & 0xff];
  return crc;
}

#ifdef CRC32C_TARGET

CRC32C_TARGET inline std::uint64_t step(std::uint64_t crc, const std::byte* word) {
#if defined(__x86_64__)
  return _mm_crc32_u64(crc, load<std::uint64_t>(word));
#else
  return __crc32cd(static_cast<std::uint32_t>(crc), load<std::uint64_t>(word));
#endif
}

CRC32C_TARGET inline std::uint32_t step_byte(std::uint32_t crc, std::byte byte) {
#if defined(__x86_64__)
  return _mm_crc32_u8(crc, static_cast<std::uint8_t>(byte));
#else
  return __crc32cb(crc, static_cast<std::uint8_t>(byte));
#endif
}

// The checksum after as many zero bytes as a stream is long.
template <std::size_t kStream>
std::uint32_t shift(std::uint64_t crc) {
  static constexpr std::array<ByteTable, 4> kLater = make_tables<4>(kStream);
  return kLater[0][crc & 0xff] ^ kLater[1][(crc >> 8) & 0xff] ^ kLater[2][(crc >> 16) & 0xff] ^
         kLater[3][(crc >> 24) & 0xff];
}

// The instruction takes three cycles, but another can start in each: three streams side by side, joined afterwards.
// What is too short for that is left in `bytes`.
template <std::size_t kStream>
CRC32C_TARGET std::uint32_t add_streams(std::uint32_t crc, std::span<const std::byte>& bytes) {
  for (; bytes.size() >= 3 * kStream; bytes = bytes.subspan(3 * kStream)) {
    const std::byte* const data = bytes.data();
    std::uint64_t first = crc;
    std::uint64_t second = 0;
    std::uint64_t third = 0;
    for (std::size_t i = 0; i < kStream; i += 8) {
      first = step(first, data + i);
      second = step(second, data + kStream + i);
      third = step(third, data + 2 * kStream + i);
    }
    crc = shift<kStream>(shift<kStream>(first) ^ second) ^ static_cast<std::uint32_t>(third);
  }
  return crc;
}

CRC32C_TARGET std::uint32_t add_by_instruction(std::uint32_t crc, std::span<const std::byte> bytes) {
  crc = add_streams<8192>(crc, bytes);  // long streams, because processors fetch ahead along each of them
  crc = add_streams<512>(crc, bytes);
  std::uint64_t wide = crc;
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) wide = step(wide, bytes.data());
  crc = static_cast<std::uint32_t>(wide);
  for (const std::byte byte : bytes) crc = step_byte(crc, byte);
  return crc;
}

bool has_instruction() {
#if defined(__x86_64__)
  return static_cast<bool>(__builtin_cpu_supports("sse4.2"));  // an int to g++
#else
  return true;
#endif
}

#endif  // CRC32C_TARGET

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t continue_from) {
#ifdef CRC32C_TARGET
  static const bool by_instruction = has_instruction();
  if (by_instruction) return ~add_by_instruction(~continue_from, bytes);
#endif
  return crc32c_by_table(bytes, continue_from);
}

std::uint32_t crc32c_by_table(std::span<const std::byte> bytes, std::uint32_t continue_from) {
  return ~add_by_table(~continue_from, bytes);
}

}  // namespace base
