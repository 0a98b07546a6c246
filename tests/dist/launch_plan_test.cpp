#include "base/dist/launch_plan.h"

#include <gtest/gtest.h>

#include "base/dist/world.h"
#include "tests/support/temporary_folder.h"
#include "tests/tensor/message_of.h"

namespace base::dist {
namespace {

const Environment kKubeflow{{"PET_NNODES", "2"},
                            {"PET_NPROC_PER_NODE", "4"},
                            {"PET_NODE_RANK", "1"},
                            {"PET_MASTER_ADDR", "node0"},
                            {"PET_MASTER_PORT", "29400"}};

/// A machine with eight processors and so many GPUs.
class LaunchPlanTest : public testing::Test {
 protected:
  Machine machine(int gpus = 0) const {
    for (int i = 0; i < gpus; ++i) folder_.write("gpus/0000:0" + std::to_string(i), "");
    return {.processors = 8, .gpus = folder_ / "gpus"};
  }
  std::string complaint(ErrorKind kind, const LaunchOptions& options, const Environment& environment = {},
                        int gpus = 0) const {
    return message_of(kind, [&] { plan_launch(options, environment, machine(gpus)); });
  }

  TemporaryFolder folder_;
};

TEST_F(LaunchPlanTest, SharesTheProcessorsOut) {
  EXPECT_EQ(plan_launch({.ranks = 3}, {}, machine()).shared.at("OMP_NUM_THREADS"), "2");
  EXPECT_EQ(plan_launch({.ranks = 9}, {}, machine()).shared.at("OMP_NUM_THREADS"), "1");
  EXPECT_EQ(plan_launch({.ranks = 3}, {{"OMP_NUM_THREADS", "5"}}, machine()).shared.at("OMP_NUM_THREADS"), "5");
  EXPECT_EQ(plan_launch({.ranks = 3, .threads = 4}, {{"OMP_NUM_THREADS", "5"}}, machine()).shared.at("OMP_NUM_THREADS"),
            "4");
}

TEST_F(LaunchPlanTest, GivesTheGpusToTheRanks) {
  const LaunchPlan plan = plan_launch({.gpus = {"2", "0"}}, {}, machine(3));
  EXPECT_EQ(plan.ranks, 2);
  EXPECT_EQ(plan.shared.at("CUDA_VISIBLE_DEVICES"), "2,0");
  EXPECT_EQ(plan.shared.at("CUDA_DEVICE_ORDER"), "PCI_BUS_ID");
  const Environment by_speed{{"CUDA_DEVICE_ORDER", "FASTEST_FIRST"}};
  EXPECT_EQ(plan_launch({.gpus = {"0"}}, by_speed, machine(3)).shared.at("CUDA_DEVICE_ORDER"), "FASTEST_FIRST");
  EXPECT_FALSE(plan_launch({.ranks = 2}, {}, machine()).shared.contains("CUDA_DEVICE_ORDER"));
  EXPECT_EQ(plan_launch({.ranks = 2}, {{"CUDA_VISIBLE_DEVICES", "1"}}, machine()).shared.at("CUDA_VISIBLE_DEVICES"),
            "1");
}

TEST_F(LaunchPlanTest, CountsTheRanksOfAllMachines) {
  const LaunchPlan plan = plan_launch({}, kKubeflow, machine());
  const World world = World::from_environment(rank_environment(plan, {.local_rank = 3, .restarts = 2}));
  EXPECT_EQ(world.rank, 7);
  EXPECT_EQ(world.size, 8);
  EXPECT_EQ(world.local_rank, 3);
  EXPECT_EQ(world.local_size, 4);
  EXPECT_EQ(world.master_address, "node0");
  EXPECT_EQ(world.master_port, 29400);
  EXPECT_EQ(world.restarts, 2);
  EXPECT_EQ(world.listen_fd, -1);
  EXPECT_EQ(rank_environment(plan, {}).at("GROUP_RANK"), "1");
}

TEST_F(LaunchPlanTest, TakesATaskOfSlurmForAMachine) {
  const LaunchPlan plan = plan_launch({.ranks = 2},
                                      {{"SLURM_PROCID", "1"},
                                       {"SLURM_LOCALID", "0"},
                                       {"SLURM_NODEID", "1"},
                                       {"SLURM_NTASKS", "2"},
                                       {"SLURM_TASKS_PER_NODE", "1(x2)"},
                                       {"SLURM_JOB_ID", "1"},
                                       {"SLURM_STEP_ID", "0"},
                                       {"SLURM_JOB_NODELIST", "a,b"}},
                                      machine());
  const World world = World::from_environment(rank_environment(plan, {.local_rank = 1}));
  EXPECT_EQ(world.rank, 3);
  EXPECT_EQ(world.size, 4);
  EXPECT_EQ(world.master_address, "a");
}

TEST_F(LaunchPlanTest, KeepsToItselfWhatItsOwnLauncherSaid) {
  const LaunchPlan plan = plan_launch({.ranks = 2},
                                      {{"RANK", "0"},
                                       {"WORLD_SIZE", "1"},
                                       {"MASTER_ADDR", "node0"},
                                       {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                                       {"SCAFFOLD_LISTEN_FD", "9"}},
                                      machine());
  const World world = World::from_environment(rank_environment(plan, {.port = 4711, .listen_fd = 5}));
  EXPECT_EQ(world.master_address, "127.0.0.1");
  EXPECT_EQ(world.master_port, 4711);
  EXPECT_EQ(world.listen_fd, 5);
  EXPECT_FALSE(world.agent_store);
  EXPECT_FALSE(rank_environment(plan, {.local_rank = 1, .port = 4711}).contains("SCAFFOLD_LISTEN_FD"));
}

TEST_F(LaunchPlanTest, RefusesNumbersOfRanksThatCannotBe) {
  EXPECT_EQ(complaint(ErrorKind::kUsage, {}),
            "usage error: how many ranks to start is not said\n  fix: give --ranks N, or --gpus 0,1");
  for (const int ranks : {-1, 1025}) {
    EXPECT_EQ(complaint(ErrorKind::kUsage, {.ranks = ranks}),
              "usage error: not a number of ranks for one machine: " + std::to_string(ranks < 0 ? 0 : ranks) +
                  "\n  fix: give --ranks a number from 1 to 1024");
  }
  EXPECT_EQ(complaint(ErrorKind::kUsage, {.ranks = 2, .gpus = {"0"}}, {}, 1),
            "usage error: not one GPU for each rank: 2 ranks, 1 GPUs\n"
            "  fix: give as many --gpus as --ranks, or one of the two alone");
  EXPECT_EQ(complaint(ErrorKind::kUsage, {.ranks = 2, .max_restarts = -1}),
            "usage error: not a number of restarts: -1\n  fix: give --max_restarts 0 or more");
  EXPECT_EQ(complaint(ErrorKind::kUsage, {.ranks = 2, .threads = -1}),
            "usage error: not a number of threads: -1\n  fix: give --threads 1 or more, or 0");
}

TEST_F(LaunchPlanTest, RefusesGpusThatAreNotThere) {
  for (const char* gpu : {"a", "-1", "0x1", ""}) {
    EXPECT_EQ(complaint(ErrorKind::kUsage, {.gpus = {gpu}}, {}, 1),
              std::string("usage error: not the number of a GPU") + (*gpu == 0 ? "" : ": ") + gpu +
                  "\n  fix: give numbers as nvidia-smi shows them: --gpus 0,1");
  }
  EXPECT_EQ(complaint(ErrorKind::kUsage, {.gpus = {"0", "00"}}, {}, 1),
            "usage error: a GPU is given twice: 00\n  fix: name each GPU once in --gpus");
  EXPECT_EQ(complaint(ErrorKind::kDevice, {.gpus = {"0", "2"}}, {}, 2),
            "device error: no such GPU on this machine: 2\n  fix: give numbers from 0 to 1");
}

TEST_F(LaunchPlanTest, RefusesGpusWithoutADriver) {
  EXPECT_EQ(complaint(ErrorKind::kDevice, {.gpus = {"0"}}),
            "device error: no NVIDIA driver on this machine: " + (folder_ / "gpus").string() +
                "\n  fix: install it, or leave --gpus out");
}

TEST_F(LaunchPlanTest, RefusesToBeStartedSeveralTimesOnAMachine) {
  EXPECT_EQ(complaint(ErrorKind::kUsage, {.ranks = 2},
                      {{"RANK", "1"},
                       {"WORLD_SIZE", "4"},
                       {"LOCAL_RANK", "1"},
                       {"LOCAL_WORLD_SIZE", "2"},
                       {"MASTER_ADDR", "a"},
                       {"MASTER_PORT", "1"}}),
            "usage error: torchrun has started several launchers on this machine: 1 of 2 here, 4 in all\n"
            "  fix: start one on each machine, or the program without it");
}

}  // namespace
}  // namespace base::dist
