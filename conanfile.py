import os

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain
from conan.tools.files import copy, rm
from conan.tools.system.package_manager import Apt

required_conan_version = ">=2.26"


class ScaffoldConan(ConanFile):
    name = "scaffold"
    version = "0.1.0"
    description = "Deep learning in C++: the runtime library that generated projects stand on"
    license = "Apache-2.0"
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {
        "shared": [True, False],
        "fPIC": [True, False],
        "with_cuda": [True, False],
        "with_onnxruntime": [True, False],
        "with_tensorrt": [True, False],
    }
    default_options = {
        "shared": False,
        "fPIC": True,
        "with_cuda": False,
        "with_onnxruntime": True,
        "with_tensorrt": False,
    }
    implements = ["auto_shared_fpic"]
    exports_sources = "CMakeLists.txt", "base/*", "LICENSE"

    def configure(self):
        self.options["libtorch"].with_cuda = self.options.with_cuda
        self.options["rapidcheck"].enable_gtest = True

    def requirements(self):
        # ConanCenter's own LibTorch has neither CUDA nor distributed training: this one is always conan/recipes/libtorch.
        self.requires("libtorch/2.15.0", transitive_headers=True, transitive_libs=True)
        self.requires("spdlog/[>=1.10 <2]")
        self.requires("fmt/[>=9 <13]")  # after spdlog, which pins the fmt that it was made with
        self.requires("tomlplusplus/[>=3.3 <4]")
        self.requires("libjpeg-turbo/[>=2.1 <4]")
        self.requires("libpng/[>=1.6 <2]")
        self.requires("nlohmann_json/[>=3.11 <3.12]")
        self.requires("protozero/[>=1.7 <2]")
        self.requires("zlib/[>=1.2.13 <2]")
        if self.options.with_onnxruntime:
            self.requires("onnxruntime/[>=1.17 <2]")
        if self.options.with_tensorrt:
            self.requires("tensorrt/system")

    def build_requirements(self):
        # Only what stands beside the library in this repository uses these (generator/, examples/, tests/): no user of
        # the package sees them, and -c tools.graph:skip_test=True leaves them out when it is built.
        self.test_requires("cli11/[>=2.1 <3]")
        self.test_requires("gtest/[>=1.12 <2]", force=True)  # rapidcheck pins one that ConanCenter no longer has
        self.test_requires("inja/[>=3.5 <4]")
        self.test_requires("rapidcheck/cci.20231215")

    def system_requirements(self):
        # What the [platform_requires] of conan/profiles/debian stand on.
        packages = self.conf.get("user.scaffold:system_packages", default=[], check_type=list)
        if packages:
            Apt(self).install(packages, check=True)

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        # One folder a preset of CMakePresets.json; asan, tsan and tidy stand on the dependencies of debug.
        preset = "cuda" if self.options.with_cuda else str(self.settings.build_type).lower()
        self.folders.build = f"build/{preset}"
        self.folders.generators = f"build/{preset}/generators"

    def generate(self):
        packages = CMakeDeps(self)
        # The names that CMake's own FindJPEG gives them, so that one CMakeLists.txt serves Conan and the platform.
        packages.set_property("libjpeg-turbo", "cmake_file_name", "JPEG")
        packages.set_property("libjpeg-turbo::jpeg", "cmake_target_name", "JPEG::JPEG")
        packages.generate()
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False  # CMakePresets.json is in the repository
        toolchain.variables["SCAFFOLD_WITH_CUDA"] = bool(self.options.with_cuda)
        toolchain.variables["SCAFFOLD_WITH_ONNXRUNTIME"] = bool(self.options.with_onnxruntime)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        # The package is what its options say; a build of the repository takes TensorRT where it is.
        cmake.configure(variables={"SCAFFOLD_LIBRARY_ONLY": True, "SCAFFOLD_WITH_TENSORRT": bool(self.options.with_tensorrt)})
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        rm(self, "*.gch", self.build_folder, recursive=True)  # 0.7 GB, and the package has it now

    def package_info(self):
        libraries = {"fmt", "libjpeg-turbo", "libpng", "nlohmann_json", "protozero", "spdlog", "tomlplusplus", "zlib"}
        in_graph = libraries & {dependency.ref.name for dependency in self.dependencies.host.values()}
        self.cpp_info.ignored_requires = sorted(libraries - in_graph)  # the profile says that the platform has them

        core = self.cpp_info.components["core"]  # the modules with no LibTorch behind them
        core.set_property("cmake_target_name", "scaffold::core")
        core.libs = ["scaffold_core"]
        core.requires = [f"{name}::{name}" for name in sorted(in_graph)]
        core.system_libs = ["pthread", *self.conf.get("user.scaffold:system_libs", default=[], check_type=list)]

        infer = self.cpp_info.components["infer"]  # runs exported models, with no LibTorch behind it either
        infer.set_property("cmake_target_name", "scaffold::infer")
        infer.libs = ["scaffold_infer"]
        infer.requires = ["core"]
        if self.options.with_onnxruntime:
            infer.requires.append("onnxruntime::onnxruntime")
        if self.options.with_tensorrt:
            infer.requires.append("tensorrt::cudart")  # its own libraries are loaded by who runs a plan

        scaffold = self.cpp_info.components["scaffold"]
        scaffold.set_property("cmake_target_name", "scaffold::scaffold")
        scaffold.libs = ["scaffold"]
        scaffold.requires = ["core", "infer", "libtorch::torch"]
        # The precompiled base/torch.h in the package is taken only by files compiled with the flags that made it.
        scaffold.cxxflags = ["-fPIC", "-fno-devirtualize"] if self.settings.compiler == "gcc" else []
