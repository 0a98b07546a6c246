#include "base/torch.h"

#include "base/export/onnx_call.h"

namespace base {
namespace {

using Integers = std::vector<std::int64_t>;

/// Without a batch axis one is put there and taken away again.
void lower_with_batch(OnnxCall& call, std::size_t spatial, const std::string& operation, OnnxAttributes attributes) {
  const Operand& x = call["input"];
  const bool batched = x.axes.size() == spatial + 2;
  std::vector<std::string> inputs = {batched ? x.name : call.build.unsqueeze(x.name, {0}), call.tensor("weight")};
  if (call.has("bias")) inputs.push_back(call.tensor("bias"));
  const std::string y = call.op(operation, inputs, std::move(attributes));
  call.give(batched ? y : call.build.squeeze(y, {0}));
}

Integers kernel_of(const Operand& weight) {
  Integers kernel;
  for (std::size_t i = 2; i < weight.axes.size(); ++i) kernel.push_back(weight.axes[i].size);
  return kernel;
}

Integers twice(const Integers& padding) {
  Integers pads = padding;
  pads.insert(pads.end(), padding.begin(), padding.end());
  return pads;
}

void lower_convolution(OnnxCall& call) {
  const Integers kernel = kernel_of(call["weight"]);
  const std::size_t spatial = kernel.size();
  const bool transposed = call.truth("transposed");
  OnnxAttributes attributes = {{"kernel_shape", kernel},
                               {"strides", call.integers("stride", spatial)},
                               {"pads", twice(call.integers("padding", spatial))},
                               {"dilations", call.integers("dilation", spatial)},
                               {"group", call.integer("groups", 1)}};
  if (transposed) attributes["output_padding"] = call.integers("output_padding", spatial);
  lower_with_batch(call, spatial, transposed ? "ConvTranspose" : "Conv", std::move(attributes));
}

/// With the padding as a word: "same" has the odd one at the end.
void lower_convolution_mode(OnnxCall& call) {
  const Integers kernel = kernel_of(call["weight"]);
  const std::size_t spatial = kernel.size();
  const Integers dilations = call.integers("dilation", spatial);
  Integers pads(2 * spatial, 0);
  if (call["padding"].text == "same") {
    for (std::size_t i = 0; i < spatial; ++i) {
      const std::int64_t total = dilations[i] * (kernel[i] - 1);
      pads[i] = total / 2;
      pads[spatial + i] = total - total / 2;
    }
  }
  lower_with_batch(call, spatial, "Conv",
                   {{"kernel_shape", kernel},
                    {"strides", call.integers("stride", spatial)},
                    {"pads", pads},
                    {"dilations", dilations},
                    {"group", call.integer("groups", 1)}});
}

/// As the functions conv_transpose1d to 3d are called themselves.
void lower_conv_transpose(OnnxCall& call) {
  const Integers kernel = kernel_of(call["weight"]);
  const std::size_t spatial = kernel.size();
  lower_with_batch(call, spatial, "ConvTranspose",
                   {{"kernel_shape", kernel},
                    {"strides", call.integers("stride", spatial)},
                    {"pads", twice(call.integers("padding", spatial))},
                    {"output_padding", call.integers("output_padding", spatial)},
                    {"dilations", call.integers("dilation", spatial)},
                    {"group", call.integer("groups", 1)}});
}

}  // namespace

void add_convolutions(OnnxTable& table) {
  for (const char* name : {"_convolution", "convolution"}) table[name] = lower_convolution;
  for (const char* name : {"conv1d", "conv2d", "conv3d"}) {
    table[name] = [](OnnxCall& call) {
      if (call["padding"].kind == Operand::Kind::kText) return lower_convolution_mode(call);
      lower_convolution(call);
    };
  }
  table["_convolution_mode"] = lower_convolution_mode;
  for (const char* name : {"conv_transpose1d", "conv_transpose2d", "conv_transpose3d"})
    table[name] = lower_conv_transpose;
}

}  // namespace base
