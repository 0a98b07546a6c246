"""int8_accuracy_test.py JUDGE EXAMPLE: a network that learned Fashion-MNIST, in 16 and in 8 bits: how many of the 10,000 test
pictures it still gets right, and how fast onnxruntime runs it. JUDGE is int8_judge.cpp, EXAMPLE is examples/fashion_mnist."""

import gzip
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import judges

if __name__ == "__main__":
    judges.enter_environment("onnx")

import numpy as np
import onnx
import onnxruntime
from safetensors.numpy import save_file

JUDGE, EXAMPLE = (Path(one).resolve() for one in sys.argv[1:3])
DATA = Path("/usr/share/datasets/fashion-mnist")


def pictures(part: str) -> np.ndarray:
    return np.frombuffer(gzip.decompress((DATA / f"{part}-images-idx3-ubyte.gz").read_bytes())[16:], np.uint8).reshape(-1, 1, 28, 28)


def labels(part: str) -> np.ndarray:
    return np.frombuffer(gzip.decompress((DATA / f"{part}-labels-idx1-ubyte.gz").read_bytes())[8:], np.uint8)


class EightBits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        subprocess.run([EXAMPLE, "--steps", "150", "--run", cls.folder / "run"], check=True, capture_output=True)
        weights, = (cls.folder / "run/checkpoints").glob("step-150/model.safetensors")
        examples = cls.folder / "examples.safetensors"
        save_file({"image": pictures("train")[:512].copy()}, examples)
        subprocess.run([JUDGE, weights, examples, cls.folder], check=True)
        cls.images, cls.labels = pictures("t10k"), labels("t10k")
        cls.accuracy, cls.milliseconds = cls.run_model("f32")

    @classmethod
    def session(cls, name: str):
        settings = onnxruntime.SessionOptions()
        settings.log_severity_level = 3
        return onnxruntime.InferenceSession(cls.folder / f"{name}.onnx", settings, providers=["CPUExecutionProvider"])

    @classmethod
    def run_model(cls, name: str) -> tuple[float, float]:
        """Percent of the test set that is right, and the median time of a batch of 100."""
        session, right, times = cls.session(name), 0, []
        for start in range(0, len(cls.images), 100):
            begin = time.perf_counter()
            classes, = session.run(["class"], {"image": cls.images[start:start + 100]})
            times.append(1e3 * (time.perf_counter() - begin))
            right += int((classes == cls.labels[start:start + 100]).sum())
        accuracy, milliseconds = 100 * right / len(cls.images), float(np.median(times))
        print(f"{name}: {accuracy:.2f} % right, {milliseconds:.1f} ms for 100 pictures, "
              f"{(cls.folder / f'{name}.onnx').stat().st_size / 1e6:.2f} MB")
        return accuracy, milliseconds

    def test_the_network_has_learned(self):
        self.assertGreater(self.accuracy, 75)

    def test_half_precision_loses_nothing(self):
        onnx.checker.check_model(self.folder / "f16.onnx", full_check=True)
        self.assertAlmostEqual(self.accuracy, self.run_model("f16")[0], delta=0.1)

    def test_eight_bits_lose_less_than_one_percent(self):
        for name in ("onnxruntime_minmax", "onnxruntime_entropy", "tensorrt_minmax", "tensorrt_percentile"):
            onnx.checker.check_model(self.folder / f"{name}.onnx", full_check=True)
            self.assertGreater(self.run_model(name)[0], self.accuracy - 1, name)
            small, large = ((self.folder / f"{one}.onnx").stat().st_size for one in (name, "f32"))
            self.assertLess(small, 0.3 * large, "layers were left out")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
