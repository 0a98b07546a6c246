// gradient_sync.h: the mean of the gradients of all processes, taken while backward is still under way.
#ifndef BASE_DIST_GRADIENT_SYNC_H_
#define BASE_DIST_GRADIENT_SYNC_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/config/knobs.h"
#include "base/dist/process_group.h"

namespace base {

struct DistSettings {
  std::chrono::milliseconds timeout = std::chrono::minutes(10);
  double bucket = 25.0;  // MB
  std::string compress = "none";
  bool find_unused = false;
  bool sync_batch_norm = false;

  void declare(Knobs& knobs);
};

/// Gradients are put into buckets as backward makes them, and a bucket is sent as soon as it is full, while backward
/// goes on with the layers before. Not for a world of one.
///
///     sync.before_backward(loss);      // left out while gradients are only added up
///     loss.backward();                 // the gradients are the mean over all processes
class GradientSync {
 public:
  using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;

  /// The parameters of the model, by name; those that need no gradient are left out. They must be the same everywhere:
  /// what differs in shape is a distributed Error, values are taken from the first process.
  GradientSync(ProcessGroup& group, const DistSettings& settings, const NamedTensors& parameters);
  ~GradientSync();
  GradientSync(const GradientSync&) = delete;
  GradientSync& operator=(const GradientSync&) = delete;

  /// Whether these would be averaged, no more and no less: it may be that some were frozen or unfrozen since.
  bool is_for(const NamedTensors& parameters) const;

  /// The gradients that the next backward of `loss` makes are averaged, with what has been added up before.
  void before_backward(const torch::Tensor& loss);
  /// Averages the gradients as they are now: for an epoch that ends before enough of them were added up.
  void average_now();

 private:
  class Hooks;
  ProcessGroup& group_;
  std::vector<torch::Tensor> parameters_;
  std::unique_ptr<Hooks> hooks_;
};

}  // namespace base

#endif  // BASE_DIST_GRADIENT_SYNC_H_
