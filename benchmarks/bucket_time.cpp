// bucket_time.cpp: how long the sum of one bucket of gradients over all ranks takes, by size; started by scaling.py.
#include "base/torch.h"

#include <algorithm>
#include <chrono>
#include <iostream>

#include "base/dist/process_group.h"
#include "base/log/error.h"
#include "base/log/format.h"

int main() {
  return base::run_main([] {
    const auto group = base::ProcessGroup::of_process({});
    for (const std::int64_t kilobytes : {1, 64, 1000, 4000, 25000}) {
      const auto bucket = torch::zeros({kilobytes * 250});
      std::vector<double> seconds;
      for (int round = 0; round < 25; ++round) {
        group->any(false);  // all begin together
        const auto start = std::chrono::steady_clock::now();
        group->sum(bucket);
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
      }
      std::ranges::nth_element(seconds, seconds.begin() + 12);
      if (group->world().is_first())
        std::cout << base::format(R"({{"kilobytes": {}, "seconds": {}}})", kilobytes, seconds[12]) << std::endl;
    }
    return 0;
  });
}
