"""The layer table of docs/architecture.md against the #includes of base/ and generator/."""

import re
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]

# How a third-party header is told from one of the system: by the start of its include path.
LIBRARIES = {
    "CLI/": "CLI11",
    "cuda_runtime": "CUDA",
    "fmt/": "fmt",
    "gtest/": "GoogleTest",
    "inja": "inja",
    "jpeglib.h": "libjpeg-turbo",
    "nlohmann/": "nlohmann_json",
    "onnxruntime": "ONNX Runtime",
    "png.h": "libpng",
    "protozero/": "protozero",
    "spdlog/": "spdlog",
    "toml++/": "toml++",
    "NvInfer": "TensorRT",
    "NvOnnx": "TensorRT",
    "zlib.h": "zlib",
    **dict.fromkeys(("torch/", "ATen/", "c10/", "caffe2/"), "torch"),
}
GENERATOR_LIBRARIES = {"CLI11": ("cli", "pages"), "inja": ("template_text",)}  # by the files that may use them


def read_table(page: Path) -> dict[str, dict[str, set[str]]]:
    """{module: {"modules": ..., "libraries": ...}} from the first table of the page."""
    split = lambda cell: {word.strip() for word in cell.split(",")} - {"-"}
    table = {}
    for line in page.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) == 4 and re.fullmatch(r"[a-z_]+", cells[0]) and cells[0] != "module":
            table[cells[0]] = {"modules": split(cells[2]), "libraries": split(cells[3])}
    return table


def includes(file: Path) -> list[tuple[int, str]]:
    text = file.read_text()
    return [(text.count("\n", 0, m.start()) + 1, m[1]) for m in re.finditer(r'^[ \t]*#[ \t]*include\s*[<"]([^>"]+)', text, re.M)]


def library_of(include: str) -> str | None:
    return next((name for prefix, name in LIBRARIES.items() if include.startswith(prefix)), None)


def sources(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.suffix in (".h", ".cpp", ".cu"))


def forbidden_edges(root: Path) -> list[str]:
    """One line for each include that the table does not allow: where it is and what is wrong with it."""
    table = read_table(root / "docs/architecture.md")
    found = []
    for file in sources(root / "base"):
        parts = file.relative_to(root / "base").parts
        where = file.relative_to(root)
        if len(parts) == 1:  # base/torch.h and its source: LibTorch itself
            found += [f"{where}:{line}: {name} in base/torch" for line, name in includes(file)
                      if name != "base/torch.h" and library_of(name) != "torch"]
            continue
        module = parts[0]
        if module not in table:
            found.append(f"{where}: the module '{module}' is not in the table of docs/architecture.md")
            continue
        row = table[module]
        for line, name in includes(file):
            library = "torch" if name == "base/torch.h" else library_of(name)
            if name == "torch/torch.h":
                found.append(f"{where}:{line}: torch/torch.h is slow to compile: include base/torch.h")
            elif library:
                if library not in row["libraries"]:
                    found.append(f"{where}:{line}: '{module}' may not use {library}")
                elif file.suffix == ".h" and library != "torch":
                    found.append(f"{where}:{line}: {library} in a header: move it to a .cpp file")
            elif name.startswith("base/"):
                other = name.split("/")[1]
                if other not in {module, "log"} | row["modules"]:
                    found.append(f"{where}:{line}: '{module}' may not include '{other}'")
            elif name.split("/")[0] in ("generator", "examples", "tests"):
                found.append(f"{where}:{line}: the library may not include {name}")
    for file in sources(root / "generator"):
        where = file.relative_to(root)
        for line, name in includes(file):
            library = library_of(name)
            if name.startswith("base/") and not name.startswith("base/log/"):
                found.append(f"{where}:{line}: the generator stands on base/log alone, not on {name}")
            elif library in GENERATOR_LIBRARIES and file.stem not in GENERATOR_LIBRARIES[library]:
                found.append(f"{where}:{line}: only {' and '.join(GENERATOR_LIBRARIES[library])} may use {library}")
            elif library and file.suffix == ".h":
                found.append(f"{where}:{line}: {library} in a header: move it to a .cpp file")
    return found


def cycle_in(table: dict[str, dict[str, set[str]]]) -> list[str]:
    """Modules that no order from bottom to top can hold."""
    left = {module: row["modules"] for module, row in table.items()}
    while ready := [module for module, needs in left.items() if not needs & left.keys()]:
        for module in ready:
            del left[module]
    return sorted(left)


class Layers(unittest.TestCase):
    def test_every_include_of_the_repository_is_allowed(self):
        self.assertEqual([], forbidden_edges(REPOSITORY))

    def test_the_table_has_no_cycle_and_a_row_for_each_module(self):
        table = read_table(REPOSITORY / "docs/architecture.md")
        self.assertEqual([], cycle_in(table))
        self.assertEqual({folder.name for folder in (REPOSITORY / "base").iterdir() if folder.is_dir()}, table.keys())

    def check(self, files: dict[str, str], expected: list[str]):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            files["docs/architecture.md"] = "| log | - | - | spdlog |\n| data | - | config | torch |\n| config | - | - | - |\n"
            for path, text in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            self.assertEqual(expected, forbidden_edges(root))

    def test_a_listed_edge_and_log_are_allowed(self):
        self.check({"base/data/a.h": '#include <base/config/b.h>\n#include "base/log/log.h"\n#include "base/torch.h"\n'}, [])

    def test_an_edge_against_the_layers_is_found(self):
        self.check({"base/config/a.cpp": '\n#include "base/data/a.h"\n'},
                   ["base/config/a.cpp:2: 'config' may not include 'data'"])

    def test_a_library_that_the_row_does_not_list_is_found(self):
        self.check({"base/config/a.cpp": "#include <torch/nn.h>\n"}, ["base/config/a.cpp:1: 'config' may not use torch"])

    def test_a_library_in_a_header_is_found(self):
        self.check({"base/log/a.h": "#include <spdlog/spdlog.h>\n"},
                   ["base/log/a.h:1: spdlog in a header: move it to a .cpp file"])

    def test_the_slow_header_is_found(self):
        self.check({"base/data/a.cpp": "#  include <torch/torch.h>\n"},
                   ["base/data/a.cpp:1: torch/torch.h is slow to compile: include base/torch.h"])

    def test_a_module_without_a_row_is_found(self):
        self.check({"base/magic/a.cpp": ""}, ["base/magic/a.cpp: the module 'magic' is not in the table of docs/architecture.md"])

    def test_the_generator_stands_on_log_alone(self):
        self.check({"generator/writer.cpp": "#include <base/data/a.h>\n#include <CLI/CLI.hpp>\n"},
                   ["generator/writer.cpp:1: the generator stands on base/log alone, not on base/data/a.h",
                    "generator/writer.cpp:2: only cli and pages may use CLI11"])


if __name__ == "__main__":
    unittest.main()
