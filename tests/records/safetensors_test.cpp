#include "base/records/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>
#include <set>
#include <utility>

#include "base/records/crc32c.h"
#include "tests/records/support.h"

namespace {

using base::bytes_of;
using base::DType;
using base::SafetensorsFile;
using base::TensorView;
using base::text_of;
using base::write_safetensors;
using records_test::contents_of;
using records_test::error_of;
using records_test::TemporaryFolder;
using records_test::write_file;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kFour = "abcd";
const std::string kEight = "efghijkl";

std::string file_of(const std::string& header, const std::string& data = "") {
  std::string length(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(header.size() >> (8 * i));
  return length + header + data;
}

// What reading a file with these bytes says.
std::string refusal(const std::string& bytes) {
  const TemporaryFolder folder;
  return error_of([&] { SafetensorsFile(write_file(folder / "bad.safetensors", bytes)); });
}

auto refuses(const std::string& why) {
  return AllOf(StartsWith("data error: this is not a whole safetensors file: "), HasSubstr("/bad.safetensors ("),
               HasSubstr(why), HasSubstr("\n  fix: "));
}

TEST(Safetensors, WritesTheLayoutOfPythonsWriter) {
  const TemporaryFolder folder;
  const std::vector<TensorView> tensors = {
      {"b", DType::kU8, {4}, bytes_of(kFour)},
      {"z", DType::kF32, {1, 1}, bytes_of(kFour)},
      {"a\"\n\xc3\xa4", DType::kF32, {}, bytes_of(kFour)},
      {"long", DType::kI64, {1}, bytes_of(kEight)},
  };
  const std::uint32_t crc = write_safetensors(folder / "x", tensors, {.metadata = {{"format", "pt"}}, .sync = true});
  const std::string header =
      R"({"__metadata__":{"format":"pt"},"long":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},)"
      "\"a\\\"\\n\xc3\xa4\":"
      R"({"dtype":"F32","shape":[],"data_offsets":[8,12]},"z":{"dtype":"F32","shape":[1,1],"data_offsets":[12,16]},)"
      R"("b":{"dtype":"U8","shape":[4],"data_offsets":[16,20]}})";
  const std::string padding((8 - header.size() % 8) % 8, ' ');
  EXPECT_EQ(contents_of(folder / "x"), file_of(header + padding, kEight + kFour + kFour + kFour));
  EXPECT_EQ(crc, base::crc32c(bytes_of(contents_of(folder / "x"))));
}

TEST(Safetensors, WritesNoMetadataWhereThereIsNone) {
  const TemporaryFolder folder;
  write_safetensors(folder / "x", {});
  EXPECT_EQ(contents_of(folder / "x"), file_of("{}      "));
  EXPECT_TRUE(SafetensorsFile(folder / "x").tensors().empty());
}

TEST(Safetensors, FindsTensorsByNameAlsoAfterAMove) {
  const TemporaryFolder folder;
  const std::vector<TensorView> tensors = {{"one", DType::kF32, {1}, bytes_of(kFour)},
                                           {"two", DType::kBF16, {2, 2}, bytes_of(kEight)},
                                           {"none", DType::kF64, {3, 0}, {}}};
  write_safetensors(folder / "x", tensors, {.metadata = {{"a", "1"}, {"b", "2"}}});
  SafetensorsFile opened(folder / "x");
  const SafetensorsFile file = std::move(opened);
  EXPECT_EQ(file.metadata(), (std::map<std::string, std::string>{{"a", "1"}, {"b", "2"}}));
  ASSERT_NE(file.find("two"), nullptr);
  EXPECT_EQ(file.find("two")->dtype, DType::kBF16);
  EXPECT_THAT(file.find("two")->shape, ElementsAre(2, 2));
  EXPECT_EQ(text_of(file.find("two")->bytes), kEight);
  EXPECT_THAT(file.find("none")->shape, ElementsAre(3, 0));
  EXPECT_TRUE(file.find("none")->bytes.empty());
  EXPECT_EQ(file.find("three"), nullptr);
}

TEST(Safetensors, ReadsAnyOrderOfEntriesAndFieldsItDoesNotKnow) {
  const TemporaryFolder folder;
  const std::string header =
      R"({"b":{"data_offsets":[4,8],"shape":[4],"dtype":"I8","more":[1]},"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})";
  const SafetensorsFile file(write_file(folder / "x", file_of(header, "12345678")));
  ASSERT_EQ(file.tensors().size(), 2U);
  EXPECT_EQ(file.tensors()[0].name, "a");
  EXPECT_EQ(text_of(file.tensors()[1].bytes), "5678");
}

TEST(Safetensors, RefusesAFileThatIsMissingOrNoFile) {
  EXPECT_THAT(error_of([] { SafetensorsFile("/nowhere/x"); }),
              StartsWith("data error: the file does not exist: /nowhere/x"));
  EXPECT_THAT(error_of([] { SafetensorsFile("/tmp"); }), StartsWith("data error: this is not a regular file: /tmp"));
}

TEST(Safetensors, RefusesAHeaderThatEndsTooEarly) {
  EXPECT_THAT(refusal(""), refuses("it ends after 0 bytes"));
  EXPECT_THAT(refusal("1234567"), refuses("it ends after 7 bytes"));
  EXPECT_THAT(refusal(file_of("{}      ").substr(0, 12)), refuses("its header takes 8 bytes, the file has 4"));
  EXPECT_THAT(refusal(file_of("")), refuses("not valid JSON at byte 8"));
}

TEST(Safetensors, RefusesAHeaderThatIsTooLong) {
  EXPECT_THAT(refusal(std::string(8, '\xff')), refuses("a header of 18446744073709551615 bytes is too long"));
  EXPECT_THAT(refusal(std::string("\x01\xe1\xf5\x05\0\0\0\0", 8)), refuses("a header of 100000001 bytes is too long"));
}

TEST(Safetensors, RefusesAHeaderThatIsNotWhatItShouldBe) {
  EXPECT_THAT(refusal(file_of("{\"a\":}")), refuses("not valid JSON at byte 13"));
  EXPECT_THAT(refusal(file_of("{\"a\xff\":{}}")), refuses("not valid JSON at byte 11"));
  EXPECT_THAT(refusal(file_of("{} {}")), refuses("not valid JSON"));
  EXPECT_THAT(refusal(file_of("[]")), refuses("not an object of objects"));
  EXPECT_THAT(refusal(file_of("5")), refuses("not an object of objects"));
  EXPECT_THAT(refusal(file_of(R"({"a":5})")), refuses("not an object of objects"));
  EXPECT_THAT(refusal(file_of(R"({"a":[]})")), refuses("not an object of objects"));
  EXPECT_THAT(refusal(file_of(std::string(100000, '['))), refuses("not an object of objects"));
  EXPECT_THAT(refusal(file_of(R"({"a":{"shape":[[[0]]]}})")), refuses("not an object of objects"));
  EXPECT_THAT(refusal(file_of(R"({"a":{"shape":[1e999]}})")), refuses("a number that is out of range"));
  EXPECT_THAT(refusal(file_of(R"({"__metadata__":{"a":1}})")), refuses("its metadata 'a' is not a text"));
}

std::string entry(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

std::string tensor(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return file_of("{\"t\":" + entry(dtype, shape, offsets) + "}", "12345678");
}

TEST(Safetensors, RefusesATensorThatMakesNoSense) {
  EXPECT_EQ(refusal(tensor("\"F32\"", "[2]", "[0,8]")), "accepted");
  EXPECT_THAT(refusal(tensor("\"F31\"", "[2]", "[0,8]")), refuses("'t' has the unknown dtype 'F31'"));
  EXPECT_THAT(refusal(tensor("32", "[2]", "[0,8]")), refuses("'t' has no dtype"));
  EXPECT_THAT(refusal(file_of(R"({"t":{}})")), refuses("'t' has no dtype"));
  EXPECT_THAT(refusal(file_of(R"({"t":{"dtype":"F32"}})")), refuses("shape of 't' is not a list of sizes"));
  for (const std::string shape : {"2", "[-2]", "[2.0]", "[\"2\"]", "[null]", "[9223372036854775808]", "[{}]", "[[]]"}) {
    EXPECT_THAT(refusal(tensor("\"F32\"", shape, "[0,8]")), refuses("shape of 't' is not a list of sizes")) << shape;
  }
  for (const std::string offsets : {"[]", "[0]", "[0,8,8]"}) {
    EXPECT_THAT(refusal(tensor("\"F32\"", "[2]", offsets)), refuses("'t' has not two data_offsets")) << offsets;
  }
  EXPECT_THAT(refusal(tensor("\"F32\"", "[2]", "[-1,8]")), refuses("data_offsets of 't' is not a list of sizes"));
}

TEST(Safetensors, RefusesASizeThatIsNotTheShapes) {
  EXPECT_THAT(refusal(tensor("\"F32\"", "[3]", "[0,8]")), refuses("has 8 bytes, which is not F32 [3]"));
  EXPECT_THAT(refusal(tensor("\"F32\"", "[]", "[0,8]")), refuses("has 8 bytes, which is not F32 []"));
  // 4 * 2^62 * 4 is 0, and 2^62 * 4 * 8 too, if one only counts far enough
  EXPECT_THAT(refusal(tensor("\"F32\"", "[4611686018427387904,4]", "[0,0]")), refuses("which is not F32"));
  EXPECT_THAT(refusal(tensor("\"F64\"", "[4611686018427387904,4,0]", "[0,0]")), refuses("which is not F64"));
  std::string many = "[1";
  for (int i = 0; i < 64; ++i) many += ",1";
  EXPECT_THAT(refusal(tensor("\"F32\"", many + "]", "[0,4]")), refuses("'t' has more than 64 dimensions"));
}

TEST(Safetensors, RefusesOffsetsThatOverlapLeaveHolesOrLeaveTheFile) {
  const auto two = [](const std::string& a, const std::string& b) {
    const std::string four = "\"U8\"";
    return file_of("{\"a\":" + entry(four, "[4]", a) + ",\"b\":" + entry(four, "[4]", b) + "}", "12345678");
  };
  EXPECT_EQ(refusal(two("[0,4]", "[4,8]")), "accepted");
  EXPECT_THAT(refusal(two("[0,4]", "[2,6]")), refuses("'b' starts at byte"));
  EXPECT_THAT(refusal(two("[0,4]", "[0,4]")), refuses("'b' starts at byte"));
  EXPECT_THAT(refusal(two("[1,5]", "[5,9]")), refuses("'a' starts at byte"));
  EXPECT_THAT(refusal(two("[4,8]", "[8,12]")), refuses("'a' starts at byte"));
  EXPECT_THAT(refusal(tensor("\"U8\"", "[9]", "[0,9]")), refuses("'t' goes from byte"));
  EXPECT_THAT(refusal(tensor("\"U8\"", "[7]", "[0,7]")), refuses("its tensors end at byte"));
  EXPECT_THAT(refusal(tensor("\"U8\"", "[0]", "[0,9223372036854775807]")), refuses("'t' goes from byte"));
  EXPECT_THAT(refusal(file_of("{}", "1")), refuses("its tensors end at byte 10, the file at 11"));
}

TEST(Safetensors, RefusesANameUsedTwice) {
  const std::string empty = entry("\"U8\"", "[0]", "[0,0]");
  EXPECT_THAT(refusal(file_of("{\"t\":" + empty + ",\"t\":" + empty + "}")), refuses("its header has 't' twice"));
  EXPECT_THAT(refusal(file_of(R"({"t":{"dtype":"U8","dtype":"F32"}})")), refuses("its header has 'dtype' twice"));
}

TEST(Safetensors, ShowsAHostileNameHarmlessAndShort) {
  const std::string message = refusal(file_of("{\"\\u001b[2J\\n" + std::string(1000, 'x') + "\":{}}"));
  EXPECT_THAT(message, AllOf(HasSubstr("'\\x1b[2J xxx"), HasSubstr("xxx...' has no dtype")));
  EXPECT_LT(message.size(), 350U);
}

TEST(Safetensors, WillNotWriteTensorsThatMakeNoSense) {
  const TemporaryFolder folder;
  const auto write = [&](const std::vector<TensorView>& tensors,
                         const std::map<std::string, std::string>& metadata = {}) {
    return error_of([&] { write_safetensors(folder / "x", tensors, {.metadata = metadata}); });
  };
  EXPECT_THAT(
      write({{"a", DType::kF32, {2}, bytes_of(kFour)}}),
      AllOf(StartsWith("data error: the tensor 'a' cannot be written: "), HasSubstr("F32 [2] does not take 4 bytes")));
  EXPECT_THAT(write({{"a", DType::kU8, {-2, -2}, bytes_of(kFour)}}), HasSubstr("U8 [-2,-2] does not take 4 bytes"));
  EXPECT_THAT(write({{"a", DType::kU8, {0}, {}}, {"a", DType::kF32, {0}, {}}}), HasSubstr("another one has its name"));
  EXPECT_THAT(write({{"__metadata__", DType::kU8, {0}, {}}}), HasSubstr("the name is the metadata's"));
  EXPECT_THAT(write({{"\xff", DType::kU8, {0}, {}}}),
              StartsWith("data error: a tensor's name or the metadata is not UTF-8"));
  EXPECT_THAT(write({}, {{"a", "\xff"}}), HasSubstr("is not UTF-8"));
  EXPECT_THAT(write({}, {{"a", std::string(17'000'000, '\1')}}),
              HasSubstr("take more than 100000000 bytes"));  // six bytes each, escaped
  EXPECT_FALSE(std::filesystem::exists(folder / "x"));
}

TEST(Safetensors, NamesTheFileAndTheReasonWhenTheDiskIsFull) {
  const std::string large(3 << 20, 'x');
  for (const std::string& data : {kFour, large}) {
    const TensorView tensor{"a", DType::kU8, {static_cast<std::int64_t>(data.size())}, bytes_of(data)};
    EXPECT_THAT(error_of([&] {
                  write_safetensors("/dev/full", {&tensor, 1});
                }),
                AllOf(StartsWith("data error: the file cannot be written: /dev/full (No space left on device)"),
                      HasSubstr("fix: free some space")));
  }
  EXPECT_THAT(error_of([] { write_safetensors("/nowhere/x", {}); }),
              StartsWith("data error: the file cannot be created: /nowhere/x (No such file or directory)"));
}

// Tensors with their own bytes, and names that may need escapes.
struct Owned {
  std::vector<std::string> data;
  std::vector<TensorView> views;
};

Owned random_tensors() {
  Owned owned;
  const auto names = *rc::gen::container<std::set<std::string>>(rc::gen::container<std::string>(
      rc::gen::oneOf(rc::gen::inRange<char>(0, 127), rc::gen::elementOf(std::string("\"\\/\x7f")))));
  owned.data.reserve(names.size());
  for (const std::string& name : names) {
    const auto dtype = static_cast<DType>(*rc::gen::inRange(0, 13));
    const auto shape =
        *rc::gen::resize(4, rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, 5)));
    const auto count = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
    owned.data.push_back(
        *rc::gen::container<std::string>(static_cast<std::size_t>(count) * size_of(dtype), rc::gen::arbitrary<char>()));
    owned.views.push_back({name, dtype, shape, bytes_of(owned.data.back())});
  }
  return owned;
}

RC_GTEST_PROP(Safetensors, ReadsBackWhateverItWrites, ()) {
  const TemporaryFolder folder;
  const Owned owned = random_tensors();
  write_safetensors(folder / "x", owned.views);
  const SafetensorsFile file(folder / "x");
  RC_ASSERT(file.tensors().size() == owned.views.size());
  for (const TensorView& wanted : owned.views) {
    const TensorView* found = file.find(wanted.name);
    RC_ASSERT(found != nullptr);
    RC_ASSERT(found->dtype == wanted.dtype);
    RC_ASSERT(found->shape == wanted.shape);
    RC_ASSERT(text_of(found->bytes) == text_of(wanted.bytes));
  }
  // and writing what was read gives the same file
  RC_ASSERT(write_safetensors(folder / "y", file.tensors()) == base::crc32c(bytes_of(contents_of(folder / "x"))));
}

RC_GTEST_PROP(Safetensors, NeverCrashesOnADamagedFile, ()) {
  const TemporaryFolder folder;
  const Owned owned = random_tensors();
  write_safetensors(folder / "x", owned.views, {.metadata = {{"a", "b"}}});
  std::string bytes = contents_of(folder / "x");
  const int damages = *rc::gen::inRange(1, 4);
  for (int i = 0; i < damages; ++i) {
    const auto at = static_cast<std::size_t>(*rc::gen::inRange<int>(0, static_cast<int>(bytes.size())));
    bytes[at] = *rc::gen::oneOf(rc::gen::arbitrary<char>(), rc::gen::elementOf(std::string("0123456789[]{}\",:-")));
  }
  bytes.resize(static_cast<std::size_t>(*rc::gen::oneOf(rc::gen::just(static_cast<int>(bytes.size())),
                                                        rc::gen::inRange<int>(0, static_cast<int>(bytes.size())))));
  try {
    const SafetensorsFile file(write_file(folder / "y", bytes));
    std::size_t total = 0;
    for (const TensorView& view : file.tensors()) total += view.bytes.size() + text_of(view.bytes).find('\1');
  } catch (const base::Error& error) {
    RC_ASSERT(error.kind() == base::ErrorKind::kData);
  }
}

}  // namespace
