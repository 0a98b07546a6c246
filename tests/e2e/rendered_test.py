"""rendered_test.py SCAFFOLD: every file of projects with answers drawn at random parses as what it is: JSON, TOML, YAML, Python, shell; C++
is laid out as clang-format wants it, however long the names are."""

import ast
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

import judges

if __name__ == "__main__":
    judges.enter_environment("templates")

import yaml

SCAFFOLD = Path(sys.argv[1]).resolve()
DATA = {"image-classification": ["images", "idx"], "regression": ["csv"], "time-series-embedding": ["csv"], "empty": ["own"]}
NAMES = ["a", "demo", "Some-Long-Name", "a_name_of_forty_letters_which_is_the_most"[:40], "net2"]


def random_flags(draw: random.Random, task: str) -> list[str]:
    cuda = draw.choice([True, False])
    flags = ["--task", task, "--data", draw.choice(DATA[task]), "--cuda" if cuda else "--no-cuda",
             draw.choice(["--with-example", "--without-example"]), "--licence", draw.choice(["none", "MIT", "Apache-2.0", "BSD-3-Clause"]),
             "--namespace", draw.choice(["n", "some_space", "a_namespace_that_is_rather_long_indeed"]),
             "--author", draw.choice(["", "Ada Lovelace", "O'Neil & Söhne"])]
    if cuda and draw.choice([True, False]):
        flags.append("--tensorrt")
    targets = [target for target in ("slurm", "kubeflow", "vertex", "skypilot") if draw.choice([True, False])]
    return flags + (["--cloud", ",".join(targets)] if targets else [])


class Rendered(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def check(self, project: Path):
        shells, sources = [], []
        for file in sorted(project.rglob("*")):
            if not file.is_file() or ".git" in file.relative_to(project).parts:
                continue
            text = file.read_text()
            with self.subTest(file=str(file.relative_to(project))):
                if file.suffix in (".json", ".lock"):
                    json.loads(text)
                elif file.suffix == ".toml":
                    tomllib.loads(text)
                elif file.suffix in (".yml", ".yaml") or file.name in (".clang-format", ".clang-tidy"):
                    yaml.safe_load(text)
                elif file.suffix == ".py":
                    ast.parse(text)
                elif file.suffix == ".sh":
                    shells.append(file)
                    self.assertEqual(text.startswith("#!"), bool(file.stat().st_mode & 0o111))
                elif file.suffix in (".h", ".cpp"):
                    sources.append(file)
                    todos = re.findall(r"TODO\((\d+/\d+)\)", text)
                    self.assertEqual(todos, [f"{number + 1}/{len(todos)}" for number in range(len(todos))], "from top to bottom")
        scripts = [str(file.relative_to(project)) for file in shells]
        done = subprocess.run(["shellcheck", "-x", *scripts], cwd=project, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        done = subprocess.run(["clang-format", "--dry-run", "--Werror", *sources], cwd=project, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_any_answers(self):
        draw = random.Random(1)
        for task in DATA:
            for turn in range(6):
                name, flags = draw.choice(NAMES), random_flags(draw, task)
                with self.subTest(name=name, flags=flags):
                    project = self.folder / f"{task}{turn}"
                    subprocess.run([SCAFFOLD, "new-project", name, project, "--no-git", *flags], check=True, capture_output=True)
                    for kind in ("model", "data-loader", "trainer", "callback"):
                        subprocess.run([SCAFFOLD, "add", kind, draw.choice(["x", "AClassOfAVeryLongNameIndeed"]) + kind[0]],
                                       cwd=project, check=True, capture_output=True)
                    self.check(project)

    def test_ci_says_what_to_set(self):
        subprocess.run([SCAFFOLD, "new-project", "demo", self.folder / "demo", "--defaults", "--no-git"], check=True, capture_output=True)
        workflow = yaml.safe_load((self.folder / "demo/.github/workflows/ci.yml").read_text())
        (script,) = [step["run"] for step in workflow["jobs"]["tests"]["steps"] if step.get("name") == "scaffold"]
        done = subprocess.run(["bash", "-e", "-c", script], env={"PATH": os.environ["PATH"], "SCAFFOLD_REPOSITORY": ""}, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("SCAFFOLD_REPOSITORY: set this variable of the repository", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
