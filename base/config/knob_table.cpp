#include "base/config/knob_table.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/log/error.h"

namespace base::config {
namespace {

// Flags and a TOML key that mean something of their own.
constexpr std::array<std::string_view, 4> kReserved{"help", "config", "set", "inherits"};

bool is_name(std::string_view name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789_";
  return !name.empty() && kLetters.find(name[0]) != std::string_view::npos &&
         name.find_first_not_of(kAllowed) == std::string_view::npos && name.find("__") == std::string_view::npos &&
         !name.ends_with('_');
}

}  // namespace

std::string KnobTable::new_key(std::string_view name) const {
  const std::string& section = sections_[open_.back()].key;
  std::string key = section.empty() ? std::string(name) : section + '.' + std::string(name);
  if (!is_name(name)) {
    throw Error(ErrorKind::kInternal, "a knob's name must be lower-case words with single underscores between", key,
                "");
  }
  if (section.empty() && std::ranges::find(kReserved, name) != kReserved.end()) {
    throw Error(ErrorKind::kInternal, "a knob has a name that is reserved at the top level", key, "");
  }
  if (find(key) != nullptr || find_section(key) != nullptr) {
    throw Error(ErrorKind::kInternal, "a knob is declared twice", key, "");
  }
  return key;
}

void KnobTable::add(std::unique_ptr<Knob> knob) {
  sections_[open_.back()].knobs.push_back(knob.get());
  knobs_.push_back(std::move(knob));
}

void KnobTable::open_section(std::string_view name, std::string_view help) {
  sections_.push_back({new_key(name), std::string(help), {}});
  open_.push_back(sections_.size() - 1);
}

Knob* KnobTable::find(std::string_view key) const {
  const auto found = std::ranges::find(knobs_, key, [](const auto& knob) { return std::string_view(knob->key()); });
  return found == knobs_.end() ? nullptr : found->get();
}

const Section* KnobTable::find_section(std::string_view key) const {
  const auto found = std::ranges::find(sections_, key, &Section::key);
  return key.empty() || found == sections_.end() ? nullptr : &*found;
}

std::vector<std::string> KnobTable::keys() const {
  std::vector<std::string> keys;
  for (const auto& knob : knobs_) keys.push_back(knob->key());
  return keys;
}

bool KnobTable::has_secret() const {
  return std::ranges::any_of(knobs_, [](const auto& knob) { return knob->secret(); });
}

void KnobTable::check_declarations() const {
  for (const auto& knob : knobs_) {
    if (const auto mistake = knob->mistake()) {
      throw Error(ErrorKind::kInternal, "knob " + knob->key() + " is declared wrongly", *mistake, "");
    }
  }
}

}  // namespace base::config
