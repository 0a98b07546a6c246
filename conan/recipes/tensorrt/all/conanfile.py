import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.files import load

required_conan_version = ">=2.0"


class TensorRTConan(ConanFile):
    name = "tensorrt"
    version = "system"
    description = "NVIDIA TensorRT as installed on this machine, by its packages or as its archive at TENSORRT_ROOT"
    license = "LicenseRef-NVIDIA-TensorRT"
    homepage = "https://developer.nvidia.com/tensorrt"
    topics = ("deep-learning", "inference", "gpu", "cuda")
    package_type = "shared-library"
    settings = "os", "arch"
    # The package is empty: it is made without being asked for, is of use on no other machine, and where TensorRT
    # lies is looked up at each install. Only TensorRT's version is in its id, and so in that of what is built with it.
    build_policy = "missing"
    upload_policy = "skip"
    package_id_non_embed_mode = "full_mode"

    @property
    def _roots(self):
        root = self.conf.get("user.tensorrt:root") or os.getenv("TENSORRT_ROOT")
        return [os.path.abspath(os.path.expanduser(root))] if root else ["/usr", "/usr/local/tensorrt", "/opt/tensorrt"]

    @staticmethod
    def _folders(kind, arch):  # of NVIDIA's archives, its .deb and its .rpm packages
        triplet = {"armv8": "aarch64"}.get(str(arch), str(arch)) + "-linux-gnu"
        return [kind, f"{kind}/{triplet}", f"targets/{triplet}/{kind}"] + (["lib64"] if kind == "lib" else [])

    def _find(self, arch):
        """The folders of the headers and of the libraries, or None."""
        for root in self._roots:
            found = [next((os.path.join(root, folder) for folder in self._folders(kind, arch)
                           if os.path.exists(os.path.join(root, folder, file))), None)
                     for kind, file in (("include", "NvInfer.h"), ("lib", "libnvinfer.so"))]
            if all(found):
                return found
        return None

    def _find_cuda(self):
        """The same of CUDA's runtime."""
        own = self.conf.get("user.tensorrt:cuda_root") or os.getenv("CUDA_PATH") or os.getenv("CUDA_HOME")
        triplet = {"armv8": "aarch64"}.get(str(self.settings.arch), str(self.settings.arch)) + "-linux"
        for root in [own] if own else ["/usr/local/cuda", "/opt/cuda", "/usr"]:
            found = [next((os.path.join(root, folder) for folder in folders if os.path.exists(os.path.join(root, folder, file))), None)
                     for folders, file in ((("include", f"targets/{triplet}/include"), "cuda_runtime_api.h"),
                                           (("lib64", "lib", f"targets/{triplet}/lib", f"lib/{triplet}-gnu"), "libcudart_static.a"))]
            if all(found):
                return found
        return None

    def _version(self, include):
        header = os.path.join(include, "NvInferVersion.h")
        numbers = dict(re.findall(r"#define (?:NV_TENSORRT|TRT)_(MAJOR|MINOR|PATCH)(?:_ENTERPRISE)? (\d+)",
                                  load(self, header) if os.path.exists(header) else ""))
        return ".".join(numbers.get(part, "0") for part in ("MAJOR", "MINOR", "PATCH"))

    def validate(self):
        arch = self.settings.arch
        if not self._find(arch):
            raise ConanInvalidConfiguration(
                f"TensorRT was not found: no NvInfer.h ({', '.join(self._folders('include', arch))}) together with "
                f"libnvinfer.so ({', '.join(self._folders('lib', arch))}) below {' or '.join(self._roots)}. Install "
                "NVIDIA's packages libnvinfer-dev and libnvonnxparsers-dev, or unpack its archive and set TENSORRT_ROOT "
                "(or the conf user.tensorrt:root) to that folder, or do without it: -o '&:with_tensorrt=False'")
        if not self._find_cuda():
            raise ConanInvalidConfiguration(
                "CUDA's runtime was not found: no cuda_runtime_api.h together with libcudart_static.a. Install NVIDIA's package "
                "cuda-cudart-dev, or set CUDA_PATH (or the conf user.tensorrt:cuda_root) to the folder of the toolkit")

    def package_id(self):
        found = self._find(self.info.settings.arch)
        self.info.clear()
        if found:
            self.info.conf.define("user.tensorrt:version", self._version(found[0]))

    def package_info(self):
        include, lib = self._find(self.settings.arch)
        self.output.info(f"TensorRT {self._version(include)}: {include}, {lib}")
        self.cpp_info.set_property("cmake_file_name", "TensorRT")
        self.cpp_info.set_property("system_package_version", self._version(include))
        for name in ("nvinfer", "nvonnxparser", "nvinfer_plugin", "nvinfer_lean", "nvinfer_dispatch"):
            if os.path.exists(os.path.join(lib, f"lib{name}.so")):
                component = self.cpp_info.components[name]
                component.set_property("cmake_target_name", f"TensorRT::{name}")
                component.libs, component.includedirs, component.libdirs, component.bindirs = [name], [include], [lib], []
                if name in ("nvonnxparser", "nvinfer_plugin"):  # the lean and dispatch runtimes stand for nvinfer
                    component.requires = ["nvinfer"]
        cudart = self.cpp_info.components["cudart"]
        cudart.set_property("cmake_target_name", "TensorRT::cudart")
        cuda_include, cuda_lib = self._find_cuda()
        cudart.libs, cudart.includedirs, cudart.libdirs, cudart.bindirs = ["cudart_static"], [cuda_include], [cuda_lib], []
        cudart.system_libs = ["dl", "pthread", "rt"]
