"""A project as `scaffold new-project` writes it, whose scripts run with stubs of the programs that they call: those write down how."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCAFFOLD = Path(sys.argv[1]).resolve()
TOOLS = ("docker", "apptainer", "gcloud", "kubectl", "sky", "sbatch", "sinfo", "cmake")
STUB = """#!/bin/sh
printf '%s' "${0##*/}" >>"$RECORD"
for word in "$@"; do printf '\\t%s' "$word" >>"$RECORD"; done
echo >>"$RECORD"
"""


def new_project(folder: Path, *flags: str) -> Path:
    """A committed project; its name gives a job's name that is too long for Kubernetes."""
    project = folder / "project"
    git = {f"GIT_{who}_{what}": "test@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    subprocess.run([SCAFFOLD, "new-project", "digits-with-a-long-name-0123456789", project, "--defaults", *flags], check=True,
                   capture_output=True, env=os.environ | git)
    return project


class Project(unittest.TestCase):
    """What the tests of scripts share; each class has a project of its own."""

    flags: tuple[str, ...] = ()  # of new-project
    settings: dict[str, str] = {}  # variables of train_cloud.sh

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.project = new_project(cls.folder, *cls.flags)
        cls.tools = cls.folder / "bin"
        cls.tools.mkdir()
        for tool in TOOLS:
            (cls.tools / tool).write_text(STUB)
            (cls.tools / tool).chmod(0o755)

    def setUp(self):
        self.record = self.folder / "record"
        self.record.write_text("")
        self.known = self.jobs()

    def jobs(self) -> set[Path]:
        return set((self.project / "runlogs").glob("*"))

    def new_job(self) -> Path:
        (job,) = self.jobs() - self.known
        return job

    def run_script(self, *words: str, settings: dict | None = None, tools: bool = False, path: str | None = None):
        env = {key: value for key, value in os.environ.items() if not key.startswith("CLOUD_")}
        env |= self.settings if settings is None else settings
        env |= {"RECORD": str(self.record), "PATH": path or (f"{self.tools}:" if tools else "") + os.environ["PATH"]}
        return subprocess.run(words, cwd=self.project, env=env, capture_output=True, text=True)

    @staticmethod
    def files_of(job: Path) -> list[Path]:
        return [file for file in job.iterdir() if file.name != "options"]

    def commands(self) -> list[list[str]]:
        return [line.split("\t") for line in self.record.read_text().splitlines()]

    def job_file(self, *words: str) -> str:
        """What `train_cloud.sh --dry-run WORDS` writes."""
        done = self.run_script("./train_cloud.sh", "--dry-run", *words, tools=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertEqual(self.commands(), [], "nothing is run")
        (file,) = self.files_of(self.new_job())
        self.known = self.jobs()
        self.assertNotRegex(file.read_text(), r"__[A-Z]")
        return file.read_text()
