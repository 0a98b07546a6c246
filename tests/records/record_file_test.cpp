#include "base/records/record_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

#include "base/records/crc32c.h"
#include "base/records/sharded_writer.h"
#include "tests/records/support.h"

namespace {

using base::bytes_of;
using base::RecordIndex;
using base::RecordReader;
using base::RecordWriter;
using base::ShardedWriter;
using base::text_of;
using records_test::contents_of;
using records_test::error_of;
using records_test::TemporaryFolder;
using records_test::write_file;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

using Texts = std::vector<std::string>;

std::filesystem::path write_records(const std::filesystem::path& path, const Texts& records) {
  RecordWriter writer(path);
  for (const std::string& record : records) writer.append(bytes_of(record));
  writer.close();
  return path;
}

Texts read_all(RecordReader& reader) {
  Texts records;
  while (const auto record = reader.next()) records.emplace_back(text_of(*record));
  return records;
}

Texts read_all(const std::filesystem::path& path) {
  RecordReader reader(path);
  return read_all(reader);
}

Texts read_all(const RecordIndex& index) {
  Texts records;
  for (std::size_t i = 0; i < index.size(); ++i) records.emplace_back(text_of(index.record(i)));
  return records;
}

TEST(RecordFile, WritesTheFramingOfTensorFlow) {
  const TemporaryFolder folder;
  RecordWriter writer(folder / "x");
  writer.append(bytes_of("abcd"));
  EXPECT_EQ(writer.bytes(), 20U);
  EXPECT_EQ(contents_of(folder / "x"), "");
  writer.flush();
  EXPECT_EQ(contents_of(folder / "x"), std::string("\4\0\0\0\0\0\0\0\x42\x45\x52\x04"
                                                   "abcd\x68\x10\xe6\xb6",
                                                   20));
  writer.append({});
  writer.close();
  EXPECT_EQ(std::filesystem::file_size(folder / "x"), 36U);
  EXPECT_THAT(read_all(folder / "x"), ElementsAre("abcd", ""));
}

TEST(RecordFile, ReadsAnEmptyFileAsNoRecords) {
  const TemporaryFolder folder;
  EXPECT_TRUE(read_all(write_records(folder / "x", {})).empty());
  EXPECT_EQ(RecordIndex(folder / "x").size(), 0U);
}

TEST(RecordFile, TellsWhereEachRecordStarts) {
  const TemporaryFolder folder;
  write_records(folder / "x", {"one", "", "three"});
  RecordReader reader(folder / "x");
  const RecordIndex index(folder / "x");
  ASSERT_EQ(index.size(), 3U);
  for (const std::uint64_t offset : {0, 19, 35}) {
    EXPECT_EQ(reader.offset(), offset);
    reader.next();
  }
  EXPECT_EQ(reader.offset(), std::filesystem::file_size(folder / "x"));
  EXPECT_THAT((Texts{std::string(text_of(index.record(2))), std::string(text_of(index.record(0)))}),
              ElementsAre("three", "one"));
  EXPECT_EQ(index.offset(2), 35U);
  EXPECT_THAT(error_of([&] { index.record(3); }), HasSubstr("internal error: record 3 of 3 is asked for"));
}

TEST(RecordFile, CanBeReadWhileItIsWritten) {
  const TemporaryFolder folder;
  RecordWriter writer(folder / "x");
  writer.append(bytes_of("one"));
  writer.sync();
  EXPECT_THAT(read_all(folder / "x"), ElementsAre("one"));
  writer.append(bytes_of(std::string(3 << 20, 'x')));
  writer.flush();
  EXPECT_EQ(read_all(folder / "x").size(), 2U);
}

TEST(RecordFile, NamesTheFileAndTheReasonWhenTheDiskIsFull) {
  RecordWriter writer("/dev/full");
  writer.append(bytes_of("abcd"));
  const auto full =
      StartsWith("data error: the file cannot be written: /dev/full (No space left on device)\n  fix: free");
  EXPECT_THAT(error_of([&] { writer.flush(); }), full);
  writer.append(bytes_of("abcd"));
  EXPECT_THAT(error_of([&] { writer.close(); }), full);
  writer.close();
  EXPECT_THAT(error_of([&] { writer.append({}); }),
              StartsWith("internal error: a closed file is written to: /dev/full"));
}

TEST(RecordFile, RefusesAMissingFile) {
  EXPECT_THAT(error_of([] { RecordReader("/nowhere/x"); }),
              StartsWith("data error: the file does not exist: /nowhere/x"));
  EXPECT_THAT(error_of([] { RecordIndex("/nowhere/x"); }),
              StartsWith("data error: the file does not exist: /nowhere/x"));
}

// Three records, of which the second, at byte 19, is to be damaged.
struct Three {
  const TemporaryFolder folder;
  std::filesystem::path path = write_records(folder / "x", {"one", "second", "three"});
  std::string bytes = contents_of(path);

  void flip(std::size_t at) {
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    write_file(path, bytes);
  }
  void cut(std::size_t size) {
    bytes.resize(size);
    write_file(path, bytes);
  }
};

TEST(RecordFile, NamesTheByteOfDamagedDataAndCanGoOnBehindIt) {
  Three file;
  file.flip(19 + 12);
  const auto error = AllOf(StartsWith("data error: the data of a record is damaged: "), HasSubstr("/x at byte 19\n"),
                           HasSubstr("fix: write the file again, or have damaged records skipped"));
  RecordReader reader(file.path);
  reader.next();
  EXPECT_THAT(error_of([&] { reader.next(); }), error);
  EXPECT_THAT(read_all(reader), ElementsAre("three"));
  const RecordIndex index(file.path);
  EXPECT_EQ(text_of(index.record(2)), "three");
  EXPECT_THAT(error_of([&] { index.record(1); }), error);
}

TEST(RecordFile, NamesTheByteOfADamagedLength) {
  Three file;
  file.flip(19);
  const auto error = AllOf(StartsWith("data error: a record's length is damaged, or this is not a record file: "),
                           HasSubstr("/x at byte 19\n"));
  RecordReader reader(file.path);
  reader.next();
  EXPECT_THAT(error_of([&] { reader.next(); }), error);
  EXPECT_THAT(error_of([&] { reader.next(); }), error);
  EXPECT_THAT(error_of([&] { RecordIndex index(file.path); }), error);
}

TEST(RecordFile, NamesTheByteOfARecordThatEndsTooEarly) {
  for (std::size_t size = 20; size < 41; ++size) {
    Three file;
    file.cut(size);
    const auto error =
        AllOf(StartsWith("data error: the file ends in the middle of a record: "), HasSubstr("/x at byte 19\n"));
    RecordReader reader(file.path);
    reader.next();
    EXPECT_THAT(error_of([&] { reader.next(); }), error) << size;
    EXPECT_THAT(error_of([&] { RecordIndex index(file.path); }), error) << size;
    RecordReader skipping(file.path, {.skip_damaged = true});
    EXPECT_THAT(read_all(skipping), ElementsAre("one"));
    EXPECT_EQ(skipping.skipped(), 1U);
  }
}

TEST(RecordFile, LosesOneRecordToOneDamageWhenAskedToSkip) {
  for (std::size_t at = 19; at < 41; ++at) {
    Three file;
    file.flip(at);
    RecordReader reader(file.path, {.skip_damaged = true});
    EXPECT_THAT(read_all(reader), ElementsAre("one", "three")) << at;
    EXPECT_EQ(reader.skipped(), 1U);
    const RecordIndex index(file.path, {.skip_damaged = true});
    EXPECT_THAT(read_all(index), ElementsAre("one", "three")) << at;
    EXPECT_EQ(index.skipped(), 1U);
  }
}

TEST(RecordFile, FindsTheRecordsBehindAWriterThatDiedAndStartedAgain) {
  const TemporaryFolder folder;
  const std::string first = contents_of(write_records(folder / "x", {"one", std::string(1000, 'x')}));
  const std::string second = contents_of(write_records(folder / "x", {"two", "three"}));
  write_file(folder / "x", first.substr(0, 500) + second);
  RecordReader reader(folder / "x", {.skip_damaged = true});
  EXPECT_THAT(read_all(reader), ElementsAre("one", "two", "three"));
  EXPECT_EQ(reader.skipped(), 1U);
}

TEST(RecordFile, RefusesALengthThatOverflows) {
  const TemporaryFolder folder;
  for (const std::uint64_t length : {~std::uint64_t{0}, ~std::uint64_t{0} - 16, std::uint64_t{1} << 63}) {
    std::string header(12, '\0');
    std::memcpy(header.data(), &length, 8);
    const std::uint32_t crc = base::masked_crc32c(bytes_of(header).first(8));
    std::memcpy(header.data() + 8, &crc, 4);
    write_file(folder / "x", header + std::string(100, '\0'));
    EXPECT_THAT(error_of([&] { read_all(folder / "x"); }), HasSubstr("the file ends in the middle of a record"));
    EXPECT_THAT(error_of([&] { RecordIndex index(folder / "x"); }),
                HasSubstr("the file ends in the middle of a record"));
  }
}

TEST(RecordFile, IsReadByManyThreadsAtOnce) {
  const TemporaryFolder folder;
  Texts records;
  for (int i = 0; i < 1000; ++i) records.push_back(std::string(static_cast<std::size_t>(i), static_cast<char>(i)));
  const RecordIndex index(write_records(folder / "x", records));
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < records.size(); ++i) {
        const std::size_t at = (i * 7 + t * 250) % records.size();
        if (text_of(index.record(at)) != records[at]) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

RC_GTEST_PROP(RecordFile, ReadsBackWhateverItWrites, (const Texts& records)) {
  const TemporaryFolder folder;
  write_records(folder / "x", records);
  RC_ASSERT(read_all(folder / "x") == records);
  RC_ASSERT(read_all(RecordIndex(folder / "x")) == records);
}

RC_GTEST_PROP(RecordFile, NoticesADamageToAnyByte, ()) {
  const auto records = *rc::gen::nonEmpty(rc::gen::arbitrary<Texts>());
  const TemporaryFolder folder;
  std::string bytes = contents_of(write_records(folder / "x", records));
  const auto at = static_cast<std::size_t>(*rc::gen::inRange<int>(0, static_cast<int>(bytes.size())));
  bytes[at] = static_cast<char>(bytes[at] ^ *rc::gen::inRange(1, 256));
  write_file(folder / "x", bytes);
  RC_ASSERT(error_of([&] { read_all(folder / "x"); }).starts_with("data error: "));
  RC_ASSERT(error_of([&] { read_all(RecordIndex(folder / "x")); }).starts_with("data error: "));

  Texts whole = records;
  std::size_t damaged = 0;
  for (std::size_t end = records[0].size() + 16; end <= at; end += records[damaged].size() + 16) ++damaged;
  whole.erase(whole.begin() + static_cast<std::ptrdiff_t>(damaged));
  RecordReader reader(folder / "x", {.skip_damaged = true});
  RC_ASSERT(read_all(reader) == whole);
  RC_ASSERT(reader.skipped() == 1U);
  const RecordIndex index(folder / "x", {.skip_damaged = true});
  RC_ASSERT(read_all(index) == whole);
  RC_ASSERT(index.skipped() == 1U);
}

RC_GTEST_PROP(RecordFile, NeverCrashesOnRandomBytes, (const std::string& bytes)) {
  const TemporaryFolder folder;
  write_file(folder / "x", bytes);
  RecordReader reader(folder / "x", {.skip_damaged = true});
  read_all(reader);
  RC_ASSERT(reader.skipped() == (bytes.empty() ? 0U : 1U));
  if (!bytes.empty()) RC_ASSERT(error_of([&] { read_all(folder / "x"); }).starts_with("data error: "));
}

Texts names_in(const std::filesystem::path& folder) {
  Texts names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

TEST(ShardedWriter, SplitsByTheNumberOfRecords) {
  const TemporaryFolder folder;
  ShardedWriter writer(folder / "new/deep", "train", {.max_records = 2});
  for (const std::string record : {"a", "b", "c", "d", "e"}) writer.append(bytes_of(record));
  EXPECT_EQ(writer.records(), 5U);
  const auto files = writer.close();
  EXPECT_THAT(
      names_in(folder / "new/deep"),
      ElementsAre("train-00000-of-00003.tfrecord", "train-00001-of-00003.tfrecord", "train-00002-of-00003.tfrecord"));
  ASSERT_EQ(files.size(), 3U);
  EXPECT_THAT(read_all(files[0]), ElementsAre("a", "b"));
  EXPECT_THAT(read_all(files[1]), ElementsAre("c", "d"));
  EXPECT_THAT(read_all(files[2]), ElementsAre("e"));
}

TEST(ShardedWriter, SplitsByTheSizeOfAFile) {
  const TemporaryFolder folder;
  ShardedWriter writer(folder.path(), "train", {.max_bytes = 40});
  for (const std::string record : {"1234", "5678", "9", "longer than any shard may be, frame included", "0"}) {
    writer.append(bytes_of(record));
  }
  const auto files = writer.close();
  ASSERT_EQ(files.size(), 4U);
  EXPECT_THAT(read_all(files[0]), ElementsAre("1234", "5678"));
  EXPECT_THAT(read_all(files[1]), ElementsAre("9"));
  EXPECT_EQ(read_all(files[2]).size(), 1U);
  EXPECT_THAT(read_all(files[3]), ElementsAre("0"));
}

TEST(ShardedWriter, WritesOneEmptyShardIfNoRecordComes) {
  const TemporaryFolder folder;
  EXPECT_THAT(ShardedWriter(folder.path(), "x").close(), ElementsAre(folder / "x-00000-of-00001.tfrecord"));
  EXPECT_TRUE(read_all(folder / "x-00000-of-00001.tfrecord").empty());
}

TEST(ShardedWriter, LeavesNothingBehindUnlessItIsClosed) {
  const TemporaryFolder folder;
  {
    ShardedWriter writer(folder.path(), "train", {.max_records = 1});
    for (const std::string record : {"a", "b", "c"}) writer.append(bytes_of(record));
    EXPECT_THAT(names_in(folder.path()), Each(StartsWith(".train-")));
  }
  EXPECT_TRUE(names_in(folder.path()).empty());
}

TEST(ShardedWriter, LeavesNothingBehindIfAShardCannotGetItsName) {
  const TemporaryFolder folder;
  {
    ShardedWriter writer(folder.path(), "train", {.max_records = 1});
    for (const std::string record : {"a", "b", "c"}) writer.append(bytes_of(record));
    std::filesystem::create_directories(folder / "train-00001-of-00003.tfrecord");
    EXPECT_THAT(error_of([&] { writer.close(); }), StartsWith("data error: the file cannot be renamed: "));
  }
  EXPECT_THAT(names_in(folder.path()), ElementsAre("train-00001-of-00003.tfrecord"));
}

TEST(ShardedWriter, WillNotMixItsShardsWithOldOnes) {
  const TemporaryFolder folder;
  ShardedWriter(folder.path(), "train").close();
  EXPECT_THAT(error_of([&] { ShardedWriter(folder.path(), "train"); }),
              AllOf(StartsWith("data error: there are files of that name already: "),
                    HasSubstr("/train-00000-of-00001.tfrecord\n  fix: remove them first")));
  EXPECT_EQ(error_of([&] { ShardedWriter(folder.path(), "tra"); }), "accepted");
  write_file(folder / "validation-x-of-00001.tfrecord", "");
  EXPECT_EQ(error_of([&] { ShardedWriter(folder.path(), "validation"); }), "accepted");
}

TEST(ShardedWriter, SaysWhyAFolderCannotBeUsed) {
  const TemporaryFolder folder;
  write_file(folder / "file", "");
  EXPECT_THAT(error_of([&] { ShardedWriter(folder / "file" / "x", "train"); }),
              StartsWith("data error: the folder cannot be created: "));
}

RC_GTEST_PROP(ShardedWriter, KeepsEveryRecordInOrder, ()) {
  const auto records = *rc::gen::resize(4, rc::gen::arbitrary<Texts>());  // few: each shard is synced
  const TemporaryFolder folder;
  ShardedWriter writer(
      folder.path(), "x",
      {.max_bytes = *rc::gen::inRange<std::uint64_t>(0, 100), .max_records = *rc::gen::inRange<std::uint64_t>(0, 4)});
  for (const std::string& record : records) writer.append(bytes_of(record));
  Texts found;
  for (const auto& file : writer.close()) {
    for (std::string& record : read_all(file)) found.push_back(std::move(record));
  }
  RC_ASSERT(found == records);
}

}  // namespace
