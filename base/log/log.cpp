#include "base/log/log.h"

#include <fcntl.h>
#include <spdlog/details/null_mutex.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>

#include "base/log/console.h"
#include "base/log/error.h"
#include "base/log/text.h"

namespace base::log {
namespace {

constexpr std::array<std::string_view, 4> kLevelNames{"debug", "info", "warn", "error"};
constexpr std::array kLevelColors{Color::kGray, Color::kNone, Color::kYellow, Color::kRed};
constexpr std::array kSpdlogLevels{spdlog::level::debug, spdlog::level::info, spdlog::level::warn, spdlog::level::err};
constexpr int kIndent = 4;  // of the second and further lines of a message

Level level_of(const spdlog::details::log_msg& message) {
  std::size_t level = 0;
  while (level + 1 < kSpdlogLevels.size() && kSpdlogLevels[level] < message.level) ++level;
  return static_cast<Level>(level);
}

/// HH:MM:SS, here.
std::string clock_text(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm local{};
  localtime_r(&seconds, &local);
  std::array<char, 16> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%H:%M:%S", &local)};
}

/// Hands spdlog's messages to a Console, which has a lock of its own.
class ConsoleSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  ConsoleSink(Console& console, std::string prefix) : console_(console), prefix_(std::move(prefix)) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const auto level = static_cast<std::size_t>(level_of(message));
    const std::string time = clock_text(message.time) + " ";
    const std::string_view text(message.payload.data(), message.payload.size());
    if (static_cast<Level>(level) == Level::kInfo) {
      console_.write_line({{time, Color::kGray}, {prefix_}, {text}});
    } else {
      console_.write_line({{time, Color::kGray}, {prefix_}, {kLevelNames[level], kLevelColors[level]}, {": "}, {text}});
    }
  }
  void flush_() override {}

  Console& console_;
  const std::string prefix_;
};

/// The level in our words (spdlog says "warning"), as wide as the longest, so that messages start in one column.
class LevelFlag final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& line) override {
    std::string name(kLevelNames[static_cast<std::size_t>(level_of(message))]);
    name.resize(5, ' ');
    line.append(name.data(), name.data() + name.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<LevelFlag>(); }
};

/// What a failed attempt to append to the file says; empty if it can be done. spdlog would retry five times and give
/// only a text of its own.
std::string reason_not_to_open(const std::filesystem::path& file) {
  std::error_code failure;
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), failure);
  if (failure) return failure.message();
  const int descriptor = open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) return std::generic_category().message(errno);
  close(descriptor);
  return "";
}

std::shared_ptr<spdlog::sinks::sink> open_file(const Options& options) {
  if (const std::string reason = reason_not_to_open(options.file); !reason.empty()) {
    throw Error(ErrorKind::kConfig, "the log file cannot be opened (" + reason + ")", options.file,
                "name a file in a folder that you may write to");
  }
  auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(options.file);
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<LevelFlag>('*');
  formatter->set_pattern(format("%Y-%m-%dT%H:%M:%S.%e%z %* [{}/{}] thread %t: %v", options.rank, options.world_size));
  sink->set_formatter(std::move(formatter));
  return sink;
}

/// What start() makes: immutable, so that a line being written while another thread calls start() is none the worse.
struct Outlet {
  explicit Outlet(const Options& options)
      : console(options.console != nullptr ? *options.console : Console::standard()) {
    if (options.world_size > 1) prefix = format("[{}/{}] ", options.rank, options.world_size);
    everywhere.sinks().push_back(std::make_shared<ConsoleSink>(console, prefix));
    if (!options.file.empty()) {
      file.sinks().push_back(open_file(options));
      everywhere.sinks().push_back(file.sinks().front());
    }
    for (spdlog::logger* logger : {&everywhere, &file}) {
      logger->set_level(spdlog::level::trace);  // the threshold is ours
      logger->flush_on(spdlog::level::trace);
      logger->set_error_handler([this](const std::string& reason) {
        // Once: a full disk would otherwise fill the screen too.
        if (!failed.exchange(true)) console.write_line({{"warn", Color::kYellow}, {": the log: "}, {reason}});
      });
    }
  }

  Console& console;
  std::string prefix;
  spdlog::logger everywhere{""};
  spdlog::logger file{""};
  std::atomic<bool> failed = false;
};

// Never destroyed, since destructors of globals may still log.
struct Current {
  std::mutex mutex;
  std::shared_ptr<Outlet> outlet = std::make_shared<Outlet>(Options{});
};

Current& current() {
  static Current& current = *new Current;
  return current;
}

std::shared_ptr<Outlet> current_outlet() {
  const std::lock_guard lock(current().mutex);
  return current().outlet;
}

void log_text(spdlog::logger& logger, Level level, std::string_view text) {
  const std::string visible = visible_text(text, kIndent);
  logger.log(kSpdlogLevels[static_cast<std::size_t>(level)], spdlog::string_view_t(visible.data(), visible.size()));
}

}  // namespace

Level level_from_text(std::string_view text) {
  for (std::size_t i = 0; i < kLevelNames.size(); ++i) {
    if (text == kLevelNames[i]) return static_cast<Level>(i);
  }
  throw Error(ErrorKind::kConfig, "no such log level", std::string(text), "use debug, info, warn or error");
}

std::string_view level_name(Level level) {
  return kLevelNames.at(static_cast<std::size_t>(level));
}

void start(const Options& options) {
  auto outlet = std::make_shared<Outlet>(options);
  const std::lock_guard lock(current().mutex);
  current().outlet = std::move(outlet);
  detail::threshold = options.level;
}

void stop() {
  start({});
}

void report(const Error& error) {
  const std::shared_ptr<Outlet> outlet = current_outlet();
  const std::string_view message = error.what();
  const std::size_t kind_ends = base::info(error.kind()).name.size() + 1;
  const std::string_view word = "error";
  outlet->console.end_status();
  outlet->console.write_line({{outlet->prefix},
                              {message.substr(0, kind_ends)},
                              {word, Color::kRed},
                              {message.substr(kind_ends + word.size())}});
  log_text(outlet->file, Level::kError, message);
}

void detail::write(Level level, std::string_view pattern, std::initializer_list<FormatArgument> arguments) {
  std::string text;
  try {
    text = format_arguments(pattern, arguments);
  } catch (const Error& error) {
    text = error.what();
  }
  log_text(current_outlet()->everywhere, level, text);
}

}  // namespace base::log
