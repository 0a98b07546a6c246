#include "base/torch.h"

#include "base/export/onnx_call.h"

namespace base {
namespace {

/// The factors of the spatial axes if the trace has them: LibTorch then computes with them and not with the sizes.
std::vector<float> factors_of(const OnnxCall& call, std::size_t spatial) {
  std::vector<float> factors;
  if (call["scale_factors"].kind == Operand::Kind::kList) {
    for (const Operand& item : call["scale_factors"].items) factors.push_back(static_cast<float>(item.real));
    return factors;
  }
  static const std::vector<std::vector<const char*>> kNames = {
      {"scales"}, {"scales_h", "scales_w"}, {"scales_d", "scales_h", "scales_w"}};
  for (const char* name : kNames.at(spatial - 1))
    if (call.has(name)) factors.push_back(static_cast<float>(call.real(name)));
  if (factors.size() != spatial) factors.clear();
  return factors;
}

void lower_resize(OnnxCall& call, OnnxAttributes attributes) {
  const Operand& x = call["self"];
  const std::size_t spatial = x.axes.size() - 2;
  std::vector<float> factors = factors_of(call, spatial);
  if (!factors.empty()) {
    factors.insert(factors.begin(), {1, 1});
    return call.give(
        call.op("Resize", {x.name, "", call.build.constant(torch::tensor(factors))}, std::move(attributes)));
  }
  std::vector<Operand> sizes = {call.build.dimension(x.axes[0]), call.build.dimension(x.axes[1])};
  const Operand& wanted = call["output_size"];
  for (std::size_t i = 0; i < spatial; ++i) {
    const Axis& axis = call.output().axes[2 + i];
    sizes.push_back(!call.build.knows(axis) && i < wanted.items.size() ? wanted.items[i] : call.build.dimension(axis));
  }
  call.give(call.op("Resize", {x.name, "", "", call.build.list(sizes)}, std::move(attributes)));
}

void lower_interpolation(OnnxCall& call, const std::string& mode) {
  OnnxAttributes attributes = {
      {"mode", mode},
      {"coordinate_transformation_mode", std::string(call.truth("align_corners") ? "align_corners" : "half_pixel")}};
  if (mode == "cubic") attributes["cubic_coeff_a"] = -0.75;
  lower_resize(call, std::move(attributes));
}

Axis axis_of(std::int64_t size) {
  return {.size = size};
}

/// [n, c r r, h, w] and [n, c, h r, w r], by way of six axes.
void lower_pixel_unshuffle(OnnxCall& call) {
  const Operand& x = call["self"];
  if (x.rank() != 4 || x.axes[2].is_dynamic() || x.axes[3].is_dynamic())
    call.refuse("it can be exported for four axes, of which the last two are static");
  const std::int64_t r = call.integer("downscale_factor");
  const std::vector<Axis> split = {
      x.axes[0], x.axes[1], axis_of(x.axes[2].size / r), axis_of(r), axis_of(x.axes[3].size / r), axis_of(r)};
  const std::string parts = call.build.reshape(x.name, x.axes, split);
  const std::vector<Axis> turned = {split[0], split[1], split[3], split[5], split[2], split[4]};
  call.give(call.build.reshape(call.build.transpose(parts, {0, 1, 3, 5, 2, 4}), turned, call.output().axes));
}

}  // namespace

void add_resizes(OnnxTable& table) {
  for (const char* name : {"upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d"}) {
    table[name] = [](OnnxCall& call) {
      lower_resize(call, {{"mode", std::string("nearest")},
                          {"coordinate_transformation_mode", std::string("asymmetric")},
                          {"nearest_mode", std::string("floor")}});
    };
  }
  for (const char* name : {"_upsample_nearest_exact1d", "_upsample_nearest_exact2d", "_upsample_nearest_exact3d"}) {
    table[name] = [](OnnxCall& call) {
      lower_resize(call, {{"mode", std::string("nearest")},
                          {"coordinate_transformation_mode", std::string("half_pixel")},
                          {"nearest_mode", std::string("round_prefer_ceil")}});
    };
  }
  for (const char* name : {"upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d"})
    table[name] = [](OnnxCall& call) { lower_interpolation(call, "linear"); };
  table["upsample_bicubic2d"] = [](OnnxCall& call) { lower_interpolation(call, "cubic"); };
  table["pixel_shuffle"] = [](OnnxCall& call) {
    if (call["self"].rank() != 4) call.refuse("it can be exported for four axes");
    call.give(call.op("DepthToSpace", {call.tensor("self")},
                      {{"blocksize", call.integer("upscale_factor")}, {"mode", std::string("CRD")}}));
  };
  table["pixel_unshuffle"] = lower_pixel_unshuffle;
}

}  // namespace base
