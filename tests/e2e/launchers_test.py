"""The ranks under the launchers that people use: torchrun, mpirun, Slurm, ours; and a network that is cut.

    tests/e2e/launchers_test.py build/release/tests/ranks_worker build/release/base/launch_ranks

Needs root (network namespaces, Slurm) and Debian's slurm-wlm, munge, openmpi-bin and iproute2, which `./dev test --long` installs.
"""

import contextlib
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import judges

judges.enter_environment("torch")

WORKER, LAUNCHER = (str(Path(sys.argv.pop(1)).resolve()) for _ in range(2))
EXAMPLES = ("--examples", "203", "--epochs", "40")


def environment(**more) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("SLURM_", "OMPI_", "TORCHELASTIC"))
            and key not in ("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT")}
    return kept | {"OMP_NUM_THREADS": "1"} | more


def ranks_of(parent: int) -> dict[int, int]:
    """Rank -> process id of the workers below a process."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError):
            pid = int(folder.name)
            if not (folder / "cmdline").read_bytes().startswith(WORKER.encode()):
                continue
            ancestor = pid
            while ancestor not in (0, 1, parent):
                ancestor = int((Path("/proc") / str(ancestor) / "stat").read_text().rsplit(")", 1)[1].split()[1])
            variables = dict(entry.split("=", 1) for entry in (folder / "environ").read_text().split("\0") if "=" in entry)
            if ancestor == parent:
                found[int(variables["RANK"])] = pid
    return found


def wait_for(condition, process=None):
    """Until the condition is true; never for ever if the process it depends on is gone."""
    while not (result := condition()):
        if process is not None and process.poll() is not None:
            raise AssertionError(f"it ended with {process.returncode} before that")
        time.sleep(0.02)
    return result


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def worker(self, name: str, *flags) -> list[str]:
        return [WORKER, "--out", str(self.folder / name), *EXAMPLES, "--log_every", "1", *flags]

    def said(self, name: str) -> list[dict]:
        return [json.loads((self.folder / name / f"rank-{rank}.json").read_text()) for rank in range(2)]

    def uninterrupted(self) -> str:
        """The weights of two ranks that nobody disturbed."""
        subprocess.run([LAUNCHER, "--ranks", "2", "--logs", str(self.folder / "whole_logs"), "--", *self.worker("whole")],
                       env=environment(), check=True, capture_output=True)
        return self.said("whole")[0]["weights"]

    def checkpoints(self, run: Path) -> list[int]:
        return sorted(int(path.name.removeprefix("step-")) for path in run.glob("checkpoints/step-*"))


class Torchrun(Folder):
    def command(self, *options) -> list[str]:
        return [sys.executable, "-m", "torch.distributed.run", "--no-python", "--standalone", "--nproc-per-node", "2", *options,
                "--"]  # else it takes --run for its own

    def test_a_rank_that_is_killed_comes_back_with_all_others(self):
        run = self.folder / "run"
        with open(self.folder / "output", "w") as output:
            process = subprocess.Popen([*self.command("--max-restarts", "3"),
                                        *self.worker("out", "--run", str(run), "--checkpoint.every_steps", "10")],
                                       env=environment(), stdout=output, stderr=output)
            wait_for(lambda: len(self.checkpoints(run)) > 1, process)
            os.kill(wait_for(lambda: ranks_of(process.pid).get(1), process), signal.SIGKILL)
            process.wait()
        text = (self.folder / "output").read_text()
        self.assertEqual(process.returncode, 0, text[-3000:])
        self.assertIn("restored step", text)
        for said in self.said("out"):
            self.assertEqual(said["weights"], self.uninterrupted())

    def test_the_agent_may_keep_the_store(self):
        done = subprocess.run([*self.command(), *self.worker("out")], env=environment(TORCHELASTIC_USE_AGENT_STORE="True"),
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        self.assertEqual(self.said("out")[1]["weights"], self.uninterrupted())


class Mpirun(Folder):
    def test_it_gives_the_ranks(self):
        done = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "2",
                               *self.worker("out")], env=environment(), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        self.assertEqual(self.said("out")[1]["weights"], self.uninterrupted())


class Launcher(Folder):
    def test_a_random_rank_is_killed_twenty_times(self):
        whole = self.uninterrupted()
        run = self.folder / "run"
        chance = random.Random(4)
        with open(self.folder / "output", "w") as output:
            process = subprocess.Popen([LAUNCHER, "--ranks", "2", "--max_restarts", "20", "--logs", str(self.folder / "logs"), "--",
                                        *self.worker("out", "--run", str(run), "--checkpoint.every_steps", "5")],
                                       env=environment(), stdout=output, stderr=output)
            steps = []
            for kill in range(20):
                rank = chance.randrange(2)
                wait_for(lambda: (saved := self.checkpoints(run)) and saved[-1] > (steps or [0])[-1], process)  # it got on
                time.sleep(chance.random() * 0.05)  # somewhere in a step, or in a save
                steps.append(self.checkpoints(run)[-1])
                before = wait_for(lambda: len(now := ranks_of(process.pid)) == 2 and now, process)
                os.kill(before[rank], signal.SIGKILL)
                wait_for(lambda: len(now := ranks_of(process.pid)) == 2 and not set(now.values()) & set(before.values()), process)
            process.wait()
        text = (self.folder / "output").read_text()
        self.assertEqual(process.returncode, 0, text[-3000:])
        self.assertEqual(text.count("was ended by SIGKILL"), 20, text[-3000:])
        kills, restored = 0, []
        for line in text.splitlines():
            kills += "was ended by SIGKILL" in line
            if "restored step" in line:
                restored.append(int(line.split("restored step ")[1].split(",")[0]))
                self.assertGreaterEqual(restored[-1], steps[kills - 1], "a whole checkpoint was lost")
        self.assertGreaterEqual(len(restored), 10)  # what the first rank says just before another one fails is not shown
        for said in self.said("out"):
            self.assertEqual(said["weights"], whole)
        print(f"20 kills at checkpoints {steps}, back at {restored}: the same weights", flush=True)

    def test_launchers_of_two_machines_start_their_ranks_again(self):
        """Each counts for itself, and a rank may be back before the others know that it was gone."""
        run = self.folder / "run"
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            port = str(listener.getsockname()[1])
        with open(self.folder / "output", "w") as output:
            launchers = [subprocess.Popen(
                [LAUNCHER, "--ranks", "1", "--max_restarts", "5", "--logs", str(self.folder / f"logs-{node}"), "--",
                 *self.worker("out", "--run", str(run), "--checkpoint.every_steps", "20")],
                env=environment(PET_NNODES="2", PET_NODE_RANK=str(node), PET_MASTER_ADDR="127.0.0.1", PET_MASTER_PORT=port),
                stdout=output, stderr=output) for node in range(2)]
            for rank in (1, 0, 1):
                before = (self.checkpoints(run) or [0])[-1]
                wait_for(lambda: (saved := self.checkpoints(run)) and saved[-1] > before, launchers[0])
                os.kill(wait_for(lambda: ranks_of(launchers[rank].pid).get(rank), launchers[rank]), signal.SIGKILL)
            codes = [launcher.wait() for launcher in launchers]
        text = (self.folder / "output").read_text()
        self.assertEqual(codes, [0, 0], text[-3000:])
        self.assertEqual(text.count("was ended by SIGKILL"), 3, text[-3000:])
        for said in self.said("out"):
            self.assertEqual(said["weights"], self.uninterrupted())

    def test_a_mistake_of_all_is_told_once(self):
        done = subprocess.run([LAUNCHER, "--ranks", "4", "--logs", str(self.folder / "logs"), "--", WORKER, "--epochs", "many"],
                              env=environment(), capture_output=True, text=True)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(done.stderr.count("usage error:"), 1, done.stderr)

    def test_gpus_that_are_not_there(self):
        done = subprocess.run([LAUNCHER, "--gpus", "0,1", "--", WORKER], env=environment(), capture_output=True, text=True,
                              cwd=self.folder)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("error:"), 1, done.stderr)


class Namespaces(Folder):
    """Two machines: network namespaces with a cable between them."""

    def setUp(self):
        super().setUp()
        self.names = [f"scaffold-{os.getpid()}-{rank}" for rank in range(2)]
        for name in self.names:
            subprocess.run(["ip", "netns", "add", name], check=True)
            self.addCleanup(subprocess.run, ["ip", "netns", "delete", name])
        self.inside(0, "ip", "link", "add", "cable", "type", "veth", "peer", "name", "cable", "netns", self.names[1])
        for rank in range(2):
            self.inside(rank, "ip", "address", "add", f"10.77.0.{rank + 1}/24", "dev", "cable")
            for device in ("cable", "lo"):
                self.inside(rank, "ip", "link", "set", device, "up")

    def inside(self, rank, *command):
        subprocess.run(["ip", "netns", "exec", self.names[rank], *command], check=True)

    def start(self, *flags):
        return [subprocess.Popen(["ip", "netns", "exec", self.names[rank], *self.worker("out", *flags)], text=True,
                                 env=environment(RANK=str(rank), WORLD_SIZE="2", LOCAL_RANK="0", LOCAL_WORLD_SIZE="1",
                                                 MASTER_ADDR="10.77.0.1", MASTER_PORT="29501"),
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE) for rank in range(2)]

    def test_two_machines_train_together(self):
        processes = self.start()
        errors = [process.communicate()[1] for process in processes]
        self.assertEqual([process.returncode for process in processes], [0, 0], errors)
        self.assertEqual(self.said("out")[1]["weights"], self.uninterrupted())

    def test_a_cut_cable_is_an_error_that_names_the_rank(self):
        processes = self.start("--epochs", "0", "--dist.timeout", "4s", "--callbacks.use", "console_log")
        for line in processes[0].stderr:
            if "step 30 " in line:
                break
        self.inside(1, "ip", "link", "set", "cable", "down")
        errors = [process.communicate()[1] for process in processes]
        self.assertEqual([process.returncode for process in processes], [7, 7], errors)
        self.assertIn("rank 1 is no longer there for rank 0", errors[0])
        self.assertIn("rank 0 at 10.77.0.1:29501, which keeps the store, is no longer there for rank 1", errors[1])


class Slurm(Folder):
    """A cluster of two nodes on this machine, with daemons and ports of its own."""

    def setUp(self):
        super().setUp()
        self.daemons = []
        self.addCleanup(self.stop)
        for name in ("munge", "state", "spool-n1", "spool-n2"):
            (self.folder / name).mkdir(mode=0o755)
        key = self.folder / "munge/key"
        key.write_bytes(os.urandom(64))
        key.chmod(0o400)
        os.chmod(self.folder, 0o755)
        socket = self.folder / "munge/socket"
        self.daemon("munged", "--foreground", "--force", "--key-file", key, "--socket", socket, "--pid-file",
                    self.folder / "munge/pid", "--log-file", self.folder / "munge/log", "--seed-file", self.folder / "munge/seed")
        wait_for(socket.exists, self.daemons[0])
        host = os.uname().nodename
        (self.folder / "slurm.conf").write_text(f"""
ClusterName=scaffold
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={socket}
CryptoType=crypto/munge
SlurmctldPort=27817
SlurmctldPidFile={self.folder}/slurmctld.pid
SlurmdPidFile={self.folder}/slurmd-%n.pid
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/spool-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1,requeue_delay=1
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port=27821 CPUs=1
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port=27822 CPUs=1
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
""")
        self.variables = environment(SLURM_CONF=str(self.folder / "slurm.conf"))
        self.daemon("slurmctld", "-D", "-f", self.folder / "slurm.conf", "-L", self.folder / "slurmctld.log")
        for node in ("n1", "n2"):
            self.daemon("slurmd", "-D", "-N", node, "-f", self.folder / "slurm.conf", "-L", self.folder / f"slurmd-{node}.log")
        wait_for(lambda: self.slurm("sinfo", "-h", "-o", "%t").strip() == "idle", self.daemons[1])

    def daemon(self, name, *arguments):
        program = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin")
        self.daemons.append(subprocess.Popen([program, *map(str, arguments)], env=environment(), stdout=subprocess.DEVNULL,
                                             stderr=subprocess.DEVNULL))

    def stop(self):
        for process in reversed(self.daemons):
            process.terminate()
            process.wait()

    def slurm(self, *command) -> str:
        return subprocess.run(command, env=self.variables, capture_output=True, text=True, cwd=self.folder).stdout

    def test_a_job_whose_time_is_up_requeues_itself_and_goes_on_exactly(self):
        """The script of generated projects, cloud/slurm.sbatch, with the worker in the place of the project's program."""
        # Slurm looks every 30 s, and that much earlier: two minutes with a signal one minute before are 30 to 60 s of training.
        flags = ["--steps", "700", "--epochs", "0", "--examples", "203"]
        run = self.folder / "run"
        command = [WORKER, "--out", str(self.folder / "out"), *flags, "--pause", "100ms", "--run", str(run), "--checkpoint.every_steps", "100000"]
        script = self.sbatch(command, minutes=2, signal_at=60)
        job = self.slurm("sbatch", "--parsable", str(script)).strip()
        self.assertTrue(job.isdigit(), job)

        def state() -> str:
            return self.slurm("squeue", "-h", "-j", job, "-o", "%T").strip()

        wait_for(lambda: state() == "RUNNING", self.daemons[1])

        def is_requeued() -> bool:
            now = state()
            if not now:
                self.fail("it ended for good: " + (self.folder / "slurm.out").read_text()[-3000:])
            return now == "PENDING"

        wait_for(lambda: is_requeued() and self.slurm("sinfo", "-h", "-o", "%t").strip() == "idle", self.daemons[1])
        time.sleep(5)  # the batch script of the first turn may still be on its way out, which only Slurm's own delay knows
        # Slurm would wait two minutes, and then warn again.
        self.slurm("scontrol", "update", f"jobid={job}", "starttime=now", "timelimit=60")
        wait_for(lambda: not state(), self.daemons[1])
        restarts = self.slurm("scontrol", "show", "job", job)
        output = (self.folder / "slurm.out").read_text()
        self.assertIn("Restarts=1", restarts, output[-3000:])
        self.assertIn("JobState=COMPLETED", restarts, output[-3000:])
        self.assertIn("SIGUSR1 received", output)
        self.assertIn("restored step", output)
        subprocess.run([LAUNCHER, "--ranks", "2", "--logs", str(self.folder / "l"), "--", WORKER, "--out", str(self.folder / "whole"),
                        *flags], env=environment(), check=True, capture_output=True)
        self.assertEqual(self.said("out")[1]["weights"], self.said("whole")[0]["weights"])

    def sbatch(self, command: list[str], minutes: int, signal_at: int) -> Path:
        template = (judges.REPOSITORY / "templates/cloud/slurm.sbatch").read_text()
        self.assertIn("--signal=USR1@300\n", template)
        template = template.replace("USR1@300", f"USR1@{signal_at}")
        values = dict(JOB="ranks", NODES="2", RANKS="1", CPUS_PER_RANK="1", TIME_LIMIT=str(minutes), SHELL_WORDS=" ".join(command))
        lines = []
        for line in template.splitlines():
            if "# with " in line or "--mem=" in line:  # a partition, GPUs and an amount of memory are not chosen here
                continue
            for name, value in values.items():
                line = line.replace(f"__{name}__", value)
            lines.append(line.replace("runlogs/ranks/slurm.out", str(self.folder / "slurm.out")))
        lines.insert(len([line for line in lines if line.startswith("#")]), "export MASTER_ADDR=127.0.0.1")  # n1 is no host
        script = self.folder / "job.sbatch"
        script.write_text("\n".join(lines) + "\n")
        return script


if __name__ == "__main__":
    unittest.main(verbosity=2)
