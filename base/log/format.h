// format.h: text from values, in fmt's notation, without fmt in any public header. LibTorch ships an fmt of its own in
// its include folder, another version than the system's: a header of ours that included <fmt/...> would get whichever
// came first and fail to link. So the arguments are carried over to format.cpp, where only one fmt is in sight.
#ifndef BASE_LOG_FORMAT_H_
#define BASE_LOG_FORMAT_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

namespace base {

/// One argument of format(): what it refers to must outlive the call. A type that is not listed does not compile: a
/// pointer, an enum or an atomic would otherwise turn into a bool and print "true".
class FormatArgument {
 public:
  // A float stays one, since 0.1f as a double prints 0.10000000149011612.
  using Value = std::variant<bool, char, std::int64_t, std::uint64_t, float, double, std::string_view, std::string>;

  template <typename T>
  requires std::is_arithmetic_v<T> FormatArgument(T value)
      : value_(static_cast<Widest<T>>(value)) {}                                 // NOLINT(*-explicit-*)
  FormatArgument(std::string_view value) : value_(value) {}                      // NOLINT(*-explicit-*)
  FormatArgument(const std::string& value) : value_(std::string_view(value)) {}  // NOLINT(*-explicit-*)
  FormatArgument(const char* value)
      : value_(std::string_view(value != nullptr ? value : "(null)")) {}  // NOLINT(*-explicit-*)
  // A std::filesystem::path, known by its string(): <filesystem> doubles the time it takes to compile this header.
  template <typename T>
  requires requires(const T& path) {
    { path.string() } -> std::same_as<std::string>;
  }
  FormatArgument(const T& path) : value_(path.string()) {}  // NOLINT(*-explicit-*)

  const Value& value() const { return value_; }

 private:
  template <typename T>
  using WidestInteger = std::conditional_t<std::signed_integral<T>, std::int64_t, std::uint64_t>;
  template <typename T>
  using WidestNumber = std::conditional_t<std::floating_point<T>, double, WidestInteger<T>>;
  template <typename T>
  using Widest =
      std::conditional_t<std::same_as<T, bool> || std::same_as<T, char> || std::same_as<T, float>, T, WidestNumber<T>>;

  Value value_;
};

/// A pattern checked against its arguments when it is compiled: as many fields as arguments, braces that match, and no
/// `{:d}` for a float or `{:.2f}` for a text. What is left to go wrong at run time is rare (`{:.2}` for an integer).
template <typename... Args>
class FormatPattern {
 public:
  template <typename Text>
  requires std::convertible_to<const Text&, std::string_view>
  consteval FormatPattern(const Text& text) : text_(text) {  // NOLINT(*-explicit-*)
    check(text_, {letters_for<Args>()...});
  }
  std::string_view text() const { return text_; }

 private:
  /// The letters that may end a field of this type, as in `{:x}`.
  template <typename T>
  static consteval std::string_view letters_for() {
    if constexpr (std::same_as<T, char>) return "c?";
    if constexpr (std::same_as<T, bool>) return "sdxXobBL";
    if constexpr (std::integral<T>) return "dxXobBcL";
    if constexpr (std::floating_point<T>) return "eEfFgGaAL";
    return "s?";
  }

  static consteval void check(std::string_view text, std::initializer_list<std::string_view> letters) {
    const std::size_t count = letters.size();
    std::size_t fields = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool doubled = i + 1 < text.size() && text[i] == text[i + 1];
      if (text[i] == '}' && !doubled) throw "a } without its {: the character itself is written }}";
      if ((text[i] == '{' || text[i] == '}') && doubled) {
        ++i;
      } else if (text[i] == '{') {
        if (i + 1 < text.size() && text[i + 1] != ':' && text[i + 1] != '}')
          throw "a field is {} or {:...}, no index or name";
        const std::size_t field = fields++;
        char last = '{';
        while (++i < text.size() && text[i] != '}') {
          last = text[i];
          if (last != '{') continue;
          ++fields;  // a width or precision taken from the arguments
          if (++i == text.size() || text[i] != '}') throw "a field within a field is {}";
        }
        if (i >= text.size()) throw "a { without its }: the character itself is written {{";
        const bool is_letter = (last >= 'a' && last <= 'z') || (last >= 'A' && last <= 'Z');
        if (is_letter && field < count && letters.begin()[field].find(last) == std::string_view::npos) {
          throw "the letter at a field's end does not suit its argument";
        }
      }
    }
    if (fields != count) throw "the pattern has not as many {} as there are arguments";
  }

  std::string_view text_;
};

/// What format() compiles to; for callers that hold a list of arguments. A pattern that does not fit them is an Error
/// of the internal kind.
std::string format_arguments(std::string_view pattern, std::initializer_list<FormatArgument> arguments);

/// `format("{} of {:.1f}", 3, 4.25)` is "3 of 4.2": fmt's (and std::format's) notation, positional fields only.
template <typename... Args>
std::string format(FormatPattern<std::type_identity_t<Args>...> pattern, const Args&... arguments) {
  return format_arguments(pattern.text(), {FormatArgument(arguments)...});
}

}  // namespace base

#endif  // BASE_LOG_FORMAT_H_
