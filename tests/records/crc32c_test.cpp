#include "base/records/crc32c.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "base/records/bytes.h"

namespace {

using base::bytes_of;
using base::crc32c;
using base::crc32c_by_table;

TEST(Crc32c, GivesTheKnownValues) {
  std::string rising;
  for (int i = 0; i < 32; ++i) rising += static_cast<char>(i);
  const std::string falling(rising.rbegin(), rising.rend());
  const std::vector<std::pair<std::string, std::uint32_t>> known = {
      {"", 0},
      {"a", 0xc1d04330},
      {"123456789", 0xe3069283},
      {std::string(32, '\0'), 0x8a9136aa},  // from here on those of RFC 3720, B.4
      {std::string(32, '\xff'), 0x62a8ab43},
      {rising, 0x46dd794e},
      {falling, 0x113fdb5c},
  };
  for (const auto& [text, crc] : known) {
    EXPECT_EQ(crc32c(bytes_of(text)), crc) << text;
    EXPECT_EQ(crc32c_by_table(bytes_of(text)), crc) << text;
  }
}

TEST(Crc32c, IsMaskedAsInRecordFiles) {
  // What stands behind the length of a record of 4 bytes.
  const std::string length("\x04\0\0\0\0\0\0\0", 8);
  EXPECT_EQ(base::masked_crc32c(bytes_of(length)), 0x04524542U);
}

std::string pseudo_random(std::size_t size) {
  std::string text(size, '\0');
  std::uint32_t state = 1;
  for (char& c : text) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return text;
}

TEST(Crc32c, IsTheSameByInstructionAndByTableAtAnyLengthAndAlignment) {
  const std::string text = pseudo_random(60010);
  for (std::size_t start = 0; start < 9; ++start) {
    for (const std::size_t size :
         {0, 1, 7, 8, 9, 63, 1535, 1536, 1537, 3072, 24575, 24576, 24577, 30000, 49152, 59999}) {
      const auto bytes = bytes_of(text).subspan(start, size);
      EXPECT_EQ(crc32c(bytes), crc32c_by_table(bytes)) << start << " " << size;
    }
  }
}

RC_GTEST_PROP(Crc32c, ContinuesFromPieceToPiece, ()) {
  const std::string text = pseudo_random(static_cast<std::size_t>(*rc::gen::inRange(0, 60000)));
  const auto cut = static_cast<std::size_t>(*rc::gen::inRange<int>(0, static_cast<int>(text.size()) + 1));
  const auto bytes = bytes_of(text);
  RC_ASSERT(crc32c(bytes.subspan(cut), crc32c(bytes.first(cut))) == crc32c(bytes));
  RC_ASSERT(crc32c_by_table(bytes.subspan(cut), crc32c_by_table(bytes.first(cut))) == crc32c(bytes));
}

}  // namespace
