#!/usr/bin/env python3
"""What more ranks are expected to bring, from the measured time of a bucket between two ranks of this machine.

    benchmarks/scaling.py build/release

Not a measurement of many machines: a model, printed with what it assumes. docs/distributed.md has its table.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

BACKWARD = 0.100  # seconds of a step in backward, behind which gradients can travel
REST = 0.050  # and without it
MEGABYTES = 100.0  # of gradients: 25 million parameters, about a ResNet-50
BUCKET = 25.0
NETWORKS = {"10 Gbit/s Ethernet": (1.25e9, 30e-6), "100 Gbit/s with RDMA": (12.5e9, 5e-6)}  # bytes a second, seconds a message


def measured(build: Path) -> tuple[float, float]:
    """(bytes a second, seconds a message) between two ranks here: a line through the times of the buckets."""
    with tempfile.TemporaryDirectory() as logs:
        done = subprocess.run([build / "base/launch_ranks", "--ranks", "2", "--logs", logs, "--", build / "benchmarks/bucket_time"],
                              capture_output=True, text=True, check=True)
    points = []
    for line in done.stdout.splitlines():
        point = json.loads(line.removeprefix("[0/2] "))
        points.append((1000 * point["kilobytes"], point["seconds"]))
        print(f"  {point['kilobytes']:>6} kB between two ranks: {1e3 * point['seconds']:8.3f} ms")
    slope = (points[-1][1] - points[0][1]) / (points[-1][0] - points[0][0])
    return 1 / slope, points[0][1] / 2  # of two ranks, each sends its half twice


def step(ranks: int, bandwidth: float, latency: float) -> float:
    """Seconds of a step. A ring passes 2 (n - 1) messages of a bucket's n-th part; all buckets but the last can travel while
    backward computes, one behind the other."""
    def time(megabytes: float) -> float:
        return 2 * (ranks - 1) * (latency + 1e6 * megabytes / ranks / bandwidth) if ranks > 1 else 0.0

    buckets = int(MEGABYTES / BUCKET)
    under_way = (buckets - 1) * time(BUCKET)
    return REST + max(BACKWARD, BACKWARD / buckets + under_way) + time(BUCKET)


def main() -> int:
    build = Path(sys.argv[1]).resolve()
    networks = {"this machine, by memory": measured(build)} | NETWORKS
    print(f"\nExpected part of the ideal speed, {MEGABYTES:.0f} MB of gradients in buckets of {BUCKET:.0f} MB, "
          f"{1e3 * REST:.0f} + {1e3 * BACKWARD:.0f} ms of computing a step")
    print(f"  {'':<26}" + "".join(f"{ranks:>7} ranks" for ranks in (2, 8, 64, 512)))
    for name, (bandwidth, latency) in networks.items():
        print(f"  {name:<26}" + "".join(f"{100 * step(1, 1, 0) / step(ranks, bandwidth, latency):>11.0f} %"
                                        for ranks in (2, 8, 64, 512)) + f"   {bandwidth / 1e9:.2f} GB/s, {1e6 * latency:.0f} us")
    return 0


if __name__ == "__main__":
    sys.exit(main())
