"""Several processes train together as one would: ranks_worker, started once for each rank.

    tests/e2e/ranks_test.py build/release/tests/ranks_worker [Overlap]
"""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

WORKER = sys.argv.pop(1)
VARIABLES = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Ranks:
    """Started ranks; each may have flags or variables of its own."""

    def __init__(self, size: int, *flags, of_rank=None, port=None, absent=(), sizes=None):
        port = port or free_port()
        self.folder = Path(tempfile.mkdtemp())
        self.processes = {}
        for rank in range(size):
            if rank in absent:
                continue
            environment = {key: value for key, value in os.environ.items() if key not in VARIABLES}
            environment["OMP_NUM_THREADS"] = "1"
            if size > 1:
                world = (sizes or {}).get(rank, size)
                environment |= dict(RANK=str(rank), WORLD_SIZE=str(world), LOCAL_RANK=str(rank), LOCAL_WORLD_SIZE=str(world),
                                    MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
            more = (of_rank or {}).get(rank, ())
            self.processes[rank] = subprocess.Popen([WORKER, "--out", str(self.folder), *map(str, flags), *more],
                                                    env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def finish(self):
        self.errors = {rank: process.communicate()[1] for rank, process in self.processes.items()}
        self.codes = {rank: process.returncode for rank, process in self.processes.items()}
        self.said = {rank: json.loads(path.read_text()) for rank in self.processes
                     if (path := self.folder / f"rank-{rank}.json").exists()}
        return self


def merged(spans):
    """As few intervals as hold the same time."""
    result = []
    for first, last in sorted(spans):
        if result and first <= result[-1][1]:
            result[-1] = (result[-1][0], max(last, result[-1][1]))
        else:
            result.append((first, last))
    return result


def overlap(one, other) -> float:
    return max(0.0, min(one[1], other[1]) - max(one[0], other[0]))


class TrainTest(unittest.TestCase):
    def train(self, size, *flags, **more):
        ranks = Ranks(size, *flags, **more).finish()
        self.assertEqual(set(ranks.codes.values()), {0}, ranks.errors)
        for rank, said in ranks.said.items():
            self.assertEqual(said["weights"], ranks.said[0]["weights"], f"rank {rank} has other weights than rank 0")
            self.assertEqual(said["losses"], ranks.said[0]["losses"])
            self.assertEqual(said.get("validation"), ranks.said[0].get("validation"))
        return ranks.said[0]


class RanksTest(TrainTest):
    def assert_as_one(self, size, *flags, batch=4):
        together = self.train(size, "--data.batch_size", batch, *flags)
        alone = self.train(1, "--data.batch_size", batch * size, *flags)
        self.assertEqual(together["indices"], alone["indices"])
        self.assertEqual(len(together["losses"]), len(alone["losses"]))
        self.assertEqual(together["losses_in_data"], together["losses"])
        self.assertEqual(together["tails"], alone["tails"])
        self.assertIn("median", alone["validation"])
        worst = max(abs(one - other) for one, other in zip(together["losses"], alone["losses"]))
        self.assertLess(worst, 1e-5, "the loss of a step")
        for name, value in alone["validation"].items():
            self.assertAlmostEqual(together["validation"][name], value, delta=1e-5)
        print(f"{size} ranks {' '.join(map(str, flags))}: {len(alone['losses'])} steps, losses differ by {worst:.1e} at most",
              flush=True)

    def test_two_and_four_ranks_are_as_one_after_200_steps(self):
        for size in (2, 4):
            self.assert_as_one(size, "--steps", 200, "--epochs", 0, "--examples", 400)

    def test_layouts_of_pictures_too(self):
        self.assert_as_one(2, "--network", "convolution", "--layout", "channels_last", "--accumulate", 3)

    def test_uneven_shards_weigh_every_example_once(self):
        for examples in (97, 101, 103):  # in the last step of four ranks: one example, five, seven
            self.assert_as_one(4, "--examples", examples)
        self.assert_as_one(2, "--examples", 101, "--data.drop_last", "true")

    def test_data_of_unknown_size_end_without_a_hang(self):
        self.assert_as_one(2, "--unknown", "true", "--data.shuffle", "false", "--examples", 101)
        self.assert_as_one(4, "--unknown", "true", "--data.shuffle", "false", "--examples", 97, "--data.threads", 0)

    def test_parameters_may_be_shared_or_unfrozen_later(self):
        self.assert_as_one(2, "--network", "tied")
        self.assert_as_one(2, "--network", "tied", "--dist.find_unused", "true")
        self.assert_as_one(2, "--network", "unfrozen")

    def test_a_smoke_run_needs_a_batch_for_each(self):
        self.train(2, "--smoke", "true", "--data.drop_last", "true")

    def test_unused_parameters_have_to_be_announced(self):
        self.train(2, "--network", "unused", "--dist.find_unused", "true")
        ranks = Ranks(2, "--network", "unused").finish()
        self.assertIn(4, ranks.codes.values())
        self.assertIn("find_unused = true", "".join(ranks.errors.values()))

    def test_accumulation_and_frozen_layers(self):
        self.assert_as_one(2, "--accumulate", 3, "--examples", 101)  # seven batches are left over at the end of an epoch
        self.assert_as_one(2, "--network", "frozen")

    def test_buffers_are_those_of_the_first(self):
        self.train(2, "--network", "norm", "--examples", 100)

    def test_batch_norm_over_all_ranks_is_as_one(self):
        for size, examples in ((2, 100), (4, 98), (4, 101)):  # not AdamW, which makes steps of rounding errors: a bias before a norm
            self.assert_as_one(size, "--network", "norm", "--dist.sync_batch_norm", "true", "--examples", examples,
                               "--optimizer.kind", "sgd")

    def test_smaller_gradients_on_the_way(self):
        exact = self.train(2)
        for kind in ("bf16", "fp16"):
            rounded = self.train(2, "--dist.compress", kind)
            worst = max(abs(one - other) for one, other in zip(rounded["losses"], exact["losses"]))
            self.assertGreater(worst, 0)
            self.assertLess(worst, 0.02, kind)

    def test_clipping_and_averaging_agree(self):
        self.assert_as_one(2, "--clip_norm", "0.1", "--average.decay", "0.9")

    def test_it_goes_on_with_another_number_of_ranks(self):
        with tempfile.TemporaryDirectory() as folder:
            whole = self.train(4, "--examples", 203, "--epochs", 2)
            part = self.train(4, "--examples", 203, "--epochs", 2, "--steps", 17, "--run", folder)
            rest = self.train(2, "--examples", 203, "--epochs", 2, "--run", folder)
        flat = [[index for step in said["indices"] for index in step] for said in (whole, part, rest)]
        self.assertEqual(flat[1] + flat[2], flat[0])
        self.assertEqual(sorted(flat[0]), sorted(list(range(203)) * 2))

    def test_it_goes_on_exactly_with_the_same_number(self):
        with tempfile.TemporaryDirectory() as folder:
            flags = ("--examples", 204, "--network", "norm", "--average.decay", "0.9")
            whole = self.train(2, *flags)
            self.train(2, *flags, "--steps", 31, "--run", folder)
            rest = self.train(2, *flags, "--run", folder)
        self.assertEqual(rest["weights"], whole["weights"])
        self.assertEqual(rest["validation"], whole["validation"])

    def test_a_signal_to_one_stops_all_with_a_checkpoint(self):
        for number in (signal.SIGTERM, signal.SIGUSR1):
            with tempfile.TemporaryDirectory() as folder:
                flags = ("--examples", 203, "--epochs", 0, "--run", folder, "--callbacks.use", "console_log", "--log_every", 1)
                ranks = Ranks(2, *flags)
                for line in ranks.processes[0].stderr:
                    if "step 40 " in line:
                        break
                ranks.processes[1].send_signal(number)
                ranks.finish()
                self.assertEqual(set(ranks.codes.values()), {75}, ranks.errors)
                self.assertIn("by rank 1", ranks.errors[0])
                stopped = ranks.said[0]["step"]
                rest = self.train(2, *flags[:2], "--epochs", 0, "--steps", stopped + 20, "--run", folder)
                whole = self.train(2, *flags[:2], "--epochs", 0, "--steps", stopped + 20)
                self.assertEqual(rest["weights"], whole["weights"])

    def test_a_loss_that_is_no_number_ends_all(self):
        ranks = Ranks(2, "--nan_at", 5).finish()
        self.assertEqual(set(ranks.codes.values()), {10}, ranks.errors)
        self.assertIn("the loss is nan at step", ranks.errors[0])

    def test_a_rank_that_is_gone_is_named(self):
        ranks = Ranks(2, "--epochs", 0, "--callbacks.use", "console_log", "--log_every", 1)
        for line in ranks.processes[0].stderr:
            if "step 20 " in line:
                break
        ranks.processes[1].kill()
        ranks.finish()
        self.assertEqual(ranks.codes[0], 7)
        self.assertIn("rank 1 is no longer there for rank 0", ranks.errors[0])

    def test_a_rank_that_never_comes_is_named(self):
        ranks = Ranks(4, "--dist.timeout", "10s", absent=(1, 3)).finish()
        self.assertEqual(set(ranks.codes.values()), {7}, ranks.errors)
        self.assertIn("ranks did not come: rank 1, 3 of 4, after 10 s", ranks.errors[0])
        ranks = Ranks(2, "--dist.timeout", "2s", absent=(0,)).finish()
        self.assertEqual(ranks.codes[1], 7)
        self.assertIn("rank 0 does not answer rank 1: 127.0.0.1:", ranks.errors[1])
        self.assertNotIn("frame #", ranks.errors[1], "a stack trace of LibTorch")

    def test_a_port_in_use(self):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            ranks = Ranks(2, "--dist.timeout", "2s", port=other.getsockname()[1], absent=(1,)).finish()
        self.assertEqual(ranks.codes[0], 7)
        self.assertIn("the port on which the ranks meet cannot be used", ranks.errors[0])

    def test_ranks_that_disagree(self):
        ranks = Ranks(2, "--dist.timeout", "5s", sizes={1: 4}).finish()
        self.assertEqual(set(ranks.codes.values()), {7}, ranks.errors)
        self.assertIn("rank 0 says 2, rank 1 says 4", ranks.errors[0])
        ranks = Ranks(2, of_rank={1: ("--width", "17")}).finish()
        self.assertEqual(set(ranks.codes.values()), {7}, ranks.errors)
        self.assertIn("the network is not the same on all ranks: rank 0 has first.weight float32 [16, 16], "
                      "rank 1 has first.weight float32 [17, 16]", ranks.errors[0])

        ranks = Ranks(2, of_rank={1: ("--table", "4")}).finish()
        self.assertEqual(set(ranks.codes.values()), {7}, ranks.errors)
        self.assertIn("rank 0 has table float32 [3], rank 1 has table float32 [4]", ranks.errors[0])

    def test_ranks_with_other_work(self):
        for flag, here, there, before in (("--examples", 100, 99, "training data of {} examples"), ("--seed", 1, 2, "seed = {}"),
                                          ("--data.batch_size", 4, 5, "data.batch_size = {}"), ("--accumulate", 1, 2, "accumulate = {}"),
                                          ("--optimizer.learning_rate", 0.01, 0.02, "optimizer.learning_rate = {}")):
            ranks = Ranks(2, of_rank={1: (flag, str(there))}).finish()
            self.assertEqual(set(ranks.codes.values()), {7}, ranks.errors)
            self.assertIn(f"the work is not the same on all ranks: rank 0 has {before.format(here)}, rank 1 has {before.format(there)}",
                          ranks.errors[0])
        self.train(2, "--epochs", 1, of_rank={1: ("--data.threads", "0")})  # what a machine has may differ

    def test_a_checkpoint_of_another_network(self):
        with tempfile.TemporaryDirectory() as folder:
            self.train(2, "--run", folder, "--epochs", 1)
            ranks = Ranks(2, "--run", folder, "--width", 17).finish()
        self.assertEqual(set(ranks.codes.values()), {6}, ranks.errors)


class Overlap(TrainTest):
    """How fast it is, which a busy machine may change: run by name alone."""

    def test_gradients_travel_while_backward_is_at_work(self):
        """Ten million parameters; the trace of the first rank says when they were on their way."""
        with tempfile.TemporaryDirectory() as folder:
            self.train(2, "--network", "deep", "--width", 1000, "--data.batch_size", 64, "--examples", 1280, "--steps", 16,
                       "--epochs", 0, "--dist.bucket", 4, "--run", folder, "--callbacks.use", "profiler",
                       "--callbacks.profiler.every_steps", 5, "--callbacks.profiler.steps", 3)
            traces = [json.loads(path.read_text()) for path in Path(folder).rglob("trace-step-*.json")]
        self.assertTrue(traces)
        shares = []
        for trace in traces:
            spans = [(event["name"], event["ts"], event["ts"] + event["dur"]) for event in trace["traceEvents"]
                     if event.get("ph") == "X"]
            computing = [span[1:] for span in spans if "evaluate_function" in span[0]]
            # The small ones are the loss and what the ranks agree on.
            sending = [span[1:] for span in spans if span[0] == "gloo:all_reduce" and any(
                first < span[2] and span[1] < last for first, last in computing)]
            after = [span[1:] for span in spans if span[0] == "gloo:all_reduce" and span[1:] not in sending and span[2] - span[1] > 1000]
            total = sum(last - first for first, last in merged(sending + after))
            hidden = sum(overlap(one, other) for one in merged(sending) for other in merged(computing))
            self.assertGreater(total, 0)
            shares.append(hidden / total)
        middle = sorted(shares)[len(shares) // 2]
        print(f"on the way while backward computes: {', '.join(f'{100 * share:.0f} %' for share in shares)} of the time", flush=True)
        self.assertGreaterEqual(middle, 0.5)


if __name__ == "__main__":
    unittest.main(verbosity=2, defaultTest="RanksTest")
