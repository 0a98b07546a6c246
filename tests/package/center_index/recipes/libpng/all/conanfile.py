from conan import ConanFile


class Libpng(ConanFile):
    name = "libpng"
    description = "PNG pictures (stand-in)"
    license = "libpng-2.0"
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}
    implements = ["auto_shared_fpic"]
    languages = "C"

    def requirements(self):
        self.requires("zlib/[>=1.2.11 <2]")

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "both")
        self.cpp_info.set_property("cmake_file_name", "PNG")
        self.cpp_info.set_property("cmake_target_name", "PNG::PNG")
