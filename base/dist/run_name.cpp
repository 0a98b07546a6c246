#include "base/dist/run_name.h"

#include <ctime>
#include <random>

#include "base/log/format.h"

namespace base {

std::string new_run_name() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  std::string time(32, '\0');
  time.resize(std::strftime(time.data(), time.size(), "%Y%m%d-%H%M%S", &local));
  std::random_device chance;
  return format("{}_{:06x}", time, chance() & 0xffffff);
}

}  // namespace base
