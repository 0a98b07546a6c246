#include "generator/json.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/log/format.h"
#include "generator/words.h"

namespace generator {
namespace {

constexpr std::size_t kDeepestLevel = 32;  // levels: a value's destructor calls those of its parts

/// Walks over a text and counts its lines, for a parser that does not tell where it is.
class CountingIterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, int* line) : at_(at), line_(line) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    if (*at_ == '\n') ++*line_;
    ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    const CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  int* line_;
};

/// Builds the values from the parser's events.
class Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(std::string file, const int* line) : file_(std::move(file)), line_(line) {}

  Json take() { return std::move(root_); }

  bool null() override { return add({.kind = Json::Kind::kNull}); }
  bool boolean(bool value) override { return add({.kind = Json::Kind::kBool, .boolean = value}); }
  bool number_integer(number_integer_t value) override { return number(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return number(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& text) override { return number(text); }
  bool string(string_t& value) override { return add({.kind = Json::Kind::kText, .text = value}); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::Kind::kObject); }
  bool start_array(std::size_t) override { return open(Json::Kind::kList); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& key) override {
    if (open_.back()->find(key) != nullptr) fail("the key is there twice", "\"" + key + "\"", "remove one of them");
    open_.back()->members.emplace_back(key, Json{.line = *line_});
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 3, column 5: syntax error while parsing ..."
    std::string reason = error.what();
    const std::size_t at = reason.find(": ");
    if (at != std::string::npos) reason.erase(0, at + 2);
    if (reason.starts_with("syntax error ")) reason.erase(0, std::string_view("syntax error ").size());
    fail("this is not JSON", reason, "correct the file");
    return false;
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& value, const std::string& fix) const {
    throw base::Error(base::ErrorKind::kConfig, base::format("{}:{}: {}", file_, *line_, what), value, fix);
  }

  bool number(const std::string& text) { return add({.kind = Json::Kind::kNumber, .text = text}); }

  bool add(Json value) {
    place(std::move(value));
    return true;
  }

  /// Into the object or list that is open; the members' values are there already, empty, since their keys were.
  Json& place(Json value) {
    if (open_.empty()) {
      value.line = *line_;
      return root_ = std::move(value);
    }
    Json& parent = *open_.back();
    if (parent.kind == Json::Kind::kList) {
      value.line = *line_;
      return parent.items.emplace_back(std::move(value));
    }
    Json& member = parent.members.back().second;
    value.line = member.line;
    return member = std::move(value);
  }

  bool open(Json::Kind kind) {
    if (open_.size() == kDeepestLevel)
      fail("this is nested too deeply", base::format("{} levels", kDeepestLevel), "flatten it");
    open_.push_back(&place({.kind = kind}));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  const std::string file_;
  const int* const line_;
  Json root_;
  std::vector<Json*>
      open_;  // a parent takes no further part while one of its own is open, so these stay where they are
};

std::string_view name_of(Json::Kind kind) {
  switch (kind) {
    case Json::Kind::kBool:
      return "true or false";
    case Json::Kind::kNumber:
      return "a number";
    case Json::Kind::kText:
      return "a text";
    case Json::Kind::kList:
      return "a list";
    case Json::Kind::kObject:
      return "an object";
    case Json::Kind::kNull:
      break;
  }
  return "null";
}

}  // namespace

const Json* Json::find(std::string_view key) const {
  const auto member = std::find_if(members.begin(), members.end(), [&](const auto& one) { return one.first == key; });
  return member != members.end() ? &member->second : nullptr;
}

Json parse_json(std::string_view text, const std::string& file) {
  int line = 1;
  Builder builder(file, &line);
  nlohmann::json::sax_parse(CountingIterator(text.data(), &line), CountingIterator(text.data() + text.size(), &line),
                            &builder);
  return builder.take();
}

std::string JsonReader::place(const Json& value) const {
  return base::format("{}:{}", file_, value.line);
}

base::Error JsonReader::error(const Json& value, const std::string& what, const std::string& which,
                              const std::string& fix) const {
  return {base::ErrorKind::kConfig, place(value) + ": " + what, which, fix};
}

void JsonReader::check_keys(const Json& object, const std::vector<std::string_view>& known) const {
  for (const auto& [key, value] : object.members) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    throw error(value, "unknown key", key, suggestion(key, known, "the keys are " + joined(known)));
  }
}

const Json& JsonReader::required(const Json& object, std::string_view key) const {
  const Json* const member = object.find(key);
  if (member == nullptr) throw error(object, "a key is missing", std::string(key), "add it");
  return *member;
}

void JsonReader::expect(const Json& value, Json::Kind kind, std::string_view what) const {
  if (value.kind == kind) return;
  throw error(value, base::format("{} is {}", what, name_of(value.kind)), value.text,
              base::format("give {}", name_of(kind)));
}

std::string JsonReader::text(const Json& value, std::string_view what) const {
  expect(value, Json::Kind::kText, what);
  return value.text;
}

std::vector<std::string> JsonReader::texts(const Json& value, std::string_view what) const {
  expect(value, Json::Kind::kList, what);
  std::vector<std::string> texts;
  for (const Json& item : value.items) texts.push_back(text(item, what));
  return texts;
}

std::string JsonReader::optional_text(const Json& object, std::string_view key) const {
  const Json* const member = object.find(key);
  return member != nullptr ? text(*member, key) : "";
}

std::string json_quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace generator
