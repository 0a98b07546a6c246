#include "base/torch.h"

#include "base/model/weights.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>
#include <system_error>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/model/name_pattern.h"
#include "base/records/safetensors.h"
#include "base/tensor/tensor_view.h"
#include "base/tensor/tensors.h"

namespace base {
namespace {

/// In the order of the network.
std::vector<Tensors::Entry> weights_of(const torch::nn::Module& module) {
  std::vector<Tensors::Entry> weights;
  for (const auto& item : module.named_parameters())
    if (item.value().defined()) weights.emplace_back(item.key(), item.value());
  for (const auto& item : module.named_buffers())
    if (item.value().defined()) weights.emplace_back(item.key(), item.value());
  return weights;
}

std::string renamed(const std::string& name, const LoadOptions& options) {
  for (const auto& [from, to] : options.rename)
    if (name.starts_with(from)) return to + name.substr(from.size());
  return name;
}

// Integers for numbers with a fraction, or the other way round, are no conversion but a mistake.
bool same_kind(DType dtype, const torch::Tensor& weight) {
  const bool fraction = dtype == DType::kF16 || dtype == DType::kBF16 || dtype == DType::kF32 || dtype == DType::kF64;
  return fraction == weight.is_floating_point();
}

std::string describe_view(const TensorView& view) {
  std::string sizes;
  for (const auto size : view.shape) sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
  return format("{} [{}]", name_of(view.dtype), sizes);
}

std::string list(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return names.size() <= kMost ? text : format("{} and {} more", text, names.size() - kMost);
}

}  // namespace

std::string LoadReport::summary() const {
  const std::size_t wanted = matched.size() + missing.size() + mismatched.size();
  std::string text = format("{} of {} tensors loaded", matched.size(), wanted);
  if (!mismatched.empty()) text += format("\n  of another shape ({}): {}", mismatched.size(), list(mismatched));
  if (!missing.empty()) text += format("\n  not in the file ({}): {}", missing.size(), list(missing));
  if (!left_over.empty()) text += format("\n  only in the file ({}): {}", left_over.size(), list(left_over));
  if (!skipped.empty()) text += format("\n  skipped ({}): {}", skipped.size(), list(skipped));
  return text;
}

LoadReport load_weights(torch::nn::Module& module, const std::filesystem::path& path, const LoadOptions& options) {
  const SafetensorsFile file(path);
  std::map<std::string, const TensorView*> by_name;
  for (const TensorView& view : file.tensors()) {
    const std::string name = renamed(view.name, options);
    if (!by_name.emplace(name, &view).second) {
      throw Error(ErrorKind::kUsage, "two tensors of the file have the same name after renaming", name,
                  "rename fewer of them");
    }
  }
  const std::vector<Tensors::Entry> weights = weights_of(module);
  std::vector<std::string> names;
  for (const auto& [name, weight] : weights) names.push_back(name);

  LoadReport report;
  report.skipped = matching_names(options.skip, names);
  const std::set<std::string> skipped(report.skipped.begin(), report.skipped.end());
  std::vector<std::pair<torch::Tensor, const TensorView*>> copies;
  for (const auto& [name, weight] : weights) {
    const auto found = by_name.find(name);
    const TensorView* view = found == by_name.end() ? nullptr : found->second;
    if (view != nullptr) by_name.erase(found);
    if (skipped.contains(name)) continue;
    if (view == nullptr) {
      if (!name.ends_with("num_batches_tracked")) report.missing.push_back(name);
    } else if (weight.sizes() != view->shape || !same_kind(view->dtype, weight)) {
      report.mismatched.push_back(format("{}: {}, not {}", name, describe_view(*view), describe(weight)));
    } else {
      report.matched.push_back(name);
      copies.emplace_back(weight, view);
    }
  }
  for (const auto& [name, view] : by_name) {
    const bool asked = std::ranges::any_of(options.skip, [&](const auto& pattern) { return matches(pattern, name); });
    if (!asked) report.left_over.push_back(view->name);
  }

  if ((!options.partial && !report.fits()) || copies.empty()) {
    throw Error(ErrorKind::kCheckpoint, "the weights do not fit the network",
                format("{}\n  {}", path, report.summary()),
                copies.empty() ? "the names have nothing in common: rename how they begin, or give another file"
                               : "skip or rename what differs by intent, or load in part");
  }
  const torch::NoGradGuard no_grad;
  for (auto& [weight, view] : copies) weight.copy_(tensor_of(*view));
  return report;
}

void save_weights(const torch::nn::Module& module, const std::filesystem::path& path) {
  std::vector<Tensors::Entry> weights = weights_of(module);
  std::vector<TensorView> views;
  for (auto& [name, weight] : weights) {
    weight = weight.detach().to(torch::kCPU).contiguous();
    views.push_back(view_of(name, weight));
  }
  std::filesystem::path beside = path;
  beside += format(".{}.tmp", ::getpid());
  std::error_code problem;
  try {
    write_safetensors(beside, views, {.metadata = {{"format", "pt"}}, .sync = true});
  } catch (...) {
    std::filesystem::remove(beside, problem);
    throw;
  }
  std::filesystem::rename(beside, path, problem);
  if (!problem) return;
  const std::string why = problem.message();
  std::filesystem::remove(beside, problem);
  throw Error(ErrorKind::kData, "the weights cannot be written", format("{}: {}", path, why),
              "give the path of a file, in a folder that may be written to");
}

}  // namespace base
