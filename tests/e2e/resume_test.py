"""resume_test.py PROGRAM: the Fashion-MNIST example is killed again and again, and ends with the weights of a run that was not.

About half of the kills wait for a moment in which a checkpoint is being written.
"""

import hashlib
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAM = sys.argv[1]
STEPS = 60
KILLS = 20
ARGUMENTS = ["--steps", str(STEPS), "--epochs", "0", "--deterministic", "--device", "cpu", "--data.limit", "1500",
             "--data.batch_size", "32", "--validation_batch_size", "500", "--average.decay", "0.9", "--schedule.kind", "cosine",
             "--checkpoint.every_steps", "3", "--checkpoint.keep_last", "3"]


def start(run: Path, threads: int) -> subprocess.Popen:
    return subprocess.Popen([PROGRAM, *ARGUMENTS, "--run", run, "--data.threads", str(threads)], stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True)


def finish(run: Path, threads: int):
    process = start(run, threads)
    errors = process.communicate()[1]
    assert process.returncode == 0, errors


def last_weights(run: Path) -> dict[str, str]:
    """The checksums of all tensors that the run ends with: weights, moments, averages, generator."""
    files = sorted((run / f"checkpoints/step-{STEPS}").glob("*.safetensors"))
    assert {"model.safetensors", "optimizer.safetensors", "random.safetensors"} <= {file.name for file in files}, files
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def last_saved(run: Path) -> int:
    return max((int(folder.name[5:]) for folder in (run / "checkpoints").glob("step-*")), default=0)


def kill_at(step: int, in_save: bool, run: Path, process: subprocess.Popen, delay: float) -> bool:
    """Kills the program once it has saved this step; False if it came to its end before."""
    while process.poll() is None:
        if last_saved(run) >= step and (not in_save or any((run / "checkpoints").glob(".*partial*"))):
            if not in_save:
                time.sleep(delay)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            return process.returncode == -signal.SIGKILL
        time.sleep(0.0005)
    return False


def main():
    chance = random.Random(20)
    kills = {"while saving": 0, "anywhere": 0}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        finish(folder / "whole", threads=1)
        expected = last_weights(folder / "whole")

        for number, threads in enumerate((0, 1, 4, 1, 4, 0)):
            run = folder / f"run-{number}"
            for step in sorted(chance.sample(range(0, STEPS - 6), 4)):
                in_save = chance.random() < 0.5
                process = start(run, threads)
                if kill_at(step, in_save, run, process, delay=chance.uniform(0, 0.2)):
                    kills["while saving" if in_save else "anywhere"] += 1
            finish(run, threads)
            actual = last_weights(run)
            different = [file for file in expected if actual.get(file) != expected[file]]
            assert not different and actual.keys() == expected.keys(), f"run {number}, {threads} threads: {different} differ"
            print(f"run {number}: {threads} threads, kills so far {kills}: the same to the bit", flush=True)
    assert sum(kills.values()) >= KILLS and kills["while saving"] >= 5, kills


main()
