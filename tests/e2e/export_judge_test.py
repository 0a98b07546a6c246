"""export_judge_test.py PROGRAM: models in C++, exported to ONNX, compute the same in onnxruntime, for two sizes of inputs.
PROGRAM is export_judge.cpp."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import judges

if __name__ == "__main__":
    judges.enter_environment("onnx")

import numpy as np
import onnx
import onnxruntime
from safetensors.numpy import load_file

PROGRAM = Path(sys.argv[1]).resolve()
FEWEST = 200  # cases, so that none gets lost


def exported(folder: Path) -> list[str]:
    run = subprocess.run([PROGRAM, folder], text=True, capture_output=True)
    assert run.returncode == 0, run.stderr
    return run.stdout.split()


def difference(expected: np.ndarray, found: np.ndarray) -> float:
    """The largest, relative to 1 + |x|; what is not finite must be the same."""
    if expected.dtype != found.dtype or expected.shape != found.shape:
        raise AssertionError(f"{found.dtype} {found.shape}, not {expected.dtype} {expected.shape}")
    if expected.dtype.kind != "f":
        return float((expected != found).sum())
    finite = np.isfinite(expected)
    if not np.array_equal(expected[~finite], found[~finite], equal_nan=True):
        return float("inf")
    gap = np.abs(expected - found)[finite] / (1 + np.abs(expected[finite]))
    return float(gap.max(initial=0))


class Exports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.cases = exported(cls.folder)

    def judge(self, case: str, ending: str = "") -> float:
        path = self.folder / f"{case}{ending}.onnx"
        onnx.checker.check_model(path, full_check=True)
        model = onnx.load(path)
        onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
        self.assertGreaterEqual(model.opset_import[0].version, 17)
        settings = onnxruntime.SessionOptions()
        settings.log_severity_level = 3
        session = onnxruntime.InferenceSession(path, settings, providers=["CPUExecutionProvider"])
        tensors = load_file(self.folder / f"{case}.safetensors")
        names = [one.name for one in session.get_outputs()]
        worst = 0.0
        for run in "01":
            begin = f"{run}.in."
            feed = {name.removeprefix(begin): value for name, value in tensors.items() if name.startswith(begin)}
            for name, found in zip(names, session.run(names, feed)):
                worst = max(worst, difference(tensors[f"{run}.out.{name}"], found))
        return worst

    def test_every_case_computes_what_the_model_does(self):
        self.assertGreaterEqual(len(self.cases), FEWEST)
        worst = {}
        for case in self.cases:
            with self.subTest(case):
                worst[case] = self.judge(case)
                self.assertLessEqual(worst[case], 1e-5)
        case = max(worst, key=worst.get)
        networks = sum(name.startswith("network_") for name in worst)
        print(f"{len(worst)} models, {networks} of them networks; the largest difference is {worst[case]:.1e}, of {case}")

    def test_every_case_computes_nearly_the_same_in_half_precision(self):
        worst = {}
        for case in self.cases:
            with self.subTest(case):
                worst[case] = self.judge(case, ".half")
                self.assertLessEqual(worst[case], 1e-2)
        case = max(worst, key=worst.get)
        print(f"in half precision the largest difference is {worst[case]:.1e}, of {case}")

    def test_weights_are_named_as_the_parameters(self):
        model = onnx.load(self.folder / "network_resnet18.onnx")
        names = {one.name for one in model.graph.initializer}
        self.assertLessEqual({"layer.conv1.weight", "layer.layer2.0.downsample.1.running_mean", "layer.fc.weight", "layer.fc.bias"}, names)

    def test_axes_have_the_names_that_the_model_gave_them(self):
        model = onnx.load(self.folder / "network_conv_autoencoder.onnx")
        for value in (model.graph.input[0], model.graph.output[0]):
            self.assertEqual(["batch", 2, "time"], [one.dim_param or one.dim_value for one in value.type.tensor_type.shape.dim])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
