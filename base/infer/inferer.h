// inferer.h: an exported model put to work: reader -> network -> sink.
//
//     base::Inferer inferer("runs/demo/.../exports/400", {.target = "cpu", .batch_size = 64});
//     base::JsonLinesReader reader("questions.jsonl", inferer.signature());
//     base::JsonLinesSink sink("answers.jsonl");
//     inferer.run(reader, sink);
//
#ifndef BASE_INFER_INFERER_H_
#define BASE_INFER_INFERER_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/infer/backend.h"
#include "base/infer/sample.h"

namespace base {

class InferBatch;

/// Makes one answer of those to all feeds of a sample: `answers[i]` are the outputs for feed i, in the order of the
/// signature. Called only for samples with several feeds.
using Collapse = std::function<std::vector<HostTensor>(std::span<const std::vector<TensorView>> answers)>;

/// Of each output the mean, or of whole numbers and booleans the most frequent value: see mean_or_mode_of().
std::vector<HostTensor> collapse_to_mean_or_mode(std::span<const std::vector<TensorView>> answers);

struct InfererOptions {
  std::string target = "auto";    // as load_backend() takes it
  int threads = 0;                // inside the network; 0: as many as there are cores
  TensorRtOptions tensorrt = {};  // for the target tensorrt alone
  int batch_size = 64;            // rows that are run together at most, in a model with a batch axis
  bool pipeline = true;           // reader, network and sink in a thread each; otherwise all in one
  int queue = 4;                  // batches that wait between two of them at most
  Collapse collapse = collapse_to_mean_or_mode;
};

/// Needs the exported folder alone: no class of the project, and no LibTorch.
class Inferer {
 public:
  explicit Inferer(const std::filesystem::path& folder, const InfererOptions& options = {});
  /// With a backend of one's own.
  Inferer(std::unique_ptr<Backend> backend, InfererOptions options);
  ~Inferer();

  const Signature& signature() const { return backend_->signature(); }
  /// Of one sample: without the batch axis, if there is one.
  const Signature& row_signature() const { return row_; }
  const Backend& backend() const { return *backend_; }

  struct Stats {
    std::int64_t samples = 0;
    std::int64_t runs = 0;  // of the network
    double seconds = 0;
    double network_seconds = 0;  // of them, in the network
  };
  /// Runs all samples; the answers come in their order, whatever the batches. An exception of any stage ends all of
  /// them and comes out here with the name of the sample; the sink has had the answers before it. A sample that does
  /// not fit the model is a data Error.
  Stats run(SampleReader& reader, AnswerSink& sink);

 private:
  struct Pending;
  std::unique_ptr<InferBatch> read(SampleReader& reader, Pending& pending) const;
  std::vector<Feed> check(const Sample& sample) const;
  void compute(InferBatch& batch, Stats& stats);
  void deliver(const InferBatch& batch, AnswerSink& sink, Stats& stats) const;
  void run_pipeline(SampleReader& reader, AnswerSink& sink, Stats& stats);

  std::unique_ptr<Backend> backend_;
  InfererOptions options_;
  Signature row_;  // of one row: without the batch axis, if there is one
  bool has_batch_;
};

}  // namespace base

#endif  // BASE_INFER_INFERER_H_
