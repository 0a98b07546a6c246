"""The program of a project as several ranks, started by its own launcher.

    tests/e2e/program_ranks_test.py build/release/tests/program_worker
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

WORKER = Path(sys.argv.pop(1)).resolve()
VARIABLES = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def launch(self, *words: str) -> subprocess.Popen:
        """Two ranks; `words` are options of the launcher, then -- and flags of `train`."""
        kept = {key: value for key, value in os.environ.items() if key not in VARIABLES}
        return subprocess.Popen([WORKER, "launch", "--ranks", "2", *words, "--log_every", "1", "--callbacks.use", "failure,console_log,checkpoint_saver"],
                                cwd=self.folder, env=kept | {"OMP_NUM_THREADS": "1"}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True)

    def test_a_restart_goes_on_in_the_same_run(self):
        launcher = self.launch("--max_restarts", "1", "--", "--epochs", "0", "--steps", "50", "--fail_at", "35", "--checkpoint.every_steps", "10",
                               "--checkpoint.every_epochs", "0", "--checkpoint.keep_last", "9")
        said = launcher.communicate()[0]
        self.assertEqual(launcher.returncode, 0, said)
        self.assertIn("restart 1 of 1", said)
        self.assertRegex(said, "restored step [123]0,")
        (run,) = (self.folder / "runs/small").iterdir()
        self.assertEqual(sorted(path.name for path in run.glob("checkpoints/step-*")), [f"step-{step}" for step in range(10, 51, 10)])

    def test_settings_of_the_project_are_compared_too(self):
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            port = str(listener.getsockname()[1])
        ranks = [subprocess.Popen([WORKER, "train", "--width", width, "--device", device, "--runs", self.folder],
                                  env=os.environ | dict(zip(VARIABLES, (rank, "2", rank, "2", "127.0.0.1", port))),
                                  stderr=subprocess.PIPE, text=True)
                 for rank, width, device in (("0", "1", "cpu"), ("1", "2", "auto"))]
        errors = [rank.communicate()[1] for rank in ranks]
        self.assertEqual([rank.returncode for rank in ranks], [7, 7], errors)
        self.assertIn("the configuration is not the same on all ranks: rank 0 has width = 1, rank 1 has width = 2", errors[0])

    def test_a_signal_to_the_launcher_and_its_ranks_is_one(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
            launcher = self.launch("--", "--epochs", "0", "--run", f"run-{number}")
            for line in launcher.stdout:
                if "step 20 " in line:
                    break
            ranks = [int((self.folder / f"runlogs/rank-{rank}.pid").read_text()) for rank in range(2)]
            for pid in (*ranks, launcher.pid):
                os.kill(pid, number)
            said = launcher.communicate()[0]
            self.assertEqual(launcher.returncode, 75, said)
            (step,) = re.findall(rf"step (\d+) is saved: the same command with --run run-{number} goes on from there", said)
            self.assertTrue((self.folder / f"run-{number}/checkpoints/step-{step}").exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
