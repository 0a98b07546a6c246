#include "base/torch.h"

#include "base/summary/summary_writer.h"

#include <signal.h>
#include <sys/resource.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/log/error.h"
#include "base/records/record_file.h"
#include "base/summary/histogram.h"
#include "base/summary/picture.h"
#include "tests/support/temporary_folder.h"

namespace base::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::filesystem::path> event_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::exists(folder)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().filename().string().starts_with("events.out.tfevents.")) files.push_back(entry.path());
  return files;
}

std::size_t records_in(const std::filesystem::path& file) {
  RecordReader reader(file);
  std::size_t count = 0;
  while (reader.next()) ++count;
  return count;
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "none";
}

TEST(SummaryWriter, WritesEveryEventInItsOrderToOneFile) {
  const TemporaryFolder folder;
  {
    SummaryWriter writer(folder.path() / "train");
    for (int i = 0; i < 100'000; ++i) writer.scalar("loss", i, i);
  }
  const auto files = event_files(folder.path() / "train");
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(records_in(files.front()), 100'001U) << "and the version of the file";
}

TEST(SummaryWriter, HandsOverWhenAskedTo) {
  const TemporaryFolder folder;
  SummaryWriter writer(folder.path(), {.flush_every = std::chrono::hours(1)});
  writer.scalar("loss", 1, 1);
  writer.flush();
  ASSERT_EQ(event_files(folder.path()).size(), 1U);
  EXPECT_EQ(records_in(event_files(folder.path()).front()), 2U);
}

TEST(SummaryWriter, HandsOverByItselfEverySoOften) {
  const TemporaryFolder folder;
  SummaryWriter writer(folder.path(), {.flush_every = std::chrono::milliseconds(5)});
  writer.scalar("loss", 1, 1);
  while (event_files(folder.path()).empty() || records_in(event_files(folder.path()).front()) < 2)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(SummaryWriter, MakesNoFileWithoutAnEvent) {
  const TemporaryFolder folder;
  { SummaryWriter writer(folder.path() / "train"); }
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "train"));
}

TEST(SummaryWriter, GoesNowhereWithoutAFolder) {
  SummaryWriter writer;
  writer.scalar("loss", 1, 1);
  writer.image("picture", torch::zeros({2, 2}), 1);
  writer.flush();
  EXPECT_FALSE(writer.is_on());
  EXPECT_EQ(writer.lost(), 0);
}

TEST(SummaryWriter, GoesOnWithoutAFolderThatCannotBeWrittenAndCountsWhatIsLost) {
  const TemporaryFolder folder;
  folder.write("train", "a file where the folder should be");
  ::testing::internal::CaptureStderr();
  {
    SummaryWriter writer(folder.path() / "train");
    for (int i = 0; i < 10; ++i) {
      writer.scalar("loss", i, i);
      writer.flush();
    }
    EXPECT_EQ(writer.lost(), 10);
    std::filesystem::remove(folder.path() / "train");
    writer.scalar("loss", 10, 10);
    writer.flush();
    EXPECT_EQ(writer.lost(), 10) << "it works again";
  }
  const std::string shown = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(shown, HasSubstr("the run goes on without"));
  EXPECT_EQ(shown.find("goes on without"), shown.rfind("goes on without")) << "said once";
  EXPECT_EQ(event_files(folder.path() / "train").size(), 1U);
}

TEST(SummaryWriter, SiblingsSayOnceThatNothingCanBeWritten) {
  const TemporaryFolder folder;
  folder.write("run", "a file where the folder should be");
  ::testing::internal::CaptureStderr();
  {
    SummaryWriter training(folder.path() / "run/train");
    SummaryWriter validation = training.sibling(folder.path() / "run/validation", {});
    training.scalar("loss", 1, 1);
    training.flush();
    validation.scalar("loss", 2, 1);
    validation.flush();
    EXPECT_EQ(training.lost(), 2);
    EXPECT_EQ(validation.lost(), 2);
  }
  const std::string shown = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(shown, HasSubstr("the run goes on without"));
  EXPECT_EQ(shown.find("goes on without"), shown.rfind("goes on without")) << shown;
}

/// No file of this process can grow beyond so many bytes, as if the disk were full.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    before_handler_ = signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    static_cast<void>(signal(SIGXFSZ, before_handler_));
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit before_ = {};
  void (*before_handler_)(int) = nullptr;
};

TEST(SummaryWriter, GoesOnInANewFileAfterAFullDisk) {
  const TemporaryFolder folder;
  std::int64_t lost = 0;
  {
    SummaryWriter writer(folder.path());
    writer.scalar("loss", 0, 0);
    writer.flush();
    {
      const FileLimit limit(4096);
      for (int i = 0; i < 1000; ++i) writer.scalar("loss", i, i);
      writer.flush();
      lost = writer.lost();
      EXPECT_GT(lost, 0);
    }
    for (int i = 0; i < 5; ++i) writer.scalar("loss", i, i);
    writer.flush();
    EXPECT_EQ(writer.lost(), lost) << "there is room again";
  }
  const auto files = event_files(folder.path());
  ASSERT_EQ(files.size(), 2U);
  const std::size_t newer = files[0] < files[1] ? 1 : 0;
  EXPECT_EQ(records_in(files[newer]), 6U);
}

TEST(SummaryWriter, RefusesWhatCannotBeDrawn) {
  const TemporaryFolder folder;
  SummaryWriter writer(folder.path());
  for (const torch::Tensor& tensor :
       {torch::zeros({}), torch::zeros({3}), torch::zeros({2, 4, 4}), torch::zeros({1, 1, 1, 4, 4}),
        torch::zeros({0, 4}), torch::zeros({2, 5, 4, 4})}) {
    EXPECT_THAT(error_of([&] { writer.image("picture", tensor, 0); }),
                HasSubstr("a tensor of this shape cannot be drawn: float32 "));
  }
}

TEST(SummaryWriter, RefusesEmbeddingsThatDoNotFit) {
  const TemporaryFolder folder;
  SummaryWriter writer(folder.path());
  EXPECT_THAT(error_of([&] { writer.embedding("e", torch::zeros({3})); }), HasSubstr("points in rows"));
  EXPECT_THAT(error_of([&] {
                writer.embedding("e", torch::zeros({3, 2}), {"one"});
              }),
              HasSubstr("1 labels for 3 points"));
  EXPECT_THAT(error_of([&] {
                writer.embedding("e", torch::zeros({3, 2}), {}, torch::zeros({2, 1, 4, 4}));
              }),
              HasSubstr("a picture for each point"));
}

TEST(SummaryWriter, AnEmbeddingTakesThePlaceOfTheOneBefore) {
  const TemporaryFolder folder;
  {
    SummaryWriter writer(folder.path());
    writer.embedding("a", torch::zeros({3, 2}));
    writer.embedding("b", torch::zeros({3, 2}));
    writer.embedding("a", torch::ones({1, 2}));
  }
  std::ifstream file(folder.path() / "projector_config.pbtxt");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  EXPECT_THAT(lines, ElementsAre(HasSubstr("\"b\""), HasSubstr("\"a\"")));
  std::ifstream points(folder.path() / "a/points.tsv");
  std::string line;
  std::getline(points, line);
  EXPECT_EQ(line, "1\t1");
}

TEST(Histogram, CountsEveryFiniteElementOnce) {
  const Histogram histogram = histogram_of(torch::tensor({-1.0F, 0.0F, 1.0F, std::nanf(""), INFINITY}), 4);
  EXPECT_EQ(histogram.count, 3);
  EXPECT_EQ(histogram.min, -1);
  EXPECT_EQ(histogram.max, 1);
  EXPECT_EQ(histogram.sum, 0);
  EXPECT_EQ(histogram.sum_of_squares, 2);
  EXPECT_THAT(histogram.limits, ElementsAre(-0.5, 0, 0.5, 1));
  EXPECT_THAT(histogram.buckets, ElementsAre(1, 0, 1, 1));
}

TEST(Picture, CutsOffWhatIsBeyond) {
  const torch::Tensor picture = picture_of(torch::tensor({{-1.0F, 0.5F}, {2.0F, std::nanf("")}}));
  EXPECT_TRUE(picture.equal(torch::tensor({{{0, 128}, {255, 0}}}, torch::kUInt8))) << picture;
}

}  // namespace
}  // namespace base::testing
