from conan import ConanFile
from conan.tools.cmake import cmake_layout


class AnswerConan(ConanFile):
    settings = "os", "arch", "compiler", "build_type"
    requires = "scaffold/0.1.0"
    generators = "CMakeDeps", "CMakeToolchain"

    def layout(self):
        cmake_layout(self)
