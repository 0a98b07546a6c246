// onnx_call.h: one operator of a trace, on its way to ONNX, and the table of those that can go there.
#ifndef BASE_EXPORT_ONNX_CALL_H_
#define BASE_EXPORT_ONNX_CALL_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/export/onnx_builder.h"

namespace base {

/// Why an operator cannot be lowered; becomes part of one Error that names all of them.
struct NotLowered {
  std::string why;
};

/// An operator with its arguments, by the names that they have in LibTorch's schemas. What it gives is known from the
/// trace, only not its name yet.
class OnnxCall {
 public:
  OnnxCall(OnnxBuilder& build, std::string operation, std::vector<std::pair<std::string, Operand>> arguments,
           std::vector<Operand> outputs)
      : build(build), operation(std::move(operation)), arguments_(std::move(arguments)), outputs_(std::move(outputs)) {}

  OnnxBuilder& build;
  const std::string operation;  // "relu"

  /// The argument, or one that is none.
  const Operand& operator[](std::string_view name) const;
  bool has(std::string_view name) const { return !(*this)[name].is_none(); }
  /// The name of the argument that is a tensor, or "" for none.
  const std::string& tensor(std::string_view name) const { return (*this)[name].name; }
  /// Those that may not be computed, or a NotLowered.
  std::int64_t integer(std::string_view name, std::int64_t otherwise = 0) const;
  double real(std::string_view name, double otherwise = 0) const;
  bool truth(std::string_view name, bool otherwise = false) const;
  std::vector<std::int64_t> integers(std::string_view name) const;
  /// A list, or a single integer `count` times.
  std::vector<std::int64_t> integers(std::string_view name, std::size_t count) const;
  /// The same for an axis of a tensor of this rank: from 0 on.
  std::int64_t axis(std::string_view name, std::int64_t rank, std::int64_t otherwise = 0) const;
  std::vector<std::int64_t> axes(std::string_view name, std::int64_t rank) const;

  std::size_t output_count() const { return outputs_.size(); }
  const Operand& output(std::size_t i = 0) const { return outputs_.at(i); }
  DType dtype() const { return output().dtype; }

  /// The value is the first output, or that of this number.
  void give(std::string name) { give(0, std::move(name)); }
  void give(std::size_t i, std::string name) { outputs_.at(i).name = std::move(name); }
  [[noreturn]] void refuse(std::string why) const { throw NotLowered{std::move(why)}; }

  /// Short forms, for formulas.
  std::string constant(double value, DType dtype) { return build.scalar(value, dtype); }
  std::string op(const std::string& operation, std::vector<std::string> inputs, OnnxAttributes attributes = {}) {
    return build.emit(operation, std::move(inputs), std::move(attributes));
  }

 private:
  std::vector<std::pair<std::string, Operand>> arguments_;
  std::vector<Operand> outputs_;
};

using OnnxTable = std::unordered_map<std::string, void (*)(OnnxCall&)>;

void add_arithmetic(OnnxTable& table);
void add_activations(OnnxTable& table);
void add_comparisons(OnnxTable& table);
void add_convolutions(OnnxTable& table);
void add_indexing(OnnxTable& table);
void add_makers(OnnxTable& table);
void add_norms(OnnxTable& table);
void add_products(OnnxTable& table);
void add_pools(OnnxTable& table);
void add_recurrent(OnnxTable& table);
void add_reductions(OnnxTable& table);
void add_resizes(OnnxTable& table);
void add_shapes(OnnxTable& table);

}  // namespace base

#endif  // BASE_EXPORT_ONNX_CALL_H_
