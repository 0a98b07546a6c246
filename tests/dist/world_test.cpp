#include "base/dist/world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "base/log/format.h"
#include "tests/tensor/message_of.h"

namespace base {

bool operator==(const World& a, const World& b) {
  return a.rank == b.rank && a.size == b.size && a.local_rank == b.local_rank && a.local_size == b.local_size &&
         a.master_address == b.master_address && a.master_port == b.master_port && a.agent_store == b.agent_store &&
         a.listen_fd == b.listen_fd && a.restarts == b.restarts && a.launch == b.launch && a.launcher == b.launcher;
}

void PrintTo(const World& world, std::ostream* stream) {
  *stream << format("{}/{}, here {}/{}, {}:{}, agent {}, fd {}, restarts {}, launcher {}", world.rank, world.size,
                    world.local_rank, world.local_size, world.master_address, world.master_port, world.agent_store,
                    world.listen_fd, world.restarts, world.launcher);
}

namespace {

/// `more` replaces what is there; an empty value takes it away.
Environment with(Environment environment, const Environment& more) {
  for (const auto& [name, value] : more) environment[name] = value;
  return environment;
}

std::string complaint_about(const Environment& environment) {
  return message_of(ErrorKind::kDistributed, [&] { World::from_environment(environment); });
}

const Environment kTorchrun{{"RANK", "5"},
                            {"WORLD_SIZE", "8"},
                            {"LOCAL_RANK", "1"},
                            {"LOCAL_WORLD_SIZE", "4"},
                            {"MASTER_ADDR", "node0"},
                            {"MASTER_PORT", "29400"}};
const Environment kSlurm{{"SLURM_PROCID", "5"},           {"SLURM_LOCALID", "1"},
                         {"SLURM_NODEID", "1"},           {"SLURM_NTASKS", "7"},
                         {"SLURM_JOB_ID", "4711"},        {"SLURM_STEP_ID", "0"},
                         {"SLURM_TASKS_PER_NODE", "4,3"}, {"SLURM_JOB_NODELIST", "node[003-004]"}};
const Environment kMpi{{"OMPI_COMM_WORLD_RANK", "1"},
                       {"OMPI_COMM_WORLD_SIZE", "2"},
                       {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                       {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                       {"PMIX_NAMESPACE", "prterun-host-17@1"}};
const Environment kKubeflow{{"PET_NNODES", "3"},
                            {"PET_NPROC_PER_NODE", "1"},
                            {"PET_NODE_RANK", "2"},
                            {"PET_MASTER_ADDR", "job-node-0-0.job"},
                            {"PET_MASTER_PORT", "29400"}};
const Environment kVertex{
    {"CLUSTER_SPEC", R"({"cluster": {"workerpool0": ["first:2222"], "workerpool1": ["second:2222", "third:2222"]},)"
                     R"( "environment": "cloud", "task": {"type": "workerpool1", "index": 1}})"}};
const Environment kSkyPilot{{"SKYPILOT_NODE_RANK", "1"},
                            {"SKYPILOT_NODE_IPS", "10.0.0.1\n10.0.0.2\n"},
                            {"SKYPILOT_NUM_NODES", "2"},
                            {"SKYPILOT_NUM_GPUS_PER_NODE", "1"}};

TEST(World, IsOneProcessWithoutALauncher) {
  EXPECT_EQ(World::from_environment({}), World{});
  EXPECT_EQ(World::from_environment({{"MASTER_ADDR", "node0"}, {"MASTER_PORT", "1"}, {"RANK", ""}}), World{});
  EXPECT_TRUE(World{}.is_first());
}

TEST(World, OfTorchrun) {
  const World expected{.rank = 5,
                       .size = 8,
                       .local_rank = 1,
                       .local_size = 4,
                       .master_address = "node0",
                       .master_port = 29400,
                       .launcher = "torchrun"};
  EXPECT_EQ(World::from_environment(kTorchrun), expected);
  EXPECT_FALSE(expected.is_first());

  World served = expected;
  served.agent_store = true;
  served.restarts = 2;
  served.launch = "a";
  EXPECT_EQ(World::from_environment(with(kTorchrun, {{"TORCHELASTIC_USE_AGENT_STORE", "True"},
                                                     {"TORCHELASTIC_RESTART_COUNT", "2"},
                                                     {"SCAFFOLD_LAUNCH", "a"}})),
            served);
  EXPECT_FALSE(World::from_environment(with(kTorchrun, {{"TORCHELASTIC_USE_AGENT_STORE", "False"}})).agent_store);
}

TEST(World, OfOneProcessAMachineNeedsNoLocalRank) {
  const World world = World::from_environment(with(kTorchrun, {{"LOCAL_RANK", ""}, {"LOCAL_WORLD_SIZE", ""}}));
  EXPECT_EQ(world.local_rank, 0);
  EXPECT_EQ(world.local_size, 1);
}

TEST(World, OfOneNeedsNoPort) {
  EXPECT_EQ(World::from_environment({{"RANK", "0"}, {"WORLD_SIZE", "1"}}), (World{.launcher = "torchrun"}));
}

TEST(World, HasTheSocketOfTheLauncherInItsFirstProcessOnly) {
  const Environment first = with(kTorchrun, {{"RANK", "0"}, {"LOCAL_RANK", "0"}, {"SCAFFOLD_LISTEN_FD", "7"}});
  EXPECT_EQ(World::from_environment(first).listen_fd, 7);
  EXPECT_EQ(World::from_environment(with(first, {{"RANK", "1"}})).listen_fd, -1);
}

TEST(World, OfSlurm) {
  const World world = World::from_environment(kSlurm);
  EXPECT_EQ(world, (World{.rank = 5,
                          .size = 7,
                          .local_rank = 1,
                          .local_size = 3,
                          .master_address = "node003",
                          .master_port = world.master_port,
                          .launcher = "Slurm"}));
  EXPECT_GE(world.master_port, 15000);
  EXPECT_LT(world.master_port, 30000);
}

TEST(World, OfSlurmAgreesOnAPortThatOtherJobsDoNotHave) {
  const auto port = [](const Environment& more) { return World::from_environment(with(kSlurm, more)).master_port; };
  EXPECT_EQ(port({}), port({{"SLURM_PROCID", "0"}, {"SLURM_LOCALID", "0"}, {"SLURM_NODEID", "0"}}));
  EXPECT_NE(port({}), port({{"SLURM_JOB_ID", "4712"}}));
  EXPECT_NE(port({}), port({{"SLURM_STEP_ID", "1"}}));
  EXPECT_EQ(port({{"MASTER_PORT", "1234"}}), 1234);
}

TEST(World, OfAStepOfSlurmMayHaveAPartOfTheJob) {
  const World world = World::from_environment(with(kSlurm, {{"SLURM_PROCID", "1"},
                                                            {"SLURM_STEP_NUM_TASKS", "2"},
                                                            {"SLURM_STEP_NODELIST", "node004"},
                                                            {"SLURM_STEP_TASKS_PER_NODE", "2"},
                                                            {"SLURM_NODEID", "0"},
                                                            {"SLURM_RESTART_COUNT", "1"}}));
  EXPECT_EQ(world.size, 2);
  EXPECT_EQ(world.local_size, 2);
  EXPECT_EQ(world.master_address, "node004");
  EXPECT_EQ(world.restarts, 1);
  EXPECT_EQ(World::from_environment(with(kSlurm, {{"MASTER_ADDR", "10.0.0.3"}})).master_address, "10.0.0.3");
}

TEST(World, OfSlurmSharesTheRanksOutWhereNothingIsSaid) {
  EXPECT_EQ(World::from_environment(with(kSlurm, {{"SLURM_TASKS_PER_NODE", ""}})).local_size, 4);
}

TEST(World, OfABatchScriptOfSlurmIsOneProcess) {
  EXPECT_EQ(World::from_environment(with(kSlurm, {{"SLURM_STEP_ID", ""}})), World{});
  EXPECT_EQ(World::from_environment(with(kSlurm, {{"SLURM_STEP_ID", "4294967291"}})), World{});  // the batch step
  EXPECT_EQ(World::from_environment(with(kSlurm, {{"SLURM_STEP_ID", "4294967290"}})), World{});  // salloc's shell
}

TEST(World, OfOneTaskOfSlurmIsAWorldOfOne) {
  EXPECT_EQ(World::from_environment(
                {{"SLURM_PROCID", "0"}, {"SLURM_LOCALID", "0"}, {"SLURM_NTASKS", "1"}, {"SLURM_STEP_ID", "0"}}),
            (World{.launcher = "Slurm"}));
}

TEST(World, OfOpenMpi) {
  const World world = World::from_environment(kMpi);
  EXPECT_EQ(world, (World{.rank = 1,
                          .size = 2,
                          .local_rank = 1,
                          .local_size = 2,
                          .master_port = world.master_port,
                          .launcher = "Open MPI"}));
  EXPECT_NE(world.master_port,
            World::from_environment(with(kMpi, {{"PMIX_NAMESPACE", "prterun-host-18@1"}})).master_port);
  EXPECT_GT(
      World::from_environment(with(kMpi, {{"PMIX_NAMESPACE", ""}, {"OMPI_MCA_ess_base_jobid", "17"}})).master_port, 0);
  EXPECT_EQ(World::from_environment(with(kMpi, {{"MASTER_PORT", "1234"}})).master_port, 1234);

  const World wide = World::from_environment(with(kMpi, {{"OMPI_COMM_WORLD_SIZE", "4"}, {"MASTER_ADDR", "node0"}}));
  EXPECT_EQ(wide.master_address, "node0");
  EXPECT_EQ(wide.size, 4);
}

TEST(World, OfMpirunInATaskOfSlurmIsThatOfMpirun) {
  const World world = World::from_environment(
      with(kMpi, {{"SLURM_PROCID", "0"}, {"SLURM_LOCALID", "0"}, {"SLURM_NTASKS", "1"}, {"SLURM_STEP_ID", "0"}}));
  EXPECT_EQ(world.rank, 1);
  EXPECT_EQ(world.size, 2);
}

TEST(World, OfKubeflow) {
  EXPECT_EQ(
      World::from_environment(kKubeflow),
      (World{
          .rank = 2, .size = 3, .master_address = "job-node-0-0.job", .master_port = 29400, .launcher = "Kubeflow"}));
  for (const char* unknown : {"auto", "gpu", "cpu", ""}) {
    EXPECT_EQ(World::from_environment(with(kKubeflow, {{"PET_NPROC_PER_NODE", unknown}})).size, 3);
  }
}

TEST(World, OfVertex) {
  EXPECT_EQ(World::from_environment(kVertex),
            (World{.rank = 2, .size = 3, .master_address = "first", .master_port = 2222, .launcher = "Vertex AI"}));
  EXPECT_EQ(
      World::from_environment(
          {{"CLUSTER_SPEC", R"({"cluster": {"workerpool0": ["only"]}, "task": {"type": "workerpool0", "index": 0}})"}}),
      (World{.master_address = "only", .master_port = 29500, .launcher = "Vertex AI"}));
}

TEST(World, OfSkyPilot) {
  EXPECT_EQ(World::from_environment(kSkyPilot),
            (World{.rank = 1, .size = 2, .master_address = "10.0.0.1", .master_port = 29500, .launcher = "SkyPilot"}));
  EXPECT_EQ(World::from_environment(with(kSkyPilot, {{"MASTER_PORT", "1234"}})).master_port, 1234);
  // Eight GPUs of one machine may serve one process, or none.
  const Environment one = with(kSkyPilot, {{"SKYPILOT_NODE_RANK", "0"},
                                           {"SKYPILOT_NODE_IPS", "10.0.0.1"},
                                           {"SKYPILOT_NUM_NODES", "1"},
                                           {"SKYPILOT_NUM_GPUS_PER_NODE", "8"}});
  EXPECT_EQ(World::from_environment(one).size, 1);
}

TEST(World, TakesTheMostExplicitLauncher) {
  const Environment families[] = {kTorchrun, kMpi, kSlurm, kKubeflow, kVertex, kSkyPilot};
  const char* const names[] = {"torchrun", "Open MPI", "Slurm", "Kubeflow", "Vertex AI", "SkyPilot"};
  for (std::size_t first = 0; first < std::size(families); ++first) {
    Environment all;
    for (std::size_t other = first; other < std::size(families); ++other) {
      all.insert(families[other].begin(), families[other].end());
    }
    EXPECT_EQ(World::from_environment(all).launcher, names[first]);
  }
}

TEST(World, OfTorchrunWithoutAPieceOrWithAContradictionIsAnError) {
  const std::string fix = "\n  fix: leave these variables to torchrun, or unset RANK to run alone";
  const auto complaint = [](const Environment& more) { return complaint_about(with(kTorchrun, more)); };
  EXPECT_EQ(complaint({{"WORLD_SIZE", ""}}),
            "distributed error: torchrun sets WORLD_SIZE, which is missing: RANK=5" + fix);
  EXPECT_EQ(complaint({{"RANK", ""}}),
            "distributed error: torchrun sets RANK, which is missing: WORLD_SIZE=8\n"
            "  fix: leave these variables to torchrun, or unset WORLD_SIZE to run alone");
  EXPECT_EQ(complaint({{"MASTER_ADDR", ""}}),
            "distributed error: torchrun sets MASTER_ADDR, which is missing: RANK=5" + fix);
  EXPECT_EQ(complaint({{"MASTER_PORT", ""}}),
            "distributed error: torchrun sets MASTER_PORT, which is missing: RANK=5" + fix);
  EXPECT_EQ(complaint({{"LOCAL_RANK", ""}}),
            "distributed error: torchrun sets LOCAL_RANK, which is missing: RANK=5" + fix);
  EXPECT_EQ(complaint({{"RANK", "8"}}),
            "distributed error: the rank is not below the number of ranks: RANK=8 WORLD_SIZE=8" + fix);
  EXPECT_EQ(complaint({{"RANK", "-1"}}), "distributed error: not a whole number from 0 to 2147483647: RANK=-1" + fix);
  EXPECT_EQ(complaint({{"WORLD_SIZE", "two\x1b[2J"}}),
            "distributed error: not a whole number from 1 to 2147483647: WORLD_SIZE=two\\x1b[2J" + fix);
  EXPECT_EQ(complaint({{"MASTER_PORT", "65536"}}),
            "distributed error: not a whole number from 1 to 65535: MASTER_PORT=65536" + fix);
  EXPECT_EQ(complaint({{"LOCAL_RANK", "4"}}),
            "distributed error: the rank on this machine is not below the number of its ranks: "
            "LOCAL_RANK=4 LOCAL_WORLD_SIZE=4" +
                fix);
  EXPECT_EQ(complaint({{"LOCAL_WORLD_SIZE", "9"}}),
            "distributed error: more ranks on this machine than there are: LOCAL_WORLD_SIZE=9 WORLD_SIZE=8" + fix);
}

TEST(World, OfSlurmWithoutAPieceOrWithAContradictionIsAnError) {
  const std::string fix = "\n  fix: leave these variables to Slurm, or unset SLURM_PROCID to run alone";
  const auto complaint = [](const Environment& more) { return complaint_about(with(kSlurm, more)); };
  for (const char* name : {"SLURM_NTASKS", "SLURM_LOCALID", "SLURM_NODEID", "SLURM_JOB_ID", "SLURM_JOB_NODELIST"}) {
    EXPECT_EQ(complaint({{name, ""}}),
              format("distributed error: Slurm sets {}, which is missing: SLURM_PROCID=5", name) + fix);
  }
  EXPECT_EQ(complaint({{"SLURM_NTASKS", "5"}}),
            "distributed error: the rank is not below the number of ranks: SLURM_PROCID=5 SLURM_NTASKS=5" + fix);
  EXPECT_EQ(complaint({{"SLURM_LOCALID", "3"}}),
            "distributed error: the rank on this machine is not below the number of its ranks: "
            "SLURM_LOCALID=3 SLURM_TASKS_PER_NODE=4,3" +
                fix);
  EXPECT_EQ(complaint({{"SLURM_NODEID", "2"}}),
            "distributed error: the number of the node is not below the number of nodes: "
            "SLURM_NODEID=2 SLURM_JOB_NODELIST=node[003-004]" +
                fix);
  EXPECT_EQ(complaint({{"SLURM_TASKS_PER_NODE", "7"}}),
            "distributed error: nothing about this node: SLURM_TASKS_PER_NODE=7 SLURM_NODEID=1" + fix);
  EXPECT_EQ(complaint({{"SLURM_JOB_NODELIST", "node[3"}}),
            "distributed error: not a list as Slurm writes it: node[3\n  fix: give one such as login,node[003-007,9]");
}

TEST(World, OfOpenMpiWithoutAPieceOrWithAContradictionIsAnError) {
  const std::string fix = "\n  fix: leave these variables to Open MPI, or unset OMPI_COMM_WORLD_RANK to run alone";
  const auto complaint = [](const Environment& more) { return complaint_about(with(kMpi, more)); };
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"}) {
    EXPECT_EQ(complaint({{name, ""}}),
              format("distributed error: Open MPI sets {}, which is missing: OMPI_COMM_WORLD_RANK=1", name) + fix);
  }
  EXPECT_EQ(complaint({{"OMPI_COMM_WORLD_RANK", "2"}}),
            "distributed error: the rank is not below the number of ranks: "
            "OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=2" +
                fix);
  EXPECT_EQ(complaint({{"OMPI_COMM_WORLD_LOCAL_RANK", "2"}}),
            "distributed error: the rank on this machine is not below the number of its ranks: "
            "OMPI_COMM_WORLD_LOCAL_RANK=2 OMPI_COMM_WORLD_LOCAL_SIZE=2" +
                fix);
  EXPECT_EQ(complaint({{"OMPI_COMM_WORLD_LOCAL_SIZE", "3"}}),
            "distributed error: more ranks on this machine than there are: "
            "OMPI_COMM_WORLD_LOCAL_SIZE=3 OMPI_COMM_WORLD_SIZE=2" +
                fix);
  EXPECT_EQ(complaint({{"OMPI_COMM_WORLD_SIZE", "4"}}),
            "distributed error: Open MPI does not say on which machine the first rank is: "
            "OMPI_COMM_WORLD_LOCAL_SIZE=2 OMPI_COMM_WORLD_SIZE=4\n"
            "  fix: give its address: mpirun -x MASTER_ADDR=HOST ...");
  EXPECT_EQ(
      complaint({{"PMIX_NAMESPACE", ""}}),
      "distributed error: Open MPI does not say which job this is: OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2\n"
      "  fix: give the ranks a port: mpirun -x MASTER_PORT=29500 ...");
}

TEST(World, OfKubeflowWithoutAPieceOrWithAContradictionIsAnError) {
  const std::string fix = "\n  fix: leave these variables to Kubeflow, or unset PET_NNODES to run alone";
  const auto complaint = [](const Environment& more) { return complaint_about(with(kKubeflow, more)); };
  for (const char* name : {"PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT"}) {
    EXPECT_EQ(complaint({{name, ""}}),
              format("distributed error: Kubeflow sets {}, which is missing: PET_NNODES=3", name) + fix);
  }
  EXPECT_EQ(
      complaint({{"PET_NODE_RANK", "3"}}),
      "distributed error: the rank of the node is not below the number of nodes: PET_NODE_RANK=3 PET_NNODES=3" + fix);
  EXPECT_EQ(complaint({{"PET_NNODES", "1:4"}}),
            "distributed error: not a whole number from 1 to 2147483647: PET_NNODES=1:4" + fix);
  EXPECT_EQ(complaint({{"PET_NPROC_PER_NODE", "all"}}),
            "distributed error: not a whole number from 1 to 2147483647: PET_NPROC_PER_NODE=all" + fix);
}

TEST(World, OfMachinesThatShallRunSeveralProcessesNeedsTheLauncher) {
  EXPECT_EQ(complaint_about(with(kKubeflow, {{"PET_NPROC_PER_NODE", "4"}})),
            "distributed error: Kubeflow wants several processes on every machine: 3 nodes, 4 processes on each\n"
            "  fix: start the program with launch_ranks -- PROGRAM");
  EXPECT_EQ(complaint_about({{"PET_NNODES", "1"}, {"PET_NPROC_PER_NODE", "4"}}),
            "distributed error: Kubeflow wants several processes on every machine: 1 nodes, 4 processes on each\n"
            "  fix: start the program with launch_ranks -- PROGRAM");
  EXPECT_EQ(complaint_about(with(kSkyPilot, {{"SKYPILOT_NUM_GPUS_PER_NODE", "8"}})),
            "distributed error: SkyPilot wants several processes on every machine: 2 nodes, 8 processes on each\n"
            "  fix: start the program with launch_ranks -- PROGRAM");
}

TEST(World, OfVertexWithADamagedSpecificationIsAnError) {
  const std::pair<const char*, const char*> cases[] = {
      {"not a JSON object", "{"},
      {"not a JSON object", "[]"},
      {"no cluster in it", "{}"},
      {"no cluster in it", R"({"cluster": 1})"},
      {"no task in it", R"({"cluster": {}})"},
      {"no type of the task in it", R"({"cluster": {}, "task": {}})"},
      {"no index of the task in it", R"({"cluster": {}, "task": {"type": "a", "index": -1}})"},
      {"a pool that is not a list of hosts", R"({"cluster": {"a": [1]}, "task": {"type": "a", "index": 0}})"},
      {"the task is in none of the pools", R"({"cluster": {"a": ["h:1"]}, "task": {"type": "b", "index": 0}})"},
      {"the task is not in its pool", R"({"cluster": {"a": ["h:1"]}, "task": {"type": "a", "index": 1}})"},
      {"the first host has no valid port", R"({"cluster": {"a": ["h:x"]}, "task": {"type": "a", "index": 0}})"},
      {"the first host has no valid port", R"({"cluster": {"a": ["h:65536"]}, "task": {"type": "a", "index": 0}})"},
  };
  for (const auto& [what, spec] : cases) {
    EXPECT_EQ(complaint_about({{"CLUSTER_SPEC", spec}}),
              format("distributed error: {}: CLUSTER_SPEC={}\n"
                     "  fix: leave these variables to Vertex AI, or unset CLUSTER_SPEC to run alone",
                     what, spec));
  }
}

TEST(World, OfSkyPilotWithoutAPieceOrWithAContradictionIsAnError) {
  const std::string fix = "\n  fix: leave these variables to SkyPilot, or unset SKYPILOT_NODE_RANK to run alone";
  const auto complaint = [](const Environment& more) { return complaint_about(with(kSkyPilot, more)); };
  for (const char* name : {"SKYPILOT_NODE_IPS", "SKYPILOT_NUM_NODES"}) {
    EXPECT_EQ(complaint({{name, ""}}),
              format("distributed error: SkyPilot sets {}, which is missing: SKYPILOT_NODE_RANK=1", name) + fix);
  }
  EXPECT_EQ(complaint({{"SKYPILOT_NUM_NODES", "3"}}),
            "distributed error: not as many addresses as there are nodes: "
            "SKYPILOT_NODE_IPS=10.0.0.1 10.0.0.2  SKYPILOT_NUM_NODES=3" +
                fix);
  EXPECT_EQ(complaint({{"SKYPILOT_NODE_RANK", "2"}}),
            "distributed error: the rank of the node is not below the number of nodes: "
            "SKYPILOT_NODE_RANK=2 SKYPILOT_NUM_NODES=2" +
                fix);
}

}  // namespace
}  // namespace base
