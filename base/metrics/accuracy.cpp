#include "base/torch.h"

#include "base/metrics/accuracy.h"

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/metrics/decision.h"
#include "base/tensor/tensors.h"

namespace base {
namespace {

template <typename Score>
std::int64_t count_among_first(std::int64_t k, const torch::Tensor& scores, const torch::Tensor& labels) {
  const std::int64_t rows = scores.size(0);
  const std::int64_t classes = scores.size(1);
  const Score* row = scores.const_data_ptr<Score>();
  const auto* label = labels.const_data_ptr<std::int64_t>();
  std::int64_t hits = 0;
  for (std::int64_t i = 0; i < rows; ++i, row += classes) {
    const std::int64_t right = label[i];
    if (right < 0 || right >= classes) continue;
    std::int64_t before = 0;  // how many classes come before the right one
    bool numbers = true;
    for (std::int64_t c = 0; c < classes; ++c) {
      numbers &= row[c] == row[c];
      before += static_cast<std::int64_t>(row[c] > row[right]) | (row[c] == row[right] && c < right);
    }
    hits += numbers && before < k;
  }
  return hits;
}

}  // namespace

void Accuracy::update(const torch::Tensor& outputs, const torch::Tensor& labels) {
  const Decisions decisions(outputs, labels);
  const auto predicted = decisions.predicted();
  const auto right = decisions.labels();
  std::int64_t hits = 0;
  for (std::size_t i = 0; i < right.size(); ++i)
    hits += predicted[i] == right[i] && predicted[i] != Decisions::kUndecided;
  sums()[0] += static_cast<double>(hits);
  sums()[1] += static_cast<double>(right.size());
}

void Accuracy::add_results(const std::string& name, Results& results) const {
  results.emplace_back(name, value());
}

TopK::TopK(std::int64_t k) : Metric({2}), k_(k) {
  if (k < 1) throw Error(ErrorKind::kUsage, "there are no first k of this k", format("{}", k), "give 1 or more");
}

void TopK::update(const torch::Tensor& scores, const torch::Tensor& labels) {
  if (!scores.is_floating_point() || scores.dim() != 2 || labels.dim() != 1 || scores.size(0) != labels.size(0) ||
      !torch::isIntegralType(labels.scalar_type(), /*includeBool=*/true)) {
    throw Error(ErrorKind::kUsage, "these scores and labels do not go together",
                format("{} and {}", describe(scores), describe(labels)),
                "give scores [n, classes] and labels that are integers [n]");
  }
  const torch::Tensor right = labels.to(torch::kCPU, torch::kLong).contiguous();
  const torch::Tensor here = scores.detach().to(torch::kCPU);
  const bool wide = here.scalar_type() == torch::kDouble;
  const torch::Tensor numbers = here.to(wide ? torch::kDouble : torch::kFloat).contiguous();
  const std::int64_t hits =
      wide ? count_among_first<double>(k_, numbers, right) : count_among_first<float>(k_, numbers, right);
  sums()[0] += static_cast<double>(hits);
  sums()[1] += static_cast<double>(right.numel());
}

void TopK::add_results(const std::string& name, Results& results) const {
  results.emplace_back(name, value());
}

}  // namespace base
