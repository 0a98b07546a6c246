// csv.h: tables of text: rows of fields, the fields apart by commas.
#ifndef BASE_DATA_CSV_H_
#define BASE_DATA_CSV_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/torch.h"

namespace base {

struct CsvOptions {
  bool header = true;    // the first row names the columns; otherwise they are called "0", "1" and so on
  char separator = ',';  // '\t' and ';' are common too
};

/// A whole file, as RFC 4180 has it: a field in quotes may hold separators, newlines and, doubled, quotes. Lines end
/// with LF or CRLF; empty ones and a byte order mark are passed over.
///
///     const CsvFile file("rows.csv");
///     const torch::Tensor sizes = file.numbers({"width", "height"});  // float [rows, 2]
///
/// What is wrong with a file is a data Error that names the line: "rows.csv:17: 3 columns instead of 5". So is a file
/// without rows. Const calls may come from several threads.
class CsvFile {
 public:
  explicit CsvFile(std::filesystem::path path, const CsvOptions& options = {});

  const std::filesystem::path& path() const { return path_; }
  std::int64_t rows() const { return static_cast<std::int64_t>(rows_.size()); }
  const std::vector<std::string>& names() const { return names_; }

  /// A column's fields, without their quotes. For this and what follows: a name that no column has is an Error that
  /// suggests the nearest.
  std::vector<std::string> column(std::string_view name) const;
  /// Columns side by side, float [rows, columns]. A field that is no finite number is an Error.
  torch::Tensor numbers(std::span<const std::string> names) const;
  torch::Tensor numbers(std::initializer_list<std::string> names) const {
    return numbers(std::span(names.begin(), names.size()));
  }
  /// int64 [rows]. A field that is no whole number is an Error.
  torch::Tensor integers(std::string_view name) const;

  /// The line on which a row begins, from 1 on; quoted newlines and empty lines count.
  std::int64_t line(std::int64_t row) const { return rows_[static_cast<std::size_t>(row)].line; }
  /// "rows.csv:17"
  std::string where(std::int64_t row) const;

 private:
  struct Row {
    std::size_t first;  // byte
    std::int64_t line;
  };
  struct Wanted {  // a column to be read, and its place among those asked for
    std::size_t column;
    std::size_t place;
  };

  std::size_t number_of(std::string_view name) const;
  void find_rows();
  std::size_t pass_row(const char*& at, std::int64_t& line) const;
  template <typename Take>
  void each_field(std::span<const std::string> names, Take take) const;
  [[noreturn]] void refuse_value(std::int64_t row, std::string_view name, std::string_view value,
                                 std::string_view wanted) const;

  std::filesystem::path path_;
  CsvOptions options_;
  std::string bytes_;
  std::vector<Row> rows_;
  std::vector<std::string> names_;
};

}  // namespace base

#endif  // BASE_DATA_CSV_H_
