import os
import re

from conan import ConanFile
from conan.tools.files import copy, load, save
from conan.tools.layout import basic_layout

from debian_archive import fetch

required_conan_version = ">=2.0"


class InjaConan(ConanFile):
    name = "inja"
    user = "debian"  # not ConanCenter's: taken only where a profile's [replace_requires] says so
    description = "Template engine for modern C++, loosely inspired by jinja, from Debian's archive"
    license = "MIT"
    homepage = "https://github.com/pantor/inja"
    topics = ("jinja2", "string templates", "templates engine")
    package_type = "header-library"
    exports = "debian_archive.py"
    no_copy_source = True

    def layout(self):
        basic_layout(self, src_folder="src")

    def requirements(self):
        self.requires("nlohmann_json/[^3.8]")

    def package_id(self):
        self.info.clear()

    def source(self):
        found = fetch(self, self.conan_data["sources"][self.version])
        copy(self, "*.hpp", found, os.path.join(self.source_folder, "include", "inja"))
        # Whatever it came from, inja.hpp opens with its version and its licence.
        licence = load(self, os.path.join(found, "inja.hpp")).split("*/")[0] + "*/\n"
        save(self, "LICENSE", licence)
        version = next(iter(re.findall(r"Version (\d[\d.]*)", licence)), "of unknown version")
        if version == self.version:
            self.output.info(f"inja {version}")
        else:
            self.output.warning(f"inja {version} stands in for {self.version}: it is what Debian has now")

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        copy(self, "include/*", self.source_folder, self.package_folder)

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "inja")
        self.cpp_info.set_property("cmake_target_name", "pantor::inja")
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
