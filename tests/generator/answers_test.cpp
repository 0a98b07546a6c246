#include "generator/answers.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "generator/prompt.h"
#include "tests/generator/support.h"

namespace generator {
namespace {

using List = std::vector<std::string>;

const TemplateSet& example_set() {
  static const base::TemporaryFolder folder;
  static const TemplateSet set = [] {
    folder.write("template.json", index_of(R"(
      {"key": "task", "kind": "choice", "text": "Task", "default": "pictures", "choices":
        [{"value": "pictures", "text": "of things"}, {"value": "numbers"}]},
      {"key": "data", "kind": "choice", "text": "Data", "default": "folder", "choices":
        [{"value": "folder", "when": "task == \"pictures\""}, {"value": "csv"}]},
      {"key": "cloud", "kind": "list", "text": "Clouds", "default": ["sky"], "choices":
        [{"value": "slurm"}, {"value": "sky"}]},
      {"key": "cuda", "kind": "bool", "text": "GPU", "default": false},
      {"key": "tensorrt", "kind": "bool", "text": "TensorRT", "default": false, "when": "cuda"},
      {"key": "namespace", "kind": "identifier", "text": "Namespace", "default": "<@ identifier @>"},
      {"key": "author", "kind": "text", "text": "Author", "default": ""})",
                                           ""));
    return templates_of_folder(folder.path().string());
  }();
  return set;
}

Answers collect(const AnswerSources& sources) {
  return collect_answers(example_set(), parse_project_name("MyProject"), "2026", sources);
}

std::string refusal(const GivenAnswers& given) {
  return complaint(base::ErrorKind::kUsage, [&] { collect({.given = given}); });
}

std::string file_refusal(const std::string& text) {
  const base::TemporaryFolder folder;
  const std::string path = folder.write("answers.json", text);
  return folder.shorten(complaint(base::ErrorKind::kConfig, [&] {
    const Json file = read_answers_file(path);
    collect({.file = &file, .file_name = path});
  }));
}

TEST(Answers, AreTheDefaultsIfNothingIsSaid) {
  const Answers answers = collect({});
  EXPECT_EQ(answers.values.at("task"), Value("pictures"));
  EXPECT_EQ(answers.values.at("cloud"), Value(List{"sky"}));
  EXPECT_EQ(answers.values.at("cuda"), Value(false));
  EXPECT_EQ(answers.values.at("namespace"), Value("my_project")) << "a default that follows from the name";
  const Variables variables = answers.variables();
  EXPECT_EQ(variables.at("name"), Value("MyProject"));
  EXPECT_EQ(variables.at("job_name"), Value("my-project"));
  EXPECT_EQ(variables.at("year"), Value("2026"));
}

TEST(Answers, OfAFlagWinOverThoseOfAFile) {
  const Json file = parse_json(R"({"task": "numbers", "author": "Ada", "cloud": ["sky", "slurm"]})", "a.json");
  const Answers answers =
      collect({.file = &file, .file_name = "a.json", .given = {{"author", "Bob"}, {"author", " Eve "}}});
  EXPECT_EQ(answers.values.at("task"), Value("numbers"));
  EXPECT_EQ(answers.values.at("author"), Value("Eve")) << "the last one, without the spaces around it";
  EXPECT_EQ(answers.values.at("cloud"), Value(List{"slurm", "sky"})) << "in the order of the choices";
}

TEST(Answers, MayRuleOutOthers) {
  const Answers answers = collect({.given = {{"task", "numbers"}}});
  EXPECT_EQ(answers.values.at("data"), Value("csv")) << "the default is ruled out";
  EXPECT_EQ(refusal({{"task", "numbers"}, {"data", "folder"}}),
            "usage error: data: it is not one of the choices: folder\n  fix: the choices are csv");
  EXPECT_EQ(
      refusal({{"tensorrt", "yes"}}),
      "usage error: tensorrt: it does not go with the other answers: yes\n  fix: leave it out; it goes with cuda");
  EXPECT_EQ(collect({.given = {{"tensorrt", "no"}}}).values.at("tensorrt"), Value(false));
  EXPECT_EQ(collect({.given = {{"tensorrt", "yes"}, {"cuda", "yes"}}}).values.at("tensorrt"), Value(true));
}

TEST(Answers, AreRefusedWithWhatWasMeant) {
  EXPECT_EQ(refusal({{"taks", "numbers"}}), "usage error: unknown answer: taks\n  fix: did you mean `task`?");
  EXPECT_EQ(refusal({{"task", "number"}}),
            "usage error: task: it is not one of the choices: number\n  fix: did you mean `numbers`?");
  EXPECT_EQ(refusal({{"task", "x"}}),
            "usage error: task: it is not one of the choices: x\n  fix: the choices are pictures, numbers");
  EXPECT_EQ(refusal({{"cloud", "sky,slrum"}}),
            "usage error: cloud: `slrum` is not one of the choices: sky,slrum\n  fix: did you mean `slurm`?");
  const std::string all = refusal({{"cloud", "all"}});
  EXPECT_TRUE(
      all.starts_with("usage error: cloud: `all` is not one of the choices: all\n  fix: give those that you want, "
                      "with commas between them: "))
      << all;
  EXPECT_EQ(refusal({{"cuda", "maybe"}}), "usage error: cuda: it is neither yes nor no: maybe\n  fix: say yes or no");
  for (const std::string name : {"", "2x", "a-b", "class", "std", "a::b"}) {
    EXPECT_NE(refusal({{"namespace", name}}).find("namespace: it is no name for C++, or taken"), std::string::npos)
        << name;
  }
}

TEST(Answers, HoldNothingThatWouldEndATextInCodeOrScripts) {
  for (const std::string text : {"a\"b", "a\\b", "$HOME", "`id`"}) {
    EXPECT_NE(refusal({{"author", text}}).find("author: it has a "), std::string::npos) << text;
  }
  EXPECT_NE(refusal({{"author", "<@ name @>"}}).find("author: it has a <@ in it"), std::string::npos);
  EXPECT_NE(refusal({{"author", "a\nb"}}).find("that cannot be seen"), std::string::npos);
  EXPECT_NE(refusal({{"author", "\xff"}}).find("that cannot be seen"), std::string::npos);
  EXPECT_NE(refusal({{"author", std::string(201, 'a')}}).find("more than 200 characters"), std::string::npos);
  EXPECT_EQ(collect({.given = {{"author", "Ada Lovelace & Söhne <ada@example.org>"}}}).values.at("author"),
            Value("Ada Lovelace & Söhne <ada@example.org>"));
}

TEST(AnswersFile, NamesTheLineOfAMistake) {
  EXPECT_EQ(file_refusal("{\n\"taks\": \"numbers\"}"),
            "config error: answers.json:2: unknown key: taks\n  fix: did you mean `task`?");
  EXPECT_EQ(file_refusal("{\n\n\"task\": \"number\"}"),
            "config error: answers.json:3: task: it is not one of the choices: number\n  fix: did you mean `numbers`?");
  EXPECT_EQ(
      file_refusal("{\"cuda\": \"yes\"}"),
      "config error: answers.json:1: cuda: it is not true or false: yes\n  fix: write true or false, without quotes");
  EXPECT_EQ(file_refusal("{\"cloud\": \"sky\"}"),
            "config error: answers.json:1: cloud: it is not a list: sky\n  fix: write [\"a\", \"b\"]");
  EXPECT_EQ(file_refusal("{\"cloud\": [1]}"),
            "config error: answers.json:1: cloud: it is not a list of texts\n  fix: write [\"a\", \"b\"]");
  EXPECT_EQ(file_refusal("{\"author\": 7}"),
            "config error: answers.json:1: author: it is not a text: 7\n  fix: write it in double quotes");
  EXPECT_EQ(file_refusal("[]"), "config error: answers.json:1: the file is a list\n  fix: give an object");
  EXPECT_NE(file_refusal("{\n\"task\": numbers}").find("answers.json:2: this is not JSON"), std::string::npos);
  EXPECT_EQ(complaint(base::ErrorKind::kConfig, [] { read_answers_file("/no/such/file"); }),
            "config error: the answers file cannot be read: /no/such/file\n  fix: check its path");
  EXPECT_EQ(complaint(base::ErrorKind::kConfig, [] { read_answers_file("/tmp"); }),
            "config error: the answers file cannot be read: /tmp\n  fix: check its path");
}

TEST(AnswersFile, SaysNothingThatDoesNotGoWithTheRest) {
  EXPECT_EQ(file_refusal("{\"cuda\": false,\n\"tensorrt\": true}"),
            "config error: answers.json:2: tensorrt: it does not go with the other answers: yes\n"
            "  fix: leave it out; it goes with cuda");
  EXPECT_EQ(
      file_refusal("{\"tensorrt\": 7}"),
      "config error: answers.json:1: tensorrt: it is not true or false: 7\n  fix: write true or false, without quotes");
  const Json file = parse_json(R"({"tensorrt": false})", "a.json");
  EXPECT_EQ(collect({.file = &file, .file_name = "a.json"}).values.at("tensorrt"), Value(false));
  const Json old = parse_json(R"({"tensorrt": true})", "a.json");
  EXPECT_EQ(collect({.file = &old, .file_name = "a.json", .drops_unknown = true}).values.at("tensorrt"), Value(false))
      << "an update may change what it went with";
}

TEST(AnswersFile, OfAnOlderTemplateMayAnswerWhatIsNoLongerAsked) {
  const Json file = parse_json(R"({"gone": true, "task": "numbers"})", "a.json");
  EXPECT_EQ(collect({.file = &file, .file_name = "a.json", .drops_unknown = true}).values.at("task"), Value("numbers"));
}

TEST(Prompts, AskWhatNobodyHasSaid) {
  std::istringstream input("2\n\nslurm\nyes\nno\n\nAda\n");
  std::ostringstream output;
  Prompt prompt(input, output);
  const Answers answers = collect({.given = {}, .prompt = &prompt});
  EXPECT_EQ(answers.values.at("task"), Value("numbers"));
  EXPECT_EQ(answers.values.at("data"), Value("csv"));
  EXPECT_EQ(answers.values.at("cloud"), Value(List{"slurm"}));
  EXPECT_EQ(answers.values.at("cuda"), Value(true));
  EXPECT_EQ(answers.values.at("tensorrt"), Value(false));
  EXPECT_EQ(answers.values.at("namespace"), Value("my_project"));
  EXPECT_EQ(answers.values.at("author"), Value("Ada"));
  EXPECT_TRUE(
      output.str().starts_with("Task\n"
                               "  1  pictures  of things\n"
                               "  2  numbers\n"
                               "task [pictures]: Data\n"
                               "  1  csv\n"
                               "data [csv]: Clouds Several can be given: 1,2 (or none).\n"))
      << output.str();
}

TEST(Prompts, DoNotAskWhatFlagsOrTheFileSay) {
  const Json file = parse_json(R"({"cloud": [], "author": "Ada"})", "a.json");
  std::istringstream input("csv\n\n\n");
  std::ostringstream output;
  Prompt prompt(input, output);
  const Answers answers =
      collect({.file = &file, .file_name = "a.json", .given = {{"task", "pictures"}}, .prompt = &prompt});
  EXPECT_EQ(answers.values.at("data"), Value("csv"));
  EXPECT_EQ(answers.values.at("cloud"), Value(List{}));
  EXPECT_EQ(output.str().find("task ["), std::string::npos);
  EXPECT_EQ(output.str().find("TensorRT"), std::string::npos) << "it goes with CUDA alone";
}

TEST(Prompts, SayWhatIsWrongAndAskAgain) {
  std::istringstream input("picturs\n3\npictures\n");
  std::ostringstream output;
  Prompt prompt(input, output);
  EXPECT_NE(complaint(base::ErrorKind::kUsage, [&] { collect({.prompt = &prompt}); })
                .find("the answers ended before the questions: data\n  fix: answer all of them, or give --defaults"),
            std::string::npos);
  EXPECT_NE(output.str().find("task [pictures]:   it is not one of the choices: did you mean `pictures`?\n"
                              "task [pictures]:   it is not one of the choices: the choices are pictures, numbers\n"
                              "task [pictures]: "),
            std::string::npos)
      << output.str();
}

}  // namespace
}  // namespace generator
