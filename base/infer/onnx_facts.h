// onnx_facts.h: what an engine must know of an ONNX file before it loads it.
#ifndef BASE_INFER_ONNX_FACTS_H_
#define BASE_INFER_ONNX_FACTS_H_

#include <filesystem>
#include <string>
#include <vector>

namespace base {

struct OnnxFacts {
  std::vector<std::filesystem::path> files;  // the model, then the files that hold its weights, each once
  std::string sha256;                        // of all of them
  bool is_half = false;                      // it computes in FP16 or BF16 somewhere
  bool is_quantized = false;                 // it has QuantizeLinear or DequantizeLinear nodes
};

/// Reads the graph, not the weights' values. A file that is no ONNX model, or one that points to weights outside of its
/// folder or to a file that is missing, is an Error of the data kind.
OnnxFacts read_onnx_facts(const std::filesystem::path& model);

}  // namespace base

#endif  // BASE_INFER_ONNX_FACTS_H_
