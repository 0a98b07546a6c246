"""saver_judge_test.py PROGRAM: the PyPI packages `tfrecord` and `safetensors` read back the 10,000 samples that saver_judge.cpp,
which is PROGRAM, has saved: each with its values and under its name, the same in validation and in prediction."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import judges

if __name__ == "__main__":
    judges.enter_environment("records")

import numpy as np
import safetensors.numpy
import tfrecord

PROGRAM = Path(sys.argv[1]).resolve()
SAMPLES, BATCH = 10_000, 64
MODES = ("validation", "predict")


class Judge(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        subprocess.run([PROGRAM, cls.folder], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def check_sample(self, number, sample):
        self.assertEqual(number, sample["number"].item())
        x = np.arange(100 * number, 100 * number + 100, dtype=np.float32).reshape(4, 25)
        np.testing.assert_array_equal(x, sample["x"])
        np.testing.assert_array_equal(2 * x, sample["y"])
        np.testing.assert_array_equal([2], sample["factor"])

    def check_files(self, kind, name_of):
        for mode in MODES:
            folder = self.folder / kind / mode / "sample_saver"
            expected = {name_of(number) + ".safetensors": number for number in range(SAMPLES)}
            found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
            self.assertEqual(expected.keys(), found)
            for name, number in expected.items():
                self.check_sample(number, safetensors.numpy.load_file(folder / name))

    def test_inferred_names(self):
        self.check_files("inferred", lambda number: f"epoch-0_iteration-{number // BATCH + 1}_sample-{number % BATCH}")

    def test_given_names(self):
        self.check_files("given", lambda number: f"group-{number % 7}/sample {number}")

    def records(self, path):
        kinds = {"x": "float", "y": "float", "number": "int", "factor": "float", "x_shape": "int"}
        for record in tfrecord.tfrecord_loader(str(path), None, kinds):
            self.assertEqual([4, 25], list(record["x_shape"]))
            yield {key: value.reshape(4, 25) if key in ("x", "y") else value for key, value in record.items()}

    def test_records_split_by_size(self):
        for mode in MODES:
            shards = sorted((self.folder / "inferred" / mode / "records").iterdir())
            self.assertGreater(len(shards), 5)
            for number, shard in enumerate(shards):
                self.assertTrue(shard.name.endswith(f"-{number:05}-of-{len(shards):05}.tfrecord"), shard.name)
                self.assertLessEqual(shard.stat().st_size, 1 << 20)
                self.assertTrue(shard.stat().st_size > (1 << 20) - 1500 or shard == shards[-1], "none ends early")
            samples = [sample for shard in shards for sample in self.records(shard)]
            self.assertEqual(SAMPLES, len(samples))
            for number, sample in enumerate(samples):
                self.check_sample(number, sample)

    def test_records_of_a_sequence_stay_together(self):
        for mode in MODES:
            folder = self.folder / "given" / mode / "records"
            self.assertEqual({f"sequence-{i}-00000-of-00001.tfrecord" for i in range(20)}, {path.name for path in folder.iterdir()})
            for sequence in range(20):
                samples = list(self.records(folder / f"sequence-{sequence}-00000-of-00001.tfrecord"))
                self.assertEqual(500, len(samples))
                for i, sample in enumerate(samples):
                    self.check_sample(500 * sequence + i, sample)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
