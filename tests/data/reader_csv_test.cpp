#include "base/torch.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/data/csv_loader.h"
#include "base/data/time_series.h"
#include "tests/data/reader_support.h"

namespace base {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class Csv : public ReaderTest {
 protected:
  CsvFile read(std::string_view text, const CsvOptions& options = {}) const {
    return CsvFile(write("rows.csv", text), options);
  }
};

TEST_F(Csv, ReadsColumnsByName) {
  const CsvFile file = read("width,height,name\n1,2.5,cat\n-3e2,+4,dog\n");
  EXPECT_EQ(file.rows(), 2);
  EXPECT_THAT(file.names(), ElementsAre("width", "height", "name"));
  EXPECT_THAT(file.column("name"), ElementsAre("cat", "dog"));
  EXPECT_TRUE(same(file.numbers({"height", "width"}), floats({2.5, 1, 4, -300}).view({2, 2})));
  EXPECT_TRUE(same(file.numbers({"width", "width"}), floats({1, 1, -300, -300}).view({2, 2})));
}

TEST_F(Csv, ReadsQuotedFields) {
  const CsvFile file =
      read("a,b,c\n\"x, y\",\"say \"\"hi\"\"\",\"two\nlines\"\n\"\",\"\"\"\",plain \"middle\" quote\n");
  EXPECT_THAT(file.column("a"), ElementsAre("x, y", ""));
  EXPECT_THAT(file.column("b"), ElementsAre("say \"hi\"", "\""));
  EXPECT_THAT(file.column("c"), ElementsAre("two\nlines", "plain \"middle\" quote"));
  EXPECT_EQ(file.line(0), 2);
  EXPECT_EQ(file.line(1), 4);  // a row behind one of two lines
}

TEST_F(Csv, ReadsWindowsFilesWithAMarkAndEmptyLines) {
  const CsvFile file = read(
      "\xef\xbb\xbf"
      "a,b\r\n\r\n1,\"2\"\r\n\n3,4");
  EXPECT_THAT(file.names(), ElementsAre("a", "b"));
  EXPECT_THAT(file.column("b"), ElementsAre("2", "4"));
  EXPECT_TRUE(same(file.integers("a"), torch::tensor({1, 3}, torch::kLong)));
  EXPECT_THAT(file.where(0), testing::EndsWith("rows.csv:3"));
  EXPECT_THAT(file.where(1), testing::EndsWith("rows.csv:5"));
}

TEST_F(Csv, ReadsWithoutAHeaderAndWithOtherSeparators) {
  const CsvFile file = read("1;2,5\n3;4\n", {.header = false, .separator = ';'});
  EXPECT_THAT(file.names(), ElementsAre("0", "1"));
  EXPECT_THAT(file.column("1"), ElementsAre("2,5", "4"));
  EXPECT_THAT(read("a\tb\n1\t2\n", {.separator = '\t'}).column("b"), ElementsAre("2"));
}

TEST_F(Csv, KeepsEmptyFieldsAtTheEndOfARow) {
  const CsvFile file = read("a,b,c\n,,\n1,,");
  EXPECT_THAT(file.column("c"), ElementsAre("", ""));
  EXPECT_THAT(file.column("a"), ElementsAre("", "1"));
}

TEST_F(Csv, NamesTheLineOfARowWithTooFewOrTooManyColumns) {
  const auto message = data_error([&] { read("a,b,c\n1,2,3\n\"4\n4\",5,6\n7,8\n"); });
  EXPECT_THAT(message,
              AllOf(HasSubstr("rows.csv:5: 2 columns instead of 3: 7,8"), HasSubstr("fix: give every row 3 fields")));
  EXPECT_THAT(data_error([&] { read("a,b\n1,2,3\n"); }), HasSubstr("rows.csv:2: 3 columns instead of 2: 1,2,3"));
  EXPECT_THAT(data_error([&] { read("a,b\n1,2\n" + std::string(1000, 'x') + "\n"); }), HasSubstr("xxx...\n"));
}

TEST_F(Csv, NamesTheLineOfAQuoteThatIsWrong) {
  EXPECT_THAT(data_error([&] { read("a,b\n1,2\n3,\"4\n5,6\n"); }),
              HasSubstr("rows.csv:3: a quote that is never closed"));
  EXPECT_THAT(data_error([&] { read("a,b\n\"1\"2,3\n"); }), HasSubstr("rows.csv:2: text behind a closing quote"));
}

TEST_F(Csv, NamesLineColumnAndValueOfWhatIsNoNumber) {
  const auto refused = [&](const std::string& value) {
    return data_error([&] { read("age,size\n1,2\n3," + value + "\n").numbers({"age", "size"}); });
  };
  EXPECT_THAT(refused("twelve"),
              AllOf(HasSubstr("rows.csv:3: column 'size' is not a number: twelve"), HasSubstr("fix: ")));
  EXPECT_THAT(refused(""), HasSubstr("is not a number: it is empty"));
  for (const char* value : {"1.5x", "nan", "inf", "-inf", "1e39", "1e999", "--1", "+-1", "0x10", "1 2", "+"})
    EXPECT_THAT(refused(value), HasSubstr("is not a number")) << value;
  EXPECT_THAT(refused("\x1b[2J"), Not(HasSubstr("\x1b")));
  EXPECT_THAT(data_error([&] { read("a\n1.5\n").integers("a"); }), HasSubstr("column 'a' is not a whole number: 1.5"));
  EXPECT_THAT(data_error([&] { read("a\n99999999999999999999\n").integers("a"); }), HasSubstr("not a whole number"));
}

TEST_F(Csv, TakesNumbersWithSpacesAroundThemAndVerySmallOnes) {
  EXPECT_TRUE(same(read("a,b\n 1.5 ,\t-2\n1e-400, +3\n").numbers({"a", "b"}), floats({1.5, -2, 0, 3}).view({2, 2})));
}

TEST_F(Csv, SuggestsTheNearestColumn) {
  const CsvFile file = read("width,height\n1,2\n");
  EXPECT_THAT(data_error([&] { file.column("heigth"); }),
              AllOf(HasSubstr("there is no column of this name: heigth"), HasSubstr("did you mean height?")));
  EXPECT_THAT(data_error([&] { file.column("zzz"); }), HasSubstr("the columns are: width, height"));
  EXPECT_THAT(data_error([&] { read("a,a\n1,2\n").column("a"); }), HasSubstr("two columns have the same name: a"));
}

TEST_F(Csv, RefusesAFileWithoutRows) {
  for (const char* text : {"", "\n\n", "a,b\n", "\xef\xbb\xbf"})
    EXPECT_THAT(data_error([&] { read(text); }), HasSubstr("the CSV file has no rows")) << text;
  EXPECT_THAT(data_error([&] { CsvFile(path("gone.csv")); }), HasSubstr("there is no such data file"));
  EXPECT_THAT(data_error([&] {
                read(
                    "\xff\xfe"
                    "a");
              }),
              HasSubstr("UTF-16"));
}

RC_GTEST_PROP(CsvProperty, AnyTextComesBackFromItsQuotes, ()) {
  const auto table = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::pair<std::string, std::string>>>(
      rc::gen::pair(rc::gen::string<std::string>(), rc::gen::string<std::string>())));
  const auto quoted = [](const std::string& text) {
    std::string field = "\"";
    for (const char letter : text) field += letter == '"' ? std::string("\"\"") : std::string(1, letter);
    return field + '"';
  };
  std::string text = "left,right\n";
  for (const auto& [left, right] : table) text += quoted(left) + "," + quoted(right) + "\r\n";
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "a.csv", std::ios::binary) << text;
  const CsvFile file(folder.path() / "a.csv");
  const auto left = file.column("left");
  const auto right = file.column("right");
  RC_ASSERT(left.size() == table.size());
  for (std::size_t row = 0; row < table.size(); ++row) {
    RC_ASSERT(left[row] == table[row].first);
    RC_ASSERT(right[row] == table[row].second);
  }
}

RC_GTEST_PROP(CsvProperty, NumbersAreReadAsExactlyAsTheLibraryDoes, ()) {
  const auto sign = *rc::gen::element<std::string>("", "-", "+");
  const auto whole = *rc::gen::container<std::string>(rc::gen::inRange('0', static_cast<char>('9' + 1)));
  const auto part = *rc::gen::container<std::string>(rc::gen::inRange('0', static_cast<char>('9' + 1)));
  const auto power = *rc::gen::element<std::string>("", "", "e3", "E-12");
  RC_PRE(whole.size() + part.size() > 0 && whole.size() < 30);
  const std::string number = sign + whole + "." + part + power;
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "a.csv", std::ios::binary) << "a\n" << number << "\n";
  RC_ASSERT(CsvFile(folder.path() / "a.csv").numbers({"a"}).item<float>() ==
            static_cast<float>(std::strtod(number.c_str(), nullptr)));
}

RC_GTEST_PROP(CsvProperty, AnyBytesAreReadOrRefused, ()) {
  const auto letters = *rc::gen::container<std::string>(rc::gen::element('a', '1', ',', '"', '\n', '\r', '\0', '\xff'));
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "a.csv", std::ios::binary) << letters;
  try {
    const CsvFile file(folder.path() / "a.csv", {.header = false});
    for (const auto& name : file.names()) RC_ASSERT(file.column(name).size() == static_cast<std::size_t>(file.rows()));
  } catch (const Error& error) {
    RC_ASSERT(error.kind() == ErrorKind::kData);
  }
}

TEST_F(Csv, LoaderGivesFeaturesAndNumberedClasses) {
  write("rows.csv", "a,label,b\n1,0,2\n3,2,4\n\n5,1,6\n");
  const CsvLoader loader(path("rows.csv"), {.label = {.column = "label", .classes = 3}});
  EXPECT_EQ(loader.size(), 3);
  EXPECT_THAT(loader.features(), ElementsAre("a", "b"));
  const std::vector<std::int64_t> indices{2, 0};
  const Batch batch = loader.make_batch(indices, {});
  EXPECT_TRUE(same(batch["features"], floats({5, 6, 1, 2}).view({2, 2})));
  EXPECT_TRUE(same(batch["label"], torch::tensor({1, 0}, torch::kLong)));
  EXPECT_THAT(loader.where(2), testing::EndsWith("rows.csv:5"));
}

TEST_F(Csv, LoaderNumbersClassNamesInTheirOrder) {
  write("rows.csv", "a,kind\n1,dog\n3,cat\n5,dog\n");
  const CsvLoader found(path("rows.csv"), {.label = {.column = "kind", .kind = LabelKind::kName}});
  EXPECT_THAT(found.class_names(), ElementsAre("cat", "dog"));
  EXPECT_TRUE(same(found.parse(0)["label"], torch::tensor(1, torch::kLong)));
  const CsvLoader given(path("rows.csv"),
                        {.label = {.column = "kind", .kind = LabelKind::kName, .names = {"fish", "dog", "cat"}}});
  EXPECT_TRUE(same(given.parse(1)["label"], torch::tensor(2, torch::kLong)));
  EXPECT_THAT(
      data_error([&] {
        CsvLoader(path("rows.csv"), {.label = {.column = "kind", .kind = LabelKind::kName, .names = {"dig", "cat"}}});
      }),
      AllOf(HasSubstr("rows.csv:2: the label is none of the 2 classes: dog"), HasSubstr("did you mean dig?")));
}

TEST_F(Csv, LoaderGivesValuesToPredict) {
  write("rows.csv", "a,price\n1,2.5\n3,4\n");
  const CsvLoader loader(path("rows.csv"), {.label = {.column = "price", .kind = LabelKind::kValue}});
  EXPECT_TRUE(same(loader.make_batch(std::vector<std::int64_t>{0, 1}, {})["label"], floats({2.5, 4})));
  EXPECT_EQ(CsvLoader(path("rows.csv")).parse(1).size(), 1);
}

TEST_F(Csv, LoaderRefusesALabelOutOfRange) {
  write("rows.csv", "a,label\n1,0\n3,10\n");
  const auto with = [&](std::int64_t classes) {
    CsvLoader(path("rows.csv"), {.label = {.column = "label", .classes = classes}});
  };
  EXPECT_THAT(data_error([&] { with(10); }), AllOf(HasSubstr("rows.csv:3: the label is not from 0 to 9: 10"),
                                                   HasSubstr("fix: correct the label, or the number of classes")));
  with(11);
  write("rows.csv", "a,label\n1,-1\n");
  EXPECT_THAT(data_error([&] { with(10); }), HasSubstr("rows.csv:2: the label is not from 0 to 9: -1"));
  write("rows.csv", "label\n1\n");
  EXPECT_THAT(data_error([&] { with(10); }), HasSubstr("no column but the label"));
}

class TimeSeries : public ReaderTest {
 protected:
  std::filesystem::path series(const std::string& name, int first, int rows) const {
    std::string text = "time,load,heat\n";
    for (int row = first; row < first + rows; ++row)
      text += std::to_string(row) + "," + std::to_string(10 * row) + "," + std::to_string(-row) + "\n";
    return write(name, text);
  }
};

TEST_F(TimeSeries, CutsFilesIntoWindowsThatNeverCrossThem) {
  const TimeSeriesLoader loader({series("a.csv", 0, 7), series("b.csv", 100, 4)},
                                {.columns = {"load", "heat"}, .length = 3, .stride = 2});
  ASSERT_EQ(loader.size(), 3 + 1);
  EXPECT_TRUE(same(loader.parse(0)["series"], floats({0, 10, 20, 0, -1, -2}).view({2, 3})));
  EXPECT_TRUE(same(loader.parse(2)["series"], floats({40, 50, 60, -4, -5, -6}).view({2, 3})));
  EXPECT_TRUE(same(loader.parse(3)["series"], floats({1000, 1010, 1020, -100, -101, -102}).view({2, 3})));
  EXPECT_EQ(loader.parse(0).size(), 1);
  EXPECT_THAT(loader.where(1), testing::EndsWith("a.csv:4"));
  EXPECT_THAT(loader.where(3), testing::EndsWith("b.csv:2"));
  const Batch batch = loader.make_batch(std::vector<std::int64_t>{3, 0}, {});
  EXPECT_EQ(batch["series"].sizes(), torch::IntArrayRef({2, 2, 3}));
}

TEST_F(TimeSeries, GivesWhatComesNextAsTarget) {
  const TimeSeriesLoader loader({series("a.csv", 0, 6)},
                                {.columns = {"load"}, .length = 3, .horizon = 2, .targets = {"heat"}});
  ASSERT_EQ(loader.size(), 2);
  EXPECT_TRUE(same(loader.parse(1)["series"], floats({10, 20, 30}).view({1, 3})));
  EXPECT_TRUE(same(loader.parse(1)["target"], floats({-4, -5}).view({1, 2})));
  const TimeSeriesLoader all({series("a.csv", 0, 5)}, {.length = 4, .horizon = 1});
  ASSERT_EQ(all.size(), 1);
  EXPECT_TRUE(same(all.parse(0)["target"], floats({4, 40, -4}).view({3, 1})));
}

TEST_F(TimeSeries, LeavesOutShortFilesAndRefusesOnlyShortOnes) {
  EXPECT_EQ(TimeSeriesLoader({series("a.csv", 0, 2), series("b.csv", 0, 3)}, {.length = 3}).size(), 1);
  EXPECT_THAT(data_error([&] { TimeSeriesLoader({series("a.csv", 0, 4)}, {.length = 3, .horizon = 2}); }),
              AllOf(HasSubstr("no file is as long as a window, 5 rows"), HasSubstr("a.csv")));
  EXPECT_THAT(data_error([&] { TimeSeriesLoader({}, {.length = 3}); }), HasSubstr("there are no files"));
}

TEST_F(TimeSeries, RefusesWindowsThatMakeNoSense) {
  const auto file = series("a.csv", 0, 4);
  EXPECT_THROW(TimeSeriesLoader({file}, {}), Error);
  EXPECT_THROW(TimeSeriesLoader({file}, {.length = 2, .stride = 0}), Error);
  EXPECT_THROW(TimeSeriesLoader({file}, {.length = 2, .horizon = -1}), Error);
  EXPECT_THAT(data_error([&] { TimeSeriesLoader({file}, {.columns = {"lod"}, .length = 2}); }),
              HasSubstr("did you mean load?"));
}

}  // namespace
}  // namespace base
