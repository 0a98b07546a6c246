// bucket_time.cpp: how long the sum of one bucket of gradients over all ranks takes, by size; started by scaling.py.
// The shortest time of many: a system that lets a rank wait is no property of the network.
#include "base/torch.h"

#include <algorithm>
#include <chrono>
#include <iostream>

#include "base/dist/process_group.h"
#include "base/log/error.h"
#include "base/log/format.h"

namespace {

constexpr int kRounds = 50;

}  // namespace

int main() {
  return base::run_main([] {
    const auto group = base::ProcessGroup::of_process({});
    for (const std::int64_t kilobytes : {1, 64, 1000, 4000, 25000}) {
      const auto bucket = torch::zeros({kilobytes * 250});
      std::vector<double> seconds;
      for (int round = -kRounds; round < kRounds; ++round) {
        group->any(false);  // all begin together
        const auto start = std::chrono::steady_clock::now();
        group->sum(bucket);
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
        if (round >= 0) seconds.push_back(time.count());  // before it, threads wake up and memory is touched
      }
      if (group->world().is_first())
        std::cout << base::format(R"({{"kilobytes": {}, "seconds": {}}})", kilobytes, std::ranges::min(seconds))
                  << std::endl;
    }
    return 0;
  });
}
