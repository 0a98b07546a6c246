// <@ file_name @>.h: TODO(1/4): say in a sentence what the network computes.
//
//     --model <@ file_name @>
//
#ifndef SRC_<@ upper(file_name) @>_H_
#define SRC_<@ upper(file_name) @>_H_

#include <base/model/model.h>

#include <memory>
#include <utility>

#include "src/model.h"
#include "src/settings.h"

namespace <@ namespace @> {

/// Starts as a copy of Model in all but its name; override what is to differ.
class <@ class_name @> final : public base::Model {
 public:
  explicit <@ class_name @>(const Settings& settings) {
    // TODO(2/4): register your own layers instead.
    network_ = register_module("network", std::make_shared<<@ namespace @>::Model>(settings));
  }

  base::Tensors example_inputs() const override { return network_->example_inputs(); }
  base::Tensors preprocess(base::Tensors inputs) const override { return network_->preprocess(std::move(inputs)); }

  // TODO(3/4): run them.
  base::Tensors forward(const base::Tensors& inputs) override { return network_->forward(inputs); }
  base::Tensors postprocess(base::Tensors outputs) const override { return network_->postprocess(std::move(outputs)); }

  // TODO(4/4): a single number to make smaller, and what to follow beside it.
  torch::Tensor loss(const base::Tensors& outputs, const base::Tensors& batch) override {
    return network_->loss(outputs, batch);
  }
  void measure(const base::Tensors& outputs, const base::Tensors& batch, base::Metrics& metrics) const override {
    network_->measure(outputs, batch, metrics);
  }
  void check(const base::Tensors& batch, const NameOfExample& name) const override { network_->check(batch, name); }

 private:
  std::shared_ptr<<@ namespace @>::Model> network_;
};

}  // namespace <@ namespace @>

#endif  // SRC_<@ upper(file_name) @>_H_
