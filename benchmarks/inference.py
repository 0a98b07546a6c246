#!/usr/bin/env python3
"""Exported models: our Backend against ONNX Runtime's C API and against eager LibTorch, the Inferer's pipeline, and the
predictor's size and start.

    ./dev bench        (or: benchmarks/inference.py build/release [--rounds 5] [--only cost cnn pipeline predictor])

Each round runs every program once; a ratio is taken within a round, and the median of the rounds counts. A bar that is
missed makes the exit code 1.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CORES = len(os.sched_getaffinity(0))
SYSTEM = re.compile(r"^(ld-linux|linux-vdso|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s)\.so)")


def run(*command: str | Path, threads: int = CORES) -> dict:
    """The JSON line that a program prints."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          env=dict(os.environ, OMP_NUM_THREADS=str(threads), MKL_NUM_THREADS=str(threads)))
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))} failed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout)


def verdict(passed: bool) -> str:
    return "ok" if passed else "MISSED"


def spread(values: list[float], digits: int = 2) -> str:
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def cost(programs: Path, folder: Path, rounds: int) -> bool:
    """At most 3 % over the C API; the two take turns, call by call."""
    passed = True
    print("\nOur Backend over ONNX Runtime's C API, CNN, one thread   bar: 3 %")
    for batch in (1, 64):
        results = [run(programs / "backend_cost", folder, batch, 4) for _ in range(rounds)]
        over = [100 * (result["ours_us"] / result["raw_us"] - 1) for result in results]
        met = statistics.median(over) <= 3
        passed &= met
        print(f"  batch {batch:>2}: {statistics.median(result['ours_us'] for result in results):9.1f} us against "
              f"{statistics.median(result['raw_us'] for result in results):9.1f} us, {spread(over)} % over   {verdict(met)}")
    return passed


def cnn(programs: Path, folder: Path, rounds: int) -> bool:
    """At least three times as fast as eager LibTorch in its default layout."""
    ours, eager, difference = [], [], 0.0
    for _ in range(rounds):
        result = run(programs / "backend_rate", folder, CORES)
        ours.append(result["samples_per_second"])
        difference = max(difference, result["difference"])
        eager.append(run(programs / "eager_rate", CORES)["samples_per_second"])
    ratios = [mine / theirs for mine, theirs in zip(ours, eager)]
    passed = statistics.median(ratios) >= 3 and difference < 1e-4
    print(f"\nExported CNN, batches of 64, {CORES} threads: {statistics.median(ours):.0f} pictures/s, eager LibTorch "
          f"{statistics.median(eager):.0f}\n  {spread(ratios)}x, answers differ by {difference:.1g}   bar: 3x "
          f"{verdict(passed)}")
    return passed


def pipeline(programs: Path, folder: Path, rounds: int) -> bool:
    """At least 1.6 times the single thread, where reading costs as much as the network."""
    results = [run(programs / "pipeline_gain", folder, 2, threads=1) for _ in range(rounds)]
    ratios = [result["pipeline"] / result["one_thread"] for result in results]
    passed = statistics.median(ratios) >= 1.6
    last = results[-1]
    print(f"\nInferer, reading {last['reading_us']:.0f} us and network {last['network_us']:.0f} us a sample: "
          f"{last['one_thread']:.0f} samples/s in one thread, {last['pipeline']:.0f} as a pipeline\n"
          f"  {spread(ratios)}x   bar: 1.6x {verdict(passed)}")
    return passed


def predictor(build: Path, folder: Path, rounds: int) -> bool:
    """Under 50 MB of libraries beside the system's own, and under 150 ms to the first answer."""
    program = build / "base/predictor"
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    libraries = {Path(path).name: Path(path).resolve().stat().st_size for path in re.findall(r"=> (/\S+)", listed)
                 if not SYSTEM.match(Path(path).name)}
    size = program.stat().st_size + sum(libraries.values())
    question = json.dumps({"image": [[[0.5] * 28] * 28]}) + "\n"
    times = []
    for _ in range(4 * rounds):
        start = time.perf_counter()
        with subprocess.Popen([program, folder / "1", "--target", "cpu"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True) as process:
            process.stdin.write(question)
            process.stdin.flush()
            answer = process.stdout.readline()
            times.append(1000 * (time.perf_counter() - start))
            process.stdin.close()
        if len(json.loads(answer)["logits"]) != 10:
            raise RuntimeError(f"predictor answers {answer}")
    passed = size < 50e6 and statistics.median(times) < 150 and "torch" not in listed
    print(f"\nThe predictor: {size / 1e6:.1f} MB with {', '.join(f'{name} {bytes / 1e6:.1f}' for name, bytes in libraries.items())}"
          f"; first answer after {spread(times, 0)} ms\n  bars: 50 MB, 150 ms {verdict(passed)}")
    return passed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="*", default=[])
    chosen = parser.parse_args()
    build = chosen.build.resolve()
    programs = build / "benchmarks/inference"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([programs / "make_cnn_export", folder], check=True)
        checks = {check.__name__: lambda check=check: check(programs, folder, chosen.rounds) for check in (cost, cnn, pipeline)}
        checks["predictor"] = lambda: predictor(build, folder, chosen.rounds)
        if unknown := set(chosen.only) - set(checks):
            parser.error(f"--only takes {', '.join(checks)}, not {', '.join(unknown)}")
        missed = [name for name, check in checks.items() if name in (chosen.only or checks) and not check()]
    print(f"\nmissed: {', '.join(missed)}" if missed else "\nall bars are met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
