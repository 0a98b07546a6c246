import importlib.util
import os
import re
import sys
import zipfile

from conan import ConanFile
from conan.errors import ConanException, ConanInvalidConfiguration
from conan.tools.files import save
from conan.tools.system import PyEnv

required_conan_version = ">=2.26"


class LibtorchConan(ConanFile):
    name = "libtorch"
    description = "LibTorch as PyTorch builds it, taken from its wheel: with distributed training, and CUDA as an option"
    license = "BSD-3-Clause"
    package_type = "shared-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"with_cuda": [True, False]}
    default_options = {"with_cuda": False}

    # The wheels' own layout is kept (torch/ beside nvidia/), so that the libraries' RPATHs ($ORIGIN/../../nvidia/...)
    # hold as they are. The CPU library too is linked against CUDA's runtime and profiler libraries.
    _cpu = re.compile(
        r"torch/include/.*"
        r"|torch/lib/lib(torch_cpu|c10|gomp|gfortran)\.so[.\d]*$"
        r"|nvidia/cu13/lib/lib(cudart|cupti)\.so[.\d]*$"
        r"|[^/]+\.dist-info/.*(LICENSE|License|NOTICE).*"
    )
    _cuda = re.compile(r"torch/lib/lib[^/]+\.so[.\d]*$|nvidia/[^/]+/(lib|include)/.*")
    # torch's private protobuf would shadow the project's own; what concerns Python is of no use here.
    _skip = re.compile(r"torch/include/(google|pybind11)/|torch/lib/lib(torch_python|shm)\.so|.*\.a$")

    def validate(self):
        if self.settings.os != "Linux" or str(self.settings.arch) not in self._wheels:
            raise ConanInvalidConfiguration(
                f"no LibTorch is pinned for {self.settings.os} {self.settings.arch}: add its wheels to conandata.yml"
            )
        if self.settings.get_safe("compiler.libcxx") != "libstdc++11":
            raise ConanInvalidConfiguration("LibTorch is built for libstdc++11: set compiler.libcxx=libstdc++11")

    def package_id(self):  # prebuilt: the same for every compiler and build type
        del self.info.settings.compiler
        del self.info.settings.build_type

    @property
    def _wheels(self):
        return self.conan_data["sources"][self.version]

    def build(self):
        wheels = self._wheels[str(self.settings.arch)]
        pins = dict(wheels["cpu"], **(wheels["cuda"] if self.options.with_cuda else {}))
        save(self, "requirements.txt", "".join(f"{name} --hash=sha256:{digest}\n" for name, digest in pins.items()))
        python = sys.executable if importlib.util.find_spec("pip") else PyEnv(self).env_exe
        try:
            self.run(
                f'"{python}" -m pip download --no-cache-dir --no-deps --require-hashes --only-binary=:all: '
                f'{" ".join(wheels["python"])} --dest wheels --requirement requirements.txt'
            )
        except ConanException as error:
            raise ConanException(
                "the wheels of LibTorch could not be downloaded with pip (its own message is above): check the network, "
                "pip's index and the free disk (2 GB, 9 GB with CUDA), then run the same command again"
            ) from error

    def package(self):
        folder = os.path.join(self.build_folder, "wheels")
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            with zipfile.ZipFile(path) as wheel:
                for member in wheel.infolist():
                    file = member.filename
                    wanted = self._cpu.match(file) or (self.options.with_cuda and self._cuda.match(file))
                    if wanted and not self._skip.match(file) and not member.is_dir():
                        licences = ".dist-info/" in file
                        wheel.extract(member, os.path.join(self.package_folder, "licenses" if licences else ""))
            os.remove(path)  # not to keep half a gigabyte, or four with CUDA, in the build folder
        self._add_gloo_names()
        if self.options.with_cuda:
            self._add_linker_names()

    def _add_gloo_names(self):
        # LibTorch holds Gloo, and its ProcessGroupGloo.hpp includes Gloo's headers, which the wheel lacks. It only refers to
        # Gloo's classes: their names are enough, and no object of them is made outside of LibTorch.
        names = """#pragma once
#include <chrono>
#include <string>
#include <vector>
namespace gloo {
class Context {
 public:
  void setTimeout(std::chrono::milliseconds);
};
namespace transport {
class Device;
class UnboundBuffer;
}
namespace rendezvous {
class Store {
 public:
  virtual ~Store();
  virtual void set(const std::string&, const std::vector<char>&) = 0;
  virtual std::vector<char> get(const std::string&) = 0;
  virtual void wait(const std::vector<std::string>&) = 0;
  virtual void wait(const std::vector<std::string>&, const std::chrono::milliseconds&) = 0;
};
}
}
"""
        include = os.path.join(self.package_folder, "torch/include/gloo")
        save(self, os.path.join(include, "names.h"), names)
        for header in ("algorithm.h", "common/error.h", "context.h", "rendezvous/store.h", "transport/device.h"):
            save(self, os.path.join(include, header), "#include <gloo/names.h>\n")

    def _add_linker_names(self):
        # wheels ship libcudart.so.13 without the libcudart.so that a linker looks for
        for root, _, files in os.walk(os.path.join(self.package_folder, "nvidia")):
            for file in files:
                stem = re.sub(r"(\.so)\.\d+$", r"\1", file)
                if stem != file and stem not in files:
                    os.symlink(file, os.path.join(root, stem))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "Torch")

        def library(name, requires=(), folder="torch"):
            component = self.cpp_info.components[name]
            component.set_property("cmake_target_name", f"torch::{name}")
            component.libs, component.libdirs = [name], [f"{folder}/lib"]
            component.includedirs, component.bindirs = [], []
            component.requires = list(requires)
            return component

        library("c10").includedirs = ["torch/include"]
        cpu = library("torch_cpu", ["c10"])
        cpu.includedirs = ["torch/include", "torch/include/torch/csrc/api/include"]
        cpu.defines = ["USE_DISTRIBUTED", "USE_C10D_GLOO"]  # what this build of LibTorch has; its headers ask
        cpu.system_libs = ["pthread", "dl", "rt", "m"]

        # `libtorch.so` itself is an empty shell that drags libtorch_cuda in: the target of that name is ours to compose.
        torch = self.cpp_info.components["torch"]
        torch.set_property("cmake_target_name", "torch")
        torch.set_property("cmake_target_aliases", ["torch::torch"])
        torch.includedirs, torch.libdirs, torch.bindirs, torch.requires = [], [], [], ["torch_cpu"]
        if self.options.with_cuda:
            library("cudart", folder="nvidia/cu13").includedirs = ["nvidia/cu13/include"]
            library("cudnn", folder="nvidia/cudnn").includedirs = ["nvidia/cudnn/include"]
            library("nccl", folder="nvidia/nccl").includedirs = ["nvidia/nccl/include"]
            library("c10_cuda", ["c10", "cudart"])
            cuda = library("torch_cuda", ["torch_cpu", "c10_cuda", "cudnn", "nccl"])
            cuda.defines = ["USE_CUDA", "USE_C10D_NCCL"]
            # nothing refers to a symbol of libtorch_cuda: it registers its kernels when loaded, so it must stay linked
            cuda.sharedlinkflags = cuda.exelinkflags = ["-Wl,--no-as-needed"]
            torch.requires.append("torch_cuda")
