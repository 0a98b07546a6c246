#include "base/torch.h"

#include "base/train/environment.h"

#include <sys/utsname.h>
#include <torch/cuda.h>
#include <torch/version.h>

#include <array>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "base/log/format.h"

namespace base {
namespace {

/// Of this process, word by word.
std::vector<std::string> command() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string time_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  std::array<char, 32> text = {};
  return {text.data(), std::strftime(text.data(), text.size(), "%FT%TZ", &parts)};
}

}  // namespace

std::string environment_json(const torch::Device& device) {
  utsname system = {};
  uname(&system);
  nlohmann::ordered_json facts;
  facts["time"] = time_now();
  facts["command"] = command();
  facts["host"] = system.nodename;
  facts["system"] = format("{} {} {}", system.sysname, system.release, system.machine);
  facts["processor"] = processor();
  facts["cores"] = std::thread::hardware_concurrency();
  facts["threads"] = torch::get_num_threads();
  facts["libtorch"] = TORCH_VERSION;
  facts["device"] = device.str();
  facts["gpus"] = torch::cuda::device_count();
  return facts.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace base
