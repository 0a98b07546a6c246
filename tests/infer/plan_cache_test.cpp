// The files beside an engine: sealed ones, the cache of plans, and what is read from an ONNX file.
#include "base/infer/plan_cache.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <protozero/pbf_writer.hpp>

#include "base/infer/onnx_facts.h"
#include "base/log/error.h"
#include "base/records/bytes.h"
#include "tests/support/memory_folder.h"

namespace base {
namespace {

namespace fs = std::filesystem;

class PlanCacheTest : public testing::Test {
 protected:
  static std::string text_in(const std::optional<SealedFile>& file) {
    return file ? std::string(text_of(file->bytes)) : "nothing";
  }
  void write(std::string_view name, std::string_view text) const { folder_.write(name, text); }
  std::string message_of(std::string_view model) const {
    try {
      read_onnx_facts(folder_ / model);
    } catch (const Error& error) {
      return folder_.shorten(error.what());
    }
    return "no error";
  }

  MemoryFolder folder_;
};

TEST_F(PlanCacheTest, GivesBackWhatItWasGiven) {
  const PlanCache cache(folder_ / "a/b");
  EXPECT_EQ(text_in(cache.find("x.plan", "label")), "nothing");
  cache.store("x.plan", "label\nof two lines", bytes_of("the plan"));
  EXPECT_EQ(text_in(cache.find("x.plan", "label\nof two lines")), "the plan");
  cache.store("x.plan", "label", bytes_of("another"));
  EXPECT_EQ(text_in(cache.find("x.plan", "label")), "another");
  cache.store("empty.plan", "", {});
  EXPECT_EQ(text_in(cache.find("empty.plan", "")), "");
  EXPECT_EQ(fs::status(folder_ / "a/b").permissions(), fs::perms::owner_all);
}

TEST_F(PlanCacheTest, MapsAPlanToAPageWhateverItsLabel) {
  const PlanCache cache(folder_.path());
  for (const std::size_t size : {0U, 1U, 3900U, 4096U, 10000U}) {
    cache.store("x", std::string(size, 'l'), bytes_of("plan"));
    const auto file = cache.find("x", std::string(size, 'l'));
    ASSERT_EQ(text_in(file), "plan") << size;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(file->bytes.data()) % 4096, 0U) << size;
  }
}

TEST_F(PlanCacheTest, DoesNotGiveAPlanThatWasBuiltForSomethingElse) {
  const PlanCache cache(folder_.path());
  cache.store("x.plan", "tensorrt 10.9", bytes_of("the plan"));
  EXPECT_EQ(text_in(cache.find("x.plan", "tensorrt 11.1")), "nothing");
}

TEST_F(PlanCacheTest, DoesNotGiveAPlanThatIsCutOffAnywhere) {
  const PlanCache cache(folder_.path());
  cache.store("whole", "label", bytes_of(std::string(3000, 'p')));
  const std::string whole = folder_.read("whole");
  ASSERT_EQ(whole.size(), 4096U + 3000U);
  for (std::size_t size = 0; size < whole.size(); size += size < 100 ? 1 : 97) {
    write("cut", whole.substr(0, size));
    EXPECT_EQ(text_in(cache.find("cut", "label")), "nothing") << size;
  }
  write("longer", whole + "x");
  EXPECT_EQ(text_in(cache.find("longer", "label")), "nothing");
}

TEST_F(PlanCacheTest, DoesNotGiveAPlanWithAByteThatChanged) {
  const PlanCache cache(folder_.path());
  cache.store("whole", "label", bytes_of(std::string(3000, 'p')));
  const std::string whole = folder_.read("whole");
  for (std::size_t at = 0; at < whole.size(); at += at < 100 ? 1 : 61) {
    if (at >= whole.find("label\0", 60, 6) + 5 && at < 4096) continue;  // zeros that fill the page
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 4);
    write("changed", changed);
    EXPECT_EQ(text_in(cache.find("changed", "label")), "nothing") << at;
  }
}

TEST_F(PlanCacheTest, DoesNotGiveForeignFiles) {
  const PlanCache cache(folder_.path());
  write("foreign", "ftrt" + std::string(10000, '\1'));
  write("huge", "scaffold sealed 1 header 18446744073709551615 bytes 1 crc32c 00000000 label 18446744073709551615\n");
  write("endless", "scaffold sealed 1 " + std::string(10000, ' '));
  fs::create_directory(folder_ / "folder");
  for (const char* name : {"foreign", "huge", "endless", "folder"}) EXPECT_EQ(text_in(cache.find(name, "")), "nothing");
}

TEST_F(PlanCacheTest, GoesOnWithoutAFolder) {
  const PlanCache none{fs::path()};
  none.store("x", "", bytes_of("plan"));
  EXPECT_EQ(text_in(none.find("x", "")), "nothing");
  write("file", "");
  const PlanCache below_a_file(folder_ / "file/folder");
  below_a_file.store("x", "", bytes_of("plan"));
  EXPECT_EQ(text_in(below_a_file.find("x", "")), "nothing");
  const PlanCacheLock lock(below_a_file);
}

TEST_F(PlanCacheTest, IsWholeAtAnyTimeWhileProcessesWriteIt) {
  const PlanCache cache(folder_.path());
  const auto plan = [](int writer) {
    return std::string(200'000 + static_cast<std::size_t>(writer) * 1000, static_cast<char>('a' + writer));
  };
  cache.store("x.plan", "label", bytes_of(plan(0)));
  std::vector<pid_t> writers;
  for (int writer = 0; writer < 3; ++writer) {
    writers.push_back(::fork());
    if (writers.back() == 0) {
      for (int i = 0; i < 40; ++i) cache.store("x.plan", "label", bytes_of(plan(writer)));
      ::_exit(0);
    }
  }
  int reads = 0;
  for (std::size_t left = writers.size(); left > 0;) {
    const std::string text = text_in(cache.find("x.plan", "label"));
    ASSERT_EQ(text, plan(text[0] - 'a'));
    ++reads;
    int status = 0;
    if (::waitpid(-1, &status, WNOHANG) > 0) {
      EXPECT_EQ(status, 0);
      --left;
    }
  }
  EXPECT_GT(reads, 3);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 1) << "nothing half-written stays";
}

TEST_F(PlanCacheTest, LetsOneProcessBuildAtATime) {
  const PlanCache cache(folder_.path());
  int go[2];
  ASSERT_EQ(::pipe(go), 0);
  const pid_t child = ::fork();  // before the lock is taken, since a child inherits what its parent holds
  if (child == 0) {
    char byte = 0;
    if (::read(go[0], &byte, 1) != 1) ::_exit(1);
    const PlanCacheLock mine(cache);
    std::ofstream(folder_ / "built") << "by the child";
    ::_exit(0);
  }
  auto lock = std::make_unique<PlanCacheLock>(cache);
  ASSERT_EQ(::write(go[1], "x", 1), 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_FALSE(fs::exists(folder_ / "built"));
  lock.reset();
  int status = 1;
  ::waitpid(child, &status, 0);
  ::close(go[0]);
  ::close(go[1]);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(folder_.read("built"), "by the child");
}

TEST(PlanFolder, IsInTheUsersCacheOrNowhere) {
  const auto with = [](const char* cache, const char* home) {
    const char* old_home = std::getenv("HOME");
    const std::string kept = old_home != nullptr ? old_home : "";
    cache != nullptr ? ::setenv("XDG_CACHE_HOME", cache, 1) : ::unsetenv("XDG_CACHE_HOME");
    home != nullptr ? ::setenv("HOME", home, 1) : ::unsetenv("HOME");
    const fs::path folder = default_plan_folder();
    ::setenv("HOME", kept.c_str(), 1);
    ::unsetenv("XDG_CACHE_HOME");
    return folder;
  };
  EXPECT_EQ(with("/var/cache/me", "/home/me"), "/var/cache/me/scaffold/tensorrt");
  EXPECT_EQ(with(nullptr, "/home/me"), "/home/me/.cache/scaffold/tensorrt");
  EXPECT_EQ(with("relative", "/home/me"), "/home/me/.cache/scaffold/tensorrt");
  EXPECT_EQ(with(nullptr, nullptr), "");
}

// ---- ONNX files, written by hand: the numbers are those of onnx.proto

struct TinyModel {
  std::string operation = "Relu";
  int weight_type = 1;  // FLOAT
  std::vector<std::string> locations = {};
  int input_type = 1;
  int cast_to = 0;
  bool in_branch = false;

  std::string bytes() const {
    std::string graph;
    protozero::pbf_writer writer(graph);
    {
      protozero::pbf_writer node(writer, 1);
      node.add_string(4, in_branch ? "If" : operation);
      if (cast_to > 0) {
        protozero::pbf_writer attribute(node, 5);
        attribute.add_int64(3, cast_to);
      }
      if (in_branch) {
        protozero::pbf_writer attribute(node, 5);
        protozero::pbf_writer branch(attribute, 6);
        protozero::pbf_writer inner(branch, 1);
        inner.add_string(4, operation);
      }
    }
    {
      protozero::pbf_writer weight(writer, 5);
      weight.add_int32(2, weight_type);
      for (const std::string& location : locations) {
        protozero::pbf_writer entry(weight, 13);
        entry.add_string(1, "location");
        entry.add_string(2, location);
      }
    }
    {
      protozero::pbf_writer input(writer, 11);
      protozero::pbf_writer type(input, 2);
      protozero::pbf_writer tensor(type, 1);
      tensor.add_int32(1, input_type);
    }
    std::string model;
    protozero::pbf_writer(model).add_message(7, graph);
    return model;
  }
};

using OnnxFactsTest = PlanCacheTest;

TEST_F(OnnxFactsTest, SayInWhichPrecisionTheGraphIs) {
  const auto facts_of = [this](const TinyModel& model) {
    write("model.onnx", model.bytes());
    return read_onnx_facts(folder_ / "model.onnx");
  };
  EXPECT_FALSE(facts_of({}).is_half);
  EXPECT_FALSE(facts_of({}).is_quantized);
  EXPECT_TRUE(facts_of({.weight_type = 10}).is_half);
  EXPECT_TRUE(facts_of({.weight_type = 16}).is_half);
  EXPECT_TRUE(facts_of({.input_type = 10}).is_half);
  EXPECT_TRUE(facts_of({.operation = "Cast", .cast_to = 10}).is_half);
  EXPECT_FALSE(facts_of({.operation = "Cast", .cast_to = 1}).is_half);
  EXPECT_FALSE(facts_of({.operation = "Concat", .cast_to = 10}).is_half) << "an axis, not a type";
  EXPECT_TRUE(facts_of({.operation = "QuantizeLinear"}).is_quantized);
  EXPECT_TRUE(facts_of({.operation = "DequantizeLinear", .in_branch = true}).is_quantized);
}

TEST_F(OnnxFactsTest, KnowTheModelByItsBytesAndThoseOfItsWeights) {
  write("model.onnx", TinyModel{.locations = {"model.onnx.data", "b/more", "model.onnx.data"}}.bytes());
  fs::create_directory(folder_ / "b");
  write("model.onnx.data", "weights");
  write("b/more", "more");
  const OnnxFacts facts = read_onnx_facts(folder_ / "model.onnx");
  EXPECT_EQ(facts.files,
            (std::vector<fs::path>{folder_ / "model.onnx", folder_ / "model.onnx.data", folder_ / "b/more"}));
  EXPECT_EQ(facts.sha256.size(), 64U);
  EXPECT_EQ(read_onnx_facts(folder_ / "model.onnx").sha256, facts.sha256);
  write("b/more", "mare");
  EXPECT_NE(read_onnx_facts(folder_ / "model.onnx").sha256, facts.sha256);
  write("model.onnx.data", "weightsm");  // the same bytes in a row, cut elsewhere
  write("b/more", "ore");
  EXPECT_NE(read_onnx_facts(folder_ / "model.onnx").sha256, facts.sha256);
}

TEST_F(OnnxFactsTest, RefuseWeightsOutsideOfTheFolder) {
  for (const char* location : {"/etc/passwd", "../secret", "a/../../secret"}) {
    write("model.onnx", TinyModel{.locations = {location}}.bytes());
    EXPECT_EQ(message_of("model.onnx"),
              std::string("data error: the model keeps its weights outside of its folder: model.onnx: ") + location +
                  "\n  fix: take weights only from files beside the model");
  }
}

TEST_F(OnnxFactsTest, RefuseAFileThatIsNoModelOrCutOff) {
  const std::string whole = TinyModel{.locations = {"model.onnx"}}.bytes();
  const std::string wanted = "data error: the file is no ONNX model, or a damaged one: cut\n  fix: export it again";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write("cut", whole.substr(0, size));
    EXPECT_EQ(message_of("cut"), wanted) << size;
  }
  for (const std::string& text : {std::string("<html>"), std::string(1000, '\xff'), std::string("\x38\x01", 2)}) {
    write("cut", text);
    EXPECT_EQ(message_of("cut"), wanted);
  }
}

TEST_F(OnnxFactsTest, SurviveAnyByte) {
  const std::string whole =
      TinyModel{.operation = "Cast", .locations = {"model.onnx"}, .cast_to = 10, .in_branch = true}.bytes();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
      write("changed", changed);
      message_of("changed");  // an Error or none, but nothing else
    }
  }
}

TEST_F(OnnxFactsTest, RefuseGraphsWithinGraphsWithoutEnd) {
  std::string graph;
  for (int depth = 0; depth < 5000; ++depth) {
    std::string outer;
    protozero::pbf_writer writer(outer);
    protozero::pbf_writer node(writer, 1);
    protozero::pbf_writer attribute(node, 5);
    attribute.add_message(6, graph);
    attribute.commit();
    node.commit();
    graph = outer;
  }
  std::string model;
  protozero::pbf_writer(model).add_message(7, graph);
  write("deep", model);
  EXPECT_EQ(message_of("deep"),
            "data error: the file is no ONNX model, or a damaged one: deep\n  fix: export it again");
}

}  // namespace
}  // namespace base
