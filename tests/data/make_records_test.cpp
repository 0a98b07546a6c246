#include "base/torch.h"

#include "base/data/make_records.h"

#include "base/data/tfrecord_loader.h"
#include "base/records/bytes.h"
#include "base/records/sharded_writer.h"
#include "tests/data/picture_files.h"
#include "tests/data/reader_support.h"

namespace base {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::string_literals;

class MakeRecords : public ReaderTest {
 protected:
  MakeRecordsOptions to(const std::string& folder) const { return {.folder = path(folder)}; }
  std::string pattern(const std::string& folder) const { return path(folder + "/*.tfrecord").string(); }

  std::vector<std::string> files_in(const std::string& folder) const {
    std::vector<std::string> names;
    if (!std::filesystem::exists(path(folder))) return names;
    for (const auto& entry : std::filesystem::directory_iterator(path(folder))) names.push_back(entry.path().string());
    return names;
  }
};

TEST_F(MakeRecords, OfRowsThatComeBackAsTheyWere) {
  write("rows.csv", "a,kind,b\n1,dog,2\n3,cat,4.5\n5,dog,6\n");
  const auto files =
      make_csv_records(path("rows.csv"), {.label = {.column = "kind", .kind = LabelKind::kName}}, to("out"));
  ASSERT_THAT(files, SizeIs(1));
  EXPECT_THAT(files[0].string(), EndsWith("out/data-00000-of-00001.tfrecord"));
  const TfRecordLoader loader(find_records(pattern("out")),
                              {{"features", torch::kFloat, {2}}, {"label", torch::kLong}});
  ASSERT_EQ(loader.size(), 3);
  const Batch batch = loader.make_batch(std::vector<std::int64_t>{1, 0}, {});
  EXPECT_TRUE(same(batch["features"], floats({3, 4.5, 1, 2}).view({2, 2})));
  EXPECT_TRUE(same(batch["label"], torch::tensor({0, 1}, torch::kLong)));
}

TEST_F(MakeRecords, OfRowsWithValuesOrWithoutLabels) {
  write("rows.csv", "a,price\n1,2.5\n");
  make_csv_records(path("rows.csv"), {.label = {.column = "price", .kind = LabelKind::kValue}}, to("values"));
  EXPECT_TRUE(same(TfRecordLoader(find_records(pattern("values")), {{"label", torch::kDouble, {1}}}).parse(0)["label"],
                   torch::tensor({2.5}, torch::kDouble)));
  make_csv_records(path("rows.csv"), {}, to("bare"));
  EXPECT_EQ(TfRecordLoader(find_records(pattern("bare")), {{"features", torch::kFloat, {2}}}).size(), 1);
}

TEST_F(MakeRecords, OfPicturesWithTheirBytesUnchanged) {
  const std::string cat = jpeg_of(scenery(40, 30));
  const std::string dog = png_of(scenery(30, 30));
  write("pictures/cat/a.jpg", cat);
  write("pictures/dog/b.png", dog);
  make_image_records(read_image_folders(path("pictures")), to("out"));
  const TfRecordLoader loader(
      find_records(pattern("out")),
      [](const TfExample& features) -> Example {
        const auto& bytes = std::get<std::vector<std::string>>(features.at("image")).front();
        const auto region = ImageRegion{0, 0, 20, 20};
        return {{"image", decode_image_float(bytes, {.region = region})},
                {"label", torch::tensor(std::get<std::vector<std::int64_t>>(features.at("label")).front())}};
      },
      {.augmenters = {random_flip(1)}});
  const std::vector<std::int64_t> both{0, 1};
  const auto expected = torch::stack({decode_image_float(cat, {.region = ImageRegion{0, 0, 20, 20}}),
                                      decode_image_float(dog, {.region = ImageRegion{0, 0, 20, 20}})});
  EXPECT_TRUE(same(loader.make_batch(both, {})["image"], expected));
  EXPECT_TRUE(same(loader.make_batch(both, {.augment = true})["image"], expected.flip({3})));
  EXPECT_TRUE(same(loader.make_batch(both, {})["label"], torch::tensor({0, 1}, torch::kLong)));
  RecordReader reader(find_records(pattern("out")).front());
  const TfExample first = decode_example(*reader.next());
  EXPECT_EQ(std::get<std::vector<std::string>>(first.at("image")).front(), cat);
  EXPECT_EQ(std::get<std::vector<std::string>>(first.at("name")).front(), "cat/a.jpg");
}

TEST_F(MakeRecords, OfIdxFiles) {
  write("images", "\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x03\x01\x02\x03\xff\x05\x06"s);
  write("labels", "\0\0\x08\x01\0\0\0\x02\x07\x09"s);
  make_idx_records(path("images"), path("labels"), to("out"));
  const TfRecordLoader loader(find_records(pattern("out")),
                              {{"image", torch::kUInt8, {1, 3}}, {"label", torch::kLong}, {"shape", torch::kInt, {2}}});
  ASSERT_EQ(loader.size(), 2);
  EXPECT_TRUE(same(loader.parse(1)["image"], torch::tensor({255, 5, 6}, torch::kUInt8).view({1, 3})));
  EXPECT_TRUE(same(loader.parse(1)["label"], torch::tensor(9, torch::kLong)));
  EXPECT_TRUE(same(loader.parse(1)["shape"], torch::tensor({1, 3}, torch::kInt)));

  write("labels", "\0\0\x08\x01\0\0\0\x01\x07"s);
  EXPECT_THAT(data_error([&] { make_idx_records(path("images"), path("labels"), to("other")); }),
              HasSubstr("do not belong together: uint8 [2, 1, 3] and uint8 [1]"));
  write("labels", "\0\0\x09\x01\0\0\0\x02\x07\x09"s);
  EXPECT_THAT(data_error([&] { make_idx_records(path("images"), path("labels"), to("other")); }),
              HasSubstr("does not hold unsigned bytes"));
  EXPECT_THAT(files_in("other"), IsEmpty());
}

TEST_F(MakeRecords, InAsManyShardsAsAsked) {
  std::string rows = "a\n";
  for (int row = 0; row < 100; ++row) rows += std::to_string(row) + "\n";
  write("rows.csv", rows);
  auto options = to("counted");
  options.shard_count = 3;
  EXPECT_THAT(make_csv_records(path("rows.csv"), {}, options), SizeIs(3));
  options = to("sized");
  options.shard_bytes = 1000;
  EXPECT_GT(make_csv_records(path("rows.csv"), {}, options).size(), 3);
  for (const char* folder : {"counted", "sized"}) {
    const TfRecordLoader loader(find_records(pattern(folder)), {{"features", torch::kFloat, {1}}});
    ASSERT_EQ(loader.size(), 100);
    for (int row = 0; row < 100; ++row) EXPECT_EQ(loader.parse(row)["features"].item<float>(), static_cast<float>(row));
  }
}

TEST_F(MakeRecords, LeaveNothingBehindABadRow) {
  write("rows.csv", "a,b\n1,2\n3,x\n");
  EXPECT_THAT(data_error([&] { make_csv_records(path("rows.csv"), {}, to("out")); }), HasSubstr("rows.csv:3"));
  EXPECT_THAT(files_in("out"), IsEmpty());

  const std::string picture = jpeg_of(scenery(40, 30));
  for (int i = 0; i < 5; ++i) write("pictures/cat/" + std::to_string(i) + ".jpg", picture);
  write("pictures/cat/5.jpg", picture.substr(0, picture.size() - 200));
  auto options = to("out");
  options.shard_count = 3;  // two are complete before the bad one comes
  EXPECT_THAT(data_error([&] { make_image_records(read_image_folders(path("pictures")), options); }),
              AllOf(HasSubstr("the picture does not decode"), HasSubstr("cat/5.jpg")));
  EXPECT_THAT(files_in("out"), IsEmpty());
  options.check = false;
  EXPECT_THAT(make_image_records(read_image_folders(path("pictures")), options), SizeIs(3));
}

TEST_F(MakeRecords, LoaderFindsNoFilesOrTooFew) {
  EXPECT_THAT(data_error([&] { find_records(pattern("nowhere")); }), HasSubstr("no file matches the pattern"));
  write("rows.csv", "a\n1\n2\n3\n");
  auto options = to("out");
  options.shard_count = 3;
  const auto files = make_csv_records(path("rows.csv"), {}, options);
  EXPECT_THAT(find_records(pattern("out")), SizeIs(3));
  std::filesystem::remove(files[1]);
  EXPECT_THAT(data_error([&] { find_records(pattern("out")); }),
              AllOf(HasSubstr("2 of 3 shards are there"), HasSubstr("data-*-of-00003.tfrecord")));
  EXPECT_THAT(data_error([] { TfRecordLoader({}, std::vector<FeatureSpec>{}); }), HasSubstr("there are no records"));
}

TEST_F(MakeRecords, LoaderRefusesFeaturesThatAreNotWhatWasAsked) {
  write("rows.csv", "a,b,label\n1,2,0\n3,4,1\n");
  make_csv_records(path("rows.csv"), {.label = {.column = "label"}}, to("out"));
  const auto with = [&](const std::vector<FeatureSpec>& features) {
    const TfRecordLoader loader(find_records(pattern("out")), features);
    return data_error([&] { loader.make_batch(std::vector<std::int64_t>{1}, {}); });
  };
  EXPECT_THAT(with({{"feature", torch::kFloat, {2}}}),
              AllOf(HasSubstr("no feature of this name: feature"), HasSubstr("did you mean features?"),
                    HasSubstr("example 1 ("), HasSubstr("data-00000-of-00001.tfrecord at byte ")));
  EXPECT_THAT(with({{"features", torch::kFloat, {3}}}), HasSubstr("2 floats, not Float of 3 values"));
  EXPECT_THAT(with({{"features", torch::kLong, {2}}}), HasSubstr("2 floats, not Long of 2 values"));
  EXPECT_THAT(with({{"label", torch::kLong, {2}}}), HasSubstr("1 integers, not Long of 2 values"));
}

TEST_F(MakeRecords, LoaderNamesADamagedRecordOrLeavesItOut) {
  write("rows.csv", "a\n1\n2\n3\n");
  const auto file = make_csv_records(path("rows.csv"), {}, to("out")).front();
  auto bytes = contents_of(file);
  const std::size_t middle = bytes.size() / 2;
  bytes[middle] = static_cast<char>(bytes[middle] ^ 1);
  std::ofstream(file, std::ios::binary) << bytes;
  const TfRecordLoader strict({file}, {{"features", torch::kFloat, {1}}});
  EXPECT_EQ(strict.size(), 3);
  EXPECT_EQ(strict.parse(2)["features"].item<float>(), 3);
  EXPECT_THAT(data_error([&] { strict.parse(1); }), HasSubstr(file.string()));
  const TfRecordLoader lenient({file}, {{"features", torch::kFloat, {1}}}, {.skip_damaged = true});
  ASSERT_EQ(lenient.size(), 2);
  EXPECT_EQ(lenient.parse(1)["features"].item<float>(), 3);
}

}  // namespace
}  // namespace base
