// knob_table.h: all knobs of a program by key and by section, in the order of their declaration. Internal to
// base/config.
#ifndef BASE_CONFIG_KNOB_TABLE_H_
#define BASE_CONFIG_KNOB_TABLE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/config/knob.h"

namespace base::config {

struct Section {
  std::string key;  // "optimizer"; "" for the top level, which comes first
  std::string help;
  std::vector<const Knob*> knobs;  // without those of the sections inside
};

class KnobTable {
 public:
  /// `name` as a key inside the section that is open. Throws an internal Error if it is no good name or not the first.
  std::string new_key(std::string_view name) const;
  void add(std::unique_ptr<Knob> knob);
  void open_section(std::string_view name, std::string_view help);
  void close_section() { open_.pop_back(); }

  const std::vector<std::unique_ptr<Knob>>& knobs() const { return knobs_; }
  const std::vector<Section>& sections() const { return sections_; }
  /// The knob or the section of this key; nullptr if there is none. The top level has no key.
  Knob* find(std::string_view key) const;
  const Section* find_section(std::string_view key) const;
  std::vector<std::string> keys() const;
  bool has_secret() const;

  /// Throws an internal Error for the first knob whose rule or default is a mistake.
  void check_declarations() const;

 private:
  std::vector<std::unique_ptr<Knob>> knobs_;
  std::vector<Section> sections_{Section{}};
  std::vector<std::size_t> open_{0};  // indices of the sections around what is declared next
};

}  // namespace base::config

#endif  // BASE_CONFIG_KNOB_TABLE_H_
