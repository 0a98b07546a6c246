"""local_jobs_test.py SCAFFOLD: train_local_dist.sh starts the launcher, stop.sh stops it, and a job goes on with its own settings."""

import subprocess
import sys
import unittest
from pathlib import Path

from rendered_project import STUB, Project

BUILDING = "building (release) ...\n"


class LocalRanks(Project):
    """train_local_dist.sh and stop.sh, with a program that writes down what it is asked and waits for the end."""

    flags = ("--task", "empty")

    def setUp(self):
        super().setUp()
        self.program = self.built("release", "[ \"$1\" = launch ] || exit 0\ntrap 'echo stopped >>\"$RECORD\"; exit 75' TERM\n"
                                  "while :; do sleep 0.1; done\n")

    def built(self, preset: str, more: str) -> Path:
        """A program that writes down what it is asked, and does more."""
        build = self.project / "build" / preset
        (build / "generators").mkdir(parents=True, exist_ok=True)
        for file in ("build.ninja", "generators/conan_toolchain.cmake"):
            (build / file).write_text("")
        program = build / "digits_with_a_long_name_0123456789"
        program.write_text(STUB + more)
        program.chmod(0o755)
        return program

    def add_gpus(self):
        (self.tools / "nvidia-smi").write_text("#!/bin/sh\nprintf '0\\n1\\n'\n")
        (self.tools / "nvidia-smi").chmod(0o755)

    def test_the_launcher_alone_is_stopped(self):
        done = self.run_script("./train_local_dist.sh", "-n", "4", "--background", "--max-restarts", "1", "--", "--seed", "7", tools=True)
        self.assertEqual((done.returncode, done.stderr), (0, BUILDING))
        job = self.new_job()
        launch = self.commands()[-1]
        self.assertEqual(launch[:9], [self.program.name, "launch", "--ranks", "4", "--max_restarts", "1", "--logs", f"runlogs/{job.name}/", "--"])
        self.assertEqual(self.commands()[-2][1], "settings", "the flags are tried first")
        self.assertEqual(launch[-4:], ["--device", "cpu", "--seed", "7"])
        self.assertIn(f"runs/{job.name}", launch)
        (job / "rank-0.pid").write_text("1\n")  # as the launcher does: not to be signalled
        self.assertEqual(self.run_script("./stop.sh").stdout, f"{job.name}\n")
        again = self.run_script("./train_local_dist.sh", "--resume", job.name, tools=True)
        self.assertEqual((again.returncode, again.stderr), (3, f"{BUILDING}train_local_dist.sh: the job {job.name} still runs\n  fix: ./stop.sh {job.name}\n"))
        self.assertEqual(self.run_script("./stop.sh", job.name).stdout,
                         f"{job.name} is stopped\n  go on: ./train_local_dist.sh --resume {job.name}\n")
        self.assertEqual(self.commands()[-1], ["stopped"])
        self.assertEqual(self.run_script("./stop.sh").stdout, "no job runs\n")
        self.assertEqual(self.run_script("./stop.sh", job.name).stdout, f"{job.name} has ended already\n")

    def start_and_stop(self, *words: str) -> list[str]:
        """What the program is asked."""
        done = self.run_script("./train_local_dist.sh", "--background", *words, tools=True)
        self.assertEqual((done.returncode, done.stderr), (0, BUILDING))
        launch = self.commands()[-1]
        self.run_script("./stop.sh", Path(launch[launch.index("--logs") + 1]).name)
        return launch[1:]

    def test_a_job_goes_on_with_its_own_settings(self):
        first = self.start_and_stop("-n2", "--epochs", "9", "--", "--seed", "7")
        job = self.new_job().name
        launch = ["launch", "--ranks", "2", "--max_restarts", "3", "--logs", f"runlogs/{job}/", "--", "--run", f"runs/{job}"]
        self.assertEqual(first[:len(launch)], launch)
        # It was stopped before it wrote down its settings: all are given again.
        self.assertEqual(self.start_and_stop("--resume", job), first)
        (self.project / "runs" / job).mkdir(parents=True)
        (self.project / "runs" / job / "config.toml").write_text("")
        self.assertEqual(self.start_and_stop("--resume", job), [*launch, "--device", "cpu"])
        launch[2] = "4"
        self.assertEqual(self.start_and_stop("--resume", job, "-n", "4", "--epochs=20", "--", "--seed", "8"),
                         [*launch, "--epochs", "20", "--device", "cpu", "--seed", "8"])
        self.assertEqual(self.start_and_stop("--resume", job), [*launch, "--device", "cpu"], "the ranks were given last")
        self.assertEqual(self.new_job().name, job, "it has one folder")
        log = (self.project / "training_log.md").read_text()
        self.assertEqual(log.count(f"## {job}\n"), 1)
        section = log[log.index(f"## {job}\n"):]
        self.assertRegex(section, r"(?m)^- command: .*\n(- went on \d{4}-\d\d-\d\d \d\d:\d\d: .*--resume.*\n|- went on .*\n){4}\n\*\*Hypothesis")

    def test_another_script_leaves_a_job_its_ranks(self):
        launch = self.start_and_stop("release", "-n2")
        job = self.new_job().name
        done = self.run_script("./train_local_cpu.sh", "--resume", job, tools=True)
        self.assertEqual((done.returncode, done.stderr), (0, BUILDING))
        self.assertEqual(self.start_and_stop("--resume", job), launch)

    def test_a_job_as_the_shell_completes_its_name(self):
        self.start_and_stop("release", "-n2")
        job = self.new_job().name
        for folder in (f"runs/{job}/", f"runlogs/{job}"):
            with self.subTest(folder=folder):
                done = self.run_script("./train_local_cpu.sh", "--resume", folder, tools=True)
                self.assertEqual((done.returncode, done.stderr), (0, BUILDING))
                self.assertEqual(self.run_script("./stop.sh", folder).stdout, f"{job} has ended already\n")

    def test_the_gpu_of_a_job_is_no_preset_of_another_script(self):
        self.add_gpus()
        self.built("cuda", "")
        self.assertEqual(self.run_script("./train_local_single.sh", "1", tools=True).returncode, 0)
        done = self.run_script("./train_local_cpu.sh", "--resume", self.new_job().name, tools=True)
        self.assertEqual((done.returncode, done.stderr), (0, BUILDING))

    def test_jobs_that_there_are_not(self):
        (self.project / "runs/begun").mkdir(parents=True)
        self.addCleanup((self.project / "runs/begun").rmdir)
        for words, message in ((["./export.sh", "begun"], "there is no run in the folder 'runs/begun'\n  fix: give one of the folders in runs"),
                               (["./export.sh"], "which job?\n  fix: give JOB, one of the folders in runs: "),
                               (["./predict.sh", "nobody"], "there is no job 'nobody'\n  fix: give one of the folders in runs, or the path of another: "),
                               (["./export.sh", "a", "fp16", "int8"], "what is 'int8'?\n  fix: leave it out; --help says what export.sh takes")):
            with self.subTest(words=words):
                done = self.run_script(*words)
                self.assertEqual(done.returncode, 3)
                self.assertTrue(done.stderr.startswith(f"{words[0][2:]}: {message}"), done.stderr)

    def test_help_from_another_folder(self):
        here = self.run_script("./export.sh", "--help")
        done = subprocess.run(["bash", f"{self.project.name}/export.sh", "--help"], cwd=self.project.parent, capture_output=True,
                              text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, here.stdout, ""))
        self.assertIn("Exports a trained model", done.stdout)

    def test_a_build_that_fails_shows_what_the_compiler_says(self):
        cmake = self.tools / "cmake"
        cmake.write_text(f"{STUB}echo 'src/model.h:7:3: error: there is no x'\nfor i in $(seq 40); do echo note; done\nexit 1\n")
        self.addCleanup(cmake.write_text, STUB)
        done = self.run_script("./train_local_cpu.sh", tools=True)
        self.assertEqual((done.returncode, self.jobs()), (1, self.known))
        self.assertIn("\nsrc/model.h:7:3: error: there is no x\n", done.stderr)
        self.assertTrue(done.stderr.endswith("train_local_cpu.sh: the build failed\n  fix: see build/release/build.log\n"), done.stderr)
        cmake.write_text(f"{STUB}echo \"ERROR: Package 'scaffold/0.1.0' not resolved: Unable to find 'scaffold/0.1.0' in remotes.\"\nexit 1\n")
        done = self.run_script("./train_local_cpu.sh", tools=True)
        self.assertEqual((done.returncode, done.stderr), (2, f"{BUILDING}train_local_cpu.sh: the runtime library is not in Conan's cache\n"
                                                             "  fix: run ./dev install in a checkout of scaffold; see build/release/build.log\n"))

    def test_words_that_a_script_does_not_know(self):
        for words, message in ((["./test.sh", "release", "again"], "test.sh: what is 'again'?\n  fix: leave it out; --help says what test.sh takes\n"),
                               (["./stop.sh", "a", "b"], "stop.sh: what is 'b'?\n  fix: leave it out; --help says what stop.sh takes\n"),
                               (["./train_local_cpu.sh", "relase"], "train_local_cpu.sh: there is no preset 'relase'\n  fix: give one of CMakePresets.json: release cuda debug\n")):
            with self.subTest(words=words):
                done = self.run_script(*words)
                self.assertEqual((done.returncode, done.stderr), (3, message))

    def test_flags_that_are_wrong_leave_nothing_behind(self):
        text = self.program.read_text()
        self.addCleanup(self.program.write_text, text)
        self.program.write_text("#!/bin/sh\necho 'usage error: unknown flag' >&2\nexit 3\n")
        log = (self.project / "training_log.md").read_text()
        done = self.run_script("./train_local_dist.sh", "-n", "2", "--", "--sed", "7", tools=True)
        self.assertEqual((done.returncode, done.stderr), (3, BUILDING + "usage error: unknown flag\n"))
        self.assertEqual((self.jobs(), (self.project / "training_log.md").read_text()), (self.known, log))

    def test_gpus_have_the_numbers_that_nvidia_smi_shows(self):
        self.add_gpus()
        self.built("cuda", 'echo "$CUDA_DEVICE_ORDER $CUDA_VISIBLE_DEVICES" >>"$RECORD"\n')
        for words, last in ((["./train_local_single.sh", "1"], "PCI_BUS_ID 1"), (["./train_local_dist.sh", "-g", "0,1"], "PCI_BUS_ID ")):
            with self.subTest(words=words):
                done = self.run_script(*words, tools=True)
                self.assertEqual((done.returncode, done.stderr), (0, "building (cuda) ...\n"))
                self.assertEqual(self.commands()[-1], [last], "several GPUs are given out by the launcher")

    def test_bad_input(self):
        self.add_gpus()
        for words, code, message in (
                ([], 3, "the number of ranks is ''\n  fix: -n RANKS, from 1 to 1024, or -g GPU_ID,GPU_ID... for GPUs"),
                (["-n", "0"], 3, "the number of ranks is '0'\n  fix: -n RANKS, from 1 to 1024, or -g GPU_ID,GPU_ID... for GPUs"),
                (["-n", "1025"], 3, "the number of ranks is '1025'\n  fix: -n RANKS, from 1 to 1024, or -g GPU_ID,GPU_ID... for GPUs"),
                (["-n", "2", "--max-restarts", "x"], 3, "the number of restarts is 'x'\n  fix: --max-restarts 0, or more"),
                (["-n", "2", "release", "again"], 3, "what is 'again'?\n  fix: leave it out; --help says what train_local_dist.sh takes"),
                (["-n", "2", "-g", "0"], 3, "both -n and -g are given\n  fix: -n RANKS for processors, or -g GPU_ID,GPU_ID... for GPUs"),
                (["-g", "0,2"], 2, "there is no GPU 2\n  fix: give one of: 0 1"),
                (["-g", "0,,1"], 3, "GPU_ID is '', not a number\n  fix: give one of: 0 1"),
                (["-x"], 3, "unknown option '-x'\n  fix: --help lists them"),
                (["--resume", "nobody"], 3, "there is no job 'nobody' to go on with\n  fix: give one of the folders in runlogs: JOBS"),
                (["--epoch=3"], 3, "unknown option '--epoch'\n  fix: --help lists them; a flag of the program goes after --: -- --epoch"),
                (["-n"], 3, "--ranks needs a value\n  fix: --ranks VALUE")):
            with self.subTest(words=words):
                done = self.run_script("./train_local_dist.sh", *words, tools=True)
                message = message.replace("JOBS", " ".join(sorted(job.name for job in self.known if (job / "options").exists())) or "there are none")
                self.assertEqual((done.returncode, done.stderr), (code, f"train_local_dist.sh: {message}\n"))
                self.assertEqual(self.jobs(), self.known)

    def test_a_prefix_that_is_no_name(self):
        for prefix in ("a/b", "..", "-a", "a b", "x" * 101):
            with self.subTest(prefix=prefix):
                done = self.run_script("timeout", "60", "./train_local_cpu.sh", f"--job-prefix={prefix}", tools=True)
                self.assertEqual((done.returncode, done.stderr),
                                 (3, f"{BUILDING}train_local_cpu.sh: a job cannot be called '{prefix}'\n"
                                     "  fix: give --job-prefix letters, digits and . _ - alone, 100 at most, with a letter or a digit first\n"))
                self.assertEqual(self.jobs(), self.known)

    def test_a_folder_that_cannot_be_made(self):
        (self.tools / "mkdir").write_text("#!/bin/sh\n[ \"$1\" = -p ] && exec /bin/mkdir \"$@\"\nexit 1\n")  # as on a full disk
        (self.tools / "mkdir").chmod(0o755)
        self.addCleanup((self.tools / "mkdir").unlink)
        done = self.run_script("timeout", "60", "./train_local_cpu.sh", tools=True)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"the folder runlogs/\S+ cannot be made\n  fix: see whether the disk is full: df \.\n")

    def test_an_editor(self):
        for editor, written in (("editor --wait", True), ("no-such-editor", False)):
            with self.subTest(editor=editor):
                self.record.write_text("")
                (self.tools / "editor").write_text(STUB)
                (self.tools / "editor").chmod(0o755)
                done = self.run_script("./train_local_cpu.sh", "--edit", tools=True, settings={"EDITOR": editor})
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(["editor", "--wait", "training_log.md"] in self.commands(), written)
                self.assertEqual("train_local_cpu.sh: 'no-such-editor' failed: write the hypothesis into training_log.md later\n" in done.stderr,
                                 not written)
                self.assertEqual(self.commands()[-1][:2], [self.program.name, "train"], "it trains in any case")

    def test_a_project_that_cannot_be_written_to(self):
        build, away = self.project / "build", self.project / "away"
        build.rename(away)
        build.write_text("")  # not even root can write to a folder in it
        done = self.run_script("./train_local_cpu.sh", tools=True)
        build.unlink()
        away.rename(build)
        self.assertEqual((done.returncode, done.stderr), (3, "train_local_cpu.sh: the folder build/release cannot be written to\n"
                                                          "  fix: see who owns it: ls -ld . build\n"))

    def test_a_job_of_elsewhere_is_not_stopped_here(self):
        (self.project / "runlogs/elsewhere").mkdir(parents=True, exist_ok=True)
        done = self.run_script("./stop.sh", "elsewhere")
        self.assertEqual((done.returncode, done.stderr), (3, "stop.sh: the job elsewhere was not started on this machine\n"
                                                          "  fix: stop it where it runs; train_cloud.sh said how\n"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
