import importlib.util
import os
import re
import shutil
import sys
import zipfile

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.files import copy, load, save
from conan.tools.layout import basic_layout
from conan.tools.system import PyEnv

from debian_archive import fetch

required_conan_version = ">=2.26"


class OnnxRuntimeConan(ConanFile):
    name = "onnxruntime"
    user = "debian"  # not ConanCenter's: taken only where a profile's [replace_requires] says so
    description = "ONNX Runtime as prebuilt by Microsoft, taken from its wheel; headers from Debian's archive"
    license = "MIT"
    homepage = "https://onnxruntime.ai"
    topics = ("deep-learning", "onnx", "neural-networks", "machine-learning", "ai-framework")
    package_type = "shared-library"
    settings = "os", "arch", "compiler", "build_type"
    no_copy_source = True

    @property
    def _data(self):
        return self.conan_data["sources"][self.version]

    def export(self):
        # A link in the index, to inja's: the exported recipe needs the file itself.
        shutil.copy(os.path.join(self.recipe_folder, "debian_archive.py"), self.export_folder)

    def layout(self):
        basic_layout(self, src_folder="src")

    def validate(self):
        if self.settings.os != "Linux" or str(self.settings.arch) not in self._data["wheel"]:
            raise ConanInvalidConfiguration(
                f"no prebuilt ONNX Runtime is pinned for {self.settings.os} {self.settings.arch}, only for Linux "
                f"{', '.join(self._data['wheel'])}: install without the Debian profile to build ConanCenter's")

    def package_id(self):  # prebuilt, and its interface is C: the same for every compiler and build type
        del self.info.settings.compiler
        del self.info.settings.build_type

    def source(self):
        found = fetch(self, self._data["headers"])
        copy(self, "*.h", found, os.path.join(self.source_folder, "include", "onnxruntime"))
        api = re.search(r"ORT_API_VERSION (\d+)", load(self, "include/onnxruntime/onnxruntime_c_api.h")).group(1)
        self.output.info(f"headers of ONNX Runtime 1.{api}")

    def build(self):
        arch = str(self.settings.arch)
        machine = {"armv8": "aarch64"}.get(arch, arch)
        save(self, "requirements.txt", f"onnxruntime=={self.version} --hash=sha256:{self._data['wheel'][arch]}\n")
        python = sys.executable if importlib.util.find_spec("pip") else PyEnv(self).env_exe
        self.run(f'"{python}" -m pip download --no-cache-dir --no-deps --require-hashes --only-binary=:all: '
                 f"--python-version=3.11 --platform=manylinux_2_28_{machine} --dest . --requirement requirements.txt")

    def package(self):
        copy(self, "include/*", self.source_folder, self.package_folder)
        wheel = next(f for f in os.listdir(self.build_folder) if f.endswith(".whl"))
        library = f"libonnxruntime.so.{self.version}"
        with zipfile.ZipFile(os.path.join(self.build_folder, wheel)) as z:
            for name, folder in ((f"capi/{library}", "lib"), ("LICENSE", "licenses"),
                                 ("ThirdPartyNotices.txt", "licenses")):
                member = z.getinfo(f"onnxruntime/{name}")
                member.filename = f"{folder}/{os.path.basename(name)}"
                z.extract(member, self.package_folder)
        os.symlink(library, os.path.join(self.package_folder, "lib", "libonnxruntime.so.1"))  # its SONAME
        os.symlink("libonnxruntime.so.1", os.path.join(self.package_folder, "lib", "libonnxruntime.so"))
        os.remove(os.path.join(self.build_folder, wheel))  # not to keep it in the build folder

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "onnxruntime")
        self.cpp_info.set_property("cmake_target_name", "onnxruntime::onnxruntime")
        self.cpp_info.set_property("pkg_config_name", "onnxruntime")
        self.cpp_info.libs = ["onnxruntime"]
        # As with ConanCenter's: #include <onnxruntime_cxx_api.h>
        self.cpp_info.includedirs.append("include/onnxruntime")
        self.cpp_info.bindirs = []
