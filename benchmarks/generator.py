#!/usr/bin/env python3
"""`scaffold new-project` against cookiecutter and copier, each writing the same files from a template of its own kind, and how
fast a generated project is built again after an edit.

    benchmarks/generator.py build/release [--rounds 15] [--project FOLDER]

The templates of the others are made from what scaffold writes: the project's name is put back as a variable. With --project, a
project that its scripts have built before is built again after an edit to src/model.h, by CMake and without ccache, beside the
compiler alone on the same file with torch/torch.h instead of the precompiled header. Without it, that bar is not measured: a project
needs the Conan package that `./dev install` makes.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
FOLDER = REPOSITORY / "build/benchmarks_generator"
NAME = "quick_project"
JOB = NAME.replace("_", "-")
BAR = 15
REBUILD_BAR = 0.4


def set_up() -> Path:
    """The peers, once: a stamp written last says for which requirements."""
    requirements = REPOSITORY / "benchmarks/requirements-generator.txt"
    stamp, wanted = FOLDER / "complete", f"{FOLDER}\n{requirements.read_text()}"
    if not stamp.is_file() or stamp.read_text() != wanted:
        print(f"installing cookiecutter and copier in {FOLDER}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(FOLDER)], check=True)
        subprocess.run([str(FOLDER / "bin/pip"), "install", "--quiet", "--disable-pip-version-check", "-r", str(requirements)],
                       check=True)
        stamp.write_text(wanted)
    return FOLDER / "bin"


def as_template(text: str, variable: str) -> str:
    """Jinja's marks in the text are said in Jinja, the project's names become variables."""
    for mark in ("{{", "{%", "{#"):
        text = text.replace(mark, "\0" + mark[1])
    text = text.replace("\0{", "{{ '{{' }}").replace("\0%", "{{ '{%' }}").replace("\0#", "{{ '{#' }}")
    return text.replace(NAME, f"{{{{ {variable} }}}}").replace(JOB, f"{{{{ {variable}|replace('_', '-') }}}}")


def make_peers(project: Path, folder: Path) -> None:
    for peer, variable in (("cookiecutter", "cookiecutter.name"), ("copier", "name")):
        root = folder / peer
        body = root / ("{{cookiecutter.name}}" if peer == "cookiecutter" else "")
        for file in project.rglob("*"):
            if file.is_file() and not file.name.startswith(".scaffold."):
                target = body / file.relative_to(project)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(as_template(file.read_text(), variable))
                target.chmod(file.stat().st_mode)
    (folder / "cookiecutter/cookiecutter.json").write_text(json.dumps({"name": NAME}))
    (folder / "copier/copier.yml").write_text(f"_templates_suffix: ''\nname:\n  type: str\n  default: {NAME}\n")


def timed(command: list[str], folder: Path) -> float:
    start = time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=os.environ | {"CCACHE_DISABLE": "1"})
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    return seconds


def contents(folder: Path) -> dict[str, str]:
    return {str(file.relative_to(folder)): file.read_text() for file in folder.rglob("*")
            if file.is_file() and not file.name.startswith(".scaffold.")}


def compare_generators(scaffold: Path, rounds: int) -> bool:
    programs = set_up()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        timed([str(scaffold), "new-project", NAME, "--defaults", "--no-git"], folder)
        model = folder / NAME
        make_peers(model, folder)
        commands = {
            "scaffold": [str(scaffold), "new-project", NAME, "--defaults", "--no-git"],
            "cookiecutter": [str(programs / "cookiecutter"), "--no-input", str(folder / "cookiecutter")],
            "copier": [str(programs / "copier"), "copy", "--defaults", "--quiet", str(folder / "copier"), NAME],
        }
        times: dict[str, list[float]] = {name: [] for name in commands}
        for turn in range(rounds):
            for name in list(commands)[:: 1 if turn % 2 == 0 else -1]:
                place = folder / "out"
                shutil.rmtree(place, ignore_errors=True)
                place.mkdir()
                times[name].append(timed(commands[name], place))
                if turn == 0 and name != "scaffold":
                    written = contents(place / NAME)
                    written.pop("copier.yml", None)
                    if written != contents(model):
                        raise RuntimeError(f"{name} writes other files than scaffold")
        files = len(contents(model))
    passed = True
    print(f"\nA new project of {files} files, {rounds} rounds")
    for name, measured in times.items():
        ratios = [theirs / own for own, theirs in zip(times["scaffold"], measured)]
        line = f"  {name:<14} {1000 * statistics.median(measured):>8.1f} ms"
        if name != "scaffold":
            ratio = statistics.median(ratios)
            line += f"   scaffold is {ratio:>6.1f}x faster ({min(ratios):.1f} - {max(ratios):.1f})   bar {BAR}x {'ok' if ratio >= BAR else 'MISSED'}"
            passed &= ratio >= BAR
        print(line)
    return passed


def compare_rebuilds(project: Path, rounds: int) -> bool:
    """CMake's rebuild of the program, link included, and the plain way's compiler alone: torch/torch.h as text, and without the flag
    that the package brings to save time."""
    build = project / "build/release"
    entry = next(one for one in json.loads((build / "compile_commands.json").read_text()) if one["file"].endswith("src/task.cpp"))
    command = shlex.split(entry["command"])
    command = command[next(i for i, word in enumerate(command) if word.endswith(("c++", "g++"))):]  # without ccache
    target = re.search(r"^project\((\w+)", (project / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
    plain = project / "src/.plain_task.cpp"
    words = [str(plain) if word == entry["file"] else word for word in command if word != "-fno-devirtualize"]
    words[words.index("-o") + 1] = os.devnull

    def rebuild_seconds() -> float:
        (project / "src/model.h").touch()
        return timed(["cmake", "--build", str(build), "--target", target], project)

    rebuild_seconds()  # what else was out of date
    plain.write_text("#include <torch/torch.h>\n" + (project / "src/task.cpp").read_text())
    try:
        pairs = [(rebuild_seconds(), timed(words, build)) for _ in range(rounds)]
    finally:
        plain.unlink()
    ratio = statistics.median(ours / theirs for ours, theirs in pairs)
    print(f"\n{target} after an edit of src/model.h: {statistics.median(p[0] for p in pairs):.1f} s, src/task.cpp alone with a plain torch/torch.h "
          f"{statistics.median(p[1] for p in pairs):.1f} s: {100 * ratio:.0f} %   bar {100 * REBUILD_BAR:.0f} % "
          f"{'ok' if ratio <= REBUILD_BAR else 'MISSED'}")
    return ratio <= REBUILD_BAR


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--project", type=Path)
    chosen = parser.parse_args()
    passed = compare_generators((chosen.build / "bin/scaffold").resolve(), chosen.rounds)
    if chosen.project:
        passed &= compare_rebuilds(chosen.project.resolve(), 5)
    else:
        print(f"\nNot measured: a rebuild's bar of {100 * REBUILD_BAR:.0f} %. Build a project (./dev install, scaffold new-project demo, demo/test.sh), "
              "then: benchmarks/generator.py build/release --project demo")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
