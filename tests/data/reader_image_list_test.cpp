#include "base/torch.h"

#include <optional>
#include <set>

#include "base/data/image_list.h"
#include "tests/data/picture_files.h"
#include "tests/data/reader_support.h"

namespace base {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

class ImageLists : public ReaderTest {
 protected:
  void SetUp() override {
    write("cat/1.jpg", jpeg_of(scenery(60, 50)));
    write("cat/2.png", png_of(scenery(70, 40)));
    write("dog/1.JPEG", jpeg_of(scenery(64, 48), {.horizontal = 1, .vertical = 1}));
    write("dog/notes.txt", "no picture");
    write("list.csv", "path,label\ncat/1.jpg,0\ncat/2.png,0\n" + path("dog/1.JPEG").string() + ",1\n");
  }
};

TEST_F(ImageLists, CropInTheMiddleOutsideOfTraining) {
  const ImageLoader loader(read_image_list(path("list.csv")), {.height = 30, .width = 41});
  ASSERT_EQ(loader.size(), 3);
  const std::vector<std::int64_t> indices{2, 0, 1};
  const Batch batch = loader.make_batch(indices, {});
  EXPECT_EQ(batch["image"].sizes(), torch::IntArrayRef({3, 3, 30, 41}));
  EXPECT_TRUE(same(batch["label"], torch::tensor({1, 0, 0}, torch::kLong)));
  EXPECT_EQ(batch.indices, indices);
  const auto whole = decode_image_float(contents_of(path("cat/1.jpg")));
  EXPECT_TRUE(same(batch["image"][1], whole.narrow(1, 10, 30).narrow(2, 9, 41).contiguous()));
  EXPECT_TRUE(same(loader.parse(0)["image"], batch["image"][1]));
  EXPECT_TRUE(same(loader.parse(2)["label"], torch::tensor(1, torch::kLong)));
}

TEST_F(ImageLists, CropAnywhereInTrainingAndMirrorHalf) {
  const ImageLoader loader(read_image_list(path("list.csv")), {.height = 49, .width = 59, .flip = true});
  const auto whole = decode_image_float(contents_of(path("cat/1.jpg")));  // 60 x 50: four places, mirrored or not
  std::set<int> seen;
  for (int epoch = 0; epoch < 100; ++epoch) {
    const Draw draw{.seed = 5, .epoch = epoch, .augment = true};
    const auto image = loader.make_batch(std::vector<std::int64_t>{0}, draw)["image"][0];
    EXPECT_TRUE(same(loader.make_batch(std::vector<std::int64_t>{0}, draw)["image"][0], image));
    int found = -1;
    for (int which = 0; which < 8; ++which) {
      auto window = whole.narrow(1, which / 2 % 2, 49).narrow(2, which % 2, 59);
      if (which >= 4) window = window.flip({2});
      if (window.equal(image)) found = which;
    }
    ASSERT_GE(found, 0);
    seen.insert(found);
  }
  EXPECT_EQ(seen.size(), 8);
}

TEST_F(ImageLists, UseTheMemoryOfABatchAgainWhenItIsGoneAndOnlyThen) {
  std::optional<ImageLoader> loader(std::in_place, read_image_list(path("list.csv")),
                                    ImageLoaderOptions{.height = 30, .width = 30});
  const std::vector<std::int64_t> one{0};
  const std::vector<std::int64_t> two{0, 1};
  Batch kept = loader->make_batch(two, {});
  const auto copy = kept["image"].clone();
  const void* memory = loader->make_batch(two, {})["image"].data_ptr();
  EXPECT_NE(memory, kept["image"].data_ptr());
  EXPECT_EQ(loader->make_batch(one, {})["image"].data_ptr(), memory);
  const auto row = loader->make_batch(two, {})["image"][1];  // a view keeps all of it
  EXPECT_NE(loader->make_batch(two, {})["image"].data_ptr(), memory);
  loader.reset();
  EXPECT_TRUE(same(kept["image"], copy));
  EXPECT_TRUE(same(row, copy[1]));
}

TEST_F(ImageLists, NormaliseShrinkAndAugment) {
  const ImageLoader plain(read_image_list(path("list.csv")), {.height = 20, .width = 20, .shorter_side = 20});
  const auto half = decode_image_float(contents_of(path("cat/2.png")), {.shrink = 2});
  EXPECT_TRUE(same(plain.parse(1)["image"], half.narrow(1, 0, 20).narrow(2, 7, 20).contiguous()));

  const ImageLoader loader(read_image_list(path("list.csv")),
                           {.height = 20,
                            .width = 20,
                            .colours = ImageColours::kGrey,
                            .normalisation = {.mean = {0.5, 0, 0}, .deviation = {0.25, 1, 1}},
                            .augmenters = {[](const torch::Tensor& image, Random&) { return image.add(100); }}});
  const std::vector<std::int64_t> indices{0, 1};
  const auto quiet = loader.make_batch(indices, {})["image"];
  EXPECT_EQ(quiet.sizes(), torch::IntArrayRef({2, 1, 20, 20}));
  EXPECT_LT(quiet.min().item<double>(), 0);
  EXPECT_GT(loader.make_batch(indices, {.augment = true})["image"].min().item<double>(), 90);

  const ImageLoader smaller(read_image_list(path("list.csv")),
                            {.height = 20, .width = 20, .augmenters = {random_crop({.height = 10, .width = 10})}});
  EXPECT_THAT(data_error([&] { smaller.make_batch(indices, {.augment = true}); }),
              HasSubstr("an augmenter changed the size of the picture: float32 [3, 10, 10]"));
}

TEST_F(ImageLists, WithoutACropPicturesMustBeOfOneSize) {
  write("same.csv", "path,label\ncat/1.jpg,0\ncat/1.jpg,1\n");
  const ImageLoader loader(read_image_list(path("same.csv")), {.flip = true});
  const std::vector<std::int64_t> both{0, 1};
  EXPECT_EQ(loader.make_batch(both, {.augment = true})["image"].sizes(), torch::IntArrayRef({2, 3, 50, 60}));
  const ImageLoader mixed(read_image_list(path("list.csv")));
  EXPECT_THAT(data_error([&] { mixed.make_batch(both, {}); }),
              AllOf(HasSubstr("image differ in shape"), HasSubstr("list.csv:3 (cat/2.png)")));
}

TEST_F(ImageLists, ReadLabelsOfAnyKindOrNone) {
  write("names.csv", "file;kind;size\ncat/1.jpg;cat;1.5\ndog/1.JPEG;dog;2\n");
  const CsvOptions csv{.separator = ';'};
  const auto names = read_image_list(
      path("names.csv"), {.path_column = "file", .label = {.column = "kind", .kind = LabelKind::kName}, .csv = csv});
  EXPECT_THAT(names.class_names, ElementsAre("cat", "dog"));
  EXPECT_TRUE(same(names.labels, torch::tensor({0, 1}, torch::kLong)));
  const auto values = read_image_list(
      path("names.csv"), {.path_column = "file", .label = {.column = "size", .kind = LabelKind::kValue}, .csv = csv});
  EXPECT_TRUE(same(values.labels, floats({1.5, 2})));
  const auto none = read_image_list(path("names.csv"), {.path_column = "file", .label = {}, .csv = csv});
  EXPECT_EQ(ImageLoader(none, {.height = 8, .width = 8}).parse(1).size(), 1);
  EXPECT_EQ(ImageLoader(none, {.height = 8, .width = 8}).make_batch(std::vector<std::int64_t>{1}, {}).tensors.size(),
            1);
}

TEST_F(ImageLists, ReadFoldersOfClasses) {
  std::filesystem::remove(path("list.csv"));
  const ImageList list = read_image_folders(path("."));
  EXPECT_THAT(list.files, ElementsAre("cat/1.jpg", "cat/2.png", "dog/1.JPEG"));
  EXPECT_THAT(list.class_names, ElementsAre("cat", "dog"));
  EXPECT_TRUE(same(list.labels, torch::tensor({0, 0, 1}, torch::kLong)));
  EXPECT_THAT(list.where(2), EndsWith("dog/1.JPEG"));
  EXPECT_THAT(class_folders(path(".")), ElementsAre("cat", "dog"));
  EXPECT_TRUE(
      same(read_image_folders(path("."), {"dog", "fish", "cat"}).labels, torch::tensor({2, 2, 0}, torch::kLong)));
  EXPECT_EQ(ImageLoader(list, {.height = 20, .width = 20}).make_batch(std::vector<std::int64_t>{0, 2}, {}).size(), 2);
}

TEST_F(ImageLists, RefuseFoldersThatAreNotClassesOrEmpty) {
  EXPECT_THAT(data_error([&] {
                read_image_folders(path("."), {"cat", "dig"});
              }),
              AllOf(HasSubstr("none of the 2 classes"), HasSubstr("dog"), HasSubstr("did you mean dig?")));
  EXPECT_THAT(data_error([&] { read_image_folders(path("nowhere")); }), HasSubstr("cannot be read"));
  EXPECT_THAT(data_error([&] { read_image_folders(path("cat")); }), HasSubstr("no folders of pictures"));
  std::filesystem::create_directory(path("emu"));
  EXPECT_THAT(data_error([&] { read_image_folders(path(".")); }),
              AllOf(HasSubstr("holds no pictures"), HasSubstr("emu")));
}

TEST_F(ImageLists, NameLineAndFileOfAPictureThatDoesNotDecode) {
  write("cat/1.jpg", contents_of(path("cat/1.jpg")).substr(0, 700));
  const ImageLoader loader(read_image_list(path("list.csv")), {.height = 49, .width = 20});
  const auto message = data_error([&] { loader.make_batch(std::vector<std::int64_t>{0}, {}); });
  EXPECT_THAT(message, AllOf(HasSubstr("the picture does not decode: "), HasSubstr("Premature end"),
                             HasSubstr("example 0 ("), HasSubstr("list.csv:2 (cat/1.jpg)")));
}

TEST_F(ImageLists, NameLineAndFileOfAPictureThatIsMissingOrTooSmall) {
  const ImageLoader loader(read_image_list(path("list.csv")), {.height = 45, .width = 20});
  EXPECT_THAT(data_error([&] { loader.make_batch(std::vector<std::int64_t>{1}, {}); }),
              AllOf(HasSubstr("a crop of 45 x 20 does not fit into the picture"), HasSubstr("2.png (40 x 70)"),
                    HasSubstr("list.csv:3 (cat/2.png)")));
  std::filesystem::remove(path("cat/2.png"));
  EXPECT_THAT(data_error([&] { loader.make_batch(std::vector<std::int64_t>{1}, {}); }),
              AllOf(HasSubstr("there is no such data file"), HasSubstr("list.csv:3 (cat/2.png)")));
}

TEST_F(ImageLists, RefuseListsThatAreEmptyOrLackColumns) {
  write("a.csv", "path,label\n");
  EXPECT_THAT(data_error([&] { read_image_list(path("a.csv")); }), HasSubstr("no rows"));
  write("a.csv", "paths,label\ncat/1.jpg,0\n");
  EXPECT_THAT(data_error([&] { read_image_list(path("a.csv")); }), HasSubstr("did you mean paths?"));
  write("a.csv", "path,label\ncat/1.jpg,0\n,1\n");
  EXPECT_THAT(data_error([&] { read_image_list(path("a.csv")); }),
              HasSubstr("a.csv:3: the path of the picture is empty"));
  write("a.csv", "path,label\ncat/1.jpg,7\n");
  EXPECT_THAT(data_error([&] { read_image_list(path("a.csv"), {.label = {.column = "label", .classes = 7}}); }),
              HasSubstr("a.csv:2: the label is not from 0 to 6: 7"));
  EXPECT_THAT(data_error([] { ImageLoader(ImageList{}); }), HasSubstr("the list of pictures is empty"));
  EXPECT_THROW(ImageLoader(read_image_list(path("list.csv")), {.height = 4}), Error);
}

}  // namespace
}  // namespace base
