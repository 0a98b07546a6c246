// The program, run as users run it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>

#include "base/log/format.h"
#include "tests/infer/support.h"
#include "tests/support/memory_folder.h"

namespace base {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Predictor : public ::testing::Test {
 protected:
  Predictor() { write_export(folder_ / "exports/7", small_graph()); }

  // In a shell in the folder, which may redirect; gives the exit code.
  int run(const std::string& arguments) {
    const int status =
        std::system(format("cd '{}' && '{}' {} >>out 2>err", folder_.path(), PREDICTOR_PROGRAM, arguments).c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string out() { return folder_.read("out"); }
  std::string err() { return folder_.read("err"); }

  MemoryFolder folder_;
};

// What the library is for: a server needs no LibTorch.
TEST_F(Predictor, LinksNoLibTorch) {
  const std::string list = (folder_ / "list").string();
  ASSERT_EQ(0, std::system(format("ldd '{}' > '{}'", PREDICTOR_PROGRAM, list).c_str()));
  EXPECT_THAT(folder_.read("list"), AllOf(HasSubstr("libc.so"), Not(HasSubstr("torch")), Not(HasSubstr("libc10"))));
}

TEST_F(Predictor, SaysWhatTheModelIs) {
  EXPECT_EQ(0, run("exports --describe"));
  EXPECT_THAT(out(), AllOf(StartsWith("small of step 7, fp32, exported 20"), HasSubstr("  input   x F32 [batch, 3]\n"),
                           HasSubstr("  output  scores F32 [batch, 2]\n"), HasSubstr("  accuracy: 0.5\n")));
}

TEST_F(Predictor, SaysThatTheModelIsMissing) {
  EXPECT_EQ(4, run("--target cpu"));
  EXPECT_THAT(err(), StartsWith("config error: export is required\n"));
  EXPECT_EQ(8, run("nowhere"));
  EXPECT_THAT(err(), StartsWith("export error: there is no such export: nowhere"));
}

#ifdef SCAFFOLD_WITH_ONNXRUNTIME

TEST_F(Predictor, AnswersLineByLine) {
  folder_.write("in", "{\"x\": [1, 2, 3]}\n{\"id\": \"b\", \"x\": [0, 0, 0]}\n");
  EXPECT_EQ(0, run("exports/7 <in"));
  EXPECT_EQ(
      "{\"scores\": [14, 25], \"doubled\": [2, 4, 6]}\n{\"id\": \"b\", \"scores\": [10, 20], \"doubled\": [0, 0, 0]}\n",
      out());
  EXPECT_EQ("", err());
}

TEST_F(Predictor, AnswersWhileTheQuestionsStillCome) {
  // What it answers decides what it is asked next: that would hang if it waited for a full batch.
  EXPECT_EQ(0, run("--help"));
  ASSERT_EQ(
      0, std::system(format("cd '{}' && mkfifo asked && ( '{}' exports/7 <asked >answers & exec 3>asked; "
                            "echo '{{\"x\": [1, 2, 3]}}' >&3; "
                            "for i in $(seq 500); do [ -s answers ] && break; sleep 0.02; done; [ -s answers ]; ok=$?; "
                            "exec 3>&-; wait; exit $ok )",
                            folder_.path(), PREDICTOR_PROGRAM)
                         .c_str()));
}

TEST_F(Predictor, ReadsAndWritesFiles) {
  const HostTensor x = floats("x", {2, 3}, {1, 2, 3, 0, 0, 0});
  write_safetensors(folder_ / "in.safetensors", {&x.view, 1});
  EXPECT_EQ(0, run("exports/7 --input in.safetensors --output out.csv --batch_size 1 --threads 1 --target cpu"))
      << err();
  EXPECT_EQ(
      "sample,scores_0,scores_1,doubled_0,doubled_1,doubled_2\nin.safetensors row 0,14,25,2,4,6\n"
      "in.safetensors row 1,10,20,0,0,0\n",
      folder_.read("out.csv"));
  EXPECT_THAT(err(), HasSubstr("2 answers by ONNX Runtime"));
  EXPECT_EQ(0, run("exports/7 --input in.safetensors --output out.safetensors --pipeline false")) << err();
  EXPECT_EQ(14, numbers_of(*SafetensorsFile(folder_ / "out.safetensors").find("scores"))[0]);
}

TEST_F(Predictor, NamesTheLineThatIsWrong) {
  folder_.write("in", "{\"x\": [1, 2, 3]}\n{\"x\": [1, 2]}\n");
  EXPECT_EQ(3, run("exports/7 <in"));
  EXPECT_EQ(
      "usage error: the inputs do not fit the model: x is [2], not [3]\n"
      "  fix: it takes x F32 [3]\n"
      "  in: standard input:2\n",
      err());
  EXPECT_EQ("{\"scores\": [14, 25], \"doubled\": [2, 4, 6]}\n", out());  // what came before is answered
}

#endif

}  // namespace
}  // namespace base
