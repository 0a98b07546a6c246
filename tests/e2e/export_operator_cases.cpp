#include "base/torch.h"

#include "tests/e2e/export_cases.h"

namespace export_cases {
namespace {

using torch::Tensor;
using torch::indexing::Slice;
using Tensors = std::vector<Tensor>;
namespace F = torch::nn::functional;

/// Random numbers, the same in every run.
Tensor floats(std::vector<std::int64_t> shape) {
  return torch::randn(shape);
}

class Table {
 public:
  using Unary = Tensor (*)(const Tensor&);
  using Binary = Tensor (*)(const Tensor&, const Tensor&);

  void one(const std::string& name, std::vector<std::int64_t> shape, Unary compute) {
    cases.push_back({name, {floats(std::move(shape))}, [=](const Tensors& x) { return Tensors{compute(x[0])}; }});
  }
  void of(const std::string& name, Tensors inputs, Compute compute, std::vector<base::Model::DynamicAxis> axes = {}) {
    cases.push_back({name, std::move(inputs), std::move(compute), {}, std::move(axes)});
  }
  void two(const std::string& name, Tensor a, Tensor b, Binary compute) {
    cases.push_back(
        {name, {std::move(a), std::move(b)}, [=](const Tensors& x) { return Tensors{compute(x[0], x[1])}; }});
  }

  std::vector<Case> cases;
};

void add_functions(Table& t) {
  const auto f = [&](const std::string& name, Table::Unary compute) { t.one(name, {3, 4}, compute); };
  f("abs", [](const Tensor& x) { return x.abs(); });
  f("neg", [](const Tensor& x) { return -x; });
  f("sign", [](const Tensor& x) { return x.sign(); });
  f("exp", [](const Tensor& x) { return x.exp(); });
  f("expm1", [](const Tensor& x) { return x.expm1(); });
  f("exp2", [](const Tensor& x) { return x.exp2(); });
  f("log", [](const Tensor& x) { return (x.abs() + 0.1).log(); });
  f("log1p", [](const Tensor& x) { return x.abs().log1p(); });
  f("log2", [](const Tensor& x) { return (x.abs() + 0.1).log2(); });
  f("log10", [](const Tensor& x) { return (x.abs() + 0.1).log10(); });
  f("sqrt", [](const Tensor& x) { return x.abs().sqrt(); });
  f("rsqrt", [](const Tensor& x) { return (x.abs() + 0.1).rsqrt(); });
  f("square", [](const Tensor& x) { return x.square(); });
  f("reciprocal", [](const Tensor& x) { return (x.abs() + 0.5).reciprocal(); });
  f("sin", [](const Tensor& x) { return x.sin(); });
  f("cos", [](const Tensor& x) { return x.cos(); });
  f("tan", [](const Tensor& x) { return (x * 0.3).tan(); });
  f("asin", [](const Tensor& x) { return x.sigmoid().asin(); });
  f("acos", [](const Tensor& x) { return x.sigmoid().acos(); });
  f("atan", [](const Tensor& x) { return x.atan(); });
  f("sinh", [](const Tensor& x) { return x.sinh(); });
  f("cosh", [](const Tensor& x) { return x.cosh(); });
  f("erf", [](const Tensor& x) { return x.erf(); });
  f("erfc", [](const Tensor& x) { return x.erfc(); });
  f("floor", [](const Tensor& x) { return (x * 3).floor(); });
  f("ceil", [](const Tensor& x) { return (x * 3).ceil(); });
  f("round", [](const Tensor& x) { return (x * 3).round(); });
  f("trunc", [](const Tensor& x) { return (x * 3).trunc(); });
  f("frac", [](const Tensor& x) { return (x * 3).frac(); });
  f("isnan", [](const Tensor& x) { return (x.log()).isnan(); });
  f("isfinite", [](const Tensor& x) { return (x / x.relu()).isfinite(); });
  f("nan_to_num", [](const Tensor& x) { return torch::nan_to_num(x.sqrt(), 7.0); });
  f("relu", [](const Tensor& x) { return x.relu(); });
  f("relu_in_place", [](const Tensor& x) { return (x * 2).relu_().add_(1); });
  f("relu6", [](const Tensor& x) { return F::relu6(x * 5); });
  f("leaky_relu", [](const Tensor& x) { return torch::leaky_relu(x, 0.2); });
  f("elu", [](const Tensor& x) { return torch::elu(x, 1.5); });
  f("selu", [](const Tensor& x) { return torch::selu(x); });
  f("celu", [](const Tensor& x) { return torch::celu(x, 0.7); });
  f("gelu", [](const Tensor& x) { return torch::gelu(x); });
  f("gelu_tanh", [](const Tensor& x) { return torch::gelu(x, "tanh"); });
  f("silu", [](const Tensor& x) { return torch::silu(x); });
  f("mish", [](const Tensor& x) { return torch::mish(x); });
  f("hardswish", [](const Tensor& x) { return torch::hardswish(x * 3); });
  f("hardsigmoid", [](const Tensor& x) { return torch::hardsigmoid(x * 3); });
  f("hardtanh", [](const Tensor& x) { return torch::hardtanh(x, -0.5, 0.7); });
  f("sigmoid", [](const Tensor& x) { return x.sigmoid(); });
  f("tanh", [](const Tensor& x) { return x.tanh(); });
  f("softplus", [](const Tensor& x) { return torch::softplus(x * 30, 2) + torch::softplus(x, 2, 0.5); });
  f("softsign", [](const Tensor& x) { return F::softsign(x); });
  f("softshrink", [](const Tensor& x) { return torch::softshrink(x, 0.3); });
  f("hardshrink", [](const Tensor& x) { return torch::hardshrink(x, 0.3); });
  f("tanhshrink", [](const Tensor& x) { return F::tanhshrink(x); });
  f("log_sigmoid", [](const Tensor& x) { return torch::log_sigmoid(x); });
  f("threshold", [](const Tensor& x) { return torch::threshold(x, 0.1, -5); });
  f("rrelu", [](const Tensor& x) { return torch::rrelu(x); });
  t.one("glu", {3, 6, 4}, [](const Tensor& x) { return torch::glu(x, 1); });
  t.of("glu_dynamic", {floats({3, 6})}, [](const Tensors& x) { return Tensors{torch::glu(x[0], 1)}; },
       {{"a", 1, "time"}});
  t.one("softmax", {3, 6, 4}, [](const Tensor& x) { return x.softmax(1); });
  t.one("log_softmax", {3, 6}, [](const Tensor& x) { return x.log_softmax(-1); });
  t.one("softmax_double", {3, 6}, [](const Tensor& x) { return x.softmax(-1, torch::kDouble); });
}

void add_arithmetic(Table& t) {
  const auto two = [&](const std::string& name, Table::Binary compute) {
    t.two(name, floats({3, 4, 5}), floats({3, 1, 5}), compute);
  };
  const Tensor counts = torch::arange(12).view({3, 4}) - 5;
  two("add", [](const Tensor& a, const Tensor& b) { return a + b; });
  two("add_alpha", [](const Tensor& a, const Tensor& b) { return torch::add(a, b, 2.5); });
  two("sub_alpha", [](const Tensor& a, const Tensor& b) { return torch::sub(a, b, 0.5); });
  two("rsub", [](const Tensor& a, const Tensor& b) { return (3 - a) * torch::rsub(a, b); });
  two("mul", [](const Tensor& a, const Tensor& b) { return a * b * 2; });
  two("div", [](const Tensor& a, const Tensor& b) { return a / (b.abs() + 1); });
  two("div_floor", [](const Tensor& a, const Tensor& b) { return torch::div(a, b.abs() + 0.3, "floor"); });
  two("div_trunc", [](const Tensor& a, const Tensor& b) { return torch::div(a * 3, b.abs() + 0.3, "trunc"); });
  two("floor_divide", [](const Tensor& a, const Tensor& b) { return torch::floor_divide(a, b.abs() + 0.3); });
  two("remainder", [](const Tensor& a, const Tensor& b) { return torch::remainder(a, b.abs() + 0.3); });
  t.two("remainder_exact", torch::tensor({{1., -1., 1e8}, {7., -7., 0.6}, {-7., 3., -0.5}}, torch::kDouble),
        torch::tensor({{0.1, 0.1, 7.}, {-2., 2., 0.2}, {-2., 0.1, 0.1}}, torch::kDouble),
        [](const Tensor& a, const Tensor& b) {
          return torch::stack({torch::remainder(a, b), torch::floor_divide(a, b), torch::div(a, 0.1, "floor")});
        });
  two("fmod", [](const Tensor& a, const Tensor& b) { return torch::fmod(a, b.abs() + 0.3); });
  two("pow", [](const Tensor& a, const Tensor& b) { return a.abs().pow(b) + a.pow(2) + a.pow(3); });
  two("pow_scalar_base", [](const Tensor& a, const Tensor& b) { return torch::pow(2.0, a) + b; });
  two("maximum", [](const Tensor& a, const Tensor& b) { return torch::maximum(a, b) - torch::minimum(a, b); });
  two("max_other", [](const Tensor& a, const Tensor& b) { return torch::max(a, b) + torch::min(a, b) * 3; });
  two("lerp", [](const Tensor& a, const Tensor& b) { return torch::lerp(a, b.expand_as(a), 0.3); });
  two("addcmul", [](const Tensor& a, const Tensor& b) { return torch::addcmul(a, a, b, 0.5); });
  two("addcdiv", [](const Tensor& a, const Tensor& b) { return torch::addcdiv(a, a, b.abs() + 1, 0.5); });
  two("logaddexp", [](const Tensor& a, const Tensor& b) { return torch::logaddexp(a, b); });
  two("comparisons", [](const Tensor& a, const Tensor& b) {
    return (a < b).to(torch::kFloat) + (a <= 0) + 2 * (a > b) + 4 * (b >= 0.5) + 8 * (a == a) + 16 * (a != b);
  });
  two("logical", [](const Tensor& a, const Tensor& b) {
    return ((a > 0) & (b > 0)) | torch::logical_xor(a > 1, b < 0) | ~(a > -1);
  });
  two("where", [](const Tensor& a, const Tensor& b) { return torch::where(a > b, a, b * 10); });
  two("where_scalar", [](const Tensor& a, const Tensor& b) { return torch::where(a > b, a, 0.25); });
  two("masked_fill", [](const Tensor& a, const Tensor& b) { return a.masked_fill(b > 0, -1.5); });
  two("masked_fill_in_place", [](const Tensor& a, const Tensor& b) { return (a * 1).masked_fill_(b > 0, -1.5); });
  two("clamp", [](const Tensor& a, const Tensor& b) {
    return a.clamp(-0.5, 0.5) + b.clamp_min(0) + b.clamp_max(0.1) + a.clamp(0.2);
  });
  two("clamp_tensor", [](const Tensor& a, const Tensor& b) { return torch::clamp(a, b - 1, b + 0.1); });
  t.two("integers_and_floats", counts, floats({3, 4}),
        [](const Tensor& a, const Tensor& b) { return a + b + a * 2 + a / 3; });
  t.of("integer_arithmetic", {counts}, [](const Tensors& x) {
    const Tensor a = x[0];
    return Tensors{a + 3,
                   a * 2 - a,
                   torch::floor_divide(a, 3),
                   torch::remainder(a, 3),
                   torch::fmod(a, 3),
                   torch::div(a, 3, "trunc"),
                   a.pow(2),
                   -a.abs(),
                   a.clamp(-2, 3),
                   a / 2,
                   a.sqrt()};
  });
  t.of("small_integers", {counts.to(torch::kInt8), (counts + 5).to(torch::kUInt8)}, [](const Tensors& x) {
    return Tensors{x[0] + 3, x[1] * 2, x[0] + x[1], x[0] > 2, x[1].to(torch::kFloat) / 255};
  });
  t.of("truths", {counts > 0}, [](const Tensors& x) {
    return Tensors{x[0] + 1, x[0].sum(), x[0] * 2.5, x[0].logical_not()};
  });
  t.of("doubles", {torch::randn({3, 4}, torch::kDouble)}, [](const Tensors& x) {
    return Tensors{x[0] * 2 + 1, x[0].sum(1), x[0].sqrt().isnan()};
  });
  t.of("zero_dimensional", {floats({3, 4})},
       [](const Tensors& x) { return Tensors{x[0] - x[0].mean() + torch::scalar_tensor(2)}; });
}

void add_products(Table& t) {
  t.two("matmul", floats({3, 4, 5}), floats({3, 5, 2}), [](const Tensor& a, const Tensor& b) { return a.matmul(b); });
  t.two("bmm", floats({3, 4, 5}), floats({3, 5, 2}), [](const Tensor& a, const Tensor& b) { return a.bmm(b); });
  t.one("mm", {3, 4}, [](const Tensor& x) { return x.mm(x.t()); });
  t.one("mv", {3, 4}, [](const Tensor& x) { return x.mv(torch::arange(4).to(torch::kFloat)); });
  t.two("baddbmm", floats({3, 4, 5}), floats({3, 5, 2}), [](const Tensor& a, const Tensor& b) {
    return torch::baddbmm(torch::ones({1, 1, 2}), a, b, 0.5, 2);
  });
  t.one("addmm", {3, 4}, [](const Tensor& x) {
    return torch::addmm(torch::ones({5}), x, torch::ones({4, 5}), 2, 0.5);
  });
  t.two("einsum_batched", floats({3, 4, 5}), floats({3, 6, 5}), [](const Tensor& a, const Tensor& b) {
    return torch::einsum("bid, bjd -> bij", {a, b});
  });
  t.one("einsum_outer", {3, 4}, [](const Tensor& x) { return torch::einsum("bi,bj->bij", {x, x}); });
  t.one("einsum_sum", {3, 4, 5}, [](const Tensor& x) { return torch::einsum("bij->b", {x}); });
  t.one("einsum_transposed", {3, 4, 5}, [](const Tensor& x) { return torch::einsum("...ij->...ji", {x}); });
  t.of("attention", {floats({3, 2, 4, 8}), floats({3, 2, 5, 8}), floats({3, 2, 5, 6})},
       [](const Tensors& x) { return Tensors{torch::scaled_dot_product_attention(x[0], x[1], x[2])}; });
  t.of("attention_causal", {floats({3, 2, 5, 8})},
       [](const Tensors& x) {
         return Tensors{torch::scaled_dot_product_attention(x[0], x[0], x[0], {}, 0, true, 0.25)};
       },
       {{"a", 0, "batch"}, {"a", 2, "time"}});
  t.of("attention_masked", {floats({3, 2, 5, 8}), floats({3, 1, 5, 5})}, [](const Tensors& x) {
    return Tensors{
        torch::scaled_dot_product_attention(x[0], x[0], x[0], x[1] > -2),
        torch::scaled_dot_product_attention(x[0], x[0], x[0], (x[1] > -2) & (torch::arange(5).view({5, 1}) > 1)),
        torch::scaled_dot_product_attention(x[0], x[0], x[0], x[1])};
  });
}

void add_shapes(Table& t) {
  t.one("view", {3, 4, 6}, [](const Tensor& x) { return x.view({x.size(0), -1}); });
  t.one("view_by_sizes", {3, 4, 6}, [](const Tensor& x) { return x.view({x.size(0) * 2, 2, x.size(2)}); });
  t.one("reshape_all", {3, 4, 6}, [](const Tensor& x) { return x.reshape({-1}); });
  t.one("flatten", {3, 4, 6, 2}, [](const Tensor& x) { return x.flatten(1, 2); });
  t.one("unflatten", {3, 12, 2}, [](const Tensor& x) { return x.unflatten(1, {3, 4}); });
  t.one("permute", {3, 4, 6}, [](const Tensor& x) { return x.permute({2, 0, 1}); });
  t.one("transpose", {3, 4, 6}, [](const Tensor& x) { return x.transpose(-1, 1).contiguous(); });
  t.one("t", {3, 4}, [](const Tensor& x) { return x.t(); });
  t.one("movedim", {3, 4, 6, 2}, [](const Tensor& x) { return x.movedim(1, -1); });
  t.one("squeeze", {3, 1, 6, 1}, [](const Tensor& x) { return x.squeeze(1).squeeze(-1).unsqueeze(1); });
  t.one("squeeze_all", {3, 1, 6, 1}, [](const Tensor& x) { return x.squeeze(); });
  t.two("cat", floats({3, 4}), floats({3, 2}), [](const Tensor& a, const Tensor& b) {
    return torch::cat({a, b, a}, 1);
  });
  t.two("cat_batch", floats({3, 4}), floats({3, 4}), [](const Tensor& a, const Tensor& b) {
    return torch::cat({a, b});
  });
  t.two("cat_mixed", floats({3, 4}), torch::arange(6).view({3, 2}), [](const Tensor& a, const Tensor& b) {
    return torch::cat({a, b}, -1);
  });
  t.two("stack", floats({3, 4}), floats({3, 4}), [](const Tensor& a, const Tensor& b) {
    return torch::stack({a, b}, 1);
  });
  t.of("split", {floats({3, 7})}, [](const Tensors& x) { return x[0].split(3, 1); });
  t.of("split_with_sizes", {floats({3, 7})}, [](const Tensors& x) { return x[0].split_with_sizes({1, 4, 2}, 1); });
  t.of("chunk", {floats({3, 7})}, [](const Tensors& x) { return x[0].chunk(3, 1); });
  t.of("chunk_dynamic", {floats({3, 8})}, [](const Tensors& x) { return x[0].chunk(2, 1); }, {{"a", 1, "time"}});
  const auto split_twice = [](const Tensors& x) {
    Tensors parts = x[0].tensor_split(3, 1);
    for (const Tensor& part : x[0].tensor_split({1, 5}, 1)) parts.push_back(part);
    return parts;
  };
  t.of("tensor_split", {floats({3, 7})}, split_twice);
  t.of("tensor_split_dynamic", {floats({3, 8})}, split_twice, {{"a", 1, "time"}});
  t.of("unbind", {floats({3, 4, 2})}, [](const Tensors& x) { return x[0].unbind(1); });
  t.one("expand", {3, 1, 4}, [](const Tensor& x) { return x.expand({-1, 5, -1}); });
  t.one("expand_new", {3, 4}, [](const Tensor& x) { return x.expand({2, x.size(0), 4}); });
  t.one("repeat", {3, 4}, [](const Tensor& x) { return x.repeat({2, 1, 3}) + x.tile({3}); });
  t.one("repeat_interleave", {3, 4, 2}, [](const Tensor& x) { return x.repeat_interleave(3, 1); });
  t.one("roll", {3, 4, 5}, [](const Tensor& x) { return x.roll({1, -2}, {1, 2}); });
  t.one("roll_batch", {3, 4}, [](const Tensor& x) { return x.roll(1, 0); });
  t.one("flip", {3, 4, 5}, [](const Tensor& x) { return x.flip({1, 2}); });
  t.one("tril", {3, 4, 4}, [](const Tensor& x) { return x.tril() + x.triu(1) * 2 + x.tril(-1); });
  t.one("to_integers", {3, 4}, [](const Tensor& x) {
    return (x * 5).to(torch::kLong).to(torch::kFloat) + x.to(torch::kInt).to(torch::kFloat);
  });
  t.one("clone_detach", {3, 4}, [](const Tensor& x) { return x.clone().detach() + 1; });
}

void add_indexing(Table& t) {
  t.one("slice", {3, 8, 6}, [](const Tensor& x) { return x.slice(1, 1, 7, 2).index({Slice(), Slice(), Slice(-3)}); });
  t.one("slice_batch", {3, 4}, [](const Tensor& x) { return x.slice(0, 1); });
  t.one("select", {3, 8, 6}, [](const Tensor& x) { return x.select(1, -1) + x.select(1, 2); });
  t.one("narrow", {3, 8}, [](const Tensor& x) { return x.narrow(1, 2, 4); });
  t.one("narrow_batch", {3, 8}, [](const Tensor& x) { return x.narrow(0, 1, x.size(0) - 1); });
  t.one("index_none", {3, 8, 6}, [](const Tensor& x) { return x.index({Slice(), torch::indexing::None, 2}); });
  t.one("index_one", {3, 8, 6}, [](const Tensor& x) { return x.index({Slice(), torch::tensor({1, 5, -1})}); });
  t.one("index_two", {3, 8, 6}, [](const Tensor& x) {
    return x.index({Slice(), torch::tensor({1, 5, 2}), torch::tensor({0, 3, 5})});
  });
  t.one("index_apart", {3, 8, 6}, [](const Tensor& x) {
    return x.index({torch::arange(x.size(0)), Slice(), torch::tensor(2)});
  });
  t.two("index_rows", floats({3, 8}), torch::tensor({1, 0, 7}), [](const Tensor& a, const Tensor& b) {
    return a.index({torch::arange(a.size(0)), b});
  });
  t.two("index_select", floats({3, 8}), torch::tensor({1, 0, 7}),
        [](const Tensor& a, const Tensor& b) { return a.index_select(1, b); });
  t.two("gather", floats({3, 8}), torch::tensor({{1, 0}, {7, 7}, {3, 4}}),
        [](const Tensor& a, const Tensor& b) { return a.gather(1, b); });
  t.two("scatter", floats({3, 8}), torch::tensor({{1, 0}, {7, 6}, {3, 4}}), [](const Tensor& a, const Tensor& b) {
    return a.scatter(1, b, 9.0) + torch::zeros_like(a).scatter_add(1, b, torch::ones_like(b).to(torch::kFloat));
  });
  t.one("pad_constant", {3, 4, 5}, [](const Tensor& x) {
    return F::pad(x, F::PadFuncOptions({1, 2, 0, 1}).value(0.5));
  });
  t.one("pad_reflect", {3, 4, 5, 6}, [](const Tensor& x) {
    return F::pad(x, F::PadFuncOptions({1, 2, 3, 0}).mode(torch::kReflect));
  });
  t.one("pad_replicate", {3, 4, 5}, [](const Tensor& x) {
    return F::pad(x, F::PadFuncOptions({1, 2}).mode(torch::kReplicate));
  });
  t.one("pad_circular", {3, 4, 5}, [](const Tensor& x) {
    return F::pad(x, F::PadFuncOptions({1, 2}).mode(torch::kCircular));
  });
  t.one("pad_negative", {3, 4, 5}, [](const Tensor& x) { return torch::constant_pad_nd(x, {-1, 1}); });
  t.of("one_hot", {torch::tensor({1, 0, 4})}, [](const Tensors& x) { return Tensors{torch::one_hot(x[0], 5)}; });
  t.of("embedding_function", {torch::tensor({{1, 0}, {4, 2}, {3, 3}})}, [](const Tensors& x) {
    return Tensors{torch::embedding(torch::arange(10).view({5, 2}).to(torch::kFloat), x[0])};
  });
}

void add_reductions(Table& t) {
  t.one("sum", {3, 4, 5}, [](const Tensor& x) { return x.sum({1, 2}) + x.sum(); });
  t.one("sum_keep", {3, 4, 5}, [](const Tensor& x) { return x.sum(-1, true); });
  t.one("mean", {3, 4, 5}, [](const Tensor& x) { return x.mean({1}, true) - x.mean(); });
  t.one("mean_batch", {3, 4}, [](const Tensor& x) { return x.mean(0); });
  t.one("prod", {3, 4}, [](const Tensor& x) { return x.prod(1); });
  t.one("amax", {3, 4, 5}, [](const Tensor& x) { return x.amax({1, 2}) - x.amin(std::vector<std::int64_t>{1, 2}); });
  t.one("max_all", {3, 4, 5}, [](const Tensor& x) { return x.max() - x.min(); });
  t.of("max_axis", {floats({3, 4, 5})}, [](const Tensors& x) {
    const auto [value, place] = x[0].max(1);
    const auto [low, where] = x[0].min(-1, true);
    return Tensors{value, place, low, where};
  });
  t.one("argmax", {3, 4, 5}, [](const Tensor& x) { return x.argmax(1); });
  t.one("argmin", {3, 4, 5}, [](const Tensor& x) { return x.argmin(-1, true); });
  t.one("argmax_all", {3, 4}, [](const Tensor& x) { return x.argmax(); });
  t.one("all", {3, 4}, [](const Tensor& x) { return (x > -1).all(1); });
  t.one("any", {3, 4}, [](const Tensor& x) { return (x > 1).any(1, true); });
  t.one("norm", {3, 4}, [](const Tensor& x) { return x.norm(2, 1) + x.norm(1, 1) + x.norm(3, 1) + x.norm(); });
  t.one("normalize", {3, 4}, [](const Tensor& x) { return F::normalize(x, F::NormalizeFuncOptions().dim(1)); });
  t.one("vector_norm", {3, 4},
        [](const Tensor& x) { return torch::linalg_vector_norm(x, INFINITY, std::vector<std::int64_t>{1}); });
  t.one("linalg_norm", {3, 4},
        [](const Tensor& x) { return torch::linalg_norm(x) + torch::linalg_norm(x, 3, std::vector<std::int64_t>{1}); });
  t.one("var", {3, 4, 5}, [](const Tensor& x) { return x.var({1, 2}, true) + x.var({1, 2}, false); });
  t.one("std", {3, 4, 5}, [](const Tensor& x) { return x.std(-1, true, true); });
  t.one("var_batch", {3, 4}, [](const Tensor& x) { return x.var(0, true); });
  t.one("logsumexp", {3, 4, 5}, [](const Tensor& x) { return x.logsumexp(1); });
  t.one("cumsum", {3, 4, 5}, [](const Tensor& x) { return x.cumsum(1); });
  t.of("topk", {floats({3, 8})}, [](const Tensors& x) {
    const auto [values, places] = x[0].topk(3, 1);
    return Tensors{values, places};
  });
  t.of("sort", {floats({3, 8})}, [](const Tensors& x) {
    const auto [values, places] = x[0].sort(1, true);
    return Tensors{values, places, x[0].argsort(std::int64_t{1}, false)};
  });
  t.two("cosine_similarity", floats({3, 8}), floats({3, 8}),
        [](const Tensor& a, const Tensor& b) { return torch::cosine_similarity(a, b, 1); });
  t.two("pairwise_distance", floats({3, 8}), floats({3, 8}),
        [](const Tensor& a, const Tensor& b) { return F::pairwise_distance(a, b); });
}

void add_makers(Table& t) {
  t.one("arange", {3, 4}, [](const Tensor& x) { return x + torch::arange(4) + torch::arange(1, 9, 2); });
  t.one("arange_batch", {3, 4}, [](const Tensor& x) { return x + torch::arange(x.size(0)).unsqueeze(1); });
  t.one("zeros", {3, 4}, [](const Tensor& x) { return x + torch::zeros({x.size(0), 1}) + torch::ones({4}); });
  t.one("full", {3, 4}, [](const Tensor& x) { return x * torch::full({x.size(0), 4}, 2.5); });
  t.one("like", {3, 4},
        [](const Tensor& x) { return torch::zeros_like(x) + torch::ones_like(x) * 2 + torch::full_like(x, 3) + x; });
  t.one("new", {3, 4}, [](const Tensor& x) {
    return x.new_zeros({x.size(0), 2}).sum() + x.new_ones({4}) + x.new_full({1}, 2) + x;
  });
  t.one("eye", {3, 4}, [](const Tensor& x) { return x.mm(torch::eye(4)); });
  t.one("size_as_number", {3, 4}, [](const Tensor& x) {
    return x * x.size(0) + x / static_cast<double>(x.size(0)) + x * (1.0 / std::sqrt(static_cast<double>(x.size(0))));
  });
  t.of("mask_of_sizes", {floats({3, 5, 5})},
       [](const Tensors& x) {
         const std::int64_t time = x[0].size(1);
         return Tensors{x[0].masked_fill(torch::ones({time, time}).triu(1).to(torch::kBool), -1e9).softmax(-1)};
       },
       {{"a", 0, "batch"}, {"a", 1, "time"}, {"a", 2, "time"}});
  t.of("two_axes_flattened", {floats({3, 5, 4})},
       [](const Tensors& x) {
         const auto rows = x[0].view({x[0].size(0) * x[0].size(1), 4});
         return Tensors{rows, rows.view({x[0].size(0), x[0].size(1), 2, 2})};
       },
       {{"a", 0, "batch"}, {"a", 1, "time"}});
  t.of("length_of_a_tensor", {floats({3, 2, 9})},
       [](const Tensors& x) {
         const Tensor half = torch::avg_pool1d(x[0], 2);
         return Tensors{half.reshape({half.size(0), half.size(2), 2}), half.narrow(2, 1, half.size(2) - 1)};
       },
       {{"a", 0, "batch"}, {"a", 2, "time"}});
  t.of("batch_of_one", {floats({1, 4})}, [](const Tensors& x) {
    return Tensors{x[0].view({x[0].size(0), 2, 2}) + torch::zeros({x[0].size(0), 1, 1})};
  });
  t.of("two_inputs_two_names", {floats({3, 4}), floats({5, 4})},
       [](const Tensors& x) {
         return Tensors{x[0].mm(x[1].t()), torch::cat({x[0], x[1]})};
       },
       {{"a", 0, "queries"}, {"b", 0, "keys"}});
}

}  // namespace

std::vector<Case> operator_cases() {
  Table table;
  add_functions(table);
  add_arithmetic(table);
  add_products(table);
  add_shapes(table);
  add_indexing(table);
  add_reductions(table);
  add_makers(table);
  return std::move(table.cases);
}

}  // namespace export_cases
