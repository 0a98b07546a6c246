"""large_export_test.py PROGRAM: weights of more than 2 GB, which one protobuf message cannot hold, are beside the model, where ONNX's own
checker and onnxruntime find them. PROGRAM is large_export.cpp. Needs 10 GB of disk and 12 GB of memory."""

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


class LargeExport(unittest.TestCase):
    def test_its_weights_are_in_a_file_of_their_own(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([PROGRAM, folder], check=True)
            model = Path(folder) / "exports/1/model.onnx"
            self.assertLess(model.stat().st_size, 1 << 20)
            self.assertGreater(model.with_suffix(".onnx.data").stat().st_size, 1 << 31)
            onnx.checker.check_model(str(model), full_check=True)
            session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
            answer = load_file(Path(folder) / "answer.safetensors")
            (found,) = session.run(None, {"x": answer["x"]})
            np.testing.assert_allclose(found, answer["y"], rtol=1e-4, atol=1e-4)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
