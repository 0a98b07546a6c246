#include "base/torch.h"

#include "base/metrics/decision.h"

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/tensor/tensors.h"

namespace base {
namespace {

bool holds_integers(const torch::Tensor& tensor) {
  return torch::isIntegralType(tensor.scalar_type(), /*includeBool=*/true);
}

// One pass over the rows. The operations of decide() would take five times as long for a small batch, as every training
// step has one.
torch::Tensor decide_here(const torch::Tensor& scores) {
  const std::int64_t rows = scores.size(0);
  const std::int64_t classes = scores.size(1);
  torch::Tensor decided = torch::empty({rows}, torch::kLong);
  const float* row = scores.const_data_ptr<float>();
  auto* out = decided.mutable_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < rows; ++i, row += classes) {
    std::int64_t best = 0;
    bool numbers = row[0] == row[0];
    for (std::int64_t c = 1; c < classes; ++c) {
      numbers &= row[c] == row[c];
      if (row[c] > row[best]) best = c;
    }
    out[i] = numbers ? best : Decisions::kUndecided;
  }
  return decided;
}

torch::Tensor decide(const torch::Tensor& scores) {
  if (scores.dim() == 2 && scores.is_cpu() && scores.scalar_type() == torch::kFloat && scores.is_contiguous()) {
    return decide_here(scores);
  }
  auto [largest, decided] = scores.max(/*dim=*/1);  // a NaN counts as the largest
  return decided.masked_fill_(largest.isnan(), Decisions::kUndecided);
}

}  // namespace

Decisions::Decisions(const torch::Tensor& outputs, const torch::Tensor& labels) {
  const bool scores =
      outputs.is_floating_point() && outputs.dim() >= 2 && outputs.dim() == labels.dim() + 1 && outputs.size(1) > 0;
  const bool classes = holds_integers(outputs) && outputs.dim() >= 1 && outputs.dim() == labels.dim();
  bool fits = holds_integers(labels) && (scores || classes);
  for (std::int64_t d = 0; fits && d < labels.dim(); ++d)
    fits = outputs.size(scores && d > 0 ? d + 1 : d) == labels.size(d);
  if (!fits) {
    throw Error(ErrorKind::kUsage, "these outputs and labels do not go together",
                format("{} and {}", describe(outputs), describe(labels)),
                "give scores [n, classes, ...] or integers [n, ...], and labels that are integers [n, ...]");
  }
  const torch::Tensor decided = scores ? decide(outputs.detach()) : outputs;
  if (decided.is_cpu() && labels.is_cpu()) {
    predicted_ = decided.to(torch::kLong).contiguous();
    labels_ = labels.to(torch::kLong).contiguous();
  } else {
    const torch::Tensor both = torch::stack({decided.to(torch::kLong), labels.to(decided.device(), torch::kLong)});
    const torch::Tensor here = both.to(torch::kCPU);
    predicted_ = here[0];
    labels_ = here[1];
  }
}

void Decisions::check(std::int64_t classes) const {
  for (const std::int64_t label : labels()) {
    if (label < 0 || label >= classes) {
      throw Error(ErrorKind::kData, "a label is out of range", format("{}", label),
                  format("give labels from 0 to {}, or the metric more classes", classes - 1));
    }
  }
  for (const std::int64_t decided : predicted()) {
    if (decided != kUndecided && (decided < 0 || decided >= classes)) {
      throw Error(ErrorKind::kUsage, "a prediction is of no class that the metric knows", format("{}", decided),
                  format("it was made for the classes from 0 to {}", classes - 1));
    }
  }
}

}  // namespace base
