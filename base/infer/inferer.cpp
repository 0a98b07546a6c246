#include "base/infer/inferer.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

#include "base/infer/bounded_queue.h"
#include "base/infer/infer_batch.h"
#include "base/log/error.h"
#include "base/log/format.h"

namespace base {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Within catch (...): the exception as an Error that says where.
std::exception_ptr as_error(const char* what, const std::string& where) {
  try {
    throw;
  } catch (const Error&) {
    return std::current_exception();  // it says so itself
  } catch (const std::exception& error) {
    return std::make_exception_ptr(
        Error(ErrorKind::kData, format("{}: {}", what, error.what()), where, "see the code that threw it"));
  } catch (...) {
    return std::make_exception_ptr(Error(ErrorKind::kData, what, where, "see the code that threw something"));
  }
}

// Within catch (...): throws it again, with the sample that it is about.
[[noreturn]] void rethrow_for(const std::string& sample, const char* what) {
  try {
    throw;
  } catch (const Error& error) {
    throw error.with_place(sample);
  } catch (...) {
    std::rethrow_exception(as_error(what, sample));
  }
}

// The feed in the order of the signature. What does not fit it is a data Error: it came from a file, not from the
// command line.
Feed in_order(const Signature& signature, const Feed& feed) {
  std::vector<TensorView> views;
  views.reserve(feed.size());
  for (const HostTensor& tensor : feed) views.push_back(tensor.view);
  Feed ordered;
  ordered.reserve(feed.size());
  try {
    for (const TensorView* view : match_inputs(signature, views))
      ordered.push_back(feed[static_cast<std::size_t>(view - views.data())]);
  } catch (const Error& error) {
    throw Error(ErrorKind::kData, error.problem(), "", error.fix());
  }
  return ordered;
}

// Rows `from` to `from + count` of a tensor, which are in a row in memory.
TensorView rows_of(const TensorView& view, std::int64_t from, std::int64_t count) {
  TensorView part = view;
  const std::size_t row = view.bytes.size() / static_cast<std::size_t>(view.shape[0]);
  part.shape[0] = count;
  part.bytes = view.bytes.subspan(static_cast<std::size_t>(from) * row, static_cast<std::size_t>(count) * row);
  return part;
}

// Puts the outputs of a further piece behind those that are there.
void append(HostTensor& all, const TensorView& piece) {
  std::vector<std::int64_t> shape = all.view.shape;
  if (!std::equal(shape.begin() + 1, shape.end(), piece.shape.begin() + 1, piece.shape.end())) {
    throw Error(ErrorKind::kBackend, "the outputs change their shape from run to run", piece.name,
                "run fewer at a time");
  }
  shape[0] += piece.shape[0];
  NewTensor joined = new_tensor(piece.name, piece.dtype, std::move(shape));
  const std::size_t before = all.view.bytes.size();
  if (before > 0) std::memcpy(joined.bytes.data(), all.view.bytes.data(), before);
  if (!piece.bytes.empty()) std::memcpy(joined.bytes.data() + before, piece.bytes.data(), piece.bytes.size());
  all = std::move(joined.tensor);
}

}  // namespace

std::vector<HostTensor> collapse_to_mean_or_mode(std::span<const std::vector<TensorView>> answers) {
  std::vector<HostTensor> collapsed;
  for (std::size_t output = 0; output < answers.front().size(); ++output) {
    std::vector<TensorView> views;
    for (const std::vector<TensorView>& answer : answers) views.push_back(answer[output]);
    collapsed.push_back(mean_or_mode_of(views));
  }
  return collapsed;
}

// What one batch leaves for the next.
struct Inferer::Pending {
  std::optional<Sample> sample = {};  // one that did not fit any more
  std::exception_ptr error = {};      // of the reader, to be thrown once the samples before it are on their way
  std::string last = {};              // the name of the last sample
};

Inferer::Inferer(const std::filesystem::path& folder, const InfererOptions& options)
    : Inferer(load_backend(folder, options.target, {.threads = options.threads, .tensorrt = options.tensorrt}),
              options) {}

Inferer::Inferer(std::unique_ptr<Backend> backend, InfererOptions options)
    : backend_(std::move(backend)),
      options_(std::move(options)),
      row_(backend_->signature()),
      has_batch_(has_batch_axis(backend_->signature())) {
  if (options_.batch_size < 1 || options_.queue < 1) {
    throw Error(ErrorKind::kUsage, "batches and queues hold one at least",
                format("batch_size {}, queue {}", options_.batch_size, options_.queue), "give 1 or more");
  }
  if (has_batch_) {
    for (TensorSpec& spec : row_.inputs) spec.axes.erase(spec.axes.begin());
    for (TensorSpec& spec : row_.outputs) spec.axes.erase(spec.axes.begin());
  }
}

Inferer::~Inferer() = default;

Inferer::Stats Inferer::run(SampleReader& reader, AnswerSink& sink) {
  Stats stats;
  const auto start = Clock::now();
  if (options_.pipeline) {
    run_pipeline(reader, sink, stats);
  } else {
    Pending pending;
    while (const auto batch = read(reader, pending)) {
      compute(*batch, stats);
      deliver(*batch, sink, stats);
    }
  }
  sink.finish();
  stats.seconds = seconds_since(start);
  return stats;
}

// Samples until the batch is full, the reader would wait or the data end; null if there are none.
std::unique_ptr<InferBatch> Inferer::read(SampleReader& reader, Pending& pending) const {
  if (pending.error) std::rethrow_exception(pending.error);
  auto batch = std::make_unique<InferBatch>();
  while (batch->rows() < options_.batch_size) {
    try {
      if (!pending.sample && !batch->empty() && !reader.is_ready()) {
        batch->is_flush = true;
        break;
      }
      std::optional<Sample> sample = std::exchange(pending.sample, std::nullopt);
      if (!sample) sample = reader.next();
      if (!sample) break;
      if (!batch->empty() && batch->rows() + static_cast<std::int64_t>(sample->feeds.size()) > options_.batch_size) {
        pending.sample = std::move(sample);
        break;
      }
      std::vector<Feed> feeds = check(*sample);
      pending.last = sample->name;
      const bool whole = sample->is_batch || !has_batch_;
      batch->add(std::move(*sample), std::move(feeds), whole);
      if (whole) break;
    } catch (...) {
      pending.error = as_error("the reader failed", pending.last.empty() ? "" : "after " + pending.last);
      if (batch->empty()) std::rethrow_exception(pending.error);
      break;
    }
  }
  if (batch->empty()) return nullptr;
  batch->stack();
  return batch;
}

// Its feeds, each in the order of the signature.
std::vector<Feed> Inferer::check(const Sample& sample) const {
  try {
    if (sample.feeds.empty()) throw Error(ErrorKind::kUsage, "a sample has no inputs at all", "", "give it a feed");
    if (sample.is_batch && !has_batch_)
      throw Error(ErrorKind::kUsage, "the model takes no batches", "", "give one sample at a time");
    std::vector<Feed> ordered;
    for (const Feed& feed : sample.feeds)
      ordered.push_back(in_order(sample.is_batch ? backend_->signature() : row_, feed));
    return ordered;
  } catch (const Error& error) {
    throw error.with_place(sample.name);
  }
}

void Inferer::compute(InferBatch& batch, Stats& stats) {
  const auto start = Clock::now();
  try {
    for (InferBatch::Run& run : batch.runs()) {
      // A sample may have more feeds than a batch has rows.
      const std::int64_t piece = run.is_batch ? run.count : options_.batch_size;
      for (std::int64_t from = 0; from < run.count; from += piece) {
        std::vector<TensorView> inputs;
        const std::int64_t count = std::min(piece, run.count - from);
        for (const HostTensor& input : run.inputs)
          inputs.push_back(count == run.count ? input.view : rows_of(input.view, from, count));
        const std::span<const TensorView> outputs = backend_->run(inputs);
        ++stats.runs;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
          if (!run.is_batch && (outputs[i].shape.empty() || outputs[i].shape[0] != count)) {
            throw Error(ErrorKind::kBackend, "an output does not have a row for each input", outputs[i].name,
                        "export the model again");
          }
          if (from == 0) {
            run.outputs.push_back(copy_of(outputs[i]));
          } else {
            append(run.outputs[i], outputs[i]);
          }
        }
      }
      run.inputs.clear();
      run.rows.clear();
    }
  } catch (...) {
    rethrow_for(batch.name(), "the network failed");
  }
  stats.network_seconds += seconds_since(start);
}

void Inferer::deliver(const InferBatch& batch, AnswerSink& sink, Stats& stats) const {
  for (const InferBatch::Entry& entry : batch.entries()) {
    try {
      if (entry.places.size() == 1) {
        sink.take(entry.sample, batch.answer(entry.places[0]));
      } else {
        std::vector<std::vector<TensorView>> answers;
        for (const InferBatch::Place& place : entry.places) answers.push_back(batch.answer(place));
        const std::vector<HostTensor> collapsed = options_.collapse(answers);
        std::vector<TensorView> views;
        views.reserve(collapsed.size());
        for (const HostTensor& tensor : collapsed) views.push_back(tensor.view);
        sink.take(entry.sample, views);
      }
    } catch (...) {
      rethrow_for(entry.sample.name, "the answer cannot be taken");
    }
    ++stats.samples;
  }
  if (batch.is_flush) sink.flush();
}

void Inferer::run_pipeline(SampleReader& reader, AnswerSink& sink, Stats& stats) {
  using Queue = BoundedQueue<std::unique_ptr<InferBatch>>;
  Queue questions(static_cast<std::size_t>(options_.queue));
  Queue answers(static_cast<std::size_t>(options_.queue));
  // Reader and network leave by close(): what is ahead of their error is answered first.
  std::exception_ptr of_reader;
  std::exception_ptr of_network;
  std::exception_ptr of_sink;
  std::jthread reading([&] {
    try {
      Pending pending;
      while (auto batch = read(reader, pending))
        if (!questions.push(std::move(batch))) break;
    } catch (...) {
      of_reader = std::current_exception();
    }
    questions.close();
  });
  std::jthread computing([&] {
    try {
      while (auto batch = questions.pop()) {
        compute(**batch, stats);
        if (!answers.push(std::move(*batch))) break;
      }
    } catch (...) {
      of_network = std::current_exception();
      questions.abandon();
      reader.cancel();
    }
    answers.close();
  });
  Stats delivered;  // the network's thread counts in the other one
  try {
    while (const auto batch = answers.pop()) deliver(**batch, sink, delivered);
  } catch (...) {
    of_sink = std::current_exception();
    questions.abandon();
    answers.abandon();
    reader.cancel();
  }
  reading.join();
  computing.join();
  stats.samples = delivered.samples;
  // The first in the order of the samples: what the sink met came before what the network met, and that before the
  // rest.
  for (const std::exception_ptr& error : {of_sink, of_network, of_reader})
    if (error) std::rethrow_exception(error);
}

}  // namespace base
