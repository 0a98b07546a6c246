#include "base/torch.h"

#include "base/summary/summary_writer.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/log.h"
#include "base/records/bytes.h"
#include "base/records/record_file.h"
#include "base/summary/histogram.h"
#include "base/summary/picture.h"
#include "base/summary/projector.h"

namespace base {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// Unlike any other of this folder, by whatever process of whatever machine. They sort by time.
std::filesystem::path new_event_file(const std::filesystem::path& folder) {
  static std::atomic<int> count = 0;
  std::array<char, 256> host = {};
  if (gethostname(host.data(), host.size() - 1) != 0 || host[0] == '\0') host = {"localhost"};
  return folder / format("events.out.tfevents.{:010d}.{}.{}.{}", static_cast<std::int64_t>(now()), host.data(),
                         getpid(), count++);
}

}  // namespace

/// Of all writers of a run.
struct SummaryWriter::Trouble {
  std::atomic<std::int64_t> lost = 0;
  std::atomic<bool> is_told = false;
};

class SummaryWriter::Thread {
 public:
  struct Scalar {
    std::string tag;
    std::int64_t step;
    double time;
    double value;
  };
  /// Encoded by the thread that writes; one that gives nothing has written its files itself.
  using Work = std::function<std::string()>;

  Thread(std::filesystem::path folder, const Options& options, std::shared_ptr<Trouble> trouble)
      : folder_(std::move(folder)), options_(options), trouble_(std::move(trouble)), thread_([this] { run(); }) {}
  ~Thread() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

  void add(std::variant<Scalar, Work> item) {
    std::unique_lock lock(mutex_);
    if (pending_.size() >= kMostPending) {  // a disk that is slower than the training
      wake_.notify_one();
      done_.wait(lock, [&] { return pending_.size() < kMostPending; });
    }
    pending_.push_back(std::move(item));
    if (pending_.size() == kMostPending / 2) wake_.notify_one();
  }

  void flush() {
    std::unique_lock lock(mutex_);
    const std::uint64_t ticket = ++asked_;
    wake_.notify_one();
    done_.wait(lock, [&] { return answered_ >= ticket; });
  }

 private:
  static constexpr std::size_t kMostPending = 1U << 15;

  void run() {
    std::vector<std::variant<Scalar, Work>> items;
    std::unique_lock lock(mutex_);
    for (bool ends = false; !ends;) {
      wake_.wait_for(lock, options_.flush_every,
                     [&] { return ends_ || asked_ > answered_ || pending_.size() >= kMostPending / 2; });
      ends = ends_;
      const std::uint64_t asked = asked_;
      items.clear();
      items.swap(pending_);
      lock.unlock();
      done_.notify_all();  // there is room again
      write(items);
      lock.lock();
      answered_ = asked;
      done_.notify_all();
    }
  }

  void write(const std::vector<std::variant<Scalar, Work>>& items) {
    try {
      for (const auto& item : items) {
        const auto* scalar = std::get_if<Scalar>(&item);
        append(scalar != nullptr ? encode_scalar({scalar->time, scalar->step, scalar->tag}, scalar->value)
                                 : std::get<Work>(item)());
      }
      if (file_) file_->flush();
    } catch (const std::exception& error) {
      file_.reset();
      if (!trouble_->is_told.exchange(true)) {
        const std::string what = error.what();
        log::warn("TensorBoard's files cannot be written, the run goes on without: {}",
                  what.substr(0, what.find('\n')));
      }
      trouble_->lost += static_cast<std::int64_t>(items.size());  // all of them: the file may not have handed any on
    }
  }

  void append(const std::string& event) {
    if (event.empty()) return;
    if (!file_) {
      std::filesystem::create_directories(folder_);
      file_.emplace(new_event_file(folder_));
      file_->append(bytes_of(encode_version(now())));
      if (options_.from_step) file_->append(bytes_of(encode_restart({.time = now(), .step = *options_.from_step})));
      options_.from_step.reset();
    }
    file_->append(bytes_of(event));
  }

  const std::filesystem::path folder_;
  Options options_;
  std::optional<RecordWriter> file_;
  const std::shared_ptr<Trouble> trouble_;

  std::mutex mutex_;  // over what follows
  std::condition_variable wake_;
  std::condition_variable done_;
  std::vector<std::variant<Scalar, Work>> pending_;
  std::uint64_t asked_ = 0;     // times that a flush was asked for
  std::uint64_t answered_ = 0;  // how many of them are done
  bool ends_ = false;

  std::thread thread_;  // last: it uses all of the above
};

SummaryWriter::SummaryWriter() : trouble_(std::make_shared<Trouble>()) {}
SummaryWriter::SummaryWriter(std::filesystem::path folder) : SummaryWriter(std::move(folder), Options{}) {}
SummaryWriter::SummaryWriter(std::filesystem::path folder, const Options& options)
    : SummaryWriter(std::move(folder), options, std::make_shared<Trouble>()) {}
SummaryWriter::SummaryWriter(std::filesystem::path folder, const Options& options, std::shared_ptr<Trouble> trouble)
    : folder_(std::move(folder)),
      trouble_(std::move(trouble)),
      thread_(std::make_unique<Thread>(folder_, options, trouble_)) {}
SummaryWriter SummaryWriter::sibling(std::filesystem::path folder, const Options& options) const {
  return {std::move(folder), options, trouble_};
}
SummaryWriter::~SummaryWriter() = default;
SummaryWriter::SummaryWriter(SummaryWriter&& other) noexcept = default;
SummaryWriter& SummaryWriter::operator=(SummaryWriter&& other) noexcept = default;

void SummaryWriter::scalar(std::string_view tag, double value, std::int64_t step) {
  if (thread_) thread_->add(Thread::Scalar{std::string(tag), step, now(), value});
}

void SummaryWriter::image(std::string_view tag, const torch::Tensor& picture, std::int64_t step) {
  if (!thread_) return;
  thread_->add([tag = std::string(tag), step, time = now(), drawn = picture_of(picture)] {
    return encode_image({time, step, tag}, encode_picture(drawn));
  });
}

void SummaryWriter::histogram(std::string_view tag, const torch::Tensor& values, std::int64_t step) {
  if (!thread_) return;
  // A copy, since a weight goes on to change.
  thread_->add([tag = std::string(tag), step, time = now(),
                copy = values.detach().to(torch::kCPU, torch::kFloat, /*non_blocking=*/false, /*copy=*/true)] {
    return encode_histogram({time, step, tag}, histogram_of(copy));
  });
}

void SummaryWriter::text(std::string_view tag, std::string_view text, std::int64_t step) {
  if (!thread_) return;
  thread_->add([tag = std::string(tag), step, time = now(), text = std::string(text)] {
    return encode_text({time, step, tag}, text);
  });
}

void SummaryWriter::hyper_parameters(const std::vector<HyperParameter>& parameters,
                                     const std::vector<TableFigure>& figures) {
  if (!thread_) return;
  thread_->add([time = now(), parameters, figures] { return encode_experiment(time, parameters, figures); });
  thread_->add([time = now(), parameters] { return encode_session_start(time, parameters); });
}

void SummaryWriter::end_hyper_parameters(bool is_success) {
  if (thread_) thread_->add([time = now(), is_success] { return encode_session_end(time, is_success); });
}

void SummaryWriter::graph(const std::vector<GraphNode>& nodes) {
  if (thread_) thread_->add([time = now(), nodes] { return encode_graph(time, nodes); });
}

void SummaryWriter::embedding(const std::string& name, const torch::Tensor& points,
                              const std::vector<std::string>& labels, const torch::Tensor& pictures) {
  if (!thread_) return;
  thread_->add([folder = folder_, embedding = make_embedding(name, points, labels, pictures)] {
    write_embedding(folder, embedding);
    return std::string();
  });
}

void SummaryWriter::flush() {
  if (thread_) thread_->flush();
}

std::int64_t SummaryWriter::lost() const {
  return trouble_->lost;
}

}  // namespace base
