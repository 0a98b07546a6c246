#include "base/dist/launch_plan.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <set>
#include <system_error>
#include <thread>

#include "base/dist/world.h"
#include "base/log/error.h"
#include "base/log/format.h"

namespace base::dist {
namespace {

constexpr int kMostRanks = 1024;

[[noreturn]] void refuse_option(const std::string& what, const std::string& value, const std::string& fix) {
  throw Error(ErrorKind::kUsage, what, value, fix);
}

std::set<int> numbers_of(const std::vector<std::string>& gpus) {
  std::set<int> numbers;
  for (const std::string& gpu : gpus) {
    int number = 0;
    const auto [rest, failure] = std::from_chars(gpu.data(), gpu.data() + gpu.size(), number);
    if (failure != std::errc() || rest != gpu.data() + gpu.size() || number < 0) {
      refuse_option("not the number of a GPU", gpu, "give numbers as nvidia-smi shows them: --gpus 0,1");
    }
    if (!numbers.insert(number).second) refuse_option("a GPU is given twice", gpu, "name each GPU once in --gpus");
  }
  return numbers;
}

void check_gpus(const std::vector<std::string>& gpus, const std::filesystem::path& folder) {
  const std::set<int> numbers = numbers_of(gpus);
  if (numbers.empty()) return;
  std::error_code error;
  const std::filesystem::directory_iterator entries(folder, error);
  if (error) {
    throw Error(ErrorKind::kDevice, "no NVIDIA driver on this machine", folder.string(),
                "install it, or leave --gpus out");
  }
  const auto count = std::distance(begin(entries), end(entries));
  if (const int last = *numbers.rbegin(); last >= count) {
    throw Error(ErrorKind::kDevice, "no such GPU on this machine", format("{}", last),
                count == 0 ? "it has none: leave --gpus out" : format("give numbers from 0 to {}", count - 1));
  }
}

/// Where no platform tells of nodes, something else may have started one launcher on each: srun --ntasks-per-node=1.
Nodes nodes_of(const Environment& environment) {
  Nodes nodes = Nodes::from_environment(environment);
  if (!nodes.platform.empty()) return nodes;
  const World world = World::from_environment(environment);
  if (world.size == 1) return nodes;
  if (world.local_size > 1) {
    refuse_option(format("{} has started several launchers on this machine", world.launcher),
                  format("{} of {} here, {} in all", world.local_rank, world.local_size, world.size),
                  "start one on each machine, or the program without it");
  }
  return {.count = world.size,
          .rank = world.rank,
          .master_address = world.master_address,
          .master_port = world.master_port,
          .platform = world.launcher};
}

int ranks_of(const LaunchOptions& options, const Nodes& nodes) {
  const int gpus = static_cast<int>(options.gpus.size());
  if (options.ranks < 0 || std::max(options.ranks, gpus) > kMostRanks) {
    refuse_option("not a number of ranks for one machine", format("{}", std::max(options.ranks, gpus)),
                  format("give --ranks a number from 1 to {}", kMostRanks));
  }
  if (options.ranks > 0 && gpus > 0 && options.ranks != gpus) {
    refuse_option("not one GPU for each rank", format("{} ranks, {} GPUs", options.ranks, gpus),
                  "give as many --gpus as --ranks, or one of the two alone");
  }
  const int ranks = options.ranks > 0 ? options.ranks : gpus > 0 ? gpus : nodes.processes_per_node;
  if (ranks == 0) refuse_option("how many ranks to start is not said", "", "give --ranks N, or --gpus 0,1");
  return ranks;
}

}  // namespace

Machine Machine::of_process() {
  cpu_set_t set;
  const bool is_told = sched_getaffinity(0, sizeof(set), &set) == 0;
  return {.processors = is_told ? CPU_COUNT(&set) : static_cast<int>(std::thread::hardware_concurrency())};
}

LaunchPlan plan_launch(const LaunchOptions& options, const Environment& environment, const Machine& machine) {
  if (options.max_restarts < 0) {
    refuse_option("not a number of restarts", format("{}", options.max_restarts), "give --max_restarts 0 or more");
  }
  if (options.threads < 0) {
    refuse_option("not a number of threads", format("{}", options.threads), "give --threads 1 or more, or 0");
  }
  LaunchPlan plan{.nodes = nodes_of(environment), .shared = environment};
  plan.ranks = ranks_of(options, plan.nodes);
  check_gpus(options.gpus, machine.gpus);

  Environment& shared = plan.shared;
  if (!options.gpus.empty()) {
    std::string& devices = shared["CUDA_VISIBLE_DEVICES"] = options.gpus.front();
    for (std::size_t i = 1; i < options.gpus.size(); ++i) devices += ',' + options.gpus[i];
    // The numbers that nvidia-smi shows; CUDA by itself would begin with the fastest.
    if (std::string& order = shared["CUDA_DEVICE_ORDER"]; order.empty()) order = "PCI_BUS_ID";
  }
  if (options.threads > 0) {
    shared["OMP_NUM_THREADS"] = format("{}", options.threads);
  } else if (shared["OMP_NUM_THREADS"].empty()) {
    shared["OMP_NUM_THREADS"] = format("{}", std::max(1, machine.processors / plan.ranks));
  }
  shared["WORLD_SIZE"] = format("{}", plan.size());
  shared["LOCAL_WORLD_SIZE"] = format("{}", plan.ranks);
  shared["GROUP_RANK"] = format("{}", plan.nodes.rank);
  shared["MASTER_ADDR"] = plan.is_one_machine() ? "127.0.0.1" : plan.nodes.master_address;
  shared["TORCHELASTIC_MAX_RESTARTS"] = format("{}", options.max_restarts);
  // Of whoever started this launcher, not of the ranks.
  shared.erase("TORCHELASTIC_USE_AGENT_STORE");
  shared.erase("SCAFFOLD_LISTEN_FD");
  return plan;
}

Environment rank_environment(const LaunchPlan& plan, const RankPlace& place) {
  Environment environment = plan.shared;
  environment["RANK"] = format("{}", plan.first_rank() + place.local_rank);
  environment["LOCAL_RANK"] = format("{}", place.local_rank);
  environment["MASTER_PORT"] = format("{}", place.port > 0 ? place.port : plan.nodes.master_port);
  environment["TORCHELASTIC_RESTART_COUNT"] = format("{}", place.restarts);
  if (place.listen_fd >= 0) environment["SCAFFOLD_LISTEN_FD"] = format("{}", place.listen_fd);
  return environment;
}

}  // namespace base::dist
