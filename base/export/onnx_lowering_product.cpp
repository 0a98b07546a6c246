#include "base/torch.h"

#include <cmath>

#include "base/export/onnx_call.h"

namespace base {
namespace {

/// As a constant if it can be one.
std::string turned_matrix(OnnxCall& call, const std::string& matrix) {
  const std::string weight = call.build.turned_weight(matrix);
  return weight.empty() ? call.build.transpose(matrix, {1, 0}) : weight;
}

void lower_linear(OnnxCall& call) {
  const Operand& x = call["input"];
  const Operand& weight = call["weight"];
  const std::string& bias = call.tensor("bias");
  if (x.rank() == 2 && weight.rank() == 2) {
    std::vector<std::string> inputs = {x.name, weight.name};
    if (!bias.empty()) inputs.push_back(bias);
    return call.give(call.op("Gemm", inputs, {{"transB", std::int64_t{1}}}));
  }
  const std::string turned = weight.rank() == 2 ? turned_matrix(call, weight.name) : weight.name;
  const std::string product = call.op("MatMul", {x.name, turned});
  call.give(bias.empty() ? product : call.op("Add", {product, bias}));
}

void lower_addmm(OnnxCall& call) {
  OnnxAttributes attributes = {{"alpha", call.real("alpha", 1)}, {"beta", call.real("beta", 1)}};
  std::string second = call.tensor("mat2");
  if (const std::string before = call.build.turned_from(second); !before.empty()) {  // what torch::nn::Linear makes
    second = before;
    attributes["transB"] = std::int64_t{1};
  }
  call.give(call.op("Gemm", {call.tensor("mat1"), second, call.tensor("self")}, attributes));
}

std::string times(OnnxCall& call, const std::string& x, const char* factor) {
  return call.has(factor) && call.real(factor, 1) != 1 ? call.op("Mul", {x, call.build.as(call[factor], call.dtype())})
                                                       : x;
}

void lower_baddbmm(OnnxCall& call) {
  const std::string product = times(call, call.op("MatMul", {call.tensor("batch1"), call.tensor("batch2")}), "alpha");
  call.give(call.op("Add", {times(call, call.tensor("self"), "beta"), product}));
}

void lower_addmv(OnnxCall& call) {
  const std::string product = times(call, call.op("MatMul", {call.tensor("mat"), call.tensor("vec")}), "alpha");
  call.give(call.op("Add", {times(call, call.tensor("self"), "beta"), product}));
}

void lower_einsum(OnnxCall& call) {
  std::string equation = call["equation"].text;
  std::erase(equation, ' ');
  std::vector<std::string> tensors;
  for (const Operand& tensor : call["tensors"].items) tensors.push_back(call.build.as(tensor, call.dtype()));
  call.give(call.op("Einsum", tensors, {{"equation", equation}}));
}

void lower_bilinear(OnnxCall& call) {
  const std::string product = call.op("Einsum", {call.tensor("input1"), call.tensor("weight"), call.tensor("input2")},
                                      {{"equation", std::string("...i,oij,...j->...o")}});
  call.give(call.has("bias") ? call.op("Add", {product, call.tensor("bias")}) : product);
}

void lower_outer(OnnxCall& call) {
  const std::string column = call.build.unsqueeze(call.build.as(call["self"], call.dtype()), {1});
  call.give(call.op("Mul", {column, call.build.as(call[call.has("vec2") ? "vec2" : "other"], call.dtype())}));
}

/// A mask of a square's lower left half, as what is added to the scores.
std::string causal_mask(OnnxCall& call, const Axis& rows, const Axis& columns) {
  const std::string ones =
      call.op("Expand", {call.build.scalar(std::int64_t{1}, DType::kI64), call.build.shape({rows, columns})});
  const std::string lower = call.op("Trilu", {ones}, {{"upper", std::int64_t{0}}});
  return call.build.cast(lower, DType::kI64, DType::kBool);
}

std::string added_mask(OnnxCall& call, const std::string& allowed) {
  const DType type = call.dtype();
  return call.op("Where", {allowed, call.constant(0, type), call.constant(-INFINITY, type)});
}

/// A query that may look at nothing gets zeros in LibTorch, where a softmax alone gives nan.
std::string zero_where_masked(OnnxCall& call, const Operand& mask, const std::string& weights) {
  const bool truths = mask.dtype == DType::kBool;
  if (mask.constant.defined()) {
    const torch::Tensor allowed = truths ? mask.constant : mask.constant != -INFINITY;
    if (allowed.any(-1).all().item<bool>()) return weights;
  }
  const DType type = call.dtype();
  const std::string allowed =
      truths ? mask.name : call.op("Greater", {call.build.as(mask, type), call.constant(-INFINITY, type)});
  const std::string any = call.op("ReduceMax", {call.build.cast(allowed, DType::kBool, DType::kI32)},
                                  {{"axes", std::vector<std::int64_t>{-1}}, {"keepdims", std::int64_t{1}}});
  return call.op("Where", {call.build.cast(any, DType::kI32, DType::kBool), weights, call.constant(0, type)});
}

void lower_attention(OnnxCall& call) {
  const Operand& query = call["query"];
  const Operand& key = call["key"];
  const DType type = call.dtype();
  if (call.truth("enable_gqa")) call.refuse("grouped queries have no operator in ONNX");
  if (call.real("dropout_p", 0) != 0) call.refuse("it draws random numbers: give 0 for dropout_p in eval mode");
  const Axis& width = query.axes.back();
  if (!call.has("scale") && width.is_dynamic()) call.refuse("the width of a head must not be dynamic");
  const double scale = call.has("scale") ? call.real("scale") : 1 / std::sqrt(static_cast<double>(width.size));
  std::vector<std::int64_t> order;
  for (std::int64_t i = 0; i < key.rank(); ++i) order.push_back(i);
  std::swap(order.at(order.size() - 1), order.at(order.size() - 2));
  std::string scores = call.op(
      "MatMul", {call.op("Mul", {query.name, call.constant(scale, type)}), call.build.transpose(key.name, order)});
  if (call.truth("is_causal")) {
    const Axis& rows = query.axes.at(query.axes.size() - 2);
    const Axis& columns = key.axes.at(key.axes.size() - 2);
    scores = call.op("Add", {scores, added_mask(call, causal_mask(call, rows, columns))});
  }
  const Operand& mask = call["attn_mask"];
  if (!mask.is_none()) {
    scores =
        call.op("Add", {scores, mask.dtype == DType::kBool ? added_mask(call, mask.name) : call.build.as(mask, type)});
  }
  std::string weights = call.op("Softmax", {scores}, {{"axis", std::int64_t{-1}}});
  if (!mask.is_none()) weights = zero_where_masked(call, mask, weights);
  call.give(call.op("MatMul", {weights, call.tensor("value")}));
}

template <const char* kFirst, const char* kSecond>
void lower_matmul(OnnxCall& call) {
  std::string second = call.build.as(call[kSecond], call.dtype());
  const std::string weight = call.build.turned_weight(call.build.turned_from(second));
  if (!weight.empty()) second = weight;
  call.give(call.op("MatMul", {call.build.as(call[kFirst], call.dtype()), second}));
}
constexpr char kSelf[] = "self", kOther[] = "other", kMat2[] = "mat2", kVec[] = "vec", kTensor[] = "tensor";

}  // namespace

void add_products(OnnxTable& table) {
  table["linear"] = lower_linear;
  table["addmm"] = lower_addmm;
  table["addmv"] = lower_addmv;
  table["baddbmm"] = lower_baddbmm;
  table["matmul"] = lower_matmul<kSelf, kOther>;
  table["mm"] = table["bmm"] = lower_matmul<kSelf, kMat2>;
  table["mv"] = lower_matmul<kSelf, kVec>;
  table["dot"] = lower_matmul<kSelf, kTensor>;
  table["einsum"] = lower_einsum;
  table["bilinear"] = lower_bilinear;
  table["outer"] = table["ger"] = lower_outer;
  table["scaled_dot_product_attention"] = lower_attention;
  table["embedding"] = [](OnnxCall& call) {
    call.give(call.op("Gather", {call.tensor("weight"), call.tensor("indices")}));
  };
}

}  // namespace base
