#include "base/torch.h"

#include "base/metrics/mean.h"

#include "base/log/error.h"
#include "base/log/format.h"

namespace base {

void Mean::update(double value, double weight) {
  if (weight == 0) return;
  if (!(weight > 0)) {
    throw Error(ErrorKind::kUsage, "a mean takes no such weight", format("{}", weight), "give one from 0 up");
  }
  sums()[0] += value * weight;
  sums()[1] += weight;
}

void Mean::update(const torch::Tensor& values, double weight) {
  const std::int64_t count = values.numel();
  if (count == 0 || weight == 0) return;
  const double sum = count == 1 ? values.item<double>() : values.detach().sum(torch::kDouble).item<double>();
  update(sum / static_cast<double>(count), weight * static_cast<double>(count));
}

double Mean::value() const {
  return sums()[0] / sums()[1];
}

void Mean::add_results(const std::string& name, Results& results) const {
  results.emplace_back(name, value());
}

}  // namespace base
