// export_model.h: from a trained model to a folder that any engine runs: see artifact.h for what is in it.
//
//     base::export_model(model, {.folder = "exports/400", .manifest = {.model = "demo", .step = 400}});
//
#ifndef BASE_EXPORT_EXPORT_MODEL_H_
#define BASE_EXPORT_EXPORT_MODEL_H_

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/artifact/manifest.h"
#include "base/export/onnx_quantize.h"
#include "base/model/model.h"

namespace base {

struct ExportRequest {
  std::filesystem::path folder;  // an export that is there already is replaced
  /// Name, project, step, metrics and precision; signature and files are found out.
  ExportManifest manifest = {};
  std::string settings = {};  // of the run, as TOML
  /// Batches as they come in use, for the precision int8: the ranges of the values in between are measured with them.
  /// Nothing when there are no more.
  std::function<std::optional<Tensors>()> calibration = {};
  QuantizedFor quantized_for = QuantizedFor::kTensorRt;
};

/// Writes ONNX (in the precision that the manifest says), TorchScript and the weights, with preprocess and postprocess
/// in them, and publishes them as one folder. Before that ONNX Runtime and LibTorch load what was written and answer
/// the example, others of its kind at other sizes of every dynamic axis, and random questions, where the model can:
/// answers that differ from its own are an export Error, and nothing is published. Whatever else goes wrong is one too.
/// The model is as before, and so is the state of chance.
void export_model(Model& model, const ExportRequest& request);

}  // namespace base

#endif  // BASE_EXPORT_EXPORT_MODEL_H_
