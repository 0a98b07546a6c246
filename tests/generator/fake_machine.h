// fake_machine.h: a machine that has what a test gives it.
#ifndef TESTS_GENERATOR_FAKE_MACHINE_H_
#define TESTS_GENERATOR_FAKE_MACHINE_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "generator/probe.h"

namespace generator {

class FakeMachine final : public Probe {
 public:
  /// A program in /usr/bin that answers every call alike.
  void add(const std::string& name, const std::string& output, const std::string& failure = "") {
    add_at("/usr/bin/" + name, output, failure);
    on_path[name] = "/usr/bin/" + name;
  }
  void add_at(const std::string& path, const std::string& output, const std::string& failure = "") {
    answers[path] = {output, failure};
  }
  void remove(const std::string& name) { on_path.erase(name); }

  ProcessResult run(const std::vector<std::string>& argv) override {
    std::string command;
    for (const std::string& argument : argv) command += (command.empty() ? "" : " ") + argument;
    commands.push_back(command);
    if (answers.contains(command)) return answers.at(command);
    return answers.contains(argv.front()) ? answers.at(argv.front()) : ProcessResult{"", "cannot be started"};
  }
  std::optional<std::string> find_program(const std::string& name) override {
    if (on_path.contains(name)) return on_path.at(name);
    return name.starts_with('/') && answers.contains(name) ? std::optional(name) : std::nullopt;
  }
  std::optional<std::string> read_file(const std::string& path) override {
    return files.contains(path) ? std::optional(files.at(path)) : std::nullopt;
  }
  std::string variable(const std::string& name) override { return variables.contains(name) ? variables.at(name) : ""; }
  std::string tool_folder() override { return "/opt/scaffold/bin"; }
  std::optional<CudaDriver> cuda_driver() override { return driver; }

  std::map<std::string, std::string> on_path;
  std::map<std::string, ProcessResult> answers;  // by the whole command line, else by the path alone
  std::map<std::string, std::string> files;
  std::map<std::string, std::string> variables;
  std::optional<CudaDriver> driver;
  std::vector<std::string> commands;  // all that were run
};

/// A machine that lacks nothing.
inline FakeMachine complete_machine() {
  FakeMachine machine;
  machine.add("g++", "g++ (Debian 12.2.0-14) 12.2.0\nCopyright (C) 2022 Free Software Foundation, Inc.\n");
  machine.add("cmake",
              "cmake version 3.25.1\n\nCMake suite maintained and supported by Kitware (kitware.com/cmake).\n");
  machine.add("ninja", "1.11.1\n");
  machine.add("conan", "Conan version 2.34.0\n");
  machine.answers["/usr/bin/conan list libtorch/*:* --format=json"].output = R"({"Local Cache": {"libtorch/2.15.0": {
      "revisions": {"b2bf": {"timestamp": 1.5, "packages": {
          "0ec8": {"info": {"options": {"with_cuda": "True"}}}, "e72d": {"info": {"options": {"with_cuda": "False"}}}}}}}}})";
  machine.add("ccache", "ccache version 4.7.5\nFeatures: file-storage http-storage redis-storage\n");
  machine.add("git", "git version 2.39.5\n");
  machine.add("clang-format", "Debian clang-format version 14.0.6\n");
  machine.add_at("/usr/local/cuda/bin/nvcc", "Cuda compilation tools, release 13.0, V13.0.88\n");
  machine.driver = CudaDriver{0, 13000, 2};
  machine.files["/usr/include/NvInferVersion.h"] =
      "#define NV_TENSORRT_MAJOR 10 //!< TensorRT major version.\n"
      "#define NV_TENSORRT_MINOR 3 //!< TensorRT minor version.\n"
      "#define NV_TENSORRT_PATCH 0 //!< TensorRT patch version.\n";
  machine.add("sbatch", "slurm-wlm 22.05.8\n");
  machine.add("gcloud", "Google Cloud SDK 528.0.0\nalpha 2025.06.20\nbq 2.1.18\n");
  machine.add("kubectl", "Client Version: v1.32.4\nKustomize Version: v5.5.0\n");
  machine.add("sky", "skypilot, version 0.10.3\n");
  machine.add("docker", "Docker version 27.5.1, build 9f9e405\n");
  machine.add("apptainer", "apptainer version 1.3.6\n");
  return machine;
}

}  // namespace generator

#endif  // TESTS_GENERATOR_FAKE_MACHINE_H_
