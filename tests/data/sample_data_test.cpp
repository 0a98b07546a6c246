#include "base/torch.h"

#include "base/data/sample_data.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/data/csv_loader.h"
#include "base/data/data_file.h"
#include "base/data/idx.h"
#include "base/data/image.h"
#include "base/data/image_list.h"
#include "base/data/image_writer.h"
#include "base/data/time_series.h"
#include "base/log/error.h"
#include "base/log/log.h"
#include "tests/support/temporary_folder.h"

namespace base {
namespace {

TEST(SampleData, PicturesAreReadAsWritten) {
  const TemporaryFolder folder;
  write_sample_pictures(folder / "data");
  const ImageList list = read_image_folders(folder / "data/training");
  EXPECT_EQ(list.size(), 1200);
  EXPECT_EQ(list.class_names, (std::vector<std::string>{"circle", "cross", "square", "triangle"}));
  EXPECT_EQ(decode_image(read_data_file(list.path(0))).sizes(), torch::IntArrayRef({3, 32, 32}));
  EXPECT_EQ(read_image_folders(folder / "data/validation").size(), 300);
}

TEST(SampleData, IsTheSameEveryTime) {
  const TemporaryFolder folder;
  write_sample_idx(folder / "a");
  write_sample_idx(folder / "b");
  EXPECT_EQ(folder.read("a/train-images-idx3-ubyte"), folder.read("b/train-images-idx3-ubyte"));
  EXPECT_EQ(read_idx(folder / "a/t10k-images-idx3-ubyte").sizes(), torch::IntArrayRef({400, 28, 28}));
  EXPECT_EQ(read_idx(folder / "a/t10k-labels-idx1-ubyte").max().item<int>(), 3);
}

TEST(SampleData, TablesAndSeriesHaveTheirColumns) {
  const TemporaryFolder folder;
  write_sample_table(folder / "table");
  const CsvLoader table(folder / "table/test.csv", {.label = {.column = "power", .kind = LabelKind::kValue}});
  EXPECT_EQ(table.size(), 400);
  EXPECT_EQ(table.features(), (std::vector<std::string>{"distance", "climb", "wind", "weight"}));
  write_sample_series(folder / "series");
  const TimeSeriesLoader series(files_in(folder / "series/training", ".csv"), {.length = 48});
  EXPECT_EQ(series.parse(0)["series"].sizes(), torch::IntArrayRef({2, 48}));
}

TEST(SampleData, LeavesAloneWhatIsThere) {
  const TemporaryFolder folder;
  folder.write("data/mine.csv", "precious");
  write_sample_table(folder / "data");
  EXPECT_EQ(files_in(folder / "data", ".csv").size(), 1U);
  EXPECT_EQ(folder.read("data/mine.csv"), "precious");
}

TEST(SampleData, OneOfSeveralWrites) {
  const TemporaryFolder folder;
  log::start({.file = (folder / "log").string()});
  std::vector<std::thread> all;
  for (int i = 0; i < 4; ++i) all.emplace_back([&] { write_sample_table(folder / "data"); });
  for (std::thread& one : all) one.join();
  log::stop();
  const std::string text = folder.read("log");
  EXPECT_EQ(text.find("samples were written"), text.rfind("samples were written")) << text;
  EXPECT_NE(text.find("samples were written"), std::string::npos) << text;
  EXPECT_FALSE(std::filesystem::exists(folder / ".data.lock"));
}

TEST(SampleData, SaysWhereItCannotBeWritten) {
  const TemporaryFolder folder;
  folder.write("file", "");
  try {
    write_sample_table(folder / "file/data");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData);
    EXPECT_NE(std::string(error.what()).find("file/data"), std::string::npos) << error.what();
  }
}

TEST(EncodePng, GivesThePixelsBack) {
  const torch::Tensor colours = torch::randint(256, {3, 5, 7}, torch::kUInt8), grey = colours.slice(0, 0, 1);
  EXPECT_TRUE(decode_image(encode_png(colours)).equal(colours));
  EXPECT_TRUE(decode_image(encode_png(grey), {.colours = ImageColours::kGrey}).equal(grey));
  EXPECT_THROW(encode_png(torch::zeros({3, 5, 7})), Error);
  EXPECT_THROW(encode_png(torch::zeros({2, 5, 7}, torch::kUInt8)), Error);
}

}  // namespace
}  // namespace base
