#include "base/log/format.h"

#include <gtest/gtest.h>

#include <atomic>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>

#include "base/log/error.h"

namespace base {
namespace {

enum Plain { kPlain };
enum class Scoped { kScoped };
static_assert(!std::constructible_from<FormatArgument, int*>, "a pointer would print as true");
static_assert(!std::constructible_from<FormatArgument, Plain>, "an enum would print as true or false");
static_assert(!std::constructible_from<FormatArgument, Scoped>);
static_assert(!std::constructible_from<FormatArgument, std::atomic<int>&>, "an atomic would print as true");

TEST(Format, FillsFieldsInOrder) {
  EXPECT_EQ(format("{} of {:.1f}", 3, 4.25), "3 of 4.2");
  EXPECT_EQ(format("no field"), "no field");
}

TEST(Format, KnowsTheTypesOfEverydayLife) {
  const std::string text = "text";
  char buffer[] = "buffer";
  EXPECT_EQ(format("{} {}", true, false), "true false");
  EXPECT_EQ(format("{}", 'x'), "x");
  EXPECT_EQ(format("{} {}", std::int8_t{-3}, std::uint8_t{200}), "-3 200");
  EXPECT_EQ(format("{}", std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(format("{}", std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(format("{} {} {} {}", text, std::string_view(text), "literal", buffer), "text text literal buffer");
  EXPECT_EQ(format("{}", std::filesystem::path("/a b/c")), "/a b/c");
}

TEST(Format, PrintsAFloatAsShortAsItIs) {
  EXPECT_EQ(format("{} {}", 0.1F, 0.1), "0.1 0.1");
  EXPECT_EQ(format("{:.4f}", std::numeric_limits<float>::quiet_NaN()), "nan");
}

TEST(Format, PrintsANullTextInsteadOfCrashing) {
  const char* null = nullptr;
  EXPECT_EQ(format("{}", null), "(null)");
}

TEST(Format, TakesWidthAndPrecisionFromTheArguments) {
  EXPECT_EQ(format("[{:>{}}] [{:.{}f}]", "ab", 4, 3.14159, 2), "[  ab] [3.14]");
}

TEST(Format, WritesDoubledBracesAsOne) {
  EXPECT_EQ(format("{{}} {{{}}}", 1), "{} {1}");
}

TEST(Format, ReportsFieldsThatDoNotFitAtRunTime) {
  const auto message = [](std::string_view pattern, std::initializer_list<FormatArgument> arguments) {
    try {
      return format_arguments(pattern, arguments);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInternal);
      return std::string(error.what());
    }
  };
  for (const std::string& text : {message("{:d}", {"text"}), message("{} {}", {1}), message("{", {1}),
                                  message("{:.2}", {1}), message("{:.2f}", {true}), message("{:x}", {1.5})}) {
    EXPECT_TRUE(text.starts_with("internal error: a text pattern does not fit its values (")) << text;
  }
  EXPECT_NE(message("{:d}", {"text"}).find("): {:d}\n  fix: "), std::string::npos);
}

}  // namespace
}  // namespace base
