// What generated files are made of passes through inja untouched with the delimiters that the templates use.
#include <gtest/gtest.h>

#include <inja/inja.hpp>
#include <string>

namespace {

inja::Environment environment_of_templates() {
  inja::Environment environment;
  environment.set_expression("<@", "@>");
  environment.set_statement("<%", "%>");
  environment.set_comment("<#", "#>");
  environment.set_line_statement("@@@@");
  return environment;
}

TEST(Inja, RendersVariablesAndConditions) {
  EXPECT_EQ(environment_of_templates().render("class <@ name @><% if final %> final<% endif %> {};<# why #>",
                                              {{"name", "Net"}, {"final", true}}),
            "class Net final {};");
}

TEST(Inja, LeavesWhatMarkdownShellCppAndWorkflowsWriteAlone) {
  for (const std::string text : {"## Heading\n", "count=${#array[@]}\n", "int a[2][2] = {{1, 2}, {3, 4}};\n",
                                 "run: ${{ matrix.os }}\n", "{% raw %} {# comment #}\n"}) {
    EXPECT_EQ(environment_of_templates().render(text, {}), text);
  }
}

TEST(Inja, RefusesAnUnknownVariable) {
  EXPECT_THROW(environment_of_templates().render("<@ nmae @>", {{"name", "Net"}}), inja::RenderError);
}

}  // namespace
