from conan import ConanFile


class Inja(ConanFile):
    name = "inja"
    description = "Template engine (stand-in)"
    license = "MIT"
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"

    def requirements(self):
        self.requires("nlohmann_json/[^3.8]")

    def package_id(self):
        self.info.clear()

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "inja")
        self.cpp_info.set_property("cmake_target_name", "pantor::inja")
