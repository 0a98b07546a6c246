#include "base/torch.h"

#include "base/metrics/error.h"

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/tensor/tensors.h"

namespace base {
namespace {

torch::Tensor difference(const torch::Tensor& predictions, const torch::Tensor& targets) {
  if (predictions.sizes() != targets.sizes()) {
    throw Error(ErrorKind::kUsage, "predictions and targets differ in shape",
                format("{} and {}", describe(predictions), describe(targets)), "reshape one of them to the other");
  }
  // Half precision and integers would overflow where these do not.
  const bool exact = predictions.scalar_type() == torch::kFloat && targets.scalar_type() == torch::kFloat;
  const auto type = exact ? torch::kFloat : torch::kDouble;
  return predictions.detach().to(type) - targets.detach().to(predictions.device(), type);
}

}  // namespace

void MeanSquaredError::update(const torch::Tensor& predictions, const torch::Tensor& targets) {
  sums()[0] += difference(predictions, targets).square_().sum(torch::kDouble).item<double>();
  sums()[1] += static_cast<double>(predictions.numel());
}

void MeanAbsoluteError::update(const torch::Tensor& predictions, const torch::Tensor& targets) {
  sums()[0] += difference(predictions, targets).abs_().sum(torch::kDouble).item<double>();
  sums()[1] += static_cast<double>(predictions.numel());
}

}  // namespace base
