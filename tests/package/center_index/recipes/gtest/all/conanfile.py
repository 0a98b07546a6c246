from conan import ConanFile


class Gtest(ConanFile):
    name = "gtest"
    description = "GoogleTest and GoogleMock (stand-in)"
    license = "BSD-3-Clause"
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "build_gmock": [True, False], "no_main": [True, False]}
    default_options = {"shared": False, "fPIC": True, "build_gmock": True, "no_main": False}
    implements = ["auto_shared_fpic"]

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "both")
        self.cpp_info.set_property("cmake_file_name", "GTest")
        main = [] if self.options.no_main else ["gtest_main"]
        gmock = ["gmock"] + [m.replace("gtest", "gmock") for m in main] if self.options.build_gmock else []
        for name in ["gtest"] + main + gmock:
            component = self.cpp_info.components["libgtest" if name == "gtest" else name]
            component.set_property("cmake_target_name", f"GTest::{name}")
