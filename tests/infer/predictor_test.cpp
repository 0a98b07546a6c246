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
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
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
  EXPECT_EQ(8, run("."));  // the folder of a run
  EXPECT_THAT(err(), HasSubstr("\n  fix: give ./exports\n"));
}

#ifdef SCAFFOLD_WITH_ONNXRUNTIME

TEST_F(Predictor, AnswersLineByLine) {
  folder_.write("in", "{\"x\": [1, 2, 3]}\n{\"id\": \"b\", \"x\": [0, 0, 0]}\n");
  EXPECT_EQ(0, run("exports/7 <in"));
  EXPECT_EQ(
      "{\"scores\": [14, 25], \"doubled\": [2, 4, 6]}\n{\"id\": \"b\", \"scores\": [10, 20], \"doubled\": [0, 0, 0]}\n",
      out());
  EXPECT_THAT(err(),
              MatchesRegex(".* 2 answers by exports/7 \\(ONNX Runtime .* on the CPU\\) are on standard output\n"));
}

TEST_F(Predictor, AnswersOneQuestion) {
  EXPECT_EQ(0, run("exports --ask '{\"x\": [1, 2, 3]}' </dev/null"));
  EXPECT_EQ("{\"scores\": [14, 25], \"doubled\": [2, 4, 6]}\n", out());
  EXPECT_EQ(5, run("exports --ask '{\"x\": [1, true, 3]}'"));
  EXPECT_THAT(err(), AllOf(HasSubstr("the line is no sample: --ask (x[1] is true"), HasSubstr("fix: ")));
  EXPECT_EQ(3, run("exports --ask '{}' --input in.jsonl"));
  EXPECT_THAT(err(), HasSubstr("give --ask or --input"));
}

TEST_F(Predictor, DoesNotOverwriteTheQuestions) {
  const std::string question = "{\"x\": [1, 2, 3]}\n";
  folder_.write("in.jsonl", question);
  std::filesystem::create_symlink("in.jsonl", folder_ / "link.jsonl");
  std::filesystem::create_hard_link(folder_ / "in.jsonl", folder_ / "hard.jsonl");
  for (const char* flags : {"--input in.jsonl --output in.jsonl", "--input ./in.jsonl --output link.jsonl",
                            "--input hard.jsonl --output in.jsonl", "--output in.jsonl <in.jsonl"}) {
    EXPECT_EQ(3, run(format("exports/7 {}", flags))) << flags;
    EXPECT_THAT(err(), MatchesRegex("usage error: the answers would overwrite the questions: (in|link)\\.jsonl\n"
                                    "  fix: give another file for the output\n"));
    EXPECT_EQ(question, folder_.read("in.jsonl")) << flags;
  }
  folder_.write("out", "{\"x\": [1, 2, 3]}\n");  // what the program's output is appended to
  EXPECT_EQ(3, run("exports/7 <out"));
  EXPECT_THAT(err(), StartsWith("usage error: the answers would overwrite the questions: standard output\n"));
  EXPECT_EQ(question, out());
}

TEST_F(Predictor, KnowsFilesByTheirExtension) {
  folder_.write("in.jsonl", "{\"id\": \"b\", \"x\": [1, 2, 3]}\n");
  EXPECT_EQ(3, run("exports/7 --input in.jsonl --output out.parquet"));
  EXPECT_EQ(
      "usage error: answers cannot be in a file of this kind: out.parquet\n"
      "  fix: give JSON lines (.jsonl), .csv or .safetensors; - is standard output\n",
      err());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out.parquet"));
  EXPECT_EQ(3, run("exports/7 --input in.csv"));
  EXPECT_EQ(
      "usage error: questions cannot be in a file of this kind: in.csv\n"
      "  fix: give JSON lines (.jsonl) or .safetensors; - is standard input\n",
      err());
  EXPECT_EQ(0, run("exports/7 --input in.jsonl --output OUT.CSV")) << err();
  EXPECT_EQ("sample,scores_0,scores_1,doubled_0,doubled_1,doubled_2\nb,14,25,2,4,6\n", folder_.read("OUT.CSV"));
  EXPECT_THAT(err(), HasSubstr(" 1 answer by exports/7 (ONNX Runtime "));
  EXPECT_THAT(err(), HasSubstr(" on the CPU) is in OUT.CSV\n"));
  EXPECT_EQ(0, run("exports/7 --input /dev/null --output empty.csv")) << err();
  EXPECT_EQ("sample,scores_0,scores_1,doubled_0,doubled_1,doubled_2\n", folder_.read("empty.csv"));
}

TEST_F(Predictor, AnswersWhileTheQuestionsStillCome) {
  // What it answers decides what it is asked next: that would hang if it waited for a full batch.
  EXPECT_EQ(0, run("--help"));
  ASSERT_EQ(
      0, std::system(format("cd '{}' && mkfifo asked && ( '{}' exports/7 <asked >answers 2>err & exec 3>asked; "
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
  EXPECT_THAT(err(), HasSubstr("2 answers by exports/7 (ONNX Runtime "));
  EXPECT_EQ(0, run("exports/7 --input in.safetensors --output out.safetensors --pipeline false")) << err();
  EXPECT_EQ(14, numbers_of(*SafetensorsFile(folder_ / "out.safetensors").find("scores"))[0]);
}

TEST_F(Predictor, TakesTheOptionsOfTensorRt) {
  EXPECT_EQ(3, run("exports/7 --ask '{\"x\": [1, 2, 3]}' --tensorrt.axes batch=8:1:64"));
  EXPECT_THAT(err(), HasSubstr("usage error: "));
  EXPECT_EQ(0, run("exports/7 --ask '{\"x\": [1, 2, 3]}' --tensorrt.axes batch=1:8:64 --target cpu")) << err();
}

TEST_F(Predictor, NamesTheLineThatIsWrong) {
  folder_.write("in", "{\"x\": [1, 2, 3]}\n{\"x\": [1, 2]}\n");
  EXPECT_EQ(5, run("exports/7 <in"));
  EXPECT_EQ(
      "data error: the inputs do not fit the model: x is [2], not [3]\n"
      "  fix: it takes x F32 [3]\n"
      "  in: standard input:2\n",
      err());
  EXPECT_EQ("{\"scores\": [14, 25], \"doubled\": [2, 4, 6]}\n", out());  // what came before is answered
}

TEST_F(Predictor, KeepsTheAnswersBeforeAnErrorBeside) {
  folder_.write("in.jsonl", "{\"x\": [1, 2, 3]}\n{\"x\": [1, 2]}\n");
  for (const char* file : {"some.jsonl", "some.csv", "none.safetensors"})
    EXPECT_EQ(5, run(format("exports/7 --input in.jsonl --output {}", file))) << file;
  EXPECT_EQ("{\"scores\": [14, 25], \"doubled\": [2, 4, 6]}\n", folder_.read("some.jsonl.partial"));
  EXPECT_THAT(folder_.read("some.csv.partial"), EndsWith("\nin.jsonl:1,14,25,2,4,6\n"));
  for (const char* file : {"some.jsonl", "some.csv", "none.safetensors", "none.safetensors.partial"})
    EXPECT_FALSE(std::filesystem::exists(folder_ / file)) << file;
}

#endif

}  // namespace
}  // namespace base
