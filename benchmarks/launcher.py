#!/usr/bin/env python3
"""What the launcher costs its only rank: a CNN's steps with it and without it, on a terminal with its progress bar.

    benchmarks/launcher.py build/release [--turns 400] [--threads 2]

Both programs live at once and take short turns, first one and then the other first: whole runs differ from each other by
more than the 1 % that is looked for. A ratio is taken between the two turns of a pair. A bar that is missed makes the exit
code 1.
"""

import argparse
import math
import os
import pty
import statistics
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

BAR = 0.01
WARMUP = 10  # turns of each


class Program:
    """One of the two, which trains when it is told to."""

    def __init__(self, command: list[str], folder: Path, threads: int):
        folder.mkdir()
        os.mkfifo(folder / "turns")
        self._screen, terminal = pty.openpty()
        self._process = subprocess.Popen([*command, "--pipe", folder / "turns", "--threads", str(threads)], stderr=terminal,
                                         stdout=subprocess.PIPE, text=True, env=dict(os.environ, OMP_NUM_THREADS=str(threads)))
        os.close(terminal)
        self._messages = b""
        threading.Thread(target=self._read_screen, daemon=True).start()
        self._pipe = os.open(folder / "turns", os.O_RDWR)  # for both, since opening one side alone waits for the other

    def _read_screen(self) -> None:
        try:
            while chunk := os.read(self._screen, 65536):
                self._messages = (self._messages + chunk)[-4000:]
        except OSError:  # how a terminal says that nobody writes to it any more
            pass

    def turn(self) -> float:
        os.write(self._pipe, b"\n")
        line = self._process.stdout.readline().removeprefix("[0/1] ")  # the launcher's mark
        if not line:
            raise RuntimeError(f"{self._process.args} ended:\n{self._messages.decode(errors='replace')}")
        return float(line)

    def processor_seconds(self) -> float:
        """Of this process alone, not of those that it started."""
        return int(Path(f"/proc/{self._process.pid}/schedstat").read_text().split()[0]) / 1e9

    def end(self) -> None:
        os.close(self._pipe)
        if self._process.wait() != 0:
            raise RuntimeError(f"{self._process.args} failed:\n{self._messages.decode(errors='replace')}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--turns", type=int, default=400)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    chosen = parser.parse_args()
    build = chosen.build.resolve()

    program = [build / "benchmarks/training/turns"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        launched = Program([build / "base/launch_ranks", "--ranks", "1", "--logs", folder / "logs", "--", *program],
                           folder / "launched", chosen.threads)
        alone = Program(program, folder / "alone", chosen.threads)
        pairs = []
        for turn in range(WARMUP + chosen.turns):
            print(f"\r{turn + 1}/{WARMUP + chosen.turns}", end="\r", file=sys.stderr, flush=True)
            order = (launched, alone) if turn % 2 == 0 else (alone, launched)
            seconds = {each: each.turn() for each in order}
            pairs.append((seconds[launched], seconds[alone]))
        launcher_seconds = launched.processor_seconds()
        launched.end()
        alone.end()

    costs = sorted(with_it / without - 1 for with_it, without in pairs[WARMUP:])
    cost, passed = statistics.median(costs), statistics.median(costs) < BAR
    reach = 0.98 * math.sqrt(len(costs))  # where the true median lies 19 times out of 20, in places of the sorted list
    low, high = (costs[min(max(int(len(costs) / 2 + side * reach), 0), len(costs) - 1)] for side in (-1, 1))
    trained = sum(with_it for with_it, _ in pairs)
    print(f"The launcher and its only rank, a CNN in turns of 10 steps, {chosen.threads} threads, {len(costs)} pairs of turns")
    print(f"  a turn is {100 * cost:.2f} % longer than without it (95 % sure: {100 * low:.2f} to {100 * high:.2f} %)   "
          f"bar: {100 * BAR:.0f} % {'ok' if passed else 'MISSED'}")
    print(f"  the launcher itself had a processor for {1e3 * launcher_seconds:.0f} ms of the {trained:.0f} s that its rank trained")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
