#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <limits>
#include <thread>

#include "base/infer/json_lines.h"
#include "base/infer/tensor_file.h"
#include "tests/infer/support.h"
#include "tests/support/temporary_folder.h"
#include "tests/tensor/message_of.h"

namespace base {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Lt;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

const Signature kSignature{.inputs = {{"x", DType::kF32, {{1, "batch"}, {2}, {2}}}, {"n", DType::kI8, {{1, "batch"}}}},
                           .outputs = {{"y", DType::kF32, {{1, "batch"}}}}};

class JsonLines : public ::testing::Test {
 protected:
  std::optional<Sample> read(const std::string& text) {
    folder_.write("in.jsonl", text);
    return JsonLinesReader(folder_ / "in.jsonl", kSignature).next();
  }
  std::string error_of(const std::string& text) {
    return folder_.shorten(message_of(ErrorKind::kData, [&] { read(text); }));
  }
  TemporaryFolder folder_;
};

TEST_F(JsonLines, GiveATensorForEachInput) {
  const auto sample = read(R"({"n": -3, "x": [[1, 2.5], [null, -1e3]]})");
  ASSERT_TRUE(sample);
  ASSERT_EQ(2U, sample->feeds[0].size());
  const TensorView& n = sample->feeds[0][0].view;
  EXPECT_EQ(DType::kI8, n.dtype);
  EXPECT_TRUE(n.shape.empty());
  EXPECT_EQ(-3, number_at(n, 0));
  const TensorView& x = sample->feeds[0][1].view;
  EXPECT_THAT(x.shape, ElementsAre(2, 2));
  const auto numbers = numbers_of(x);
  EXPECT_EQ(2.5F, numbers[1]);
  EXPECT_TRUE(std::isnan(numbers[2]));
  EXPECT_EQ(-1000, numbers[3]);
}

TEST_F(JsonLines, CountLinesAndPassOverEmptyOnes) {
  folder_.write("in.jsonl", "\n{\"n\": 1}\r\n   \n{\"n\": 2, \"id\": [\"a\"]}");  // and the last line has no end
  JsonLinesReader reader(folder_ / "in.jsonl", kSignature);
  EXPECT_EQ((folder_ / "in.jsonl").string() + ":2", reader.next()->name);
  const auto last = reader.next();
  EXPECT_EQ((folder_ / "in.jsonl").string() + ":4", last->name);
  EXPECT_EQ("[\"a\"]", last->id);
  EXPECT_EQ(std::nullopt, reader.next());
  EXPECT_EQ(std::nullopt, reader.next());
}

TEST_F(JsonLines, CarrySeveralFeeds) {
  const auto sample = read(R"({"id": 7, "feeds": [{"n": 1}, {"n": 2}]})");
  EXPECT_EQ("7", sample->id);
  ASSERT_EQ(2U, sample->feeds.size());
  EXPECT_EQ(2, number_at(sample->feeds[1][0].view, 0));
}

TEST_F(JsonLines, KeepNamesThatNobodyKnowsForTheOneWhoNamesThemAll) {
  const auto sample = read(R"({"n": 1, "m": "text"})");
  EXPECT_THROW(match_inputs(kSignature, std::vector{sample->feeds[0][0].view, sample->feeds[0][1].view}), Error);
}

TEST_F(JsonLines, AreNotNestedDeeplyEnoughToEndTheProcess) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + "1" + std::string(depth, ']'); };
  const std::string deep = nested(100'000);
  for (const std::string& line : {deep, "{\"x\": " + deep + "}", "{\"x\": [1, " + deep + "]}",
                                  "{\"n\": 1, \"id\": " + deep + "}", "{\"n\": 1, \"id\": " + nested(64) + "}"}) {
    EXPECT_THAT(error_of(line),
                StartsWith("data error: the line is no sample: in.jsonl:1 (lists and objects are nested "
                           "deeper than 64)\n  fix: write one object a line"));
  }
  EXPECT_EQ(nested(63), read("{\"n\": 1, \"id\": " + nested(63) + "}")->id);
  const std::string brackets = '"' + std::string(100, '[') + "\\\"[\\\\\"";  // in a text they are letters
  EXPECT_EQ(brackets, read("{\"n\": 1, \"id\": " + brackets + "}")->id);
}

TEST_F(JsonLines, SayWhatIsWrongAndWhere) {
  const std::string fix =
      "\n  fix: write one object a line, with a value for each input: {\"x\": [[0.5, ...], ...], \"n\": 1}";
  EXPECT_EQ("data error: the line is no sample: in.jsonl:1 (it is no object)" + fix, error_of("[1, 2]\n"));
  EXPECT_EQ("data error: the line is no sample: in.jsonl:1 (x[1] has 1 elements, its neighbours 2)" + fix,
            error_of(R"({"x": [[1, 2], [3]]})"));
  EXPECT_EQ("data error: the line is no sample: in.jsonl:2 (x[1][0] is \"one\", not a number)" + fix,
            error_of("\n{\"x\": [[1, 2], [\"one\", 4]]}"));
  EXPECT_EQ("data error: the line is no sample: in.jsonl:1 (x[1] is no list, as its neighbours are)" + fix,
            error_of(R"({"x": [[1, 2], 3]})"));
  EXPECT_EQ("data error: the line is no sample: in.jsonl:1 (n is 128, not in the range of I8)" + fix,
            error_of(R"({"n": 128})"));
  EXPECT_EQ("data error: the line is no sample: in.jsonl:1 (n is 1.5, not a whole number)" + fix,
            error_of(R"({"n": 1.5})"));
  EXPECT_EQ("data error: the line is no sample: in.jsonl:1 (feeds is no list of objects)" + fix,
            error_of(R"({"feeds": []})"));
  EXPECT_EQ("data error: the line is not JSON: in.jsonl:2 (column 12: unexpected end of input; expected ']')" + fix,
            error_of("\n{\"x\": [1, 2"));
  EXPECT_THAT(error_of("{\"x\": \"" + std::string(1000, 'a')),
              AllOf(HasSubstr("(column 1008: invalid string: missing closing quote; last read: '\"aaa"),
                    HasSubstr("aaa...)\n"), SizeIs(Lt(400))));
  EXPECT_THAT(error_of(std::string("{\"x\": \"\xff\xfe\"}")),
              StartsWith("data error: the line is not JSON: in.jsonl:1 ("));
  EXPECT_THAT(folder_.shorten(message_of(ErrorKind::kData, [&] { JsonLinesReader(folder_ / "none", kSignature); })),
              StartsWith("data error: the file cannot be read: none (No such file or directory)"));
}

TEST_F(JsonLines, TakeWholeNumbersAsProgramsWriteThem) {
  EXPECT_EQ(-3, number_at(read(R"({"n": -3.0})")->feeds[0][0].view, 0));
  EXPECT_EQ(100, number_at(read(R"({"n": 1e2})")->feeds[0][0].view, 0));
  EXPECT_THAT(error_of(R"({"n": 128.0})"), HasSubstr("(n is 128.0, not in the range of I8)"));
  EXPECT_THAT(error_of(R"({"n": -129.0})"), HasSubstr("(n is -129.0, not in the range of I8)"));
  EXPECT_THAT(error_of(R"({"n": null})"), HasSubstr("(n is null, not a whole number)"));
  EXPECT_THAT(error_of(R"({"n": "Infinity"})"), HasSubstr("(n is \"Infinity\", not a whole number)"));
  const Signature wide{.inputs = {{"i", DType::kI64, {}}, {"u", DType::kU64, {}}}, .outputs = {}};
  const auto read_wide = [&](const std::string& text) {
    folder_.write("in.jsonl", text);
    return JsonLinesReader(folder_ / "in.jsonl", wide).next()->feeds[0][0];
  };
  EXPECT_THAT(numbers_of<std::int64_t>(read_wide(R"({"i": -9223372036854775808.0})").view),
              ElementsAre(std::numeric_limits<std::int64_t>::min()));
  EXPECT_THAT(numbers_of<std::uint64_t>(read_wide(R"({"u": 18446744073709551615})").view),
              ElementsAre(std::numeric_limits<std::uint64_t>::max()));
  for (const char* text : {R"({"i": 9223372036854775808.0})", R"({"u": 18446744073709551616})", R"({"u": -1.0})"})
    EXPECT_THAT(message_of(ErrorKind::kData, [&] { read_wide(text); }), HasSubstr("not in the range of ")) << text;
}

TEST_F(JsonLines, TakeNanAndInfinityAsProtobufWritesThem) {
  const auto numbers = numbers_of(read(R"({"x": [["NaN", null], ["Infinity", "-Infinity"]]})")->feeds[0][0].view);
  EXPECT_TRUE(std::isnan(numbers[0]));
  EXPECT_TRUE(std::isnan(numbers[1]));
  EXPECT_EQ(INFINITY, numbers[2]);
  EXPECT_EQ(-INFINITY, numbers[3]);
}

TEST_F(JsonLines, SayHowNanAndInfinityAreWritten) {
  EXPECT_EQ(
      "data error: the line is not JSON: in.jsonl:1 (column 11: invalid literal; last read: '1, N')\n"
      "  fix: write one object a line, with a value for each input: {\"x\": [[0.5, ...], ...], \"n\": 1}; write null "
      "for "
      "nan, \"Infinity\" or \"-Infinity\" for infinity",
      error_of(R"({"x": [1, NaN]})"));
  EXPECT_THAT(error_of(R"({"x": 1e999})"), HasSubstr("in.jsonl:1 (number overflow parsing '1e999')\n"));
  const auto is_hint = HasSubstr("; write null for nan, ");
  for (const char* text : {"NaN", R"({"x": nan})", R"({"x": Infinity})", R"({"x": -Infinity})", R"({"x":-inf})",
                           R"({"x": 1e999})", R"({"x": -1e999})"})
    EXPECT_THAT(error_of(text), is_hint) << text;
  for (const char* text : {"n", R"({"Infinity": )", R"({"NaN" 3})", R"({"x": .5})"})
    EXPECT_THAT(error_of(text), Not(is_hint)) << text;
}

TEST_F(JsonLines, ShowALineForThisModel) {
  folder_.write("in.jsonl", "7");
  const auto fix_for = [&](const Signature& signature) {
    const std::string text =
        message_of(ErrorKind::kData, [&] { JsonLinesReader(folder_ / "in.jsonl", signature).next(); });
    return text.substr(text.find("{"));
  };
  const Axis batch{1, "batch"};
  EXPECT_EQ(R"({"series": [0.5, ...]})", fix_for({.inputs = {{"series", DType::kF32, {batch, {9}}}}, .outputs = {}}));
  EXPECT_EQ(R"({"ids": [[1, ...], ...], "is \"it\"": true})",
            fix_for({.inputs = {{"ids", DType::kI64, {{4}, {9}}}, {"is \"it\"", DType::kBool, {}}}, .outputs = {}}));
}

TEST_F(JsonLines, HaveAnswersThatReadTheSame) {
  JsonLinesSink sink(folder_ / "out.jsonl");
  const HostTensor y = floats("y", {5}, {0.1F, -3, NAN, INFINITY, -INFINITY});
  const HostTensor big = tensor<std::int64_t>("big", DType::kI64, {}, {std::numeric_limits<std::int64_t>::max()});
  const HostTensor yes = tensor<std::uint8_t>("is \"it\"", DType::kBool, {2}, {1, 0});
  const HostTensor none = floats("none", {0, 3}, {});
  const HostTensor whole = tensor<std::int32_t>("whole", DType::kI32, {1}, {16777217});
  const std::vector<TensorView> outputs{y.view, big.view, yes.view, none.view, whole.view};
  sink.take({.id = "\"a\""}, outputs);
  sink.finish();
  EXPECT_EQ(
      R"({"id": "a", "y": [0.1, -3, null, "Infinity", "-Infinity"], "big": 9223372036854775807, "is \"it\"": [true, false], "none": [], "whole": [16777217]})"
      "\n",
      folder_.read("out.jsonl"));
}

TEST_F(JsonLines, HaveTheirNameOnceTheyAreWhole) {
  const HostTensor y = floats("y", {1}, {1});
  folder_.write("out.jsonl", "older\n");
  { JsonLinesSink fails_at_once(folder_ / "out.jsonl"); }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out.jsonl.partial"));
  {
    JsonLinesSink fails_later(folder_ / "out.jsonl");
    fails_later.take({}, {&y.view, 1});
  }
  EXPECT_EQ("older\n", folder_.read("out.jsonl"));
  EXPECT_EQ("{\"y\": [1]}\n", folder_.read("out.jsonl.partial"));

  std::filesystem::create_symlink(folder_ / "out.jsonl", folder_ / "link.jsonl");
  JsonLinesSink sink(folder_ / "link.jsonl");
  sink.take({}, {&y.view, 1});
  sink.finish();
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link.jsonl"));
  EXPECT_EQ("{\"y\": [1]}\n", folder_.read("out.jsonl"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out.jsonl.partial"));
}

TEST_F(JsonLines, SayThatTheDiskIsFull) {
  JsonLinesSink sink("/dev/full");
  const HostTensor y = floats("y", {1}, {1});
  sink.take({}, {&y.view, 1});
  EXPECT_EQ(
      "data error: the answers cannot be written: /dev/full (No space left on device)\n"
      "  fix: check the disk and who may write there",
      message_of(ErrorKind::kData, [&] { sink.finish(); }));
}

TEST(LineReader, KnowsWhetherALineIsThere) {
  int ends[2];
  ASSERT_EQ(0, ::pipe(ends));
  LineReader reader("/dev/fd/" + std::to_string(ends[0]));
  EXPECT_FALSE(reader.is_ready());
  ASSERT_EQ(3, ::write(ends[1], "one", 3));
  EXPECT_FALSE(reader.is_ready());
  ASSERT_EQ(2, ::write(ends[1], "\nt", 2));
  EXPECT_TRUE(reader.is_ready());
  EXPECT_EQ("one", reader.next());
  EXPECT_FALSE(reader.is_ready());
  ::close(ends[1]);
  EXPECT_TRUE(reader.is_ready());
  EXPECT_EQ("t", reader.next());
  EXPECT_EQ(std::nullopt, reader.next());
  ::close(ends[0]);
}

TEST(LineReader, StopsWaitingWhenItIsCancelled) {
  int ends[2];
  ASSERT_EQ(0, ::pipe(ends));
  LineReader reader("/dev/fd/" + std::to_string(ends[0]));
  std::jthread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    reader.cancel();
  });
  EXPECT_EQ(std::nullopt, reader.next());
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(SafetensorsReader, GivesARowAtATime) {
  const TemporaryFolder folder;
  const HostTensor x = floats("x", {3, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const HostTensor n = tensor<std::int8_t>("n", DType::kI8, {3}, {7, 8, 9});
  write_safetensors(folder / "in.safetensors", std::vector{x.view, n.view});
  SafetensorsReader reader(folder / "in.safetensors", kSignature);
  EXPECT_EQ(3, reader.size());
  reader.next();
  const auto second = reader.next();
  EXPECT_EQ((folder / "in.safetensors").string() + " row 1", second->name);
  EXPECT_THAT(second->feeds[0][0].view.shape, ElementsAre(2, 2));
  EXPECT_THAT(numbers_of(second->feeds[0][0].view), ElementsAre(5, 6, 7, 8));
  EXPECT_EQ(8, number_at(second->feeds[0][1].view, 0));
  EXPECT_TRUE(reader.next());
  EXPECT_FALSE(reader.next());
}

TEST(SafetensorsReader, NamesAllThatDoesNotFit) {
  const TemporaryFolder folder;
  const HostTensor x = floats("x", {3, 2}, {1, 2, 3, 4, 5, 6});
  write_safetensors(folder / "in.safetensors", std::vector{x.view});
  EXPECT_EQ(
      "data error: the inputs do not fit the model: x is [3, 2], not [batch, 2, 2]; n is missing\n"
      "  fix: it takes x F32 [batch, 2, 2], n I8 [batch]\n"
      "  in: in.safetensors",
      folder.shorten(message_of(ErrorKind::kData, [&] { SafetensorsReader(folder / "in.safetensors", kSignature); })));
}

TEST(SafetensorsSink, GathersTheAnswersInOneTensorEach) {
  const TemporaryFolder folder;
  SafetensorsSink sink(folder / "out.safetensors");
  for (const float number : {1.0F, 2.0F, 3.0F}) {
    const HostTensor y = floats("y", {2}, {number, -number});
    sink.take({}, {&y.view, 1});
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "out.safetensors"));
  sink.finish();
  const SafetensorsFile file(folder / "out.safetensors");
  EXPECT_THAT(file.find("y")->shape, ElementsAre(3, 2));
  EXPECT_THAT(numbers_of(*file.find("y")), ElementsAre(1, -1, 2, -2, 3, -3));
  EXPECT_TRUE(file.metadata().empty());
}

TEST(SafetensorsSink, KeepsTheIdsBesideTheAnswers) {
  const TemporaryFolder folder;
  SafetensorsSink sink(folder / "out.safetensors");
  const HostTensor y = floats("y", {}, {1});
  for (const char* id : {"17", "", R"("b")"}) sink.take({.id = id}, {&y.view, 1});
  sink.finish();
  EXPECT_EQ(R"([17, null, "b"])", SafetensorsFile(folder / "out.safetensors").metadata().at("ids"));
}

TEST(CsvSink, WritesATable) {
  const TemporaryFolder folder;
  CsvSink sink(folder / "out.csv");
  const HostTensor y = floats("y", {3}, {NAN, INFINITY, -INFINITY});
  const HostTensor n = tensor<std::int64_t>("n", DType::kI64, {}, {-3});
  const std::vector<TensorView> outputs{y.view, n.view};
  sink.take({.name = "a, \"b\""}, outputs);
  sink.take({.name = "line 2", .id = "17"}, outputs);
  sink.finish();
  EXPECT_EQ("sample,y_0,y_1,y_2,n\n\"a, \"\"b\"\"\",nan,inf,-inf,-3\n17,nan,inf,-inf,-3\n", folder.read("out.csv"));
  CsvSink other(folder / "other.csv");
  other.take({}, outputs);
  const HostTensor longer = floats("y", {4}, {1, 2, 3, 4});
  EXPECT_THAT(message_of(ErrorKind::kData,
                         [&] {
                           other.take({}, std::vector{longer.view, n.view});
                         }),
              HasSubstr("answers of different sizes do not fit one table: y"));
}

TEST(CsvSink, WritesIdsAsTheirText) {
  const TemporaryFolder folder;
  CsvSink sink(folder / "out.csv");
  const HostTensor n = tensor<std::int64_t>("n", DType::kI64, {}, {1});
  for (const char* id : {R"("b")", R"("a \"b\", \u00e9")", "17", "[1,2]", R"("no JSON)"})
    sink.take({.name = "line", .id = id}, {&n.view, 1});
  sink.finish();
  EXPECT_EQ("sample,n\nb,1\n\"a \"\"b\"\", \xc3\xa9\",1\n17,1\n\"[1,2]\",1\n\"\"\"no JSON\",1\n",
            folder.read("out.csv"));
}

TEST(CsvSink, WritesTheFirstLineOfATableWithoutRows) {
  const TemporaryFolder folder;
  const auto written = [&](std::vector<TensorSpec> outputs) {
    CsvSink(folder / "out.csv", std::move(outputs)).finish();
    return folder.read("out.csv");
  };
  EXPECT_EQ("sample,y_0,y_1,n\n", written({{"y", DType::kF32, {{1}, {2}}}, {"n", DType::kI64, {}}}));
  EXPECT_EQ("", written({{"y", DType::kF32, {{1, "length"}}}}));
  EXPECT_EQ("", written({}));
}

}  // namespace
}  // namespace base
