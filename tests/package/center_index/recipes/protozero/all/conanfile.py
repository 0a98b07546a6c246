from conan import ConanFile


class Protozero(ConanFile):
    name = "protozero"
    description = "Protocol buffers without generated code (stand-in)"
    license = "BSD-2-Clause"
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"

    def package_id(self):
        self.info.clear()

    def package_info(self):
        pass
