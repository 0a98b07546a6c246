"""resume_test.py PROGRAM: the Fashion-MNIST example is killed again and again, and ends with the weights of a run that was not.

Every other kill waits for the moment in which a checkpoint is being written.
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


def wait_for_a_save(run: Path, process: subprocess.Popen) -> bool:
    """True as soon as a checkpoint is half-written; False if the program ended before."""
    while process.poll() is None:
        if any((run / "checkpoints").glob(".*partial*")):
            return True
        time.sleep(0.0005)
    return False


def main():
    chance = random.Random(20)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        began = time.monotonic()
        finish(folder / "whole", threads=1)
        length = time.monotonic() - began
        expected = last_weights(folder / "whole")

        kills = {"while saving": 0, "anywhere": 0}
        run_number = 0
        while sum(kills.values()) < KILLS:
            threads = (0, 1, 4)[run_number % 3]
            run = folder / f"run-{run_number}"
            run_number += 1
            for kill in range(5):
                process = start(run, threads)
                in_save = kill % 2 == 1
                if in_save:
                    time.sleep(chance.uniform(0, 0.5 * length))
                    hit = wait_for_a_save(run, process)
                else:
                    time.sleep(chance.uniform(0.2 * length, 0.9 * length))
                    hit = process.poll() is None
                process.send_signal(signal.SIGKILL)
                process.communicate()
                if hit:
                    kills["while saving" if in_save else "anywhere"] += 1
            finish(run, threads)
            actual = last_weights(run)
            different = [file for file in expected if actual.get(file) != expected[file]]
            assert not different and actual.keys() == expected.keys(), f"run {run_number}, {threads} threads: {different} differ"
            print(f"run {run_number}: {threads} threads, {kills} kills so far: the same to the bit", flush=True)
        assert kills["while saving"] >= 4, kills
        assert run_number >= 3, "each number of threads has to have its turn"


main()
