#include "base/torch.h"

#include <zlib.h>

#include "base/data/cifar.h"
#include "base/data/idx.h"
#include "tests/data/reader_support.h"

namespace base {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using namespace std::string_literals;

class Idx : public ReaderTest {
 protected:
  std::filesystem::path pack(const std::string& name, const std::string& bytes) const {
    const auto to = path(name);
    const gzFile file = gzopen(to.c_str(), "wb");
    gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
    return to;
  }
};

TEST_F(Idx, ReadsBytesOfAnyShapePackedOrNot) {
  const auto bytes = "\0\0\x08\x02\0\0\0\x02\0\0\0\x03\x01\x02\x03\xff\x05\x06"s;
  const auto expected = torch::tensor({1, 2, 3, 255, 5, 6}, torch::kUInt8).view({2, 3});
  EXPECT_TRUE(same(read_idx(write("plain", bytes)), expected));
  EXPECT_TRUE(same(read_idx(pack("packed.gz", bytes)), expected));
  EXPECT_TRUE(same(read_idx(path("packed")), expected)) << "as it was published";
}

TEST_F(Idx, ReadsEveryTypeInBigEndian) {
  const auto read = [&](char type, const std::string& values) {
    return read_idx(write("values", "\0\0"s + type + "\x01\0\0\0\x02"s + values));
  };
  EXPECT_TRUE(same(read(0x09, "\x01\xff"s), torch::tensor({1, -1}, torch::kInt8)));
  EXPECT_TRUE(same(read(0x0B, "\x01\x02\xff\xfe"s), torch::tensor({258, -2}, torch::kInt16)));
  EXPECT_TRUE(same(read(0x0C, "\x01\x02\x03\x04\xff\xff\xff\xfd"s), torch::tensor({16909060, -3}, torch::kInt32)));
  EXPECT_TRUE(same(read(0x0D, "\x3f\xc0\0\0\xc0\0\0\0"s), torch::tensor({1.5, -2.0}, torch::kFloat)));
  EXPECT_TRUE(same(read(0x0E, "\x3f\xf8\0\0\0\0\0\0\xc0\0\0\0\0\0\0\0"s), torch::tensor({1.5, -2.0}, torch::kDouble)));
}

TEST_F(Idx, NamesAFileThatIsMissingOrAFolder) {
  EXPECT_THAT(data_error([&] { read_idx(path("gone.gz")); }),
              AllOf(HasSubstr("there is no such data file: "), HasSubstr("gone.gz"), HasSubstr("fix: check the path")));
  std::filesystem::create_directory(path("folder"));
  EXPECT_THAT(data_error([&] { read_idx(path("folder")); }), HasSubstr("folder (Is a directory)"));
}

TEST_F(Idx, RefusesAFileOfAnotherFormat) {
  EXPECT_THAT(data_error([&] { read_idx(write("a", "")); }), HasSubstr("not an IDX file"));
  EXPECT_THAT(data_error([&] { read_idx(write("a", "\0\0\x08"s)); }), HasSubstr("not an IDX file"));
  EXPECT_THAT(data_error([&] { read_idx(write("a", "PNG and more")); }), HasSubstr("not an IDX file"));
  EXPECT_THAT(data_error([&] { read_idx(write("a", "\0\0\x0a\x01\0\0\0\x01x"s)); }), HasSubstr("unknown type 0x0a"));
  EXPECT_THAT(data_error([&] { read_idx(write("a", "\0\0\x08\0x"s)); }), HasSubstr("0 dimensions"));
  EXPECT_THAT(data_error([&] { read_idx(write("a", "\0\0\x08\xff"s)); }), HasSubstr("255 dimensions"));
  EXPECT_THAT(data_error([&] { read_idx(write("a", "\0\0\x08\x01\0\0\0\0"s)); }), HasSubstr("holds no values"));
}

TEST_F(Idx, RefusesSizesThatTheFileCannotHoldBeforeAllocatingThem) {
  // 2^96 values, 2^64 bytes, and 2^31: none of them is ever asked of the machine.
  const auto promise = "the IDX file's header promises more values than it can hold";
  EXPECT_THAT(data_error([&] { read_idx(write("a", "\0\0\x08\x03"s + std::string(12, '\xff'))); }), HasSubstr(promise));
  EXPECT_THAT(data_error([&] { read_idx(write("a", "\0\0\x0e\x02\x80\0\0\0\x40\0\0\0"s)); }), HasSubstr(promise));
  EXPECT_THAT(data_error([&] { read_idx(pack("a", "\0\0\x08\x01\x80\0\0\0"s)); }), HasSubstr(promise));
}

TEST_F(Idx, RefusesAFileThatIsCutShortOrGoesOn) {
  EXPECT_THAT(data_error([&] { read_idx(write("a", "\0\0\x08\x02\0\0\0\x02"s)); }), HasSubstr("ends too early"));
  EXPECT_THAT(data_error([&] { read_idx(write("a", "\0\0\x08\x01\0\0\0\x09xyz"s)); }), HasSubstr("6 bytes short"));
  EXPECT_THAT(data_error([&] { read_idx(pack("a", "\0\0\x08\x01\0\0\0\x09xyz"s)); }), HasSubstr("6 bytes short"));
  EXPECT_THAT(data_error([&] { read_idx(write("a", "\0\0\x08\x01\0\0\0\x02xyz"s)); }),
              HasSubstr("goes on behind its last value"));
}

TEST_F(Idx, RefusesADamagedArchive) {
  std::string noise;
  for (int i = 0; i < 5000; ++i) noise += static_cast<char>((i * 7919) >> 3);
  const auto packed = contents_of(pack("whole.gz", "\0\0\x08\x01\0\0\x13\x88"s + noise));
  EXPECT_EQ(read_idx(path("whole.gz")).numel(), 5000);
  EXPECT_THAT(data_error([&] { read_idx(write("cut.gz", packed.substr(0, packed.size() / 2))); }), HasSubstr("cut.gz"));
  auto damaged = packed;
  damaged[damaged.size() - 6] = static_cast<char>(damaged[damaged.size() - 6] ^ 1);  // of the checksum
  EXPECT_THAT(data_error([&] { read_idx(write("damaged.gz", damaged)); }), HasSubstr("does not unpack"));
}

TEST_F(Idx, ReadsFashionMnist) {
  const std::filesystem::path folder = "/usr/share/datasets/fashion-mnist";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "apt-get install dataset-fashion-mnist brings the files";
  const auto images = read_idx(folder / "t10k-images-idx3-ubyte.gz");
  EXPECT_EQ(images.sizes(), torch::IntArrayRef({10000, 28, 28}));
  EXPECT_TRUE(same(read_idx(folder / "t10k-labels-idx1-ubyte.gz").bincount(), torch::full({10}, 1000, torch::kLong)));
}

class Cifar : public ReaderTest {
 protected:
  static std::string record(char label, char red, char green, char blue) {
    std::string bytes(1, label);
    return bytes.append(1024, red).append(1024, green).append(1024, blue);
  }
};

TEST_F(Cifar, ReadsRecordsOfSeveralFiles) {
  write("data_batch_1.bin", record(3, 1, 2, 3) + record(9, 4, 5, 6));
  write("data_batch_2.bin", record(0, 7, 8, '\xff'));
  write("test_batch.bin", record(1, 0, 0, 0));
  const Tensors training = read_cifar10(path("."), true);
  EXPECT_TRUE(same(training["label"], torch::tensor({3, 9, 0}, torch::kLong)));
  EXPECT_EQ(training["image"].sizes(), torch::IntArrayRef({3, 3, 32, 32}));
  EXPECT_TRUE(same(training["image"].select(2, 31).select(2, 17),
                   torch::tensor({1, 2, 3, 4, 5, 6, 7, 8, 255}, torch::kUInt8).view({3, 3})));
  EXPECT_TRUE(same(read_cifar10(path("."), false)["label"], torch::tensor({1}, torch::kLong)));
  EXPECT_EQ(read_cifar10({path("test_batch.bin"), path("data_batch_2.bin")})["label"].size(0), 2);
}

TEST_F(Cifar, RefusesABadLabelWithItsFileAndRecord) {
  write("data_batch_1.bin", record(3, 1, 2, 3) + record(10, 4, 5, 6));
  EXPECT_THAT(data_error([&] { read_cifar10(path("."), true); }),
              AllOf(HasSubstr("label 10"), HasSubstr("data_batch_1.bin, record 1")));
}

TEST_F(Cifar, RefusesWhatIsNoWholeNumberOfRecords) {
  write("test_batch.bin", record(3, 1, 2, 3) + "x");
  EXPECT_THAT(data_error([&] { read_cifar10(path("."), false); }),
              AllOf(HasSubstr("not a whole number of records of 3073 bytes"), HasSubstr("test_batch.bin")));
  write("test_batch.bin", "");
  EXPECT_THAT(data_error([&] { read_cifar10(path("."), false); }), HasSubstr("no pictures"));
}

TEST_F(Cifar, RefusesAFolderWithoutItsFiles) {
  EXPECT_THAT(data_error([&] { read_cifar10(path("."), true); }),
              AllOf(HasSubstr("no CIFAR-10 files"), HasSubstr("data_batch_*.bin")));
  EXPECT_THAT(data_error([&] { read_cifar10(path("nowhere"), true); }), HasSubstr("nowhere"));
}

}  // namespace
}  // namespace base
