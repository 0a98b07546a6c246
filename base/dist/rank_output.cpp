#include "base/dist/rank_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/log/error.h"
#include "base/log/format.h"

namespace base::dist {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 16;  // a longer one is shown in pieces
constexpr std::size_t kMostLines = 10000;                   // held back; beyond them the oldest is shown
constexpr int kLastReads = 64;  // of a stream that was left open by somebody who writes without end

constexpr std::size_t kTimeSize = sizeof "12:34:56";

constexpr const char* kClear = "\r\x1b[K";

[[noreturn]] void refuse_logs(const std::filesystem::path& path, const std::string& reason) {
  throw Error(ErrorKind::kUsage, "the output of the ranks cannot be written", format("{} ({})", path, reason),
              "give another folder with --logs");
}

/// A stream that cannot be written to is given up: a run must not end because its viewer did.
void write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) {  // somebody else made the terminal so
      pollfd event{descriptor, POLLOUT, 0};
      poll(&event, 1, -1);
      continue;
    }
    if (count <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace

RankOutput::RankOutput(std::filesystem::path folder, int first, int size, bool clears)
    : folder_(std::move(folder)), first_(first), size_(size), clears_(clears) {
  if (folder_.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) refuse_logs(folder_, error.message());
}

std::filesystem::path RankOutput::file_of(int rank, const char* extension) const {
  return folder_.empty() ? folder_ : folder_ / format("rank-{}.{}", rank, extension);
}

void RankOutput::open_file(int rank) {
  const std::filesystem::path path = file_of(rank, "out");
  if (path.empty()) return;
  Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666));
  if (!file.is_open()) refuse_logs(path, std::generic_category().message(errno));
  files_[rank] = std::move(file);
}

Descriptor RankOutput::open_pipe(int rank, int console) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw Error(ErrorKind::kDevice, "no pipe for the output of a rank", std::generic_category().message(errno),
                "start fewer ranks, or raise ulimit -n");
  }
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  streams_.push_back({.rank = rank, .console = console, .pipe = Descriptor(ends[0])});
  return Descriptor(ends[1]);
}

void RankOutput::add_to(std::vector<pollfd>& events) const {
  for (const Stream& stream : streams_) events.push_back({stream.pipe.number(), POLLIN, 0});
}

std::optional<RankOutput::Clock::time_point> RankOutput::next() const {
  if (held_.empty() || only_) return std::nullopt;
  return held_.front().time;
}

void RankOutput::pass_on() {
  std::erase_if(streams_, [&](Stream& stream) { return !take(stream); });
  const auto now = Clock::now();
  while (!only_ && !held_.empty() && (held_.front().time <= now || held_.size() > kMostLines)) {
    show(held_.front());
    held_.pop_front();
  }
  while (!shown_.empty() && shown_.front().time + kHold < now) shown_.pop_front();
}

/// Reads once. False at the end of the stream.
bool RankOutput::take(Stream& stream) {
  std::array<char, kLongestLine> bytes;  // NOLINT(*-member-init): written before it is read
  const ssize_t count = read(stream.pipe.number(), bytes.data(), bytes.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (count <= 0) {
    if (!stream.line.empty()) add(stream, std::exchange(stream.line, ""));
    return false;
  }
  std::string_view text(bytes.data(), static_cast<std::size_t>(count));
  if (const auto file = files_.find(stream.rank); file != files_.end()) write_all(file->second.number(), text);
  for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1)) {
    stream.line += text.substr(0, end);
    add(stream, std::exchange(stream.line, ""));
  }
  stream.line += text;
  if (stream.line.size() >= kLongestLine) add(stream, std::exchange(stream.line, ""));
  return true;
}

void RankOutput::add(const Stream& stream, std::string text) {
  if (only_ && stream.rank != *only_) return;
  // Without the rank that base::log has put there, after the time if that is shown: the same words of two ranks are
  // the same text.
  const std::string prefix = prefix_of(stream.rank);
  if (const std::size_t start = text.find(prefix); start <= kTimeSize) text.erase(start, prefix.size());
  Line line{stream.rank, stream.console, std::move(text), Clock::now()};
  if (stream.rank == first_ && !only_) {
    show(line);
    shown_.push_back(std::move(line));
  } else {
    line.time += kHold;
    held_.push_back(std::move(line));
  }
}

std::string RankOutput::prefix_of(int rank) const {
  return format("[{}/{}] ", rank, size_);
}

void RankOutput::clear_line() const {
  if (clears_) write_all(STDERR_FILENO, kClear);
}

void RankOutput::show(const Line& line) const {
  // One write for one line: it stays whole beside what others write to the same console.
  write_all(line.console, format("{}{}{}\n", clears_ ? kClear : "", prefix_of(line.rank), line.text));
}

void RankOutput::show_only(int rank) {
  only_ = rank;
  std::erase_if(held_, [&](const Line& line) {
    return line.rank != rank || (rank != first_ && std::ranges::count(shown_, line.text, &Line::text) > 0);
  });
}

void RankOutput::finish(bool shown) {
  for (Stream& stream : streams_) {
    int reads = 0;
    while (reads++ < kLastReads && take(stream)) {
      pollfd event{stream.pipe.number(), POLLIN, 0};
      if (poll(&event, 1, 0) <= 0) break;
    }
    if (!stream.line.empty()) add(stream, std::exchange(stream.line, ""));
  }
  streams_.clear();
  if (only_) show_only(*only_);  // leaves out what the first rank has said
  for (const Line& line : held_) {
    if (shown) show(line);
  }
  held_.clear();
  shown_.clear();
  only_.reset();
}

}  // namespace base::dist
