from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout


class ConsumerConan(ConanFile):
    """What a project that uses the runtime library says."""

    settings = "os", "arch", "compiler", "build_type"

    def requirements(self):
        self.requires("scaffold/0.1.0@check")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        CMakeToolchain(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()
