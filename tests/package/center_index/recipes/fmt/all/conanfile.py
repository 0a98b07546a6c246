from conan import ConanFile


class Fmt(ConanFile):
    name = "fmt"
    description = "Formatting (stand-in)"
    license = "MIT"
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "header_only": [True, False]}
    default_options = {"shared": False, "fPIC": True, "header_only": False}
    implements = ["auto_shared_fpic", "auto_header_only"]

    def package_info(self):
        target = "fmt::fmt-header-only" if self.options.header_only else "fmt::fmt"
        self.cpp_info.set_property("cmake_file_name", "fmt")
        self.cpp_info.set_property("cmake_target_name", target)
        self.cpp_info.components["_fmt"].set_property("cmake_target_name", target)
