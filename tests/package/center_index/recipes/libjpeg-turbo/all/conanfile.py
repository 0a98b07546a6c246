from conan import ConanFile


class LibjpegTurbo(ConanFile):
    name = "libjpeg-turbo"
    description = "JPEG pictures (stand-in)"
    license = "BSD-3-Clause"
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}
    implements = ["auto_shared_fpic"]
    languages = "C"

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "both")
        self.cpp_info.set_property("cmake_file_name", "libjpeg-turbo")
        for name in ("jpeg", "turbojpeg"):
            suffix = "" if self.options.shared else "-static"
            self.cpp_info.components[name].set_property("cmake_target_name", f"libjpeg-turbo::{name}{suffix}")
