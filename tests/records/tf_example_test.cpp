#include "base/records/tf_example.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "tests/records/support.h"

namespace {

using base::bytes_of;
using base::decode_example;
using base::encode_example;
using base::Feature;
using base::TfExample;
using records_test::error_of;
using testing::StartsWith;

using Bytes = std::vector<std::string>;
using Floats = std::vector<float>;
using Integers = std::vector<std::int64_t>;

TfExample decoded(const std::string& bytes) {
  return decode_example(bytes_of(bytes));
}

// A field that holds a message or text: its key, its length (below 128) and its bytes.
std::string field(int number, const std::string& content) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(content.size())} + content;
}

// An example with one feature, whose bytes are given.
std::string example_of(const std::string& name, const std::string& feature) {
  return field(1, field(1, field(1, name) + field(2, feature)));
}

TEST(TfExample, EncodesAsTheProtocolSays) {
  EXPECT_EQ(encode_example({}), "");
  EXPECT_EQ(encode_example({{"b", Bytes{"x", ""}}}), example_of("b", field(1, field(1, "x") + field(1, ""))));
  EXPECT_EQ(encode_example({{"f", Floats{1.0F}}}), example_of("f", field(2, field(1, std::string("\0\0\x80\x3f", 4)))));
  EXPECT_EQ(encode_example({{"i", Integers{1, 300, -1}}}),
            example_of("i", field(3, field(1, "\x01\xac\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))));
}

TEST(TfExample, KeepsTheKindOfAnEmptyList) {
  const TfExample example = {{"b", Bytes{}}, {"f", Floats{}}, {"i", Integers{}}, {"", Integers{1}}};
  EXPECT_EQ(decoded(encode_example(example)), example);
}

TEST(TfExample, KeepsExtremeValues) {
  using Limits = std::numeric_limits<std::int64_t>;
  const TfExample example = {{"i", Integers{Limits::min(), -1, 0, Limits::max()}},
                             {"f", Floats{-0.0F, std::numeric_limits<float>::infinity(), 1e-45F}},
                             {"b", Bytes{std::string(1 << 20, '\0')}}};
  EXPECT_EQ(decoded(encode_example(example)), example);
}

TEST(TfExample, ReadsListsThatAreNotPacked) {
  const std::string floats = std::string("\x0d\0\0\x80\x3f", 5) + field(1, std::string("\0\0\0\x40", 4));
  EXPECT_EQ(decoded(example_of("f", field(2, floats))), (TfExample{{"f", Floats{1, 2}}}));
  EXPECT_EQ(decoded(example_of("i", field(3, "\x08\x05\x08\xac\x02"))), (TfExample{{"i", Integers{5, 300}}}));
}

TEST(TfExample, MergesAsProtobufDoes) {
  const std::string one = field(3, field(1, "\x01"));
  const std::string two = field(3, field(1, "\x02"));
  EXPECT_EQ(decoded(example_of("i", one + two)), (TfExample{{"i", Integers{1, 2}}}));
  EXPECT_EQ(decoded(example_of("i", one + field(1, ""))), (TfExample{{"i", Bytes{}}}));
  EXPECT_EQ(decoded(example_of("i", one) + example_of("i", two)), (TfExample{{"i", Integers{2}}}));
  EXPECT_EQ(decoded(example_of("i", one) + example_of("j", two)), (TfExample{{"i", Integers{1}}, {"j", Integers{2}}}));
}

TEST(TfExample, LeavesOutAFeatureWithNoList) {
  EXPECT_EQ(decoded(example_of("i", "")), TfExample{});
  EXPECT_EQ(decoded(field(1, field(1, field(1, "i")))), TfExample{});
}

TEST(TfExample, PassesOverFieldsItDoesNotKnow) {
  const std::string unknown = field(9, "x") + "\x50\x05" + std::string("\x5d\0\0\0\0", 5);
  EXPECT_EQ(decoded(unknown + example_of("i", unknown + field(3, unknown + field(1, "\x01"))) + unknown),
            (TfExample{{"i", Integers{1}}}));
}

TEST(TfExample, RefusesWhatIsNoExample) {
  const std::string integers = example_of("i", field(3, field(1, "\x01")));
  EXPECT_THAT(error_of([&] { decode_example(bytes_of(integers).first(5), "train.tfrecord at byte 7"); }),
              StartsWith("data error: a record is not a tf.train.Example: train.tfrecord at byte 7\n  fix: "));
  for (const std::string& bytes : {
           std::string("no example"), example_of("f", field(2, field(1, "123"))),  // no whole float
           example_of("i", field(3, field(1, "\xff"))),                            // a number that does not end
           example_of("i", field(3, std::string(1, '\x08'))),                      // a number that does not start
           std::string(11, '\xff'),                                                // a key that does not end
           std::string("\x0a\xff\xff\xff\xff\x0f", 6),                             // a length beyond the end
           std::string("\x0a\xff\xff\xff\xff\xff\xff\xff\x7f", 9)                  // a length beyond any end
       }) {
    EXPECT_THAT(error_of([&] { decoded(bytes); }), StartsWith("data error: a record is not a tf.train.Example"))
        << bytes;
  }
}

TfExample random_example() {
  const auto features =
      rc::gen::oneOf(rc::gen::map<Bytes>([](Bytes values) { return Feature(std::move(values)); }),
                     rc::gen::map<Floats>([](Floats values) { return Feature(std::move(values)); }),
                     rc::gen::map<Integers>([](Integers values) { return Feature(std::move(values)); }));
  return *rc::gen::container<TfExample>(rc::gen::arbitrary<std::string>(), features);
}

RC_GTEST_PROP(TfExample, DecodesWhateverItEncodes, ()) {
  const TfExample example = random_example();
  RC_ASSERT(decoded(encode_example(example)) == example);
}

RC_GTEST_PROP(TfExample, NeverCrashesOnDamagedBytes, ()) {
  std::string bytes = encode_example(random_example()) + *rc::gen::arbitrary<std::string>();
  for (int i = *rc::gen::inRange(0, 4); i > 0 && !bytes.empty(); --i) {
    bytes[static_cast<std::size_t>(*rc::gen::inRange<int>(0, static_cast<int>(bytes.size())))] =
        *rc::gen::arbitrary<char>();
  }
  const std::string message = error_of([&] { decoded(bytes); });
  RC_ASSERT(message == "accepted" || message.starts_with("data error: a record is not a tf.train.Example"));
}

}  // namespace
