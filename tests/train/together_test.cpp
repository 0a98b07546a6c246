#include "base/torch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/dist/process_group.h"
#include "base/dist/sync_batch_norm.h"
#include "base/log/error.h"

namespace base::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Listens on a free port of this machine: what launch() does for its first rank.
int listening_socket(int& port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(socket, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(listen(socket, 16), 0);
  EXPECT_EQ(getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size), 0);
  port = ntohs(address.sin_port);
  return socket;
}

/// Ranks that are threads of this process; whole processes are in tests/e2e/ranks_test.py.
void together(int size, const std::function<void(ProcessGroup&)>& action) {
  int port = 0;
  const int socket = listening_socket(port);
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < size; ++rank) {
    ranks.emplace_back([&, rank] {
      ProcessGroup group({.rank = rank,
                          .size = size,
                          .local_rank = rank,
                          .local_size = size,
                          .master_port = port,
                          .listen_fd = rank == 0 ? socket : -1},
                         {});
      action(group);
      group.any(false);  // nobody leaves before all are done
    });
  }
  for (auto& rank : ranks) rank.join();
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(ProcessGroup, OfOneDoesNothing) {
  ProcessGroup alone(World{}, {});
  auto tensor = torch::ones({2});
  alone.sum(tensor);
  EXPECT_TRUE(torch::equal(tensor, torch::ones({2})));
  EXPECT_TRUE(alone.is_alone());
  EXPECT_TRUE(alone.any(true));
  EXPECT_FALSE(alone.first_says(false));
  EXPECT_EQ(alone.from_first("text"), "text");
  EXPECT_THAT(alone.gather("text"), ElementsAre("text"));
  EXPECT_THROW(alone.guarded([] { throw std::runtime_error("as it is"); }), std::runtime_error);
}

TEST(ProcessGroup, AddsUpAndAgrees) {
  together(3, [](ProcessGroup& group) {
    auto sum = torch::full({3}, group.world().rank + 1.0);
    group.sum(sum);
    EXPECT_TRUE(torch::equal(sum, torch::full({3}, 6.0)));
    EXPECT_TRUE(group.any(group.world().rank == 2));
    EXPECT_FALSE(group.any(false));
    EXPECT_FALSE(group.first_says(group.world().rank == 2));
    EXPECT_TRUE(group.first_says(group.world().is_first()));
  });
}

TEST(ProcessGroup, HandsOnWhatTheFirstHas) {
  together(3, [](ProcessGroup& group) {
    const int rank = group.world().rank;
    EXPECT_EQ(group.from_first(rank == 0 ? "of the first" : "another, and a longer one"), "of the first");
    EXPECT_EQ(group.from_first(rank == 0 ? "" : "not empty"), "");
    std::vector<torch::Tensor> tensors{torch::full({4}, rank), torch::full({2, 2}, rank + 0.5)};
    group.copy_from_first(tensors);
    EXPECT_TRUE(torch::equal(tensors[0], torch::full({4}, 0)));
    EXPECT_TRUE(torch::equal(tensors[1], torch::full({2, 2}, 0.5)));

    State state;
    if (rank == 0) {
      state.set("step", 7);
      state.set("loss", 0.25);
      state.set("name", std::string("a"));
      state.set("empty", torch::empty({0, 3}));
      state.set("weights", torch::arange(6, torch::kDouble).view({2, 3}));
    } else {
      state.set("weights", torch::zeros({9}));  // of no interest to anybody
    }
    const State copy = group.from_first(state);
    EXPECT_EQ(copy.get<std::int64_t>("step"), 7);
    EXPECT_EQ(copy.get<double>("loss"), 0.25);
    EXPECT_EQ(copy.get<std::string>("name"), "a");
    EXPECT_EQ(copy.get<torch::Tensor>("empty").sizes(), torch::IntArrayRef({0, 3}));
    EXPECT_TRUE(torch::equal(copy.get<torch::Tensor>("weights"), torch::arange(6, torch::kDouble).view({2, 3})));
    EXPECT_EQ(copy.values().size() + copy.tensors().size(), 5U);
  });
}

TEST(ProcessGroup, GathersWhatEachHas) {
  together(3, [](ProcessGroup& group) {
    const int rank = group.world().rank;
    EXPECT_THAT(group.gather(std::string(static_cast<std::size_t>(rank), 'x')), ElementsAre("", "x", "xx"));
    State state;
    if (rank > 0) state.set("rows", torch::full({rank}, rank));
    const auto all = group.gather(state);
    EXPECT_FALSE(all[0].has("rows"));
    EXPECT_EQ(all[2].get<torch::Tensor>("rows").numel(), 2);
  });
}

TEST(ProcessGroup, NamesWhatIsNotTheSame) {
  together(2, [](ProcessGroup& group) {
    const std::string text = group.world().is_first() ? "a 1\nb 2\n" : "a 1\nb 3\n";
    EXPECT_THAT(error_of([&] { group.check_same("the network", text, "use one"); }),
                HasSubstr("the network is not the same on all ranks: rank 0 has b 2, rank 1 has b 3\n  fix: use one"));
    EXPECT_EQ(error_of([&] { group.check_same("the network", "the same", ""); }), "none");
  });
}

TEST(SyncBatchNorm, IsThatOfAllRowsTogether) {
  torch::manual_seed(1);
  const auto rows = torch::randn({6, 3, 4, 4}) * 2 + 1;
  const auto weights = torch::randn({6, 3, 4, 4});  // of the loss
  const auto train = [&](ProcessGroup* group, int first, int count) {
    torch::nn::BatchNorm2d norm(3);
    const torch::Tensor input = rows.narrow(0, first, count).clone().requires_grad_();
    torch::Tensor output;
    {
      const SyncBatchNorm together(group, /*rows_count=*/true);
      output = norm(input);
    }
    (output * weights.narrow(0, first, count)).sum().backward();
    return std::vector<torch::Tensor>{output.detach(),   input.grad(),        norm->running_mean,
                                      norm->running_var, norm->weight.grad(), norm->bias.grad()};
  };
  const auto expected = train(nullptr, 0, 6);
  together(2, [&](ProcessGroup& group) {
    const int first = group.world().rank * 2;
    const int count = group.world().is_first() ? 2 : 4;
    auto result = train(&group, first, count);
    EXPECT_TRUE(torch::allclose(result[0], expected[0].narrow(0, first, count), 1e-5, 1e-6));
    EXPECT_TRUE(torch::allclose(result[1], expected[1].narrow(0, first, count), 1e-4, 1e-5));
    EXPECT_TRUE(torch::allclose(result[2], expected[2]));
    EXPECT_TRUE(torch::allclose(result[3], expected[3]));
    group.sum(result[4]);
    group.sum(result[5]);
    EXPECT_TRUE(torch::allclose(result[4], expected[4], 1e-4, 1e-5));
    EXPECT_TRUE(torch::allclose(result[5], expected[5], 1e-4, 1e-5));
  });
}

}  // namespace
}  // namespace base::testing
