#include "base/artifact/signature.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/suggest.h"

namespace base {
namespace {

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t size : shape) text += format("{}{}", text.empty() ? "" : ", ", size);
  return "[" + text + "]";
}

std::string shape_text(const std::vector<Axis>& axes) {
  std::string text;
  for (const Axis& axis : axes) {
    text += text.empty() ? "" : ", ";
    text += axis.is_dynamic() ? axis.name : std::to_string(axis.size);
  }
  return "[" + text + "]";
}

// Nothing for sizes that are negative or cannot be counted.
std::optional<std::size_t> bytes_of_shape(const TensorView& view) {
  std::size_t bytes = size_of(view.dtype);
  bool empty = false;
  for (const std::int64_t size : view.shape) {
    if (size < 0) return std::nullopt;
    if (size == 0) empty = true;
    if (size > 0 && __builtin_mul_overflow(bytes, static_cast<std::size_t>(size), &bytes)) return std::nullopt;
  }
  return empty ? 0 : bytes;
}

// Collects what is wrong with the inputs of one call.
class Matcher {
 public:
  explicit Matcher(const Signature& signature) : signature_(signature) {}

  // Null if something is wrong with it.
  const TensorView* match(const TensorSpec& spec, std::span<const TensorView> inputs) {
    const TensorView* found = nullptr;
    for (const TensorView& input : inputs) {
      if (input.name != spec.name) continue;
      if (found != nullptr) {
        complain(format("{} is there twice", spec.name));
        return nullptr;
      }
      found = &input;
    }
    if (found == nullptr) {
      complain(format("{} is missing", spec.name));
      return nullptr;
    }
    const std::size_t before = problems_.size();
    if (found->dtype != spec.dtype)
      complain(format("{} is {}, not {}", spec.name, name_of(found->dtype), name_of(spec.dtype)));
    match_shape(spec, *found);
    return problems_.size() == before ? found : nullptr;
  }

  void refuse_unknown(std::span<const TensorView> inputs) {
    for (const TensorView& input : inputs) {
      if (std::ranges::find(signature_.inputs, input.name, &TensorSpec::name) == signature_.inputs.end())
        complain(format("there is no {}{}", input.name, nearest(input.name)));
    }
  }

  void throw_if_any() const {
    if (problems_.empty()) return;
    std::string text;
    for (const std::string& problem : problems_) text += (text.empty() ? "" : "; ") + problem;
    std::string takes;
    for (const TensorSpec& spec : signature_.inputs) takes += (takes.empty() ? "" : ", ") + describe(spec);
    throw Error(ErrorKind::kUsage, "the inputs do not fit the model", text, "it takes " + takes);
  }

 private:
  void match_shape(const TensorSpec& spec, const TensorView& view) {
    const auto bytes = bytes_of_shape(view);
    if (!bytes || *bytes != view.bytes.size()) {
      complain(format("{} has {} bytes, which do not fit {} {}", spec.name, view.bytes.size(), name_of(view.dtype),
                      shape_text(view.shape)));
      return;
    }
    bool fits = view.shape.size() == spec.axes.size();
    for (std::size_t i = 0; fits && i < spec.axes.size(); ++i)
      fits = spec.axes[i].is_dynamic() || spec.axes[i].size == view.shape[i];
    if (!fits) {
      complain(format("{} is {}, not {}", spec.name, shape_text(view.shape), shape_text(spec.axes)));
      return;
    }
    for (std::size_t i = 0; i < spec.axes.size(); ++i) {
      if (!spec.axes[i].is_dynamic()) continue;
      const Size here{view.shape[i], spec.name};
      const auto [there, is_first] = sizes_.try_emplace(spec.axes[i].name, here);
      if (!is_first && there->second.size != here.size) {
        complain(format("{} is {} in {} and {} in {}", spec.axes[i].name, there->second.size, there->second.tensor,
                        here.size, here.tensor));
      }
    }
  }

  std::string nearest(const std::string& name) const {
    std::vector<std::string_view> names;
    for (const TensorSpec& spec : signature_.inputs) names.push_back(spec.name);
    const std::string_view word = nearest_word(name, names);
    return word.empty() ? "" : format(" (did you mean {}?)", word);
  }

  void complain(std::string problem) { problems_.push_back(std::move(problem)); }

  struct Size {
    std::int64_t size;
    std::string_view tensor;  // which gave it
  };
  const Signature& signature_;
  std::map<std::string_view, Size> sizes_;  // of the dynamic axes so far
  std::vector<std::string> problems_;
};

// What match() finds in the common case, without a copy of anything: nothing if it has to be looked at closely.
bool fits_at_once(const TensorSpec& spec, const TensorView& view) {
  if (view.name != spec.name || view.dtype != spec.dtype || view.shape.size() != spec.axes.size()) return false;
  for (std::size_t i = 0; i < spec.axes.size(); ++i)
    if (!spec.axes[i].is_dynamic() && spec.axes[i].size != view.shape[i]) return false;
  const auto bytes = bytes_of_shape(view);
  return bytes && *bytes == view.bytes.size();
}

}  // namespace

std::string describe(const TensorSpec& spec) {
  return format("{} {} {}", spec.name, name_of(spec.dtype), shape_text(spec.axes));
}

bool has_batch_axis(const Signature& signature) {
  const auto begins_with_it = [](const TensorSpec& spec) {
    return !spec.axes.empty() && spec.axes[0].name == kBatchAxis &&
           std::ranges::count(spec.axes, kBatchAxis, &Axis::name) == 1;
  };
  return !signature.inputs.empty() && std::ranges::all_of(signature.inputs, begins_with_it) &&
         std::ranges::all_of(signature.outputs, begins_with_it);
}

std::vector<const TensorView*> match_inputs(const Signature& signature, std::span<const TensorView> inputs) {
  // One input, as most models have: nothing that two axes could disagree in but its own.
  if (inputs.size() == 1 && signature.inputs.size() == 1 && fits_at_once(signature.inputs[0], inputs[0])) {
    const auto& axes = signature.inputs[0].axes;
    const auto dynamic = [](const Axis& axis) { return axis.is_dynamic(); };
    if (std::ranges::count_if(axes, dynamic) <= 1) return {inputs.data()};
  }
  Matcher matcher(signature);
  std::vector<const TensorView*> matched;
  for (const TensorSpec& spec : signature.inputs) matched.push_back(matcher.match(spec, inputs));
  matcher.refuse_unknown(inputs);
  matcher.throw_if_any();
  return matched;
}

}  // namespace base
