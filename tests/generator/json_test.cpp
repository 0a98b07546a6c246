#include "generator/json.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "tests/generator/support.h"

namespace generator {
namespace {

std::string refusal(const std::string& text) {
  return complaint(base::ErrorKind::kConfig, [&] { parse_json(text, "file.json"); });
}

TEST(ParseJson, KnowsTheLineOfEachValue) {
  const Json root = parse_json("{\n  \"a\": [true,\n    \"two\"],\n\n  \"b\": {\"c\": 3.50}\n}\n", "file.json");
  EXPECT_EQ(root.line, 1);
  EXPECT_EQ(root.find("a")->line, 2);
  EXPECT_TRUE(root.find("a")->items[0].boolean);
  EXPECT_EQ(root.find("a")->items[1].line, 3);
  EXPECT_EQ(root.find("a")->items[1].text, "two");
  EXPECT_EQ(root.find("b")->find("c")->line, 5);
  EXPECT_EQ(root.find("b")->find("c")->text, "3.50");
  EXPECT_EQ(root.find("d"), nullptr);
}

TEST(ParseJson, SaysWhereItIsNotJson) {
  EXPECT_EQ(refusal("{\n\"a\": 1,\n}"),
            "config error: file.json:3: this is not JSON: while parsing object key - unexpected '}'; expected string "
            "literal\n"
            "  fix: correct the file");
  EXPECT_EQ(refusal("{\"a\":"),
            "config error: file.json:1: this is not JSON: while parsing value - unexpected end of input; expected '[', "
            "'{', or "
            "a literal\n  fix: correct the file");
  EXPECT_NE(refusal("").find("file.json:1: this is not JSON"), std::string::npos);
  EXPECT_NE(refusal("{} x").find("file.json:1: this is not JSON"), std::string::npos);
  EXPECT_NE(refusal("{\"a\": \"\xff\"}").find("file.json:1: this is not JSON"), std::string::npos);
}

TEST(ParseJson, RefusesAKeyGivenTwice) {
  EXPECT_EQ(refusal("{\"a\": 1,\n \"a\": 2}"),
            "config error: file.json:2: the key is there twice: \"a\"\n  fix: remove one of them");
}

TEST(ParseJson, RefusesWhatIsNestedTooDeeply) {
  EXPECT_EQ(refusal(std::string(100'000, '[')),
            "config error: file.json:1: this is nested too deeply: 32 levels\n  fix: flatten it");
}

TEST(JsonReader, SuggestsTheKeyThatWasMeant) {
  const Json root = parse_json("{\n\"vresion\": 1}", "file.json");
  const JsonReader reader("file.json");
  EXPECT_EQ(complaint(base::ErrorKind::kConfig,
                      [&] {
                        reader.check_keys(root, {"version", "files"});
                      }),
            "config error: file.json:2: unknown key: vresion\n  fix: did you mean `version`?");
  EXPECT_EQ(complaint(base::ErrorKind::kConfig, [&] { reader.required(root, "files"); }),
            "config error: file.json:1: a key is missing: files\n  fix: add it");
  EXPECT_EQ(complaint(base::ErrorKind::kConfig, [&] { reader.text(*root.find("vresion"), "version"); }),
            "config error: file.json:2: version is a number: 1\n  fix: give a text");
}

RC_GTEST_PROP(JsonQuoted, IsReadBackAsItWas, (const std::string& text)) {
  const Json root = parse_json("[" + json_quoted(text) + "]", "file.json");
  // Bytes that are no UTF-8 become the mark for them.
  if (root.items[0].text.find("\xef\xbf\xbd") == std::string::npos) RC_ASSERT(root.items[0].text == text);
}

}  // namespace
}  // namespace generator
