from conan import ConanFile
from conan.tools.cmake import CMakeDeps, CMakeToolchain

required_conan_version = ">=2.26"


class ProjectConan(ConanFile):
    """What the project stands on: the runtime library, LibTorch with it, and GoogleTest for the tests."""

    settings = "os", "arch", "compiler", "build_type"
<% if cuda %>
    options = {"with_cuda": [True, False]}
    default_options = {"with_cuda": False}
<% endif %>

    def requirements(self):
        self.requires("scaffold/<@ scaffold_version @>")

    def build_requirements(self):
        self.test_requires("gtest/[>=1.12 <2]")
<% if cuda %>

    def configure(self):
        self.options["scaffold"].with_cuda = self.options.with_cuda
<% if tensorrt %>
        self.options["scaffold"].with_tensorrt = self.options.with_cuda
<% endif %>
<% endif %>

    def layout(self):  # a folder for each preset of CMakePresets.json
        preset = str(self.settings.build_type).lower()
<% if cuda %>
        preset = "cuda" if self.options.with_cuda else preset
<% endif %>
        self.folders.build = f"build/{preset}"
        self.folders.generators = f"build/{preset}/generators"

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False  # CMakePresets.json is written by hand
        toolchain.generate()
