#include "base/config/knobs.h"

#include <utility>

#include "base/config/knob_table.h"
#include "base/config/typed_knob.h"

namespace base {

Knobs::Knobs() : table_(std::make_unique<config::KnobTable>()) {}

Knobs::~Knobs() = default;

template <typename T>
void Knobs::add_knob(std::string_view name, T& value, std::string_view help, const RuleOf<T>& rule) {
  table_->add(std::make_unique<config::TypedKnob<T>>(table_->new_key(name), value, help, rule));
}

void Knobs::open_section(std::string_view name, std::string_view help) {
  table_->open_section(name, help);
}

void Knobs::close_section() {
  table_->close_section();
}

// Every KnobType, once: what keeps all of this out of the public headers.
// NOLINTBEGIN(bugprone-macro-parentheses): a type in parentheses is no type
#define BASE_INSTANTIATE(T) template void Knobs::add_knob<T>(std::string_view, T&, std::string_view, const RuleOf<T>&);
#define BASE_INSTANTIATE_WITH_LIST(T) BASE_INSTANTIATE(T) BASE_INSTANTIATE(std::vector<T>)

BASE_INSTANTIATE(bool)
BASE_INSTANTIATE_WITH_LIST(int)
BASE_INSTANTIATE_WITH_LIST(std::int64_t)
BASE_INSTANTIATE_WITH_LIST(std::uint64_t)
BASE_INSTANTIATE_WITH_LIST(float)
BASE_INSTANTIATE_WITH_LIST(double)
BASE_INSTANTIATE_WITH_LIST(std::string)
BASE_INSTANTIATE_WITH_LIST(std::filesystem::path)
BASE_INSTANTIATE_WITH_LIST(std::chrono::milliseconds)
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace base
