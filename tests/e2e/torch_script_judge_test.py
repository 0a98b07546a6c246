"""torch_script_judge_test.py PROGRAM: models in C++, exported to TorchScript, compute the same in Python's torch, for two
sizes of inputs. PROGRAM is export_judge.cpp."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import judges

if __name__ == "__main__":
    judges.enter_environment("torch")

import torch
from safetensors.torch import load_file

PROGRAM = Path(sys.argv[1]).resolve()
FEWEST = 200  # cases, so that none gets lost


class Scripts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        run = subprocess.run([PROGRAM, cls.folder], text=True, capture_output=True)
        assert run.returncode == 0, run.stderr
        cls.cases = run.stdout.split()

    def judge(self, case: str):
        module = torch.jit.load(self.folder / f"{case}.pt")
        tensors = load_file(self.folder / f"{case}.safetensors")
        for run in "01":
            begin, end = f"{run}.in.", f"{run}.out."
            inputs = sorted(name for name in tensors if name.startswith(begin))
            outputs = sorted((name for name in tensors if name.startswith(end)), key=lambda name: (len(name), name))
            found = module(*[tensors[name].clone() for name in inputs])
            found = [found] if torch.is_tensor(found) else found
            self.assertEqual(len(outputs), len(found))
            for name, value in zip(outputs, found):
                torch.testing.assert_close(value, tensors[name], rtol=1e-5, atol=1e-5, equal_nan=True)

    def test_every_case_computes_what_the_model_does(self):
        self.assertGreaterEqual(len(self.cases), FEWEST)
        with torch.no_grad():
            for case in self.cases:
                with self.subTest(case):
                    self.judge(case)
        print(f"{len(self.cases)} models")

    def test_parameters_and_buffers_keep_their_names(self):
        module = torch.jit.load(self.folder / "network_resnet18.pt")
        self.assertIn("layer.layer2.0.downsample.0.weight", dict(module.named_parameters()))
        self.assertIn("layer.bn1.running_var", dict(module.named_buffers()))
        self.assertEqual(11_181_642, sum(one.numel() for one in module.parameters()))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
