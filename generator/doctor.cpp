#include "generator/doctor.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "base/log/format.h"
#include "generator/version.h"
#include "generator/words.h"

namespace generator {
namespace {

using State = Finding::State;

/// A program that tells its version, and how to come by it.
struct Tool {
  std::string what;
  bool is_required = false;
  std::vector<std::string> names;  // tried in this order, on $PATH or as a path
  Version minimum = {};            // empty: any will do
  std::string get;                 // what to do if it is missing
  std::string upgrade = {};        // what to do if it is too old; empty: the same
  std::vector<std::string> question = {"--version"};
};

/// Judges what a program has answered.
Finding judge(const Tool& tool, const std::string& path, const ProcessResult& answer, const Version& minimum) {
  Finding finding{
      .what = tool.what, .is_required = tool.is_required, .state = State::kBroken, .path = path, .fix = tool.get};
  const std::optional<Version> version = parse_version(answer.output);
  if (!answer.failure.empty()) {
    finding.problem = base::format("{} from `{} {}`", answer.failure, path, joined(tool.question, " "));
  } else if (!version) {
    finding.problem = "its version cannot be read";
  } else {
    finding.version = version->text();
    finding.state = *version < minimum ? State::kTooOld : State::kFound;
  }
  if (finding.state == State::kTooOld) {
    finding.problem = minimum.text() + " or newer is needed";
    if (!tool.upgrade.empty()) finding.fix = tool.upgrade;
  }
  return finding;
}

Finding examine_tool(Probe& machine, const Tool& tool) {
  for (const std::string& name : tool.names) {
    const std::optional<std::string> path = machine.find_program(name);
    if (!path) continue;
    std::vector<std::string> argv{*path};
    argv.insert(argv.end(), tool.question.begin(), tool.question.end());
    return judge(tool, *path, machine.run(argv), tool.minimum);
  }
  return {.what = tool.what, .is_required = tool.is_required, .fix = tool.get};
}

/// As CMake chooses it: $CXX alone if that is set. GCC and Clang learned enough of C++20 at different numbers.
Finding examine_compiler(Probe& machine) {
  Tool tool{.what = "C++ compiler", .is_required = true, .names = {"g++", "clang++"}, .get = "apt-get install g++"};
  const std::string chosen = machine.variable("CXX");
  if (!chosen.empty()) {
    tool.names = {chosen};
    tool.get = "unset CXX, which is " + chosen;
  }
  std::optional<Finding> first;
  for (const std::string& name : tool.names) {
    const std::optional<std::string> path = machine.find_program(name);
    if (!path) continue;
    const ProcessResult answer = machine.run({*path, "--version"});
    const bool is_clang = answer.output.find("clang version") != std::string::npos;
    tool.upgrade = chosen.empty() ? (is_clang ? "apt-get install clang-16" : "apt-get install g++-12") : "";
    Finding finding = judge(tool, *path, answer, is_clang ? Version{{16}} : Version{{12}});
    if (finding.state == State::kFound) return finding;
    if (!first) first = finding;
  }
  return first.value_or(Finding{.what = tool.what, .is_required = true, .fix = tool.get});
}

/// The newest version whose package is in Conan's cache (a recipe alone does not help), from Conan's JSON. Its shape is
/// flat enough for a search: each recipe's name, then its packages with their options.
Finding examine_libtorch(Probe& machine, const Finding& conan) {
  Finding finding{.what = "LibTorch", .is_required = true, .fix = "./dev install"};
  if (conan.state != State::kFound) {
    finding.problem = "Conan is needed to look for it";
    return finding;
  }
  const ProcessResult answer = machine.run({conan.path, "list", "libtorch/*:*", "--format=json"});
  if (!answer.failure.empty()) {
    finding.state = State::kBroken;
    finding.problem = "conan list: " + answer.failure;
    return finding;
  }
  const std::string_view name = "\"libtorch/";
  Version newest;
  for (std::size_t at = answer.output.find(name); at != std::string::npos;) {
    const std::size_t next = answer.output.find(name, at + name.size());
    const std::string recipe = answer.output.substr(at + name.size(), next - at - name.size());
    at = next;
    const std::optional<Version> version = parse_version(recipe);
    if (!version || *version < newest || recipe.find("\"info\"") == std::string::npos) continue;
    const bool has_cuda = recipe.find(R"("with_cuda": "True")") != std::string::npos;
    const bool has_cpu = recipe.find(R"("with_cuda": "False")") != std::string::npos;
    newest = *version;
    finding.state = State::kFound;
    finding.version = version->text() + (has_cuda ? has_cpu ? ", CPU and CUDA" : ", CUDA" : ", CPU");
    finding.path = "Conan's cache";
  }
  return finding;
}

Finding examine_driver(Probe& machine) {
  Finding finding{.what = "NVIDIA driver", .fix = "apt-get install nvidia-driver (Debian's non-free)"};
  const std::optional<CudaDriver> driver = machine.cuda_driver();
  if (!driver) return finding;
  finding.path = "libcuda.so.1";
  if (driver->error != 0) {
    finding.state = State::kBroken;
    finding.problem = base::format("no GPU answers (CUDA error {})", driver->error);
    return finding;
  }
  finding.state = State::kFound;
  finding.version = base::format("CUDA {}.{}, {} {}", driver->version / 1000, driver->version % 1000 / 10,
                                 driver->devices, driver->devices == 1 ? "GPU" : "GPUs");
  return finding;
}

/// The word after `#define NAME`. Headers of late define one name by another, so that is followed once.
std::string definition(const std::string& header, const std::string& name, bool follow = true) {
  const std::string define = "#define " + name + " ";
  const std::size_t at = header.find(define);
  if (at == std::string::npos) return "";
  const std::size_t start = header.find_first_not_of(' ', at + define.size());
  const std::string word =
      header.substr(std::min(start, header.size()), header.find_first_of(" \t\r\n", start) - start);
  const bool is_name = !word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) == 0;
  return is_name && follow ? definition(header, word, false) : word;
}

Finding examine_tensorrt(Probe& machine) {
  Finding finding{
      .what = "TensorRT",
      .fix = "apt-get install libnvinfer-dev libnvonnxparsers-dev (NVIDIA's repository), or set TENSORRT_ROOT"};
  std::vector<std::string> folders{"/usr/include/x86_64-linux-gnu", "/usr/include/aarch64-linux-gnu", "/usr/include",
                                   "/usr/local/tensorrt/include", "/opt/tensorrt/include"};
  const std::string root = machine.variable("TENSORRT_ROOT");
  if (!root.empty()) folders.insert(folders.begin(), root + "/include");
  for (const std::string& folder : folders) {
    const std::string path = folder + "/NvInferVersion.h";
    const std::optional<std::string> header = machine.read_file(path);
    if (!header) continue;
    const std::optional<Version> version =
        parse_version(definition(*header, "NV_TENSORRT_MAJOR") + "." + definition(*header, "NV_TENSORRT_MINOR") + "." +
                      definition(*header, "NV_TENSORRT_PATCH"));
    finding.state = version ? State::kFound : State::kBroken;
    finding.version = version ? version->text() : "";
    finding.problem = version ? "" : "its version cannot be read";
    finding.path = path;
    return finding;
  }
  return finding;
}

}  // namespace

std::vector<Finding> examine(Probe& machine) {
  const auto look = [&](const Tool& tool) { return examine_tool(machine, tool); };
  const std::string own_conan = (std::filesystem::path(machine.tool_folder()) / kOwnConan).lexically_normal();
  std::vector<Finding> findings;
  findings.push_back(examine_compiler(machine));
  findings.push_back(look({.what = "CMake",
                           .is_required = true,
                           .names = {"cmake"},
                           .minimum = {{3, 23}},
                           .get = "apt-get install cmake",
                           .upgrade = "python3 -m pip install --upgrade cmake"}));
  findings.push_back(look(
      {.what = "Ninja", .is_required = true, .names = {"ninja", "ninja-build"}, .get = "apt-get install ninja-build"}));
  const Finding conan = look({.what = "Conan",
                              .is_required = true,
                              .names = {"conan", own_conan},
                              .minimum = {{2, 26}},
                              .get = "./dev install"});
  findings.push_back(conan);
  findings.push_back(examine_libtorch(machine, conan));
  findings.push_back(look({.what = "ccache", .names = {"ccache"}, .get = "apt-get install ccache"}));
  findings.push_back(look({.what = "git", .names = {"git"}, .get = "apt-get install git"}));
  findings.push_back(look({.what = "clang-format", .names = {"clang-format"}, .get = "apt-get install clang-format"}));
  findings.push_back(look({.what = "CUDA toolkit",
                           .names = {"nvcc", "/usr/local/cuda/bin/nvcc"},
                           .get = "apt-get install cuda-toolkit (NVIDIA's repository)"}));
  findings.push_back(examine_driver(machine));
  findings.push_back(examine_tensorrt(machine));
  findings.push_back(look({.what = "Slurm", .names = {"sbatch", "sinfo"}, .get = "apt-get install slurm-client"}));
  findings.push_back(look({.what = "gcloud", .names = {"gcloud"}, .get = "curl https://sdk.cloud.google.com | bash"}));
  findings.push_back(look({.what = "kubectl",
                           .names = {"kubectl"},
                           .get = "apt-get install kubernetes-client",
                           .question = {"version", "--client"}}));
  findings.push_back(
      look({.what = "SkyPilot", .names = {"sky"}, .get = "python3 -m pip install skypilot, in a venv of its own"}));
  findings.push_back(look({.what = "Docker", .names = {"docker"}, .get = "apt-get install docker.io"}));
  findings.push_back(look({.what = "Apptainer",
                           .names = {"apptainer"},
                           .get = "apt-get install apptainer (Debian unstable, or ppa:apptainer/ppa)"}));
  return findings;
}

int doctor(Probe& machine, base::Console& output) {
  const std::vector<Finding> findings = examine(machine);
  for (const ReportLine& line : report(findings)) {
    output.write_line({{line.before}, {line.word, line.color}, {line.after}});
  }
  return exit_code(findings);
}

}  // namespace generator
