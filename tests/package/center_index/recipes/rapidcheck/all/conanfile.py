from conan import ConanFile


class Rapidcheck(ConanFile):
    name = "rapidcheck"
    description = "Property based testing (stand-in)"
    license = "BSD-2-Clause"
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "enable_gtest": [True, False], "enable_gmock": [True, False]}
    default_options = {"shared": False, "fPIC": True, "enable_gtest": False, "enable_gmock": False}
    implements = ["auto_shared_fpic"]

    def requirements(self):
        if self.options.enable_gtest or self.options.enable_gmock:
            self.requires("gtest/1.12.1")  # which the index no longer has: whoever asks for it must force another

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "rapidcheck")
        self.cpp_info.components["rapidcheck_rapidcheck"].set_property("cmake_target_name", "rapidcheck")
        for extra in ("gtest", "gmock"):
            if self.options.get_safe(f"enable_{extra}"):
                component = self.cpp_info.components[f"rapidcheck_{extra}"]
                component.set_property("cmake_target_name", f"rapidcheck_{extra}")
                component.requires = ["rapidcheck_rapidcheck", "gtest::gtest"]
