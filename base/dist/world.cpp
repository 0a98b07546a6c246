#include "base/dist/world.h"

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/dist/nodes.h"
#include "base/dist/slurm.h"
#include "base/log/error.h"
#include "base/log/format.h"

namespace base {
namespace {

/// A port that all who know the text agree on, below those that systems hand out by themselves.
int port_from(std::string_view text) {
  std::uint32_t hash = 2166136261;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
  return 15000 + static_cast<int>(hash % 15000);
}

World torchrun_world(const LauncherVariables& variables) {
  World world{
      .rank = variables.number("RANK"), .size = variables.number("WORLD_SIZE", 1), .launcher = variables.launcher()};
  variables.expect(world.rank < world.size, "the rank is not below the number of ranks", {"RANK", "WORLD_SIZE"});
  // Kubernetes operators start one process a machine, and leave these out.
  if (variables.has("LOCAL_RANK") || variables.has("LOCAL_WORLD_SIZE")) {
    world.local_rank = variables.number("LOCAL_RANK");
    world.local_size = variables.number("LOCAL_WORLD_SIZE", 1);
    variables.expect(world.local_rank < world.local_size,
                     "the rank on this machine is not below the number of its ranks",
                     {"LOCAL_RANK", "LOCAL_WORLD_SIZE"});
    variables.expect(world.local_size <= world.size, "more ranks on this machine than there are",
                     {"LOCAL_WORLD_SIZE", "WORLD_SIZE"});
  }
  if (world.size > 1 || variables.has("MASTER_ADDR")) world.master_address = variables.text("MASTER_ADDR");
  if (world.size > 1 || variables.has("MASTER_PORT")) world.master_port = variables.port("MASTER_PORT");
  world.agent_store =
      variables.has("TORCHELASTIC_USE_AGENT_STORE") && variables.text("TORCHELASTIC_USE_AGENT_STORE") == "True";
  if (world.is_first() && variables.has("SCAFFOLD_LISTEN_FD")) world.listen_fd = variables.number("SCAFFOLD_LISTEN_FD");
  if (variables.has("SCAFFOLD_LAUNCH")) world.launch = variables.text("SCAFFOLD_LAUNCH");
  if (variables.has("TORCHELASTIC_RESTART_COUNT")) world.restarts = variables.number("TORCHELASTIC_RESTART_COUNT");
  return world;
}

/// Whether srun started this process. A batch script, and the shell of salloc, have a rank too; their steps have
/// numbers from the end of 32 bits.
bool is_slurm_task(const LauncherVariables& variables) {
  if (!variables.is_there() || !variables.has("SLURM_STEP_ID")) return false;
  const std::string step = variables.text("SLURM_STEP_ID");
  return step.size() < 10 || step < "4294967280";
}

World slurm_world(const LauncherVariables& variables) {
  const std::string size = variables.first_of({"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"});
  World world{.rank = variables.number("SLURM_PROCID"),
              .size = variables.number(size.empty() ? "SLURM_NTASKS" : size, 1),
              .local_rank = variables.number("SLURM_LOCALID"),
              .launcher = variables.launcher()};
  variables.expect(world.rank < world.size, "the rank is not below the number of ranks", {"SLURM_PROCID", size});
  if (variables.has("SLURM_RESTART_COUNT")) world.restarts = variables.number("SLURM_RESTART_COUNT");
  if (world.size == 1) return world;

  // A step may have a part of the job's machines.
  const std::string list = variables.first_of({"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"});
  const std::vector<std::string> hosts = slurm_hosts(variables.text(list.empty() ? "SLURM_JOB_NODELIST" : list));
  const std::string counts = variables.first_of({"SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE"});
  const auto node = static_cast<std::size_t>(variables.number("SLURM_NODEID"));
  variables.expect(node < hosts.size(), "the number of the node is not below the number of nodes",
                   {"SLURM_NODEID", list});
  if (counts.empty()) {
    world.local_size = (world.size - 1) / static_cast<int>(hosts.size()) + 1;
  } else {
    const std::vector<int> tasks = slurm_counts(variables.text(counts));
    variables.expect(node < tasks.size(), "nothing about this node", {counts, "SLURM_NODEID"});
    world.local_size = tasks[node];
  }
  variables.expect(world.local_rank < world.local_size, "the rank on this machine is not below the number of its ranks",
                   {"SLURM_LOCALID", counts.empty() ? size : counts});
  world.master_address = variables.has("MASTER_ADDR") ? variables.text("MASTER_ADDR") : hosts.front();
  world.master_port = variables.has("MASTER_PORT")
                          ? variables.port("MASTER_PORT")
                          : port_from(variables.text("SLURM_JOB_ID") + '.' + variables.text("SLURM_STEP_ID"));
  return world;
}

World mpi_world(const LauncherVariables& variables) {
  World world{.rank = variables.number("OMPI_COMM_WORLD_RANK"),
              .size = variables.number("OMPI_COMM_WORLD_SIZE", 1),
              .local_rank = variables.number("OMPI_COMM_WORLD_LOCAL_RANK"),
              .local_size = variables.number("OMPI_COMM_WORLD_LOCAL_SIZE", 1),
              .launcher = variables.launcher()};
  variables.expect(world.rank < world.size, "the rank is not below the number of ranks",
                   {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"});
  variables.expect(world.local_rank < world.local_size, "the rank on this machine is not below the number of its ranks",
                   {"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"});
  variables.expect(world.local_size <= world.size, "more ranks on this machine than there are",
                   {"OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_SIZE"});
  if (world.size == 1) return world;
  if (variables.has("MASTER_ADDR")) {
    world.master_address = variables.text("MASTER_ADDR");
  } else if (world.local_size < world.size) {
    variables.fail("Open MPI does not say on which machine the first rank is",
                   {"OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_SIZE"},
                   "give its address: mpirun -x MASTER_ADDR=HOST ...");
  }
  const std::string job = variables.first_of({"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"});
  if (variables.has("MASTER_PORT")) {
    world.master_port = variables.port("MASTER_PORT");
  } else if (!job.empty()) {
    world.master_port = port_from(variables.text(job));
  } else {
    variables.fail("Open MPI does not say which job this is", {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                   "give the ranks a port: mpirun -x MASTER_PORT=29500 ...");
  }
  return world;
}

/// One process a machine is a world without a launcher.
World node_world(const Nodes& nodes) {
  // The GPUs of a single machine are no promise that there are as many processes; a number that somebody wrote is.
  const bool is_promised = nodes.count > 1 || nodes.platform == "Kubeflow";
  if (nodes.processes_per_node > 1 && is_promised) {
    throw Error(ErrorKind::kDistributed, format("{} wants several processes on every machine", nodes.platform),
                format("{} nodes, {} processes on each", nodes.count, nodes.processes_per_node),
                "start the program with launch_ranks -- PROGRAM");
  }
  return {.rank = nodes.rank,
          .size = nodes.count,
          .master_address = nodes.master_address,
          .master_port = nodes.master_port,
          .launcher = nodes.platform};
}

}  // namespace

log::Options World::log_options() const {
  return {.level = is_first() ? log::Level::kInfo : log::Level::kWarn, .rank = rank, .world_size = size};
}

World World::from_environment(const Environment& environment) {
  const LauncherVariables torchrun(environment, "torchrun", "RANK");
  const LauncherVariables slurm(environment, "Slurm", "SLURM_PROCID");
  const LauncherVariables mpi(environment, "Open MPI", "OMPI_COMM_WORLD_RANK");
  if (torchrun.is_there()) return torchrun_world(torchrun);
  if (torchrun.has("WORLD_SIZE")) return torchrun_world(LauncherVariables(environment, "torchrun", "WORLD_SIZE"));
  if (mpi.is_there()) return mpi_world(mpi);  // before Slurm: mpirun starts its ranks in steps of srun
  if (is_slurm_task(slurm)) return slurm_world(slurm);
  return node_world(Nodes::from_environment(environment));
}

}  // namespace base
