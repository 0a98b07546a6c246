// json.h: JSON as people write it by hand: each value knows its line, so that an error can point at it.
#ifndef GENERATOR_JSON_H_
#define GENERATOR_JSON_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log/error.h"

namespace generator {

struct Json {
  enum class Kind { kNull, kBool, kNumber, kText, kList, kObject };

  Kind kind = Kind::kNull;
  int line = 0;
  bool boolean = false;
  std::string text = {};  // of a number: as it was written
  std::vector<Json> items = {};
  std::vector<std::pair<std::string, Json>> members = {};  // in the order of the file

  /// A member of an object; nullptr if it has none of this name.
  const Json* find(std::string_view key) const;
};

/// The whole of a file. Comments, a key given twice and more than 32 levels are errors of the config kind, as is
/// anything that is not JSON; `file` is what they call it.
Json parse_json(std::string_view text, const std::string& file);

/// Reads the values of one file, each with an error that has the line and the fix.
class JsonReader {
 public:
  explicit JsonReader(std::string file) : file_(std::move(file)) {}

  const std::string& file() const { return file_; }
  /// "template.json:7", as errors and editors write it.
  std::string place(const Json& value) const;
  base::Error error(const Json& value, const std::string& what, const std::string& which, const std::string& fix) const;

  /// Any other member of the object is an error, with the nearest of the known ones.
  void check_keys(const Json& object, const std::vector<std::string_view>& known) const;
  /// `object` must be one, and have this member.
  const Json& required(const Json& object, std::string_view key) const;

  // The value itself must be of that kind; `what` says what it is for.
  void expect(const Json& value, Json::Kind kind, std::string_view what) const;
  std::string text(const Json& value, std::string_view what) const;
  std::vector<std::string> texts(const Json& value, std::string_view what) const;
  /// A text member that may be left out.
  std::string optional_text(const Json& object, std::string_view key) const;

 private:
  std::string file_;
};

/// A text as JSON writes it, with its quotes.
std::string json_quoted(std::string_view text);

}  // namespace generator

#endif  // GENERATOR_JSON_H_
