#include "base/torch.h"

#include <algorithm>

#include "base/export/onnx_call.h"

namespace base {
namespace {

using Integers = std::vector<std::int64_t>;

struct Window {
  std::size_t spatial = 0;
  Integers kernel;
  Integers stride;
  Integers padding;
  Integers dilation;
  bool ceil = false;
};

/// "max_pool2d" has two spatial axes.
std::size_t spatial_of(const OnnxCall& call) {
  const std::size_t place = call.operation.find_first_of("123");
  return static_cast<std::size_t>(call.operation.at(place) - '0');
}

Window window_of(const OnnxCall& call) {
  Window window;
  window.spatial = spatial_of(call);
  window.kernel = call.integers("kernel_size", window.spatial);
  window.stride = call.integers("stride", window.spatial);
  if (window.stride.empty()) window.stride = window.kernel;
  window.padding = call.integers("padding", window.spatial);
  window.dilation = call.has("dilation") ? call.integers("dilation", window.spatial) : Integers(window.spatial, 1);
  window.ceil = call.truth("ceil_mode");
  return window;
}

/// What has to be added at the end so that the last window, begun inside, is whole. Engines do not agree on what
/// rounding up means; on padding they do.
Integers added_at_end(const OnnxCall& call, const Window& window) {
  Integers added(window.spatial, 0);
  if (!window.ceil) return added;
  const std::vector<Axis>& before = call["self"].axes;
  const std::vector<Axis>& after = call.output().axes;
  const std::size_t skipped = before.size() - window.spatial;
  for (std::size_t i = 0; i < window.spatial; ++i) {
    if (before[skipped + i].is_dynamic())
      call.refuse("ceil_mode along a dynamic axis: round down, or leave the axis static");
    const std::int64_t reach =
        (after[skipped + i].size - 1) * window.stride[i] + window.dilation[i] * (window.kernel[i] - 1) + 1;
    added[i] = std::max<std::int64_t>(0, reach - before[skipped + i].size - 2 * window.padding[i]);
  }
  return added;
}

Integers both_ends(const Integers& begin, const Integers& end, const Integers& added) {
  Integers pads = begin;
  for (std::size_t i = 0; i < end.size(); ++i) pads.push_back(end[i] + added[i]);
  return pads;
}

std::string with_batch(OnnxCall& call, std::size_t spatial) {
  const Operand& x = call["self"];
  return x.axes.size() == spatial + 2 ? x.name : call.build.unsqueeze(x.name, {0});
}

std::string without_batch(OnnxCall& call, std::size_t spatial, const std::string& y) {
  return call["self"].axes.size() == spatial + 2 ? y : call.build.squeeze(y, {0});
}

void lower_max_pool(OnnxCall& call) {
  const Window window = window_of(call);
  const Integers pads = both_ends(window.padding, window.padding, added_at_end(call, window));
  const std::string y = call.op(
      "MaxPool", {with_batch(call, window.spatial)},
      {{"kernel_shape", window.kernel}, {"strides", window.stride}, {"pads", pads}, {"dilations", window.dilation}});
  call.give(without_batch(call, window.spatial, y));
}

std::string zero_padded(OnnxCall& call, const std::string& x, const Integers& begin, const Integers& end) {
  Integers pads = {0, 0};
  pads.insert(pads.end(), begin.begin(), begin.end());
  pads.insert(pads.end(), {0, 0});
  pads.insert(pads.end(), end.begin(), end.end());
  if (std::ranges::all_of(pads, [](std::int64_t pad) { return pad == 0; })) return x;
  return call.op("Pad", {x, call.build.integers(pads), call.constant(0, call.dtype())});
}

/// LibTorch counts the padding, if asked to, but never what rounding up adds. So what is counted becomes zeros of the
/// tensor, and what is not becomes padding of the pool.
void lower_avg_pool(OnnxCall& call) {
  const Window window = window_of(call);
  const Integers none(window.spatial, 0);
  const Integers added = added_at_end(call, window);
  std::string x = with_batch(call, window.spatial);
  Integers pads = both_ends(window.padding, window.padding, added);
  const bool overridden = call.has("divisor_override");
  if (call.truth("count_include_pad", true) || overridden) {
    Integers end = window.padding;
    for (std::size_t i = 0; overridden && i < end.size(); ++i) end[i] += added[i];
    x = zero_padded(call, x, window.padding, end);
    pads = both_ends(none, none, overridden ? none : added);
  }
  std::string y = call.op("AveragePool", {x},
                          {{"kernel_shape", window.kernel},
                           {"strides", window.stride},
                           {"pads", pads},
                           {"count_include_pad", std::int64_t{0}}});
  if (overridden) {
    double cells = 1;
    for (const std::int64_t size : window.kernel) cells *= static_cast<double>(size);
    y = call.op("Mul", {y, call.constant(cells / call.real("divisor_override"), call.dtype())});
  }
  call.give(without_batch(call, window.spatial, y));
}

/// Row o averages what output o sees of an axis.
torch::Tensor averaging_matrix(std::int64_t in, std::int64_t out) {
  torch::Tensor matrix = torch::zeros({out, in});
  for (std::int64_t o = 0; o < out; ++o) {
    const std::int64_t begin = o * in / out;
    const std::int64_t end = ((o + 1) * in + out - 1) / out;
    matrix.index_put_({o, torch::indexing::Slice(begin, end)}, 1.0 / static_cast<double>(end - begin));
  }
  return matrix;
}

/// Windows of different sizes: along each axis a product with a constant matrix.
std::string averaged_by_matrices(OnnxCall& call, const Integers& out) {
  const std::vector<Axis>& axes = call["self"].axes;
  const auto rank = static_cast<std::int64_t>(axes.size());
  std::string y = call["self"].name;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t axis = axes.size() - out.size() + i;
    const torch::Tensor matrix = averaging_matrix(axes[axis].size, out[i]).to(to_torch(call.dtype()));
    Integers order;
    for (std::int64_t j = 0; j < rank; ++j) order.push_back(j);
    std::swap(order[axis], order.back());
    y = call.build.transpose(y, order);
    y = call.op("MatMul", {y, call.build.constant(matrix.t())});
    y = call.build.transpose(y, order);
  }
  return y;
}

/// The same for maxima: of each window its own.
std::string largest_by_slices(OnnxCall& call, const Integers& out) {
  const std::vector<Axis>& axes = call["self"].axes;
  std::string y = call["self"].name;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto axis = static_cast<std::int64_t>(axes.size() - out.size() + i);
    const std::int64_t in = axes[static_cast<std::size_t>(axis)].size;
    std::vector<std::string> parts;
    for (std::int64_t o = 0; o < out[i]; ++o) {
      const std::string window =
          call.build.slice(y, axis, number(o * in / out[i]), number(((o + 1) * in + out[i] - 1) / out[i]));
      parts.push_back(call.op("ReduceMax", {window}, {{"axes", Integers{axis}}, {"keepdims", std::int64_t{1}}}));
    }
    y = parts.size() == 1 ? parts[0] : call.op("Concat", parts, {{"axis", axis}});
  }
  return y;
}

void lower_adaptive_pool(OnnxCall& call, bool average) {
  const std::size_t spatial = spatial_of(call);
  const std::vector<Axis>& before = call["self"].axes;
  const std::size_t skipped = before.size() - spatial;
  Integers out;
  for (std::size_t i = 0; i < spatial; ++i) out.push_back(call.output().axes[skipped + i].size);
  if (call.output_count() > 1) call.give(1, "");  // where the maxima are: nobody can ask for it, see the walk
  if (std::ranges::all_of(out, [](std::int64_t size) { return size == 1; })) {
    const std::string y = call.op(average ? "GlobalAveragePool" : "GlobalMaxPool", {with_batch(call, spatial)});
    return call.give(without_batch(call, spatial, y));
  }
  Integers kernel;
  bool divisible = true;
  for (std::size_t i = 0; i < spatial; ++i) {
    if (before[skipped + i].is_dynamic())
      call.refuse("along a dynamic axis only pools to a single number can be exported");
    divisible &= before[skipped + i].size % out[i] == 0;
    kernel.push_back(before[skipped + i].size / out[i]);
  }
  if (divisible) {
    const std::string y = call.op(average ? "AveragePool" : "MaxPool", {with_batch(call, spatial)},
                                  {{"kernel_shape", kernel}, {"strides", kernel}});
    return call.give(without_batch(call, spatial, y));
  }
  call.give(average ? averaged_by_matrices(call, out) : largest_by_slices(call, out));
}

}  // namespace

void add_pools(OnnxTable& table) {
  for (const char* name : {"max_pool1d", "max_pool2d", "max_pool3d", "max_pool1d_with_indices",
                           "max_pool2d_with_indices", "max_pool3d_with_indices"})
    table[name] = lower_max_pool;
  for (const char* name : {"avg_pool1d", "avg_pool2d", "avg_pool3d"}) table[name] = lower_avg_pool;
  for (const char* name : {"adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d"})
    table[name] = [](OnnxCall& call) { lower_adaptive_pool(call, true); };
  for (const char* name : {"adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d"})
    table[name] = [](OnnxCall& call) { lower_adaptive_pool(call, false); };
}

}  // namespace base
