#include "base/torch.h"

#include "base/data/csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <system_error>
#include <utility>

#include "base/data/data_file.h"
#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/suggest.h"
#include "base/log/text.h"

namespace base {
namespace {

constexpr int kShownColumns = 60;  // of a value in a message

std::string shown(std::string_view value) {
  const std::string line = visible_line(value.substr(0, 4 * kShownColumns));
  const std::string_view start = cut_text(line, kShownColumns);
  return start.size() < line.size() ? format("{}...", start) : line;
}

/// One field of a row, as it stands in the file.
struct Field {
  std::string_view text;  // without the quotes around it, but with doubled ones inside
  bool quoted = false;
};

enum class Flaw { kNone, kOpenQuote, kTextBehindQuote };

/// Reads the field at `at` and moves `at` to what ends it: a separator, a newline or the end. `lines` counts newlines
/// in quotes. By hand: what is fast here is that nothing is copied.
Flaw take_field(const char*& at, const char* end, char separator, Field& field, std::int64_t& lines) {
  if (at == end || *at != '"') {
    const char* first = at;
    while (at != end && *at != separator && *at != '\n') ++at;
    const bool carriage_return = at != first && at[-1] == '\r' && (at == end || *at == '\n');
    field = {{first, carriage_return ? at - 1 : at}, false};
    return Flaw::kNone;
  }
  const char* first = ++at;
  for (;; ++at) {
    if (at == end) return Flaw::kOpenQuote;
    if (*at == '\n') ++lines;
    if (*at != '"') continue;
    if (at + 1 == end || at[1] != '"') break;
    ++at;  // a doubled one
  }
  field = {{first, at}, true};
  ++at;
  if (at != end && *at == '\r' && (at + 1 == end || at[1] == '\n')) ++at;
  return at == end || *at == separator || *at == '\n' ? Flaw::kNone : Flaw::kTextBehindQuote;
}

std::string plain(const Field& field) {
  std::string text(field.text);
  if (!field.quoted) return text;
  for (std::size_t at = 0; (at = text.find("\"\"", at)) != std::string::npos; ++at) text.erase(at, 1);
  return text;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);  // from_chars knows no plus
  return text;
}

/// A plain decimal such as -12.375, which nearly all are, without the generality of from_chars: three times as fast,
/// and as exact, since the digits and the power of ten are both doubles of their own. False for anything else.
bool read_decimal(std::string_view text, double& number) {
  static constexpr double kTens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                     1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  std::uint64_t digits = 0;
  std::size_t count = 0;
  std::size_t behind = 0;  // digits behind the point
  bool point = false;
  if (text.size() > std::size(kTens)) return false;  // up to 18 digits and a point: no overflow
  for (const char letter : text) {
    if (letter == '.' && !point) {
      point = true;
      continue;
    }
    const auto digit = static_cast<unsigned>(letter - '0');
    if (digit > 9) return false;
    digits = 10 * digits + digit;
    ++count;
    behind += point ? 1 : 0;
  }
  if (count == 0 || digits > std::uint64_t{1} << 53) return false;
  const double value = static_cast<double>(digits) / kTens[behind];
  number = negative ? -value : value;
  return true;
}

template <typename Number>
bool read_number(std::string_view field, Number& number) {
  const std::string_view text = trimmed(field);
  if constexpr (std::is_floating_point_v<Number>)
    if (read_decimal(text, number)) return true;
  const auto [rest, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (rest != text.data() + text.size()) return false;
  if constexpr (std::is_floating_point_v<Number>) {
    // Too small for a double is as good as zero; too large is not.
    if (problem == std::errc::result_out_of_range)
      number = static_cast<Number>(std::strtod(std::string(text).c_str(), nullptr));
    else if (problem != std::errc())
      return false;
    return std::abs(number) <= std::numeric_limits<float>::max();  // neither NaN nor infinite, as a float too
  }
  return problem == std::errc();
}

}  // namespace

CsvFile::CsvFile(std::filesystem::path path, const CsvOptions& options)
    : path_(std::move(path)), options_(options), bytes_(read_data_file(path_)) {
  if (options_.separator == '"' || options_.separator == '\n' || options_.separator == '\r') {
    throw Error(ErrorKind::kConfig, "a quote or the end of a line cannot separate fields", path_.string(),
                "take a comma, a semicolon or a tab");
  }
  find_rows();
  if (rows_.empty()) throw Error(ErrorKind::kData, "the CSV file has no rows", path_.string(), "give a file with data");
}

void CsvFile::find_rows() {
  const char* const begin = bytes_.data();
  const char* const end = begin + bytes_.size();
  if (bytes_.starts_with("\xff\xfe") || bytes_.starts_with("\xfe\xff"))
    throw Error(ErrorKind::kData, "the CSV file is in UTF-16", path_.string(), "save it as UTF-8");
  const char* at = begin + (bytes_.starts_with("\xef\xbb\xbf") ? 3 : 0);
  std::size_t columns = 0;
  for (std::int64_t line = 1; at != end; ++line) {
    const Row row{static_cast<std::size_t>(at - begin), line};
    if (*at == '\r' && at + 1 != end && at[1] == '\n') ++at;
    if (*at != '\n') {
      const std::size_t count = pass_row(at, line);
      if (rows_.empty()) columns = count;
      if (count != columns) {
        const std::string_view text(begin + row.first, at - (at[-1] == '\r' ? 1 : 0));
        throw Error(ErrorKind::kData, format("{}:{}: {} columns instead of {}", path_, row.line, count, columns),
                    shown(text),
                    format("give every row {} fields; one that holds a '{}' needs quotes around it", columns,
                           options_.separator));
      }
      rows_.push_back(row);
    }
    if (at != end) ++at;  // the newline
  }
  for (std::size_t column = 0; column < columns; ++column) names_.push_back(std::to_string(column));
  if (options_.header && !rows_.empty()) {
    at = begin + rows_.front().first;
    for (std::string& name : names_) {
      Field field;
      std::int64_t lines = 0;
      take_field(at, end, options_.separator, field, lines);
      ++at;
      name = plain(field);
    }
    rows_.erase(rows_.begin());
  }
}

/// Moves `at` behind the last field of a row, counts them, and the newlines in quotes as lines.
std::size_t CsvFile::pass_row(const char*& at, std::int64_t& line) const {
  const char* const first = at;
  const char* const end = bytes_.data() + bytes_.size();
  // Most rows have no quotes: their end is found, and their separators counted, many bytes at a time.
  const auto* newline = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
  const char* const stop = newline != nullptr ? newline : end;
  if (std::memchr(at, '"', static_cast<std::size_t>(stop - at)) == nullptr) {
    at = stop;
    return 1 + static_cast<std::size_t>(std::count(first, stop, options_.separator));
  }
  for (std::size_t count = 1;; ++count) {
    Field field;
    const std::int64_t field_line = line;
    const Flaw flaw = take_field(at, end, options_.separator, field, line);
    if (flaw != Flaw::kNone) {
      throw Error(ErrorKind::kData,
                  format("{}:{}: {}", path_, flaw == Flaw::kOpenQuote ? field_line : line,
                         flaw == Flaw::kOpenQuote ? "a quote that is never closed" : "text behind a closing quote"),
                  shown(std::string_view(first, end)), "put quotes around the whole field, and double those in it");
    }
    if (at == end || *at != options_.separator) return count;
    ++at;
  }
}

std::size_t CsvFile::number_of(std::string_view name) const {
  const auto found = std::ranges::find(names_, name);
  if (found != names_.end()) {
    if (std::find(found + 1, names_.end(), name) != names_.end()) {
      throw Error(ErrorKind::kData, format("{}: two columns have the same name", path_), shown(name),
                  "give each column a name of its own");
    }
    return static_cast<std::size_t>(found - names_.begin());
  }
  const std::vector<std::string_view> known(names_.begin(), names_.end());
  std::string list;
  for (const auto& one : known) list += format("{}{}", list.empty() ? "" : ", ", one);
  const std::string_view nearest = nearest_word(name, known);
  throw Error(
      ErrorKind::kData, format("{}: there is no column of this name", path_), shown(name),
      nearest.empty() ? format("the columns are: {}", shown(list)) : format("did you mean {}?", shown(nearest)));
}

/// Calls take(row, place, field) for the fields of the named columns, row by row.
template <typename Take>
void CsvFile::each_field(std::span<const std::string> names, Take take) const {
  std::vector<Wanted> wanted;
  for (std::size_t place = 0; place < names.size(); ++place) wanted.push_back({number_of(names[place]), place});
  std::ranges::stable_sort(wanted, {}, &Wanted::column);
  const char* const end = bytes_.data() + bytes_.size();
  for (std::int64_t row = 0; row < rows(); ++row) {
    const char* at = bytes_.data() + rows_[static_cast<std::size_t>(row)].first;
    auto next = wanted.begin();
    for (std::size_t column = 0; next != wanted.end(); ++column) {
      Field field;
      std::int64_t lines = 0;
      take_field(at, end, options_.separator, field, lines);
      ++at;  // the separator; behind the last field nothing is wanted any more
      for (; next != wanted.end() && next->column == column; ++next) take(row, next->place, field);
    }
  }
}

std::vector<std::string> CsvFile::column(std::string_view name) const {
  std::vector<std::string> texts;
  texts.reserve(rows_.size());
  const std::string wanted(name);
  each_field(std::span(&wanted, 1),
             [&](std::int64_t, std::size_t, const Field& field) { texts.push_back(plain(field)); });
  return texts;
}

torch::Tensor CsvFile::numbers(std::span<const std::string> names) const {
  auto values = torch::empty({rows(), static_cast<std::int64_t>(names.size())}, torch::kFloat);
  auto* const first = values.data_ptr<float>();
  each_field(names, [&](std::int64_t row, std::size_t place, const Field& field) {
    double value = 0;
    if (!read_number(field.text, value)) refuse_value(row, names[place], field.text, "a number");
    first[static_cast<std::size_t>(row) * names.size() + place] = static_cast<float>(value);
  });
  return values;
}

torch::Tensor CsvFile::integers(std::string_view name) const {
  auto values = torch::empty({rows()}, torch::kLong);
  auto* const first = values.data_ptr<std::int64_t>();
  const std::string wanted(name);
  each_field(std::span(&wanted, 1), [&](std::int64_t row, std::size_t, const Field& field) {
    if (!read_number(field.text, first[row])) refuse_value(row, name, field.text, "a whole number");
  });
  return values;
}

void CsvFile::refuse_value(std::int64_t row, std::string_view name, std::string_view value,
                           std::string_view wanted) const {
  throw Error(ErrorKind::kData, format("{}: column '{}' is not {}", where(row), shown(name), wanted),
              value.empty() ? "it is empty" : shown(value), "correct the value, or leave its row or column out");
}

std::string CsvFile::where(std::int64_t row) const {
  return format("{}:{}", path_, line(row));
}

}  // namespace base
