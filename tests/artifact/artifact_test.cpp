#include "base/artifact/artifact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/artifact/triton.h"
#include "base/log/format.h"
#include "base/records/seal.h"
#include "tests/support/memory_folder.h"
#include "tests/tensor/message_of.h"

namespace base {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

ExportManifest small_manifest() {
  return {
      .model = "digits",
      .project = "demo",
      .step = 400,
      .time = "2026-01-31T12:00:00Z",
      .signature = {.inputs = {{"image", DType::kF32, {{1, "batch"}, {1}, {28}, {28}}}},
                    .outputs = {{"class", DType::kI64, {{1, "batch"}}}, {"scores", DType::kF32, {{1, "batch"}, {10}}}}},
      .metrics = {{"accuracy", 0.5}, {"worst", std::numeric_limits<double>::infinity()}},
      .score = 0.5};
}

/// exports/400, whose model is a text: nobody runs it here.
fs::path write_export(const TemporaryFolder& folder, const std::string& name = "exports/400",
                      const ExportManifest& manifest = small_manifest()) {
  ArtifactWriter writer(folder / name);
  write_file(writer.path() / kOnnxFile, "the model");
  write_file(writer.path() / kWeightsFile, "the weights");
  writer.complete(manifest, "width = 3\n");
  writer.publish();
  return folder / name;
}

/// What is there, but for the lock.
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename() != ".lock") names.push_back(entry.path().filename());
  return names;
}

std::string error_of(const TemporaryFolder& folder, const fs::path& path) {
  return folder.shorten(message_of(ErrorKind::kExport, [&] { Artifact::open(path); }));
}

TEST(Artifact, ComesBackAsItWasWritten) {
  const MemoryFolder folder;
  const Artifact artifact = Artifact::open(write_export(folder));
  ExportManifest read = artifact.manifest();
  std::vector<std::string> names;
  for (const CheckedFile& file : read.files) names.push_back(file.name);
  EXPECT_THAT(names, ElementsAre("config.toml", "model.onnx", "model.safetensors", "triton/digits/config.pbtxt"));
  read.files.clear();
  EXPECT_EQ(small_manifest(), read);
  EXPECT_EQ("the model", contents_of(artifact.file(kOnnxFile)));
  EXPECT_EQ("width = 3\n", contents_of(artifact.file(kSettingsFile)));
  EXPECT_FALSE(artifact.has(kTorchScriptFile));
  EXPECT_EQ("export error: the export has no model.pt: exports/400\n  fix: export the model again, with this file",
            folder.shorten(message_of(ErrorKind::kExport, [&] { artifact.file(kTorchScriptFile); })));
}

TEST(Artifact, HasTheTimeIfNoneIsGiven) {
  const MemoryFolder folder;
  ExportManifest manifest = small_manifest();
  manifest.time.clear();
  EXPECT_THAT(Artifact::open(write_export(folder, "1", manifest)).manifest().time,
              ::testing::MatchesRegex("20..-..-..T..:..:..Z"));
}

TEST(Artifact, IsThereWholeOrNotAtAll) {
  const MemoryFolder folder;
  {
    ArtifactWriter writer(folder / "exports/1");
    write_file(writer.path() / kOnnxFile, "half a mod");
    EXPECT_FALSE(fs::exists(folder / "exports/1"));
  }
  EXPECT_THAT(names_in(folder / "exports"), ElementsAre());
}

TEST(Artifact, ClearsUpWhatKilledExportsLeft) {
  const MemoryFolder folder;
  write_export(folder, "exports/300");
  fs::rename(folder / "exports/300", folder / "exports/.300.replaced-1");  // killed between the two renames
  folder.write("exports/.400.partial-1/model.onnx", "half a mod");
  folder.write("exports/.200.removed-1/model.onnx", "the mo");
  {
    const ArtifactWriter other(folder / "exports/600");
    write_export(folder, "exports/500");
    EXPECT_TRUE(fs::exists(other.path())) << "of a process that still writes";
    EXPECT_THAT(names_in(folder / "exports"), UnorderedElementsAre("300", "500", other.path().filename()));
  }
  write_export(folder, "exports/600");
  EXPECT_THAT(names_in(folder / "exports"), UnorderedElementsAre("300", "500", "600"));
}

TEST(Artifact, ReplacesAnExportButNothingElse) {
  const MemoryFolder folder;
  write_export(folder);
  ExportManifest better = small_manifest();
  better.metrics["accuracy"] = 0.75;
  EXPECT_EQ(0.75, Artifact::open(write_export(folder, "exports/400", better)).manifest().metrics.at("accuracy"));

  folder.write("photos/cat.jpg", "meow");
  EXPECT_EQ(
      "export error: what is there is no export and will not be replaced: photos\n"
      "  fix: move it away, or save to another folder",
      folder.shorten(message_of(ErrorKind::kExport, [&] { ArtifactWriter writer(folder / "photos"); })));
}

TEST(Artifact, NeedsAModelAndTakesNoOtherFiles) {
  const MemoryFolder folder;
  ArtifactWriter writer(folder / "1");
  EXPECT_THAT(message_of(ErrorKind::kExport, [&] { writer.complete(small_manifest()); }), HasSubstr("no model.onnx"));
  ArtifactWriter other(folder / "2");
  write_file(other.path() / kOnnxFile, "the model");
  write_file(other.path() / "notes.txt", "mine");
  EXPECT_THAT(message_of(ErrorKind::kExport, [&] { other.complete(small_manifest()); }),
              HasSubstr("what is there is no file of an export"));
  EXPECT_FALSE(fs::exists(folder / "1") || fs::exists(folder / "2"));
}

TEST(Artifact, RefusesNamesThatServersCannotHave) {
  const MemoryFolder folder;
  for (const char* name : {"", "../digits", "a/b", "a b", ".hidden"}) {
    ExportManifest manifest = small_manifest();
    manifest.model = name;
    EXPECT_THROW(write_export(folder, "1", manifest), Error) << name;
  }
}

TEST(Artifact, SaysWhatIsWrongWithAFolder) {
  const MemoryFolder folder;
  EXPECT_EQ(
      "export error: there is no such export: exports/7\n"
      "  fix: give the folder of an exported model, such as exports/400",
      error_of(folder, folder / "exports/7"));
  fs::create_directory(folder / "empty");
  EXPECT_EQ(
      "export error: the folder is no export: empty (it has no manifest.json)\n"
      "  fix: give the folder of an exported model, such as exports/400",
      error_of(folder, folder / "empty"));
}

TEST(Artifact, FindsAFileThatIsMissingCutOffOrChanged) {
  const MemoryFolder folder;
  const fs::path path = write_export(folder);
  const std::string fix = "\n  fix: copy or export the model again";

  write_file(path / kOnnxFile, "the m0del");
  EXPECT_EQ("export error: the export is damaged: exports/400/model.onnx (its checksum does not fit it)" + fix,
            error_of(folder, path));
  const Artifact by_sizes = Artifact::open(path, Artifact::Check::kSizes);  // it is the file that tells
  EXPECT_THROW(by_sizes.file(kOnnxFile), Error);
  EXPECT_NO_THROW(by_sizes.file(kWeightsFile));

  write_file(path / kOnnxFile, "the m");
  EXPECT_EQ("export error: the export is damaged: exports/400/model.onnx (5 of 9 bytes are there)" + fix,
            error_of(folder, path));
  EXPECT_THROW(Artifact::open(path, Artifact::Check::kSizes), Error);
  write_file(path / kOnnxFile, "the model, and more");
  EXPECT_EQ("export error: the export is damaged: exports/400/model.onnx (it has more than its 9 bytes)" + fix,
            error_of(folder, path));
  fs::remove(path / kOnnxFile);
  EXPECT_EQ("export error: the export is damaged: exports/400/model.onnx (it is missing)" + fix,
            error_of(folder, path));
}

TEST(Artifact, FindsAManifestThatWasChangedInAnyByte) {
  const MemoryFolder folder;
  const fs::path path = write_export(folder);
  const std::string whole = contents_of(path / "manifest.json");
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    write_file(path / "manifest.json", changed);
    ASSERT_THROW(Artifact::open(path), Error) << "byte " << i;
    write_file(path / "manifest.json", whole.substr(0, i));
    ASSERT_THROW(Artifact::open(path), Error) << "the first " << i << " bytes";
  }
}

// Somebody may write a manifest with a checksum that fits.
TEST(Artifact, RefusesAManifestThatLeadsOutOfTheFolder) {
  const MemoryFolder folder;
  const fs::path path = write_export(folder);
  folder.write("secret", "the model");
  const std::string whole = contents_of(path / "manifest.json");
  for (const char* name : {"../../secret", "/etc/passwd", "triton/../../../secret", ".hidden", "a//b", "",
                           "manifest.json", "model.onnx/", "a b"}) {
    std::string text = whole.substr(0, whole.rfind(",\n  \"crc32c\""));
    text.replace(text.find("model.safetensors"), std::string("model.safetensors").size(), name);
    write_file(path / "manifest.json", seal(text + "\n}"));
    EXPECT_THAT(error_of(folder, path), HasSubstr("not a file of an export")) << name;
  }
}

TEST(Artifact, RefusesManifestsThatMakeNoSense) {
  const MemoryFolder folder;
  const fs::path path = write_export(folder);
  const std::string whole = contents_of(path / "manifest.json");
  const std::vector<std::array<std::string, 3>> changes{
      {"\"format\": 1", "\"format\": 2", "the export is of format 2, this program reads 1"},
      {"\"step\": 400", "\"step\": -1", "a negative number"},
      {"\"step\": 400", "\"step\": 1e30", "not a whole number"},
      {"\"F32\"", "\"F33\"", "not a type: F33"},
      {"\"class\"", "\"scores\"", "twice: scores"},
      {"\"image\"", "\"\"", "a tensor without a name"},
      {"\"size\": 9", "\"size\": \"9\"", "not a whole number"},
      {"\"model.onnx\"", "\"model.omnx\"", "no model.onnx"},
      {"\"digits\"", "[]", "type must be string"},
  };
  for (const auto& [from, to, why] : changes) {
    std::string text = whole.substr(0, whole.rfind(",\n  \"crc32c\""));
    ASSERT_NE(std::string::npos, text.find(from)) << from;
    text.replace(text.find(from), from.size(), to);
    write_file(path / "manifest.json", seal(text + "\n}"));
    EXPECT_THAT(error_of(folder, path), HasSubstr(why));
  }
}

TEST(Artifact, HasAViewForTritonThatMovesWithIt) {
  const MemoryFolder folder;
  write_export(folder);
  fs::rename(folder / "exports/400", folder / "moved");
  EXPECT_EQ("the model", contents_of(folder / "moved/triton/digits/1/model.onnx"));
  EXPECT_EQ("../../../model.onnx", fs::read_symlink(folder / "moved/triton/digits/1/model.onnx"));
  EXPECT_NO_THROW(Artifact::open(folder / "moved"));
}

TEST(TritonGolden, DescribesAModelWithABatch) {
  EXPECT_EQ(R"(# For Triton Inference Server.
name: "digits"
platform: "onnxruntime_onnx"
max_batch_size: 64
input { name: "image" data_type: TYPE_FP32 dims: [ 1, 28, 28 ] }
output { name: "class" data_type: TYPE_INT64 dims: [ 1 ] reshape { shape: [ ] } }
output { name: "scores" data_type: TYPE_FP32 dims: [ 10 ] }
dynamic_batching { }
)",
            triton_config("digits", small_manifest().signature));
}

TEST(TritonGolden, DescribesAModelWithout) {
  const Signature signature{.inputs = {{"a \"b\"", DType::kBool, {{1, "batch"}, {7, "length"}}}},
                            .outputs = {{"sum", DType::kF16, {}}}};
  EXPECT_EQ(R"(# For Triton Inference Server.
name: "sum"
platform: "onnxruntime_onnx"
max_batch_size: 0
input { name: "a \"b\"" data_type: TYPE_BOOL dims: [ -1, -1 ] }
output { name: "sum" data_type: TYPE_FP16 dims: [ 1 ] reshape { shape: [ ] } }
)",
            triton_config("sum", signature));
}

std::string choosing(const fs::path& folder) {
  try {
    return choose_export(folder).string();
  } catch (const Error& error) {
    return error.what();
  }
}

ExportManifest scored(std::optional<double> score, bool lower_is_better = false) {
  ExportManifest manifest = small_manifest();
  manifest.score = score;
  manifest.lower_is_better = lower_is_better;
  return manifest;
}

TEST(ChooseExport, TakesTheHighestNumberThatIsWhole) {
  const MemoryFolder folder;
  EXPECT_THAT(choosing(folder / "exports"), HasSubstr("there is no such export"));
  for (const char* name : {"exports/90", "exports/100", "exports/100-int8", "exports/200"}) write_export(folder, name);
  folder.write("exports/999/readme", "no export");
  fs::remove(folder / "exports/200/model.onnx");
  EXPECT_EQ(folder / "exports/100", choose_export(folder / "exports"));
  EXPECT_EQ(folder / "exports/90", choose_export(folder / "exports/90"));
  EXPECT_THAT(choosing(folder.path()), AllOf(HasSubstr("no export in this folder"), HasSubstr("exports")));
  for (const char* name : {"90", "100", "100-int8"}) fs::remove(folder / "exports" / name / "model.onnx");
  EXPECT_THAT(choosing(folder / "exports"), HasSubstr("no export in this folder is whole"));
}

TEST(ChooseExport, TakesTheBestScore) {
  const MemoryFolder folder;
  write_export(folder, "exports/1", scored(0.5));
  write_export(folder, "exports/2", scored(0.75));
  write_export(folder, "exports/3", scored(std::nan("")));
  write_export(folder, "exports/4", scored({}));
  EXPECT_EQ(folder / "exports/2", choose_export(folder / "exports"));
  for (const char* name : {"exports/5", "exports/6"}) write_export(folder, name, scored(0.75));
  EXPECT_EQ(folder / "exports/6", choose_export(folder / "exports")) << "of equals the newest";
  write_export(folder, "losses/1", scored(0.5, /*lower_is_better=*/true));
  write_export(folder, "losses/2", scored(0.75, /*lower_is_better=*/true));
  EXPECT_EQ(folder / "losses/1", choose_export(folder / "losses"));
}

TEST(ChooseExport, TakesOtherPrecisionsIfThereIsNothingElse) {
  const MemoryFolder folder;
  for (const char* name : {"exports/90-fp16", "exports/100-int8", "exports/100-fp16"}) write_export(folder, name);
  EXPECT_EQ(folder / "exports/100-fp16", choose_export(folder / "exports"));
}

TEST(KeepNewestExports, KeepsTheBestToo) {
  const MemoryFolder folder;
  for (const int step : {1, 2, 3, 4}) write_export(folder, format("exports/{}", step), scored(step == 2 ? 0.9 : 0.5));
  write_export(folder, "exports/1-int8");
  keep_newest_exports(folder / "exports", 1);
  EXPECT_THAT(names_in(folder / "exports"), UnorderedElementsAre("2", "4", "1-int8"));
}

}  // namespace
}  // namespace base
