#include "base/infer/tensorrt_precision.h"

#include <array>
#include <string>

#include "base/log/error.h"
#include "base/log/format.h"

namespace base {
namespace {

struct PrecisionRow {
  Precision precision;
  std::string_view name;
  double tolerance;
};

constexpr std::array<PrecisionRow, 5> kPrecisions = {{{Precision::kGraph, "auto", 1e-2},
                                                      {Precision::kFp32, "fp32", 1e-4},
                                                      {Precision::kTf32, "tf32", 5e-3},
                                                      {Precision::kFp16, "fp16", 1e-2},
                                                      {Precision::kInt8, "int8", 1e-1}}};

Error wrong_graph(std::string_view graph, Precision asked, const std::string& fix) {
  return {ErrorKind::kBackend, format("the graph is in {}, so TensorRT cannot run it in another precision", graph),
          std::string(name_of(asked)), fix};
}

}  // namespace

Precision precision_from_text(std::string_view text) {
  for (const PrecisionRow& row : kPrecisions) {
    if (row.name == text) return row.precision;
  }
  throw Error(ErrorKind::kUsage, "TensorRT has no such precision", std::string(text),
              "give auto, fp32, tf32, fp16 or int8");
}

std::string_view name_of(Precision precision) {
  return kPrecisions.at(static_cast<std::size_t>(precision)).name;
}

double tolerance_of(Precision precision) {
  return kPrecisions.at(static_cast<std::size_t>(precision)).tolerance;
}

PrecisionRules precision_rules(Precision asked, const OnnxFacts& graph, int tensorrt_major) {
  const bool from_graph_alone = tensorrt_major >= 11;
  const bool is_typed = graph.is_half || graph.is_quantized;
  PrecisionRules rules{.strongly_typed = from_graph_alone || is_typed, .tf32 = asked != Precision::kFp32};
  switch (asked) {
    case Precision::kGraph:
      return rules;
    case Precision::kFp32:
    case Precision::kTf32:
      if (is_typed) {
        throw wrong_graph(graph.is_quantized ? "int8" : "fp16", asked, "export the model in fp32, or ask for auto");
      }
      return rules;
    case Precision::kFp16:
      if (graph.is_quantized) throw wrong_graph("int8", asked, "export the model in fp16, or ask for auto");
      if (graph.is_half) return rules;
      if (from_graph_alone) {
        throw wrong_graph(
            "fp32", asked,
            format("export the model in fp16: TensorRT {} takes the precision from the graph alone", tensorrt_major));
      }
      rules.fp16 = true;
      return rules;
    case Precision::kInt8:
      if (!graph.is_quantized) {
        throw wrong_graph(graph.is_half ? "fp16" : "fp32", asked,
                          "export the model in int8, with calibration data: the scales stand in the graph");
      }
      // With flags TensorRT 10 may also keep a layer in FP32 where that is faster.
      if (!from_graph_alone && !graph.is_half) rules.strongly_typed = false, rules.int8 = true;
      return rules;
  }
  return rules;
}

}  // namespace base
