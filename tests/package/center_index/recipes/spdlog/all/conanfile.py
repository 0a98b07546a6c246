from conan import ConanFile


class Spdlog(ConanFile):
    name = "spdlog"
    description = "Logging (stand-in)"
    license = "MIT"
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "header_only": [True, False], "use_std_fmt": [True, False]}
    default_options = {"shared": False, "fPIC": True, "header_only": False, "use_std_fmt": False}
    implements = ["auto_shared_fpic", "auto_header_only"]

    def requirements(self):
        if not self.options.use_std_fmt:
            self.requires("fmt/12.1.0", transitive_headers=True, transitive_libs=True)

    def package_info(self):
        target = "spdlog::spdlog_header_only" if self.options.header_only else "spdlog::spdlog"
        self.cpp_info.set_property("cmake_file_name", "spdlog")
        self.cpp_info.set_property("cmake_target_name", target)
        self.cpp_info.components["libspdlog"].set_property("cmake_target_name", target)
        if not self.options.use_std_fmt:
            self.cpp_info.components["libspdlog"].requires = ["fmt::fmt"]
