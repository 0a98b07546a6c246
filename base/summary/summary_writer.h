// summary_writer.h: curves, pictures and texts of a run, for TensorBoard.
#ifndef BASE_SUMMARY_SUMMARY_WRITER_H_
#define BASE_SUMMARY_SUMMARY_WRITER_H_

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/summary/event.h"
#include "base/torch.h"

namespace base {

/// Writes the event files of one folder. Every call returns at once: a thread of its own encodes and writes, and hands
/// what there is to the system every `flush_every`, so that a TensorBoard that is open follows the run.
///
/// A folder that cannot be written, or a disk that is full, is no reason to stop a training: it is said once, lost()
/// counts what is missing, and writing goes on in a new file when it works again. Writers that are siblings say it once
/// and count as one.
class SummaryWriter {
 public:
  struct Options {
    std::chrono::milliseconds flush_every{1000};
    /// Of a run that goes on: what its earlier files have from here on was undone.
    std::optional<std::int64_t> from_step = {};
  };

  /// One that writes nothing, for a run without a folder.
  SummaryWriter();
  /// The folder is made with the first event.
  explicit SummaryWriter(std::filesystem::path folder);
  SummaryWriter(std::filesystem::path folder, const Options& options);
  /// One for another folder of the same run.
  SummaryWriter sibling(std::filesystem::path folder, const Options& options) const;
  /// Waits until all is written.
  ~SummaryWriter();
  SummaryWriter(SummaryWriter&& other) noexcept;
  SummaryWriter& operator=(SummaryWriter&& other) noexcept;

  void scalar(std::string_view tag, double value, std::int64_t step);
  /// One picture [height, width], [1 or 3, height, width], or several [n, 1 or 3, height, width], which are shown side
  /// by side: uint8, or floats from 0 to 1. Another shape is a usage Error.
  void image(std::string_view tag, const torch::Tensor& picture, std::int64_t step);
  /// How the elements are distributed; those that are not finite are left out.
  void histogram(std::string_view tag, const torch::Tensor& values, std::int64_t step);
  /// Shown as Markdown.
  void text(std::string_view tag, std::string_view text, std::int64_t step);
  /// The line of this run in the table that compares runs.
  void hyper_parameters(const std::vector<HyperParameter>& parameters, const std::vector<TableFigure>& figures);
  void end_hyper_parameters(bool is_success);
  void graph(const std::vector<GraphNode>& nodes);
  /// Points [n, dimensions] to be looked at in the projector, with a label and a picture for each if given. A later one
  /// of this name takes its place.
  void embedding(const std::string& name, const torch::Tensor& points, const std::vector<std::string>& labels = {},
                 const torch::Tensor& pictures = {});

  /// Waits until all that was given is with the system.
  void flush();
  /// Events that could not be written.
  std::int64_t lost() const;
  bool is_on() const { return thread_ != nullptr; }
  /// Empty if there is none.
  const std::filesystem::path& folder() const { return folder_; }

 private:
  class Thread;
  struct Trouble;

  SummaryWriter(std::filesystem::path folder, const Options& options, std::shared_ptr<Trouble> trouble);

  std::filesystem::path folder_;
  std::shared_ptr<Trouble> trouble_;
  std::unique_ptr<Thread> thread_;
};

}  // namespace base

#endif  // BASE_SUMMARY_SUMMARY_WRITER_H_
