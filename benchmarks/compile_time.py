#!/usr/bin/env python3
"""How long a file takes to compile that subclasses torch::nn::Module: plainly, and in the ways that work across projects.

    ./dev bench        (or: benchmarks/compile_time.py build/release [REPEATS])

All ways compile the same class with the same flags, in turn, without ccache; the table shows medians and their ratio to the
plain way. The second table is what a change costs: one source of base/ touched, everything that stands on it made anew.
"""

import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
NETWORK = """
class Network final : public torch::nn::Module {
 public:
  explicit Network(std::int64_t width) {
    convolution_ = register_module("convolution", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 8, 3)));
    hidden_ = register_module("hidden", torch::nn::Linear(784, width));
    head_ = register_module("head", torch::nn::Linear(width, 10));
  }
  torch::Tensor forward(const torch::Tensor& x) { return head_(torch::relu(hidden_(x.flatten(1)))); }

 private:
  torch::nn::Conv2d convolution_{nullptr};
  torch::nn::Linear hidden_{nullptr}, head_{nullptr};
};
double run() { return Network(8).forward(torch::zeros({2, 784})).sum().item<double>(); }
"""
NARROW = "torch/nn/module.h", "torch/nn/modules/conv.h", "torch/nn/modules/linear.h", "torch/types.h"
ENVIRONMENT = dict(os.environ, CCACHE_DISABLE="1")


def seconds(command: list[str], folder: Path) -> float:
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, env=ENVIRONMENT, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def compiler_and_flags(build: Path) -> list[str]:
    """How the example is compiled, without its files and without the precompiled header that CMake adds."""
    commands = json.loads((build / "compile_commands.json").read_text())
    words = shlex.split(next(c["command"] for c in commands if c["file"].endswith("fashion_mnist/main.cpp")))
    words = words[next(i for i, word in enumerate(words) if word.endswith(("c++", "g++"))):]
    kept, skip = [], False
    for word in words:
        if not skip and word not in ("-include", "-o", "-c") and not word.endswith("main.cpp"):
            kept.append(word)
        skip = word in ("-include", "-o", "-c")
    return kept


def compile_ways(build: Path, repeats: int) -> None:
    compiler = compiler_and_flags(build)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)

        def way(name: str, includes: tuple[str, ...], flags: tuple[str, ...] = ()) -> tuple[str, list[str]]:
            source = folder / f"{len(list(folder.glob('*.cpp')))}.cpp"
            source.write_text("".join(f"#include <{i}>\n" for i in includes) + NETWORK)
            return name, [compiler[0], *flags, *compiler[1:], "-c", str(source), "-o", str(folder / "network.o")]

        # as the package installs it: base/torch.h with its precompiled form in a folder beside it
        installed = folder / "installed/base/torch.h"
        (installed.parent / "torch.h.gch").mkdir(parents=True)
        installed.write_bytes((REPOSITORY / "base/torch.h").read_bytes())
        precompile = [*compiler, "-x", "c++-header", str(installed), "-o", f"{installed}.gch/Release"]
        making = seconds(precompile, folder)

        ways = [
            way("plain: #include <torch/torch.h>", ("torch/torch.h",)),
            way("base/torch.h as text", ("base/torch.h",)),
            way("only the headers it needs", NARROW),
            way("base/torch.h, precompiled by the package", ("base/torch.h",), (f"-I{folder}/installed", "-Winvalid-pch")),
        ]
        times = {name: [] for name, _ in ways}
        for turn in range(repeats):
            for name, command in ways:
                times[name].append(seconds(command, folder))
                print(f"\r{turn + 1}/{repeats}: {name:<45}", end="\r", file=sys.stderr, flush=True)
    plain = statistics.median(next(iter(times.values())))
    print(f"{'a file that subclasses torch::nn::Module':<45} {'seconds':>8} {'of plain':>9}")
    for name, measured in times.items():
        median = statistics.median(measured)
        print(f"{name:<45} {median:>8.1f} {100 * median / plain:>8.0f}%")
    print(f"{'(precompiling once, or in each project anew:':<45} {making:>8.1f} s, of which the package spares its users all)\n")


def rebuilds(build: Path, repeats: int) -> None:
    print(f"{'after a change to':<45} {'seconds':>8}   rebuilt and relinked: all of build/{build.name}")
    ninja = ["ninja", "-C", str(build)]
    seconds(ninja, build)
    for source in ("base/log/error.cpp", "base/config/settings.cpp", "base/torch.cpp"):
        measured = []
        for _ in range(repeats):
            (REPOSITORY / source).touch()
            measured.append(seconds(ninja, build))
        print(f"{source:<45} {statistics.median(measured):>8.1f}")


if __name__ == "__main__":
    build_folder = Path(sys.argv[1]).resolve()
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    compile_ways(build_folder, count)
    rebuilds(build_folder, count)
