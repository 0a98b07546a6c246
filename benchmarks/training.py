#!/usr/bin/env python3
"""Training and data loading, against PyTorch and Lightning on the same work, and against LibTorch by hand.

    ./dev bench        (or: benchmarks/training.py build/release [--rounds 5] [--threads 2] [--only cnn jpeg ...])

Each round runs every program once, one after the other, with as many threads, in a process of its own and in the other
direction than the round before. A ratio is taken within a round; the table shows the median of the rounds, and the
smallest and largest. A bar that is missed makes the exit code 1. The peers (5 GB, once) are installed in build/benchmarks.
"""

import argparse
import json
import os
import pty
import re
import socket
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
PEERS = REPOSITORY / "benchmarks/peers"
FOLDER = REPOSITORY / "build/benchmarks"
PYTHON = FOLDER / "venv/bin/python"
PICTURES = 1000
OURS = "scaffold"


@dataclass
class Work:
    """What all programs of a comparison do, and by how much ours has to be faster than each of the others."""

    title: str
    unit: str  # samples or steps
    flags: list[str]
    programs: dict[str, list[str]]  # ours first
    bars: dict[str, float] = field(default_factory=dict)
    alike: str = "test_loss"  # what shows that they did the same work
    ranks: int = 1  # processes that train together; the first one's word counts


def works(build: Path, data: Path, pictures: Path, threads: int) -> dict[str, Work]:
    programs = build / "benchmarks/training"
    training = {
        OURS: [str(programs / "scaffold_loop")],
        "PyTorch": [str(PYTHON), str(PEERS / "pytorch_loop.py")],
        "Lightning": [str(PYTHON), str(PEERS / "lightning_loop.py")],
        "torch.compile": [str(PYTHON), str(PEERS / "pytorch_loop.py"), "--compile"],
        "bare LibTorch": [str(programs / "bare_loop")],
    }

    def flags(text: str) -> list[str]:
        return [*text.split(), "--threads", str(threads)]

    # Of steps this small one thread computes, and the other one reads ahead, as it does unless it is told not to. Python's
    # loader reads between the steps, since a process for it would be slower here.
    reading_ahead = training | {OURS: [*training[OURS], "--loader_threads", "1"]}
    network = ["--data", str(data)]
    mlp = "--network mlp --batch_size 32 --examples 60000 --epochs 3 --warmup 500 --optimizer"
    return {
        "cnn": Work("CNN on Fashion-MNIST, batches of 64, AdamW", "samples",
                    flags("--network cnn --batch_size 64 --examples 9600 --epochs 2 --warmup 30 --optimizer adamw") + network,
                    training, {"PyTorch": 1.25, "Lightning": 1.3, "bare LibTorch": 0.97}),
        "mlp_sgd": Work("MLP of three layers, 64 wide, batches of 32, SGD with momentum", "steps", flags(f"{mlp} sgd") + network,
                        reading_ahead, {"PyTorch": 2.5, "Lightning": 6}),
        "mlp_adamw": Work("the same MLP, AdamW", "steps", flags(f"{mlp} adamw") + network,
                          reading_ahead, {"PyTorch": 2.5, "Lightning": 6}),
        "ranks": Work("CNN on Fashion-MNIST, batches of 64 in each of two processes, AdamW", "samples",
                      ["--threads", "1", *network, *"--network cnn --batch_size 64 --examples 9600".split(),
                       *"--epochs 3 --warmup 30 --optimizer adamw".split()],
                      {OURS: [str(programs / "scaffold_loop")],
                       "PyTorch DDP": [str(PYTHON), str(PEERS / "ddp_loop.py")]},
                      {"PyTorch DDP": 1}, ranks=2),
        "jpeg": Work("224 x 224 crops of JPEG files of 500 x 375", "samples",
                     flags("--batch_size 64 --epochs 3") + ["--data", str(pictures)],
                     {OURS: [str(programs / "jpeg_loader")],
                      "PyTorch DataLoader": [str(PYTHON), str(PEERS / "jpeg_loader.py")]},
                     {"PyTorch DataLoader": 2}, alike="mean"),
    }


# ---- set-up ----------------------------------------------------------------------------------------------------------


def set_up() -> None:
    """The peers and the pictures, once: a stamp written last says for which requirements they were made."""
    requirements = REPOSITORY / "benchmarks/requirements.txt"
    stamp, wanted = FOLDER / "complete", f"{FOLDER}\n{PICTURES}\n{requirements.read_text()}"
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    print(f"installing PyTorch, Lightning and torchvision in {FOLDER} (5 GB) and drawing {PICTURES} pictures", flush=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(FOLDER / "venv")], check=True)
    subprocess.run([str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile",
                    "-r", str(requirements)], check=True)
    subprocess.run([str(PYTHON), str(PEERS / "make_pictures.py"), str(FOLDER / "pictures"), str(PICTURES)], check=True)
    stamp.write_text(wanted)


# ---- comparisons -----------------------------------------------------------------------------------------------------


def environment(threads: int) -> dict[str, str]:
    return dict(os.environ, OMP_NUM_THREADS=str(threads), MKL_NUM_THREADS=str(threads), PYTHONUNBUFFERED="")


def run(command: list[str], threads: int, ranks: int = 1) -> dict:
    """The JSON line that a program prints last; of several processes, the first."""
    started = [subprocess.Popen(command, env=environment(threads) | variables, cwd=FOLDER, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True) for variables in rank_variables(ranks)]
    outputs = [process.communicate() for process in started]
    lines = outputs[0][0].splitlines()
    if any(process.returncode != 0 for process in started) or not lines or not lines[-1].startswith("{"):
        raise RuntimeError(f"{' '.join(command)} failed:\n{(outputs[0][1] or outputs[0][0])[-2000:]}")
    return json.loads(lines[-1])


def rank_variables(ranks: int) -> list[dict[str, str]]:
    """What torchrun would set."""
    if ranks == 1:
        return [{}]
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    return [dict(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(ranks), LOCAL_WORLD_SIZE=str(ranks),
                 MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port)) for rank in range(ranks)]


def compare(work: Work, rounds: int, threads: int) -> bool:
    rates: dict[str, list[float]] = {name: [] for name in work.programs}
    shown: dict[str, float] = {}
    for turn in range(rounds):
        for name in list(rates)[:: 1 if turn % 2 == 0 else -1]:
            print(f"\r{turn + 1}/{rounds}: {name:<30}", end="\r", file=sys.stderr, flush=True)
            try:
                command = [*work.programs[name], *work.flags]
                if name == OURS and work.ranks == 1:  # with the progress bar that people see
                    result = json.loads(run_on_terminal(command, threads).splitlines()[-1])
                else:
                    result = run(command, threads, work.ranks)
            except RuntimeError as error:
                if name in work.bars or name == OURS:
                    raise
                print(f"{name} is left out: {str(error).splitlines()[-1]}")
                del rates[name]
                continue
            rates[name].append(result[f"{work.unit}_per_second"])
            shown[name] = result[work.alike]

    passed = True
    print(f"\n{work.title}, {threads} threads, {rounds} rounds")
    print(f"  {'':<20} {work.unit + '/s':>10} {'min - max':>17} {work.alike:>10} {OURS + ' is':>12} {'min - max':>13}   bar")
    for name, measured in rates.items():
        line = (f"  {name:<20} {statistics.median(measured):>10.0f} {min(measured):>8.0f} -{max(measured):>7.0f}"
                f" {shown[name]:>10.3f}")
        if name != OURS:
            ratios = [ours / theirs for ours, theirs in zip(rates[OURS], measured)]
            ratio, bar = statistics.median(ratios), work.bars.get(name)
            line += f" {ratio:>11.2f}x {min(ratios):>5.2f} -{max(ratios):>6.2f}"
            if bar:
                line += f"   {bar}x {'ok' if ratio >= bar else 'MISSED'}"
                passed &= ratio >= bar
        print(line)
    usual = statistics.median(shown.values())
    for name, value in shown.items():
        if abs(value - usual) > 0.2 * usual:
            print(f"  {name} did other work: its {work.alike} is {value:.3f}, the others' {usual:.3f}")
            passed = False
    return passed


# ---- ours alone ------------------------------------------------------------------------------------------------------


def memory(build: Path, data: Path, threads: int) -> bool:
    """The resident memory of 100,000 steps may not grow by more than 1 % from the first half to the second. The start is left
    out, and the end, where the test set is read."""
    command = [str(build / "benchmarks/training/scaffold_loop"), *"--network mlp --optimizer adamw --batch_size 32".split(),
               *"--examples 60000 --epochs 54 --warmup 1 --loader_threads 1".split(), "--threads", str(threads),
               "--data", str(data)]
    samples = []
    with subprocess.Popen(command, env=environment(threads), cwd=FOLDER, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        while process.poll() is None:
            resident = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process.pid}/status").read_text())
            if resident:
                samples.append(int(resident.group(1)) / 1024)
            time.sleep(0.05)
    if process.returncode != 0 or len(samples) < 20:
        raise RuntimeError(f"{' '.join(command)} failed")
    early, late = (max(samples[len(samples) * first // 100: len(samples) * last // 100]) for first, last in ((20, 50), (50, 85)))
    passed = late <= 1.01 * early
    print(f"\nMemory over 100,000 steps: at most {early:.1f} MB in the first half, {late:.1f} MB in the second   "
          f"bar: 1 % more {'ok' if passed else 'MISSED'}")
    return passed


def callback_cost(build: Path, data: Path, threads: int) -> bool:
    """The default callbacks against none: at most 3 % of a CNN's epoch, at most 15 microseconds of a small MLP's step. On a
    terminal, where the progress bar is redrawn."""
    program = [str(build / "benchmarks/training/callback_cost"), "--threads", str(threads), "--data", str(data)]
    cnn = "--network cnn --batch_size 64 --examples 9600 --epochs 10 --optimizer adamw".split()
    mlp = "--network mlp --batch_size 32 --examples 60000 --epochs 40 --optimizer sgd".split()
    cnn, mlp = (json.loads(run_on_terminal([*program, *flags], threads)) for flags in (cnn, mlp))
    passed = cnn["part"][1] <= 0.03 and mlp["microseconds"][1] <= 15
    print(f"\nThe default callbacks, bars: 3 % and 15 us {'ok' if passed else 'MISSED'} (medians; the middle half)")
    low, middle, high = (100 * part for part in cnn["part"])
    print(f"  a CNN's epoch     {middle:5.1f} % longer ({low:.1f} to {high:.1f}), {cnn['epochs']} epochs")
    low, middle, high = mlp["microseconds"]
    print(f"  an MLP's step     {middle:5.1f} us longer ({low:.1f} to {high:.1f}), {mlp['epochs']} epochs")
    return passed


def run_on_terminal(command: list[str], threads: int) -> str:
    """The standard output of a command whose messages go to a terminal."""
    screen, terminal = pty.openpty()
    with subprocess.Popen(command, env=environment(threads), cwd=FOLDER, stdout=subprocess.PIPE, stderr=terminal) as process:
        os.close(terminal)
        messages = b""
        try:
            while chunk := os.read(screen, 65536):
                messages += chunk
        except OSError:  # how a terminal says that nobody writes to it any more
            pass
        output = process.stdout.read().decode()
    os.close(screen)
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed:\n{messages.decode(errors='replace')}")
    return output


def summary_rate(build: Path, rounds: int) -> bool:
    """Scalars a second into TensorBoard's files, by SummaryWriter and by TensorBoard's own writer."""
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(run([str(build / "benchmarks/summary_rate"), "1000000"], 1)["scalars_per_second"])
        theirs.append(run([str(PYTHON), str(PEERS / "summary_rate.py"), "100000"], 1)["scalars_per_second"])
    ratios = [mine / other for mine, other in zip(ours, theirs)]
    passed = statistics.median(ours) >= 100_000
    print(f"\nScalars a second to TensorBoard: {statistics.median(ours):,.0f}   bar: 100,000 {'ok' if passed else 'MISSED'}")
    print(f"  its own writer: {statistics.median(theirs):,.0f}; scaffold is {statistics.median(ratios):.1f}x "
          f"({min(ratios):.1f} to {max(ratios):.1f})")
    return passed


def checkpoint_stall(build: Path) -> bool:
    done = subprocess.run([str(build / "benchmarks/checkpoint_stall"), str(FOLDER)], capture_output=True, text=True, check=True)
    print(f"\nA checkpoint of 100 million parameters\n{done.stdout.rstrip()}")
    stalls = [float(ratio) for ratio in re.findall(r"median .*: ([\d.]+) %", done.stdout)]
    passed = len(stalls) == 2 and max(stalls) < 10
    print(f"  at most {max(stalls):.1f} % of the time to write, without and with Adam's moments   bar: 10 % "
          f"{'ok' if passed else 'MISSED'}")
    return passed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--data", type=Path, default=Path("/usr/share/datasets/fashion-mnist"))
    parser.add_argument("--only", nargs="*", default=[])
    chosen = parser.parse_args()
    build = chosen.build.resolve()

    set_up()
    checks = {name: lambda work=work: compare(work, chosen.rounds, chosen.threads)
              for name, work in works(build, chosen.data, FOLDER / "pictures", chosen.threads).items()}
    checks["memory"] = lambda: memory(build, chosen.data, chosen.threads)
    checks["callbacks"] = lambda: callback_cost(build, chosen.data, chosen.threads)
    checks["summary"] = lambda: summary_rate(build, chosen.rounds)
    checks["checkpoint"] = lambda: checkpoint_stall(build)
    if unknown := set(chosen.only) - set(checks):
        parser.error(f"--only takes {', '.join(checks)}, not {', '.join(unknown)}")
    missed = [name for name, check in checks.items() if name in (chosen.only or checks) and not check()]
    print(f"\nmissed: {', '.join(missed)}" if missed else "\nall bars are met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
