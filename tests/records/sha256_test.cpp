// SHA-256 against the examples of FIPS 180-4 and of `sha256sum`.
#include "base/records/sha256.h"

#include <gtest/gtest.h>

#include <string>

#include "base/records/bytes.h"

namespace base {
namespace {

TEST(Sha256, IsThatOfTheStandard) {
  EXPECT_EQ(sha256({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256(bytes_of("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(bytes_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(bytes_of(std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnThePiecesThatItComesIn) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 7);
  for (std::size_t size = 0; size <= text.size(); size += 11) {
    for (const std::size_t piece : {1, 3, 55, 56, 63, 64, 65, 200}) {
      Sha256 sum;
      for (std::size_t at = 0; at < size; at += piece)
        sum.append(bytes_of(text).subspan(at, std::min(piece, size - at)));
      EXPECT_EQ(sum.finish(), sha256(bytes_of(text).first(size))) << size << " in pieces of " << piece;
    }
  }
}

}  // namespace
}  // namespace base
