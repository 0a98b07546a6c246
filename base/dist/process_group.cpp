#include "base/torch.h"

#include "base/dist/process_group.h"

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <torch/csrc/distributed/c10d/comm.hpp>
#ifdef USE_C10D_NCCL
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif
#include <c10/util/Logging.h>
#include <torch/csrc/jit/serialization/pickle.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

#include "base/dist/heartbeat.h"
#include "base/dist/local_address.h"
#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/log.h"

namespace base {
namespace {

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// The first lines that differ.
std::pair<std::string, std::string> first_difference(const std::string& one, const std::string& other) {
  std::istringstream ones(one), others(other);
  std::string line, other_line;
  while (true) {
    const bool more = static_cast<bool>(std::getline(ones, line));
    const bool other_more = static_cast<bool>(std::getline(others, other_line));
    if (more && other_more && line == other_line) continue;
    return {more ? line : "no more", other_more ? other_line : "no more"};
  }
}

std::string address_of(const World& world) {
  return format("{}:{}", world.master_address, world.master_port);
}

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPause{200};  // before a store that was not the right one is looked at again

std::chrono::milliseconds until(Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
  return std::max(left, std::chrono::milliseconds(1));
}

/// LibTorch tells of every connection that fails or ends with a stack trace; what matters is said by our errors.
enum class LibTorchTells { kErrors = 2, kNothing = 3 };  // the numbers of its TORCH_CPP_LOG_LEVEL

void let_libtorch_tell(LibTorchTells level) {
  if (std::getenv("TORCH_CPP_LOG_LEVEL") == nullptr) FLAGS_caffe2_log_level = static_cast<int>(level);
}

c10::intrusive_ptr<c10d::Store> open_store(const World& world, const ProcessGroup::Options& wanted,
                                           Clock::time_point deadline) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(world.master_port);
  options.isServer = world.is_first() && !world.agent_store;
  options.waitWorkers = false;  // meet() says who does not come
  options.timeout = until(deadline);
  if (options.isServer && world.listen_fd >= 0 && wanted.meeting == 0) options.masterListenFd = world.listen_fd;
  try {
    auto store = c10::make_intrusive<c10d::TCPStore>(world.master_address, options);
    // The store of torchrun's agent outlives the ranks and their meetings: each has names of its own there. Any other
    // one is that of a single start, which launchers of several machines do not count alike.
    const int start = world.agent_store ? world.restarts : 0;
    return c10::make_intrusive<c10d::PrefixStore>(format("scaffold/{}/{}", start, wanted.meeting), std::move(store));
  } catch (const std::exception& error) {
    if (options.isServer) {
      throw Error(ErrorKind::kDistributed, "the port on which the ranks meet cannot be used",
                  format("{}: {}", address_of(world), first_line(error.what())),
                  "set MASTER_PORT to a free one, or end the job that has it");
    }
    if (Clock::now() < deadline) throw;
    throw Error(ErrorKind::kDistributed, format("rank 0 does not answer rank {}", world.rank),
                format("{} after {} s", address_of(world), wanted.timeout.count() / 1000),
                "see the log of rank 0, and whether MASTER_ADDR and MASTER_PORT are those of its machine");
  }
}

/// Waits until all are there, and agree on how many they are. False if they were: ranks of an earlier start, whose end
/// the first of them has not noticed yet. Who looks `again` has been counted there.
bool meet(const World& world, c10d::Store& store, std::chrono::milliseconds timeout, Clock::time_point deadline,
          bool again) {
  const auto key = [](int rank) { return format("here/{}", rank); };
  if (again && store.check({"met"})) return false;
  if (store.add(format("count/{}/{}", world.restarts, world.rank), 1) > 1) {
    throw Error(ErrorKind::kDistributed, "two processes have the same rank", format("rank {}", world.rank),
                "give each process a RANK of its own");
  }
  if (store.check({"met"})) return false;
  Heartbeat::announce(world, store);
  store.set(key(world.rank), std::to_string(world.size));
  for (int rank = 0; rank < world.size; ++rank) {
    try {
      store.wait({key(rank)}, until(deadline));
    } catch (const c10::DistNetworkError&) {
      throw;
    } catch (const std::exception&) {
      std::string missing;
      for (int other = rank; other < world.size; ++other)
        if (!store.check({key(other)})) missing += format("{}{}", missing.empty() ? "" : ", ", other);
      throw Error(ErrorKind::kDistributed, "ranks did not come",
                  format("rank {} of {}, after {} s", missing, world.size, timeout.count() / 1000),
                  "see whether they were started, and their logs");
    }
    const std::string size = store.get_to_str(key(rank));
    if (size != std::to_string(world.size)) {
      throw Error(ErrorKind::kDistributed, "the ranks do not agree on how many they are",
                  format("rank {} says {}, rank {} says {}", world.rank, world.size, rank, size),
                  "start all of them with the same WORLD_SIZE");
    }
  }
  if (world.is_first()) store.set("met", "yes");
  return true;
}

/// A store at which all have met. Where a rank was started again before the first of them has ended, it still finds the
/// store of the earlier start there, and waits for the next.
c10::intrusive_ptr<c10d::Store> meet_others(const World& world, const ProcessGroup::Options& options) {
  const Clock::time_point deadline = Clock::now() + options.timeout;
  for (bool again = false;; again = true) {
    try {
      auto store = open_store(world, options, deadline);
      store->setTimeout(options.timeout);
      if (meet(world, *store, options.timeout, deadline, again)) return store;
    } catch (const c10::DistNetworkError&) {  // it has just ended
      if (world.is_first() || Clock::now() > deadline) throw;
    }
    if (Clock::now() > deadline) {
      throw Error(ErrorKind::kDistributed, "the first rank goes on with ranks that were started before",
                  format("{} after {} s", address_of(world), options.timeout.count() / 1000),
                  "end that job, or set MASTER_PORT to another one");
    }
    std::this_thread::sleep_for(kPause);
  }
}

std::vector<char> pickled(const State& state) {
  c10::impl::GenericDict all(c10::StringType::get(), c10::AnyType::get());
  for (const auto& [name, value] : state.values())
    all.insert(name, std::visit([](const auto& known) { return c10::IValue(known); }, value));
  for (const auto& [name, tensor] : state.tensors()) all.insert(name, tensor.detach().cpu().contiguous());
  return torch::jit::pickle_save(c10::IValue(all));
}

State unpickled(const std::vector<char>& bytes) {
  State state;
  for (const auto& entry : torch::jit::pickle_load(bytes).toGenericDict()) {
    const std::string name = entry.key().toStringRef();
    const c10::IValue& value = entry.value();
    if (value.isTensor()) state.set(name, value.toTensor());
    if (value.isInt()) state.set(name, value.toInt());
    if (value.isDouble()) state.set(name, value.toDouble());
    if (value.isString()) state.set(name, value.toStringRef());
  }
  return state;
}

torch::Tensor bytes_of(const char* bytes, std::size_t size) {
  return torch::from_blob(const_cast<char*>(bytes), {static_cast<std::int64_t>(size)}, torch::kUInt8).clone();
}

std::vector<char> chars_of(const torch::Tensor& bytes) {
  const auto* first = static_cast<const char*>(bytes.const_data_ptr());
  return {first, first + bytes.numel()};
}

}  // namespace

class ProcessGroup::Connection {
 public:
  Connection(const World& world, const Options& options) : store_(meet_others(world, options)), world_(world) {
    heartbeat_.emplace(world, store_);
    group_ = c10::make_intrusive<c10d::ProcessGroup>(store_, world.rank, world.size);
    group_->setBackend(c10::DeviceType::CPU, c10d::ProcessGroup::GLOO, gloo(options.timeout));
    group_->setDefaultBackend(c10d::ProcessGroup::GLOO);
    if (options.device.is_cuda()) add_nccl(options.timeout);
  }

  const c10::intrusive_ptr<c10d::ProcessGroup>& group() { return group_; }
  Heartbeat& heartbeat() { return *heartbeat_; }

 private:
  c10::intrusive_ptr<c10d::Backend> gloo(std::chrono::milliseconds timeout) {
    auto options = c10d::ProcessGroupGloo::Options::create(timeout);
    const char* interface = std::getenv("GLOO_SOCKET_IFNAME");
    options->devices.push_back(interface != nullptr
                                   ? c10d::ProcessGroupGloo::createDeviceForInterface(interface)
                                   : c10d::ProcessGroupGloo::createDeviceForHostname(local_address(world_)));
    return c10::make_intrusive<c10d::ProcessGroupGloo>(c10::make_intrusive<c10d::PrefixStore>("gloo", store_),
                                                       world_.rank, world_.size, options);
  }

  void add_nccl([[maybe_unused]] std::chrono::milliseconds timeout) {
#ifdef USE_C10D_NCCL
    auto options = c10d::ProcessGroupNCCL::Options::create();
    options->timeout = timeout;
    group_->setBackend(c10::DeviceType::CUDA, c10d::ProcessGroup::NCCL,
                       c10::make_intrusive<c10d::ProcessGroupNCCL>(
                           c10::make_intrusive<c10d::PrefixStore>("nccl", store_), world_.rank, world_.size, options));
#endif  // without it there is no LibTorch with CUDA, and no such device
  }

  c10::intrusive_ptr<c10d::Store> store_;
  World world_;
  std::optional<Heartbeat> heartbeat_;
  c10::intrusive_ptr<c10d::ProcessGroup> group_;
};

ProcessGroup::ProcessGroup(const World& world, const Options& options) : world_(world) {
  if (world.size == 1) return;
  let_libtorch_tell(LibTorchTells::kNothing);  // of a rank 0 that is not there yet
  guarded([&] { connection_ = std::make_unique<Connection>(world, options); });
  let_libtorch_tell(LibTorchTells::kErrors);  // of NCCL, say
  log::debug("rank {} of {} has met the others at {}", world.rank, world.size, address_of(world));
}

ProcessGroup::~ProcessGroup() = default;

std::shared_ptr<ProcessGroup> ProcessGroup::of_process(const Options& options) {
  static std::weak_ptr<ProcessGroup> current;  // weak: what is static would end after LibTorch's own
  static int meetings = 0;
  if (auto group = current.lock()) return group;
  const World world = World::from_environment();
  if (world.size > 1) log::start(world.log_options());
  Options this_time = options;
  this_time.meeting = meetings++;
  const auto group = std::make_shared<ProcessGroup>(world, this_time);
  current = group;
  return group;
}

void ProcessGroup::sum(torch::Tensor tensor) {
  if (is_alone()) return;
  std::vector<torch::Tensor> tensors{std::move(tensor)};
  guarded([&] { c10d()->allreduce(tensors)->wait(); });
}

bool ProcessGroup::any(bool yes) {
  auto count = torch::tensor(yes ? 1.0 : 0.0, torch::kDouble);
  sum(count);
  return count.item<double>() > 0;
}

bool ProcessGroup::first_says(bool yes) {
  return any(yes && world_.is_first());
}

void ProcessGroup::copy_from_first(const std::vector<torch::Tensor>& tensors) {
  if (is_alone() || tensors.empty()) return;
  constexpr std::size_t kBytesAtOnce = 16 << 20;
  const torch::NoGradGuard no_grad;
  guarded([&] { c10d::broadcast_coalesced(connection_->group(), tensors, kBytesAtOnce); });
}

std::string ProcessGroup::from_first(const std::string& text) {
  if (is_alone()) return text;
  auto size = torch::tensor(static_cast<std::int64_t>(text.size()));
  copy_from_first({size});
  auto bytes =
      world_.is_first() ? bytes_of(text.data(), text.size()) : torch::empty({size.item<std::int64_t>()}, torch::kUInt8);
  if (bytes.numel() > 0) copy_from_first({bytes});
  const auto chars = chars_of(bytes);
  return {chars.begin(), chars.end()};
}

State ProcessGroup::from_first(const State& state) {
  if (is_alone()) return state;
  // The shapes and everything that is small in one piece, then each tensor as it is.
  State small;
  std::vector<torch::Tensor> tensors;
  for (const auto& [name, value] : state.values())
    std::visit([&, &key = name](const auto& known) { small.set(key, known); }, value);
  for (const auto& [name, tensor] : state.tensors()) {
    small.set(name, torch::empty({0}, tensor.dtype()));
    small.set("shape of " + name, torch::tensor(tensor.sizes().vec(), torch::kLong));
    tensors.push_back(tensor.detach().cpu().contiguous());
  }
  const auto bytes = pickled(small);
  const std::string text = from_first(std::string(bytes.begin(), bytes.end()));
  if (world_.is_first()) {
    copy_from_first(tensors);
    return state;
  }
  const State outline = unpickled({text.begin(), text.end()});
  State copy;
  tensors.clear();
  for (const auto& [name, value] : outline.values())
    std::visit([&, &key = name](const auto& known) { copy.set(key, known); }, value);
  for (const auto& [name, tensor] : outline.tensors()) {
    if (name.starts_with("shape of ")) continue;
    const auto shape = outline.get<torch::Tensor>("shape of " + name);
    const auto* sizes = shape.const_data_ptr<std::int64_t>();
    tensors.push_back(torch::empty(std::vector<std::int64_t>(sizes, sizes + shape.numel()), tensor.dtype()));
    copy.set(name, tensors.back());
  }
  copy_from_first(tensors);
  return copy;
}

std::vector<std::string> ProcessGroup::gather(const std::string& text) {
  if (is_alone()) return {text};
  auto sizes = torch::zeros({world_.size}, torch::kLong);
  sizes[world_.rank] = static_cast<std::int64_t>(text.size());
  sum(sizes);
  const auto longest = sizes.max().item<std::int64_t>();
  auto mine = torch::zeros({longest}, torch::kUInt8);
  mine.narrow(0, 0, static_cast<std::int64_t>(text.size())).copy_(bytes_of(text.data(), text.size()));
  std::vector<std::vector<torch::Tensor>> all(1);
  for (int rank = 0; rank < world_.size; ++rank) all[0].push_back(torch::empty_like(mine));
  std::vector<torch::Tensor> input{mine};
  if (longest > 0) guarded([&] { c10d()->allgather(all, input)->wait(); });
  std::vector<std::string> texts;
  for (int rank = 0; rank < world_.size; ++rank) {
    const auto chars = chars_of(all[0][static_cast<std::size_t>(rank)].narrow(0, 0, sizes[rank].item<std::int64_t>()));
    texts.emplace_back(chars.begin(), chars.end());
  }
  return texts;
}

std::vector<State> ProcessGroup::gather(const State& state) {
  if (is_alone()) return {state};
  const auto bytes = pickled(state);
  std::vector<State> states;
  for (const std::string& text : gather(std::string(bytes.begin(), bytes.end())))
    states.push_back(unpickled({text.begin(), text.end()}));
  return states;
}

void ProcessGroup::check_same(const std::string& what, const std::string& text, const std::string& fix) {
  if (is_alone()) return;
  const std::vector<std::string> texts = gather(text);
  for (std::size_t rank = 1; rank < texts.size(); ++rank) {
    if (texts[rank] == texts[0]) continue;
    const auto [first, other] = first_difference(texts[0], texts[rank]);
    throw Error(ErrorKind::kDistributed, format("{} is not the same on all ranks", what),
                format("rank 0 has {}, rank {} has {}", first, rank, other), fix);
  }
}

const c10::intrusive_ptr<::c10d::ProcessGroup>& ProcessGroup::c10d() const {
  return connection_->group();
}

void ProcessGroup::explain(const std::exception& error) {
  if (dynamic_cast<const Error*>(&error) != nullptr) throw;
  const std::string reason = first_line(error.what());
  const std::string missing = connection_ ? connection_->heartbeat().missing() : "";
  if (missing.empty()) {
    const bool is_of_network = dynamic_cast<const c10::DistError*>(&error) != nullptr ||
                               std::string_view(error.what()).find("gloo") != std::string_view::npos;
    if (!is_of_network) throw;  // a mistake in somebody's backward, say
    throw Error(ErrorKind::kDistributed, format("rank {} cannot go on with the others", world_.rank), reason,
                "see the logs of the other ranks: one of them has failed, or is too slow for dist.timeout");
  }
  throw Error(ErrorKind::kDistributed, format("{} no longer there for rank {}", missing, world_.rank), reason,
              "see its log and the network between the machines; the run goes on from its last checkpoint");
}

}  // namespace base
