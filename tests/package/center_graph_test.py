"""An ordinary user's machine: no Debian profile, and ConanCenter in place of Debian's packages.

center_index/ stands for ConanCenter: its names, versions, options and CMake targets, with nothing in the packages.
"""

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
CENTER = {"cli11", "fmt", "gtest", "inja", "libjpeg-turbo", "libpng", "nlohmann_json", "onnxruntime", "protozero", "rapidcheck",
          "spdlog", "tomlplusplus", "zlib"}


class CenterGraph(unittest.TestCase):
    def setUp(self):
        home = tempfile.TemporaryDirectory()  # empty: versions already in a cache would hide conflicts
        self.addCleanup(home.cleanup)
        self.home = Path(home.name)
        self.conan("profile", "detect")
        self.conan("remote", "remove", "conancenter")
        self.conan("remote", "add", "scaffold", str(REPOSITORY / "conan"), "--type", "local-recipes-index")
        self.conan("remote", "add", "center", str(REPOSITORY / "tests/package/center_index"), "--type", "local-recipes-index")

    def conan(self, *arguments: str) -> str:
        run = subprocess.run([REPOSITORY / ".venv/bin/conan", *arguments], cwd=REPOSITORY, text=True, capture_output=True,
                             env=dict(os.environ, CONAN_HOME=str(self.home)))
        self.assertEqual(0, run.returncode, run.stderr)
        return run.stdout

    def origins(self, *arguments: str) -> dict[str, str]:
        """Which index each package of the graph came from."""
        graph = json.loads(self.conan("graph", "info", ".", "-pr:a", "conan/profiles/center", "--format", "json", *arguments))
        nodes = graph["graph"]["nodes"].values()
        return {node["name"]: node["remote"] for node in nodes if node["recipe"] != "Consumer"}

    def expect_origins(self, center: set[str], *arguments: str):
        self.assertEqual({**dict.fromkeys(center, "center"), "libtorch": "scaffold"}, self.origins(*arguments))

    def test_the_dependencies_resolve_with_our_recipes_first(self):
        self.expect_origins(CENTER, "-r", "scaffold", "-r", "center")

    def test_the_dependencies_resolve_with_conan_center_first(self):
        self.expect_origins(CENTER, "-r", "center", "-r", "scaffold")

    def test_the_dependencies_of_all_options_resolve(self):
        options = ("with_cuda", "shared")
        self.expect_origins(CENTER, *(word for name in options for word in ("-o", f"&:{name}=True")))

    def test_onnx_runtime_can_be_left_out(self):
        self.expect_origins(CENTER - {"onnxruntime"}, "-o", "&:with_onnxruntime=False")

    def test_every_package_and_target_of_our_cmake_files_is_found(self):
        ours = [file for top in ("base", "generator", "examples", "tests") for file in (REPOSITORY / top).rglob("CMakeLists.txt")]
        text = "".join(file.read_text() for file in [REPOSITORY / "CMakeLists.txt", *ours])
        # "scaffold" is what programs on top of this library find
        packages = set(re.findall(r"find_package\((\w+) REQUIRED\)", text)) - {"Torch", "scaffold"}
        # CUDA's are those of the machine's own toolkit
        targets = set(re.findall(r"\b(?!scaffold::|CUDA::)(\w+::\w+|rapidcheck_gtest)\b", text))
        self.assertIn("spdlog", packages)
        self.assertIn("spdlog::spdlog", targets)

        profile = self.home / "without_libtorch"  # half a gigabyte, and its targets are this repository's own
        profile.write_text(f"include({REPOSITORY}/conan/profiles/center)\n[platform_requires]\nlibtorch/2.15.0\n")
        project = self.home / "project"
        self.conan("install", ".", "-pr:a", str(profile), "--build", "missing", "--output-folder", str(project))
        (project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.23)\nproject(targets CXX)\n"
            + "".join(f"find_package({package} REQUIRED)\n" for package in sorted(packages))
            + "".join(f"if(NOT TARGET {target})\n  message(SEND_ERROR {target})\nendif()\n" for target in sorted(targets)))
        toolchain = next(project.rglob("conan_toolchain.cmake"))
        run = subprocess.run(["cmake", "-S", project, "-B", project / "configured", "-DCMAKE_BUILD_TYPE=Release", "-G", "Ninja",
                              f"-DCMAKE_TOOLCHAIN_FILE={toolchain}"], text=True, capture_output=True)
        self.assertEqual(0, run.returncode, run.stderr)


if __name__ == "__main__":
    unittest.main()
