// onnx_builder.h: an OnnxGraph while it is put together from a trace.
#ifndef BASE_EXPORT_ONNX_BUILDER_H_
#define BASE_EXPORT_ONNX_BUILDER_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/export/onnx_graph.h"
#include "base/torch.h"

namespace base {

/// What a value of the trace is in the ONNX graph: a tensor by its name, a number, a list of such, or nothing.
struct Operand {
  enum class Kind { kNone, kInteger, kReal, kTruth, kText, kTensor, kList };

  Kind kind = Kind::kNone;
  std::int64_t integer = 0;  // also a truth; of a number that is computed, what it was in the trace
  double real = 0;
  std::string text = {};
  std::string name = {};  // of a tensor; of a number that is computed: a tensor of one element and one axis
  DType dtype = DType::kF32;
  std::vector<Axis> axes = {};
  std::vector<Operand> items = {};
  torch::Tensor constant = {};  // if it is one, its value

  bool is_none() const { return kind == Kind::kNone; }
  bool is_tensor() const { return kind == Kind::kTensor; }
  bool is_computed() const { return !is_tensor() && !name.empty(); }
  std::int64_t rank() const { return static_cast<std::int64_t>(axes.size()); }
};

using OnnxAttributes = std::map<std::string, OnnxAttribute>;

torch::ScalarType to_torch(DType dtype);
DType to_dtype(torch::ScalarType type);

/// The type in which LibTorch computes with these: tensors before scalars before plain numbers.
DType common_type(const std::vector<Operand>& operands);

/// Adds nodes and constants; names are found by itself. Values are told by their names.
class OnnxBuilder {
 public:
  explicit OnnxBuilder(const Signature& signature);

  /// What nodes are called from here on: "network/conv1" gives "network/conv1/Conv".
  void set_path(std::string path) { path_ = std::move(path); }

  /// One node; the name of its output.
  std::string emit(const std::string& operation, std::vector<std::string> inputs, OnnxAttributes attributes = {});
  std::vector<std::string> emit_many(const std::string& operation, std::vector<std::string> inputs,
                                     OnnxAttributes attributes, std::size_t outputs);

  /// A constant; with `name` under that name if it is free.
  std::string constant(const torch::Tensor& tensor, const std::string& name = "");
  /// A constant of one axis; the same one for the same numbers.
  std::string integers(const std::vector<std::int64_t>& numbers);
  /// A constant without axes; the same one for the same number.
  std::string scalar(double number, DType dtype);
  std::string scalar(std::int64_t number, DType dtype);

  std::string cast(const std::string& value, DType from, DType to);
  /// A tensor as it is, a number without axes; in this type.
  std::string as(const Operand& operand, DType dtype);

  /// A list of integers, some of which may be computed, as a tensor of one axis.
  std::string list(const std::vector<Operand>& items);
  /// The sum of two integers.
  Operand sum(const Operand& a, const Operand& b);
  /// A number that is `operation` of two, of which one is computed.
  Operand computed(const std::string& operation, const Operand& a, const Operand& b, std::int64_t result);

  /// Of what size a dynamic axis is, as a number; `known` tells whether a value with such an axis was made yet.
  Operand dimension(const Axis& axis);
  bool knows(const Axis& axis) const { return !axis.is_dynamic() || sources_.contains(axis.name); }
  /// A shape, as a tensor of one axis.
  std::string shape(const std::vector<Axis>& axes);
  /// The tensor in another shape. `wanted` is the list that the trace has for it, if it has one: for sizes that no
  /// value has had yet.
  std::string reshape(const std::string& value, const std::vector<Axis>& from, const std::vector<Axis>& to,
                      const std::vector<Operand>& wanted = {});
  std::string transpose(const std::string& value, const std::vector<std::int64_t>& order);
  /// What the matrix is the other way round of, if it is known to be; else "".
  std::string turned_from(const std::string& matrix) const;
  /// A weight the other way round as another weight, since passes and engines want them as constants; "" if it is none.
  std::string turned_weight(const std::string& weight);
  std::string unsqueeze(const std::string& value, const std::vector<std::int64_t>& axes);
  std::string squeeze(const std::string& value, const std::vector<std::int64_t>& axes);
  std::string slice(const std::string& value, std::int64_t axis, const Operand& start, const Operand& end,
                    std::int64_t step = 1);

  /// Notes what is known of a value, and that it is a source of its dynamic sizes.
  void note(const std::string& value, DType dtype, const std::vector<Axis>& axes);

  /// The graph, with `outputs` under the names of the signature.
  OnnxGraph finish(const std::vector<std::string>& outputs);

 private:
  std::string fresh(const std::string& wanted);
  void drop_unused();

  OnnxGraph graph_;
  std::string path_;
  std::set<std::string> used_;                 // names of values
  std::map<std::string, int> counts_;          // of names, to go on from
  std::map<std::string, std::string> turned_;  // matrices, and what they were before
  std::map<std::string, torch::Tensor> constants_;
  std::map<std::string, std::string> shared_;                            // constants by what they are
  std::map<std::string, std::pair<std::string, std::int64_t>> sources_;  // of the sizes of dynamic axes
  std::map<std::string, std::string> dimensions_;                        // the same, once asked for
};

inline Operand number(std::int64_t value) {
  return {.kind = Operand::Kind::kInteger, .integer = value};
}

}  // namespace base

#endif  // BASE_EXPORT_ONNX_BUILDER_H_
