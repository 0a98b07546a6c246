#!/usr/bin/env python3
"""What the launcher costs its only rank, whose steps are taken with it and without it.

    benchmarks/launcher.py build/release [--rounds 20] [--turns 30] [--threads 1]

Twice over. First as work, which is exact: callgrind counts the instructions of a step in the rank with the launcher and
without it, and the launcher's own share of a processor comes on top. The step is an MLP's: what a launcher costs does not
grow with the network, so of so small a step it is the largest part, and a step of the CNN can take callgrind a minute.

Then by the clock, a CNN's, on a terminal with the progress bar. The programs live at once and take short turns, because
whole runs differ from each other by more than the 1 % that is looked for. A round starts new ones, since a process is by
chance faster than another of the same program, and all of its turns with it: so a round gives one figure, the median of
its turns, and the interval is over rounds. Who starts first, and whose turn is first, is drawn anew each time. One thread
computes, so that another core takes the rest of the machine, the launcher included. Beside the program with the launcher
and the one without it there is a second one without it: how far those two differ shows how fine this measurement is.

The bar is met if the work is below it and the clock does not say otherwise: the lower end of its interval is below the bar
too. If the upper end is as well, the clock alone shows it. The exit code is 1 if the bar is not met.
"""

import argparse
import math
import os
import pty
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

BAR = 0.01
STEPS = 5  # in a turn
WARMUP = 3  # turns of each
COUNTED = 4  # turns whose instructions are counted


class Program:
    """One of the three, which trains when it is told to."""

    def __init__(self, command: list[str], folder: Path, threads: int):
        folder.mkdir()
        os.mkfifo(folder / "turns")
        self._screen, terminal = pty.openpty()
        options = ["--pipe", folder / "turns", "--threads", str(threads), "--steps", str(STEPS)]
        self._process = subprocess.Popen([*command, *options], stderr=terminal, stdout=subprocess.PIPE, text=True,
                                         env=dict(os.environ, OMP_NUM_THREADS=str(threads)))
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


def launched(build: Path, folder: Path) -> list[str | Path]:
    """What makes the command behind it the only rank of a launcher."""
    return [build / "base/launch_ranks", "--ranks", "1", "--logs", folder / "logs", "--"]


def instructions(build: Path, *, with_launcher: bool) -> float:
    """Of a step, in the process that trains: start and end are the same in a run with turns and in one without."""
    counts = []
    for turns in (WARMUP, WARMUP + COUNTED):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "turns").write_bytes(b"\n" * turns)
            command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/counts",
                       build / "benchmarks/training/turns", "--network", "mlp", "--pipe", folder / "turns",
                       "--threads", "1", "--steps", str(STEPS)]
            if with_launcher:
                command = launched(build, folder) + command
            done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, OMP_NUM_THREADS="1"))
            if done.returncode != 0:
                raise RuntimeError(f"{command} failed:\n{done.stderr}")
            counts.append(int(re.search(r"^(?:totals|summary): (\d+)", (folder / "counts").read_text(), re.MULTILINE)[1]))
    return (counts[1] - counts[0]) / (COUNTED * STEPS)


def count_work(build: Path) -> float:
    """By which part the rank with a launcher has more to do."""
    alone, ranked = (instructions(build, with_launcher=each) for each in (False, True))
    more = ranked / alone - 1
    print(f"  instructions of a step: {alone:,.0f} without it, {ranked:,.0f} with it: {100 * more:+.3f} %", flush=True)
    return more


def measure(build: Path, turns: int, threads: int, chance: random.Random) -> tuple[float, float, float, float]:
    """(by how much a turn is longer with the launcher, and the second time without it; processor seconds of the launcher,
    seconds that its rank trained)"""
    program = [build / "benchmarks/training/turns"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        commands = {"launched": launched(build, folder) + program, "alone": program, "control": program}
        order = list(commands)
        chance.shuffle(order)
        programs = {each: Program(commands[each], folder / each, threads) for each in order}
        seconds: dict[str, list[float]] = {each: [] for each in commands}
        for _ in range(WARMUP + turns):
            chance.shuffle(order)
            for each in order:
                seconds[each].append(programs[each].turn())
        processor = programs["launched"].processor_seconds()
        for each in programs.values():
            each.end()

    def longer(one: str) -> float:
        return statistics.median([mine / other - 1 for mine, other in zip(seconds[one], seconds["alone"])][WARMUP:])

    return longer("launched"), longer("control"), processor, sum(seconds["launched"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--turns", type=int, default=30)
    parser.add_argument("--threads", type=int, default=1)
    chosen = parser.parse_args()
    if chosen.rounds < 2:
        parser.error("an interval takes 2 rounds at least")

    build = chosen.build.resolve()
    print("As work, in one thread")
    work = count_work(build)

    chance = random.Random(1)
    rounds = []
    for number in range(chosen.rounds):
        print(f"\r{number + 1}/{chosen.rounds}", end="\r", file=sys.stderr, flush=True)
        rounds.append(measure(build, chosen.turns, chosen.threads, chance))
    costs, controls = ([each[which] for each in rounds] for which in (0, 1))
    own, trained = (sum(each[which] for each in rounds) for which in (2, 3))
    work += own / trained
    low, high = interval(costs)
    print(f"  the launcher itself had a processor for {1e3 * own:.0f} ms of the {trained:.0f} s that its rank trained")
    print(f"  together: {100 * work:.3f} %   bar: {100 * BAR:.0f} % {'ok' if work < BAR else 'MISSED'}")
    print(f"By the clock, a CNN in turns of {STEPS} steps, {chosen.threads} thread(s), {chosen.rounds} rounds of {chosen.turns} turns")
    print(f"  as the only rank of a launcher: {percent(costs)} longer   bar: {100 * BAR:.0f} % "
          f"{'ok' if high < BAR else 'not told by the clock' if low < BAR else 'MISSED'}")
    print(f"  a second time without it:       {percent(controls)} longer")
    return 0 if work < BAR and low < BAR else 1


def interval(values: list[float]) -> tuple[float, float]:
    """In which the true mean lies 19 times out of 20: Student's t, whose quantile is worked out from the normal one."""
    z, freedom = 1.96, len(values) - 1
    t = z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
    reach = t * statistics.stdev(values) / math.sqrt(len(values))
    return statistics.mean(values) - reach, statistics.mean(values) + reach


def percent(values: list[float]) -> str:
    low, high = interval(values)
    return f"{100 * statistics.mean(values):5.2f} % (19 times out of 20 from {100 * low:.2f} to {100 * high:.2f} %)"


if __name__ == "__main__":
    sys.exit(main())
