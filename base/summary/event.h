// event.h: what TensorBoard's event files hold, as the bytes of its protobuf messages.
#ifndef BASE_SUMMARY_EVENT_H_
#define BASE_SUMMARY_EVENT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace base {

/// When, at which step, and under which name it is shown.
struct EventHead {
  double time = 0;  // seconds since 1970
  std::int64_t step = 0;
  std::string_view tag = {};
};

/// How often values fall between limits: bucket i is what lies below limits[i], and not in a bucket before.
struct Histogram {
  double min = 0;
  double max = 0;
  double count = 0;
  double sum = 0;
  double sum_of_squares = 0;
  std::vector<double> limits = {};
  std::vector<double> buckets = {};
};

/// A picture as a PNG file.
struct EncodedImage {
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t channels = 0;
  std::string bytes = {};
};

/// A hyper-parameter, and its value in one run.
using HyperParameter = std::pair<std::string, std::variant<double, bool, std::string>>;
/// A figure in the table of runs: the tag of a scalar, in a folder below that of the table; empty: in the same one.
struct TableFigure {
  std::string folder;
  std::string tag;
};

/// A box in the picture of a network; a slash in its name puts it into a bigger box.
struct GraphNode {
  std::string name;
  std::string operation;
  std::vector<std::string> inputs = {};                         // names of other nodes
  std::vector<std::pair<std::string, std::string>> notes = {};  // shown when the box is opened
  std::vector<std::int64_t> shape = {};                         // of what comes out of it; empty: not known
};

/// The first of a file.
std::string encode_version(double time);
/// A run goes on from a checkpoint: what an earlier file has from this step on is no longer true.
std::string encode_restart(const EventHead& head);
std::string encode_scalar(const EventHead& head, double value);
std::string encode_histogram(const EventHead& head, const Histogram& histogram);
std::string encode_image(const EventHead& head, const EncodedImage& image);
/// Shown as Markdown.
std::string encode_text(const EventHead& head, std::string_view text);
/// The table of runs: which hyper-parameters and which metrics it has a column for.
std::string encode_experiment(double time, const std::vector<HyperParameter>& parameters,
                              const std::vector<TableFigure>& figures);
/// The line of this run in it.
std::string encode_session_start(double time, const std::vector<HyperParameter>& parameters);
std::string encode_session_end(double time, bool is_success);
std::string encode_graph(double time, const std::vector<GraphNode>& nodes);

}  // namespace base

#endif  // BASE_SUMMARY_EVENT_H_
