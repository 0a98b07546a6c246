from conan import ConanFile


class Tomlplusplus(ConanFile):
    name = "tomlplusplus"
    description = "TOML parser (stand-in)"
    license = "MIT"
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"

    def package_id(self):
        self.info.clear()

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "tomlplusplus")
        self.cpp_info.set_property("cmake_target_name", "tomlplusplus::tomlplusplus")
