// summary_rate.cpp COUNT: how many scalars a second reach TensorBoard's file, from the first call to the last byte.
#include <base/torch.h>  // first, since it is precompiled

#include <base/log/error.h>
#include <base/log/format.h>
#include <base/summary/summary_writer.h>

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <iostream>

int main(int argc, char** argv) {
  return base::run_main([&] {
    const std::int64_t count = argc > 1 ? std::stoll(argv[1]) : 1'000'000;
    const auto folder = std::filesystem::temp_directory_path() / base::format("summary_rate-{}", getpid());
    const auto start = std::chrono::steady_clock::now();
    base::SummaryWriter writer(folder);
    for (std::int64_t step = 0; step < count; ++step) writer.scalar("loss", 0.5, step);
    const auto called = std::chrono::steady_clock::now();
    writer.flush();
    const auto written = std::chrono::steady_clock::now();
    const auto lost = writer.lost();
    std::filesystem::remove_all(folder);
    const std::chrono::duration<double> whole = written - start;
    const std::chrono::duration<double> calls = called - start;
    std::cout << base::format(R"({{"scalars_per_second": {}, "seconds_in_calls": {}, "lost": {}}})",
                              static_cast<double>(count) / whole.count(), calls.count(), lost)
              << std::endl;
    return lost == 0 ? 0 : 1;
  });
}
