#include "generator/doctor.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/generator/fake_machine.h"
#include "tests/support/temporary_folder.h"

namespace generator {
namespace {

using State = Finding::State;

struct Visit {
  int exit_code;
  std::string text;
};

/// What `scaffold doctor > file` leaves behind.
Visit visit(FakeMachine& machine) {
  const base::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "out";
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  base::Console console(descriptor, {});
  const int code = doctor(machine, console);
  close(descriptor);
  return {code, base::contents_of(file)};
}

Finding finding_of(FakeMachine& machine, const std::string& what) {
  const std::vector<Finding> findings = examine(machine);
  const auto found = std::find_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.what == what; });
  return found == findings.end() ? Finding{} : *found;
}

TEST(DoctorGolden, IsContentWithACompleteMachine) {
  FakeMachine machine = complete_machine();
  const Visit result = visit(machine);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.text,
            "required\n"
            "  C++ compiler   12.2.0                /usr/bin/g++\n"
            "  CMake          3.25.1                /usr/bin/cmake\n"
            "  Ninja          1.11.1                /usr/bin/ninja\n"
            "  Conan          2.34.0                /usr/bin/conan\n"
            "  LibTorch       2.15.0, CPU and CUDA  Conan's cache\n"
            "optional\n"
            "  ccache         4.7.5                 /usr/bin/ccache\n"
            "  git            2.39.5                /usr/bin/git\n"
            "  clang-format   14.0.6                /usr/bin/clang-format\n"
            "  CUDA toolkit   13.0                  /usr/local/cuda/bin/nvcc\n"
            "  NVIDIA driver  CUDA 13.0, 2 GPUs     libcuda.so.1\n"
            "  TensorRT       10.3.0                /usr/include/NvInferVersion.h\n"
            "  Slurm          22.05.8               /usr/bin/sbatch\n"
            "  gcloud         528.0.0               /usr/bin/gcloud\n"
            "  kubectl        1.32.4                /usr/bin/kubectl\n"
            "  SkyPilot       0.10.3                /usr/bin/sky\n"
            "  Docker         27.5.1                /usr/bin/docker\n"
            "  Apptainer      1.3.6                 /usr/bin/apptainer\n"
            "ready: everything required is here\n");
}

TEST(DoctorGolden, TellsAnEmptyMachineHowToGetEverything) {
  FakeMachine machine;
  const Visit result = visit(machine);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.text,
            "required\n"
            "  C++ compiler   missing  apt-get install g++\n"
            "  CMake          missing  apt-get install cmake\n"
            "  Ninja          missing  apt-get install ninja-build\n"
            "  Conan          missing  ./dev install\n"
            "  LibTorch       missing  Conan is needed to look for it; ./dev install\n"
            "optional\n"
            "  ccache         missing  apt-get install ccache\n"
            "  git            missing  apt-get install git\n"
            "  clang-format   missing  apt-get install clang-format\n"
            "  CUDA toolkit   missing  apt-get install cuda-toolkit (NVIDIA's repository)\n"
            "  NVIDIA driver  missing  apt-get install nvidia-driver (Debian's non-free)\n"
            "  TensorRT       missing  apt-get install libnvinfer-dev libnvonnxparsers-dev (NVIDIA's repository), or "
            "set TENSORRT_ROOT\n"
            "  Slurm          missing  apt-get install slurm-client\n"
            "  gcloud         missing  curl https://sdk.cloud.google.com | bash\n"
            "  kubectl        missing  apt-get install kubernetes-client\n"
            "  SkyPilot       missing  python3 -m pip install skypilot, in a venv of its own\n"
            "  Docker         missing  apt-get install docker.io\n"
            "  Apptainer      missing  apt-get install apptainer (Debian unstable, or ppa:apptainer/ppa)\n"
            "not ready: this machine lacks C++ compiler, CMake, Ninja, Conan, LibTorch\n");
  EXPECT_TRUE(machine.commands.empty());
}

TEST(Doctor, AsksForANewerCMake) {
  FakeMachine machine = complete_machine();
  machine.add("cmake", "cmake version 3.22.1\n");
  const Visit result = visit(machine);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.text,
              testing::HasSubstr("/usr/bin/cmake; 3.23 or newer is needed; python3 -m pip install --upgrade "
                                 "cmake\n"));
  EXPECT_THAT(result.text, testing::EndsWith("\nnot ready: this machine lacks CMake\n"));
}

TEST(Doctor, DoesWithoutWhatIsOptional) {
  FakeMachine machine = complete_machine();
  for (const char* name :
       {"ccache", "git", "clang-format", "sbatch", "gcloud", "kubectl", "sky", "docker", "apptainer"})
    machine.remove(name);
  machine.answers.erase("/usr/local/cuda/bin/nvcc");
  machine.files.clear();
  machine.driver.reset();
  EXPECT_EQ(visit(machine).exit_code, 0);
}

TEST(Doctor, TellsThatConanHangsAndDoesNotAskItAgain) {
  FakeMachine machine = complete_machine();
  machine.add("conan", "", "no answer in 10 s");
  const Visit result = visit(machine);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(
      result.text,
      testing::HasSubstr(
          "broken             /usr/bin/conan; no answer in 10 s from `/usr/bin/conan --version`; ./dev install\n"));
  EXPECT_THAT(result.text, testing::EndsWith("\nnot ready: this machine lacks Conan, LibTorch\n"));
  EXPECT_EQ(
      std::count(machine.commands.begin(), machine.commands.end(), "/usr/bin/conan list libtorch/*:* --format=json"),
      0);
}

TEST(Doctor, SurvivesAProgramThatPrintsGarbage) {
  FakeMachine machine = complete_machine();
  std::string garbage;
  for (int i = 0; i < 4096; ++i) garbage += static_cast<char>(i * 7919 % 256);
  garbage.erase(std::remove(garbage.begin(), garbage.end(), '.'), garbage.end());
  for (const char* name : {"g++", "cmake", "ninja", "conan", "git"}) machine.add(name, garbage);
  machine.answers["/usr/bin/conan list libtorch/*:* --format=json"].output = garbage;
  machine.files["/usr/include/NvInferVersion.h"] = "#define NV_TENSORRT_MAJOR " + garbage;
  EXPECT_EQ(finding_of(machine, "CMake").problem, "its version cannot be read");
  EXPECT_EQ(finding_of(machine, "git").state, State::kBroken);
  EXPECT_EQ(finding_of(machine, "LibTorch").state, State::kMissing);
  EXPECT_EQ(visit(machine).exit_code, 2);
}

TEST(Doctor, DistrustsAProgramThatFails) {
  FakeMachine machine = complete_machine();
  machine.add("ninja", "1.11.1\n", "exit code 1");
  EXPECT_EQ(finding_of(machine, "Ninja").state, State::kBroken);
}

TEST(Doctor, JudgesClangByItsOwnNumbers) {
  FakeMachine machine = complete_machine();
  machine.remove("g++");
  machine.add("clang++", "Debian clang version 14.0.6\n");
  EXPECT_EQ(finding_of(machine, "C++ compiler").state, State::kTooOld);
  EXPECT_EQ(finding_of(machine, "C++ compiler").problem, "16 or newer is needed");
  machine.add("clang++", "Ubuntu clang version 18.1.3 (1ubuntu1)\n");
  EXPECT_EQ(finding_of(machine, "C++ compiler").state, State::kFound);
}

TEST(Doctor, TakesClangIfGccIsTooOld) {
  FakeMachine machine = complete_machine();
  machine.add("g++", "g++ (Ubuntu 9.4.0-1ubuntu1~20.04.2) 9.4.0\n");
  EXPECT_EQ(finding_of(machine, "C++ compiler").problem, "12 or newer is needed");
  EXPECT_EQ(finding_of(machine, "C++ compiler").fix, "apt-get install g++-12");
  machine.add("clang++", "clang version 17.0.0\n");
  EXPECT_EQ(finding_of(machine, "C++ compiler").path, "/usr/bin/clang++");
}

TEST(Doctor, LooksOnlyAtTheCompilerThatCxxNames) {
  FakeMachine machine = complete_machine();
  machine.variables["CXX"] = "my-c++";
  EXPECT_EQ(finding_of(machine, "C++ compiler").state, State::kMissing);
  EXPECT_EQ(finding_of(machine, "C++ compiler").fix, "unset CXX, which is my-c++");
  machine.add("my-c++", "my-c++ (GCC) 14.1.0\n");
  EXPECT_EQ(finding_of(machine, "C++ compiler").path, "/usr/bin/my-c++");
}

TEST(Doctor, UsesTheConanBesideTheToolIfThereIsNoneOnThePath) {
  FakeMachine machine = complete_machine();
  const std::string own = "/opt/scaffold/libexec/scaffold/venv/bin/conan";
  machine.add_at(own, "Conan version 2.34.0\n");
  EXPECT_EQ(finding_of(machine, "Conan").path, "/usr/bin/conan");
  machine.remove("conan");
  machine.answers[own + " list libtorch/*:* --format=json"] =
      machine.answers["/usr/bin/conan list libtorch/*:* --format=json"];
  EXPECT_EQ(finding_of(machine, "Conan").path, own);
  EXPECT_EQ(finding_of(machine, "LibTorch").state, State::kFound);
}

TEST(Doctor, AsksForANewerConan) {
  FakeMachine machine = complete_machine();
  machine.add("conan", "Conan version 1.64.0\n");
  EXPECT_EQ(finding_of(machine, "Conan").problem, "2.26 or newer is needed");
}

TEST(Doctor, TellsWhichLibTorchIsThere) {
  FakeMachine machine = complete_machine();
  const auto found = [&](const std::string& json) {
    machine.answers["/usr/bin/conan list libtorch/*:* --format=json"].output = json;
    return finding_of(machine, "LibTorch").version;
  };
  const std::string recipe = R"("libtorch/2.14.0": {"revisions": {"a": {"packages": {}}}})";
  const std::string cpu =
      R"("libtorch/2.15.0": {"revisions": {"a": {"packages": {"p": {"info": {"options": {"with_cuda": "False"}}}}}}})";
  const std::string cuda =
      R"("libtorch/2.9.1": {"revisions": {"a": {"packages": {"p": {"info": {"options": {"with_cuda": "True"}}}}}}})";
  EXPECT_EQ(found(R"({"Local Cache": {}})"), "");
  EXPECT_EQ(found(R"({"Local Cache": {"error": "no recipe 'libtorch/*'"}})"), "");
  EXPECT_EQ(found("{\"Local Cache\": {" + recipe + "}}"), "") << "a recipe without a package";
  EXPECT_EQ(found("{\"Local Cache\": {" + cpu + "}}"), "2.15.0, CPU");
  EXPECT_EQ(found("{\"Local Cache\": {" + cuda + "}}"), "2.9.1, CUDA");
  EXPECT_EQ(found("{\"Local Cache\": {" + cpu + ", " + cuda + ", " + recipe + "}}"), "2.15.0, CPU");
}

TEST(Doctor, TellsADriverThatFindsNoGpuFromNoDriver) {
  FakeMachine machine = complete_machine();
  machine.driver = CudaDriver{100, 0, 0};
  EXPECT_EQ(finding_of(machine, "NVIDIA driver").problem, "no GPU answers (CUDA error 100)");
  machine.driver = CudaDriver{0, 12040, 1};
  EXPECT_EQ(finding_of(machine, "NVIDIA driver").version, "CUDA 12.4, 1 GPU");
}

TEST(Doctor, ReadsTheTensorRtHeaderOfEitherStyleFromItsRootFirst) {
  FakeMachine machine = complete_machine();
  machine.variables["TENSORRT_ROOT"] = "/opt/TensorRT";
  machine.files["/opt/TensorRT/include/NvInferVersion.h"] =
      "#define TRT_MAJOR_ENTERPRISE 10\n#define TRT_MINOR_ENTERPRISE 13\n#define TRT_PATCH_ENTERPRISE 3\n"
      "#define NV_TENSORRT_MAJOR TRT_MAJOR_ENTERPRISE //!< TensorRT major version.\n"
      "#define NV_TENSORRT_MINOR TRT_MINOR_ENTERPRISE //!< TensorRT minor version.\n"
      "#define NV_TENSORRT_PATCH TRT_PATCH_ENTERPRISE //!< TensorRT patch version.\n";
  EXPECT_EQ(finding_of(machine, "TensorRT").version, "10.13.3");
  EXPECT_EQ(finding_of(machine, "TensorRT").path, "/opt/TensorRT/include/NvInferVersion.h");
}

TEST(Doctor, IsNotFooledByATensorRtHeaderThatDefinesItselfInACircle) {
  FakeMachine machine = complete_machine();
  machine.files["/usr/include/NvInferVersion.h"] = "#define NV_TENSORRT_MAJOR NV_TENSORRT_MAJOR";
  EXPECT_EQ(finding_of(machine, "TensorRT").state, State::kBroken);
}

}  // namespace
}  // namespace generator
