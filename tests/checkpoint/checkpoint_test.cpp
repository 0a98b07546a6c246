#include "base/torch.h"

#include "base/checkpoint/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <utility>

#include "base/log/format.h"
#include "base/records/crc32c.h"
#include "tests/checkpoint/support.h"

namespace base {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<torch::ScalarType> kTypes{
    torch::kBool, torch::kByte,   torch::kChar,  torch::kShort,  torch::kUInt16, torch::kHalf,  torch::kBFloat16,
    torch::kInt,  torch::kUInt32, torch::kFloat, torch::kDouble, torch::kLong,   torch::kUInt64};

std::string any_name() {
  const auto piece =
      rc::gen::element<std::string>("a", "layer.", "Weight", "0", " ", "\"", "\\", "\n", "é", "漢", "/", "..");
  const auto pieces = *rc::gen::container<std::vector<std::string>>(piece);
  std::string name;
  for (const std::string& one : pieces) name += one;
  return name;
}

double any_number() {
  using Limits = std::numeric_limits<double>;
  const auto special =
      rc::gen::element(0.0, -0.0, 1.0, 0.1, Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(),
                       Limits::denorm_min(), -Limits::min(), Limits::max(), Limits::lowest(), 1e22);
  const auto any =
      rc::gen::map(rc::gen::arbitrary<std::uint64_t>(), [](std::uint64_t b) { return std::bit_cast<double>(b); });
  return *rc::gen::oneOf(special, any);
}

// Of any type, with any bytes in it, contiguous or not.
torch::Tensor any_tensor() {
  const torch::ScalarType type = *rc::gen::elementOf(kTypes);
  const auto shape =
      *rc::gen::resize(4, rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, 4)));
  torch::Tensor tensor = torch::empty(shape, type);
  const auto bytes =
      *rc::gen::container<std::vector<std::uint8_t>>(tensor.nbytes(), rc::gen::arbitrary<std::uint8_t>());
  auto* const data = static_cast<std::uint8_t*>(tensor.data_ptr());
  for (std::size_t i = 0; i < bytes.size(); ++i) data[i] = type == torch::kBool ? bytes[i] % 2 : bytes[i];
  std::vector<std::int64_t> thrice = tensor.sizes().vec();
  thrice.insert(thrice.begin(), 3);
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      return tensor.dim() > 1 ? tensor.transpose(0, 1) : tensor;
    case 1:
      return tensor.dim() > 0 ? tensor.slice(0, 0, tensor.size(0), 2) : tensor;
    case 2:
      return tensor.expand(thrice);
    default:
      return tensor;
  }
}

State any_state() {
  State state;
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) state.set(any_name(), *rc::gen::arbitrary<std::int64_t>());
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) state.set(any_name(), any_number());
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) state.set(any_name(), any_name());
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) state.set("t" + any_name(), any_tensor());
  return state;
}

RC_GTEST_PROP(Checkpoint, ComesBackToTheBit, ()) {
  Checkpoint checkpoint{.step = *rc::gen::nonNegative<std::int64_t>(), .score = {}, .metrics = {}, .parts = {}};
  if (*rc::gen::arbitrary<bool>()) checkpoint.score = any_number();
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) checkpoint.metrics.emplace_back(any_name(), any_number());
  for (const char* part : {"model", "optimizer", "loader-0", "state", "manifest", "x_1"})
    if (*rc::gen::arbitrary<bool>()) checkpoint.parts[part] = any_state();
  const CheckpointsFolder folder;
  write_checkpoint(folder / "step-1", checkpoint);
  RC_ASSERT(same(read_checkpoint(folder / "step-1"), checkpoint));
}

TEST(Checkpoint, HoldsTheWholeRangeOfNumbers) {
  using Integer = std::numeric_limits<std::int64_t>;
  Checkpoint checkpoint{.step = Integer::max(), .score = -0.0, .metrics = {{"a", NAN}, {"a", -INFINITY}}, .parts = {}};
  State& state = checkpoint.parts["x"];
  state.set("largest", Integer::max());
  state.set("smallest", Integer::min());
  state.set("one", 1);
  state.set("one.0", 1.0);
  state.set("nan", NAN);
  state.set("nan as a text", std::string("nan"));
  state.set("no text", std::string());
  state.set("zero byte", std::string("a\0b", 3));
  const CheckpointsFolder folder;
  write_checkpoint(folder / "a", checkpoint);
  EXPECT_TRUE(same(read_checkpoint(folder / "a"), checkpoint));
}

TEST(Checkpoint, IsAFolderOfAFewFiles) {
  const CheckpointsFolder folder;
  write_checkpoint(folder / "deep/er/step-400", tiny_checkpoint());
  EXPECT_THAT(names_in(folder / "deep/er"), ElementsAre("step-400"));
  EXPECT_THAT(names_in(folder / "deep/er/step-400"), ElementsAre("manifest.json", "model.safetensors", "state.json"));
  EXPECT_THAT(contents_of(folder / "deep/er/step-400/manifest.json"),
              AllOf(HasSubstr("\"step\": 400"), HasSubstr("\"score\": 0.5"), HasSubstr("\"crc32c\": \"")));
}

TEST(Checkpoint, MayBeEmpty) {
  const CheckpointsFolder folder;
  write_checkpoint(folder / "a", {});
  EXPECT_TRUE(same(read_checkpoint(folder / "a"), {}));
}

TEST(Checkpoint, TensorsAreCopiesOfTheirOwn) {
  const CheckpointsFolder folder;
  write_checkpoint(folder / "a", tiny_checkpoint());
  const Checkpoint checkpoint = read_checkpoint(folder / "a");
  fs::remove_all(folder / "a");
  auto weight = checkpoint.parts.at("model").get<torch::Tensor>("w");
  weight.add_(1);
  EXPECT_TRUE(same(weight, torch::arange(1, 4, torch::kFloat)));
}

TEST(Checkpoint, SavesParametersThatNeedGradients) {
  const CheckpointsFolder folder;
  Checkpoint checkpoint;
  checkpoint.parts["model"].set("w", torch::ones({2}, torch::requires_grad()));
  write_checkpoint(folder / "a", checkpoint);
  EXPECT_FALSE(read_checkpoint(folder / "a").parts.at("model").get<torch::Tensor>("w").requires_grad());
}

TEST(Checkpoint, ReplacesTheOneOfTheSameName) {
  const CheckpointsFolder folder;
  write_checkpoint(folder / "a", tiny_checkpoint(1));
  write_file(folder / "a/model.safetensors", "damaged");
  write_checkpoint(folder / "a/", tiny_checkpoint(2));
  EXPECT_TRUE(same(read_checkpoint(folder / "a"), tiny_checkpoint(2)));
  EXPECT_THAT(names_in(folder.path()), ElementsAre("a"));
}

TEST(Checkpoint, NeverReplacesAnythingElse) {
  const CheckpointsFolder folder;
  fs::create_directories(folder / "thesis/chapters");
  write_file(folder / "file", "precious");
  for (const char* name : {"thesis", "file"}) {
    EXPECT_THAT(checkpoint_error([&] { write_checkpoint(folder / name, tiny_checkpoint()); }),
                AllOf(HasSubstr("will not be replaced"), HasSubstr(name), HasSubstr("fix: move it away")));
  }
  EXPECT_THAT(names_in(folder.path()), ElementsAre("file", "thesis"));
  EXPECT_EQ(contents_of(folder / "file"), "precious");
}

TEST(Checkpoint, RefusesWhatCannotBeSaved) {
  const CheckpointsFolder folder;
  const auto error_of = [&](const std::string& part, const auto&... name_and_value) {
    Checkpoint checkpoint;
    checkpoint.parts[part].set(name_and_value...);
    return checkpoint_error([&] { write_checkpoint(folder / "a", checkpoint); });
  };
  for (const char* part : {"", "Model", "../up", "a/b", "a.b", "é"})
    EXPECT_THAT(error_of(part, "x", 1), HasSubstr("cannot have this name")) << part;
  EXPECT_THAT(error_of("model", "w", torch::Tensor()), AllOf(HasSubstr("never set"), HasSubstr("model: w")));
  EXPECT_THAT(error_of("model", "w", torch::ones({2, 2}).to_sparse()),
              AllOf(HasSubstr("sparse"), HasSubstr("model: w")));
  EXPECT_THAT(error_of("model", "w", torch::ones({2}, torch::kComplexFloat)), HasSubstr("w"));
  EXPECT_THAT(error_of("model", "__metadata__", torch::ones({2})), HasSubstr("__metadata__"));
  EXPECT_THAT(error_of("model", "x", std::string("\xff")), AllOf(HasSubstr("not UTF-8"), HasSubstr("uint8")));
  EXPECT_THAT(error_of("model", "\xff", 1), HasSubstr("not UTF-8"));
  EXPECT_THAT(error_of("model", "\xff", torch::ones({2})), HasSubstr("not UTF-8"));
  EXPECT_THAT(names_in(folder.path()), ElementsAre());  // and nothing is left of the attempts
}

TEST(Checkpoint, SaysWhyItCannotBeWritten) {
  const CheckpointsFolder folder;
  write_file(folder / "file", "");
  EXPECT_THAT(checkpoint_error([&] { write_checkpoint(folder / "file/step-1", tiny_checkpoint()); }),
              AllOf(HasSubstr("checkpoint error: "), HasSubstr("file"), HasSubstr("Not a directory"),
                    HasSubstr("the checkpoint before is whole")));
}

TEST(Checkpoint, ThatIsNotThereIsAnError) {
  const CheckpointsFolder folder;
  EXPECT_THAT(checkpoint_error([&] { read_checkpoint(folder / "step-9"); }),
              AllOf(HasSubstr("there is no such checkpoint"), HasSubstr("step-9")));
}

// What read_checkpoint() says once the file holds `text`.
std::string error_with(const fs::path& file, const std::string& text) {
  const std::string whole = contents_of(file);
  write_file(file, text);
  const std::string error = checkpoint_error([&] { read_checkpoint(file.parent_path()); });
  write_file(file, whole);
  return error;
}

TEST(DamagedCheckpoint, EveryFlippedBitOfEveryFileIsFound) {
  const CheckpointsFolder folder;
  write_checkpoint(folder / "a", tiny_checkpoint());
  for (const std::string& name : names_in(folder / "a")) {
    const std::string whole = contents_of(folder / "a" / name);
    ASSERT_GT(whole.size(), 50U);
    for (std::size_t i = 0; i < whole.size() * 8; ++i) {
      std::string flipped = whole;
      flipped[i / 8] = static_cast<char>(flipped[i / 8] ^ (1 << i % 8));
      ASSERT_THAT(error_with(folder / "a" / name, flipped), AllOf(HasSubstr("is damaged"), HasSubstr(name)))
          << "bit " << i % 8 << " of byte " << i / 8;
    }
  }
  EXPECT_EQ(checkpoint_error([&] { read_checkpoint(folder / "a"); }), "");
}

TEST(DamagedCheckpoint, AFileOfAnyOtherLengthIsFound) {
  const CheckpointsFolder folder;
  write_checkpoint(folder / "a", tiny_checkpoint());
  for (const std::string& name : names_in(folder / "a")) {
    const std::string whole = contents_of(folder / "a" / name);
    for (std::size_t length = 0; length < whole.size(); ++length) {
      ASSERT_THAT(error_with(folder / "a" / name, whole.substr(0, length)),
                  AllOf(HasSubstr("is damaged"), HasSubstr(name)))
          << length;
    }
    for (const char* more : {" ", "\n"}) {
      EXPECT_THAT(error_with(folder / "a" / name, whole + more), AllOf(HasSubstr("is damaged"), HasSubstr(name)));
    }
  }
}

TEST(DamagedCheckpoint, AMissingFileIsNamed) {
  const CheckpointsFolder folder;
  write_checkpoint(folder / "a", tiny_checkpoint());
  for (const std::string& name : names_in(folder / "a")) {
    fs::rename(folder / "a" / name, folder / "away");
    EXPECT_THAT(checkpoint_error([&] { read_checkpoint(folder / "a"); }), AllOf(HasSubstr(name), HasSubstr("missing")));
    fs::create_directory(folder / "a" / name);
    EXPECT_THAT(checkpoint_error([&] { read_checkpoint(folder / "a"); }), AllOf(HasSubstr(name), HasSubstr("damaged")));
    fs::remove(folder / "a" / name);
    fs::rename(folder / "away", folder / "a" / name);
  }
}

TEST(DamagedCheckpoint, AFileTooManyIsNamed) {
  const CheckpointsFolder folder;
  write_checkpoint(folder / "a", tiny_checkpoint());
  for (const char* name : {"ema.safetensors", "notes.txt", ".hidden"}) {
    write_file(folder / "a" / name, "");
    EXPECT_THAT(checkpoint_error([&] { read_checkpoint(folder / "a"); }),
                AllOf(HasSubstr(name), HasSubstr("no part of")));
    fs::remove(folder / "a" / name);
  }
  fs::create_directory(folder / "a/folder");
  EXPECT_THAT(checkpoint_error([&] { read_checkpoint(folder / "a"); }), HasSubstr("a/folder"));
}

// With a checksum that fits: whoever can write a file can do that too.
std::string sealed(const std::string& body) {
  return body + format(",\n  \"crc32c\": \"{:08x}\"\n}}\n", crc32c(std::as_bytes(std::span(body))));
}

TEST(DamagedCheckpoint, AForgedManifestIsRefused) {
  const CheckpointsFolder folder;
  write_checkpoint(folder / "a", tiny_checkpoint());
  const fs::path file = folder / "a/manifest.json";
  const std::string whole = contents_of(file);
  const std::string body = whole.substr(0, whole.rfind(','));
  ASSERT_EQ(sealed(body), whole);
  const std::pair<std::string, std::string> forgeries[] = {
      {"\"format\": 1", "\"format\": 1.0"},
      {"\"format\": 1", "\"format\": \"1\""},
      {"\"step\": 400", "\"step\": -1"},
      {"\"step\": 400", "\"step\": 2.5"},
      {"\"step\": 400", "\"step\": 9223372036854775808"},
      {"\"step\": 400", "\"stop\": 400"},
      {"\"score\": 0.5", "\"score\": 1e999"},
      {"\"score\": 0.5", "\"score\": \"good\""},
      {"\"score\": 0.5", "\"score\": [0.5]"},
      {"\"loss\"", "3"},
      {"\"state.json\"", "\"manifest.json\""},
      {"\"state.json\"", "\"model.safetensors\""},
      {"\"model.safetensors\"", "\"../model.safetensors\""},
      {"\"model.safetensors\"", "\"/etc/passwd\""},
      {"\"model.safetensors\"", "\".safetensors\""},
      {"\"model.safetensors\"", "null"},
      {"\"size\": ", "\"size\": -"},
      {"\"size\": ", "\"size\": 9000000000000000"},
      {"\"files\": [", "\"files\": " + std::string(100'000, '[')},
      {"{", ""},
  };
  for (const auto& [from, to] : forgeries) {
    std::string forged = body;
    forged.replace(forged.find(from), from.size(), to);
    EXPECT_THAT(error_with(file, sealed(forged)), HasSubstr("is damaged")) << from << " as " << to.substr(0, 50);
  }
  EXPECT_THAT(error_with(file, sealed("")), HasSubstr("manifest.json"));
  std::string newer = body;
  newer.replace(newer.find("\"format\": 1"), 11, "\"format\": 2");
  EXPECT_THAT(error_with(file, sealed(newer)), AllOf(HasSubstr("of format 2"), HasSubstr("the program that wrote it")));
}

TEST(DamagedCheckpoint, AForgedStateIsRefused) {
  const CheckpointsFolder folder;
  for (const char* text : {"", "[]", "{\"model\": 3}", "{\"model\": {}}", "null",
                           "{\"loader\":{\"integers\":{},\"numbers\":{},\"texts\":{}}}",
                           R"({"model":{"integers":{"a":1.5},"numbers":{},"texts":{}}})",
                           R"({"model":{"integers":{"a":18446744073709551615},"numbers":{},"texts":{}}})",
                           R"({"model":{"integers":{},"numbers":{"a":"many"},"texts":{}}})",
                           R"({"model":{"integers":{},"numbers":{},"texts":{"a":1}}})",
                           R"({"../model":{"integers":{},"numbers":{},"texts":{}}})"}) {
    write_checkpoint(folder / "a", tiny_checkpoint());
    const fs::path file = folder / "a/manifest.json";
    std::string body = contents_of(file);
    const std::size_t entry = body.find("\"state.json\"");
    body.resize(entry);
    body += format("\"state.json\", \"size\": {}, \"crc32c\": \"{:08x}\"}}]", std::string_view(text).size(),
                   crc32c(std::as_bytes(std::span(text, std::string_view(text).size()))));
    write_file(file, sealed(body));
    write_file(folder / "a/state.json", text);
    EXPECT_THAT(checkpoint_error([&] { read_checkpoint(folder / "a"); }),
                AllOf(HasSubstr("is damaged"), Not(HasSubstr("manifest"))))
        << text;
  }
}

}  // namespace
}  // namespace base
