"""weights_judge_test.py PROGRAM [time]: networks of Python (torch, torchvision) and of base/model give the same outputs with
the same weights, whoever saved them. PROGRAM is weights_judge.cpp. `time` prints how long ResNet-18 takes in both."""

import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import judges

if __name__ == "__main__":
    judges.enter_environment("torch")

import torch
import torchvision
from safetensors.torch import load_file, save_file
from torch import nn
from torch.nn import functional as F

PROGRAM = Path(sys.argv[1]).resolve()


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(784, 64), nn.Linear(64, 32), nn.Linear(32, 10)])

    def forward(self, x):
        x = F.relu(self.layers[0](x.flatten(1)))
        return self.layers[2](F.relu(self.layers[1](x)))


class MnistCnn(nn.Module):
    """PyTorch's examples/mnist, without the log_softmax."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3, 1)
        self.conv2 = nn.Conv2d(32, 64, 3, 1)
        self.dropout1 = nn.Dropout(0.25)
        self.dropout2 = nn.Dropout(0.5)
        self.fc1 = nn.Linear(9216, 128)
        self.fc2 = nn.Linear(128, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = F.relu(self.fc1(torch.flatten(self.dropout1(x), 1)))
        return self.fc2(self.dropout2(x))


class CifarBlock(nn.Module):
    def __init__(self, before, after, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(after)
        self.conv2 = nn.Conv2d(after, after, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(after)
        self.stride, self.added = stride, after - before

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        kept = x[:, :, :: self.stride, :: self.stride]
        return F.relu(y + F.pad(kept, (0, 0, 0, 0, self.added // 2, self.added // 2)))


class CifarResNet(nn.Module):
    """Option A of He et al., as Python implementations have it; `depth` is 6 * blocks + 2."""

    def __init__(self, depth):
        super().__init__()
        more = (depth - 2) // 6 - 1
        self.conv1 = nn.Conv2d(3, 16, 3, 1, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(16)
        self.layer1 = nn.Sequential(*[CifarBlock(16, 16, 1) for _ in range(more + 1)])
        self.layer2 = nn.Sequential(CifarBlock(16, 32, 2), *[CifarBlock(32, 32, 1) for _ in range(more)])
        self.layer3 = nn.Sequential(CifarBlock(32, 64, 2), *[CifarBlock(64, 64, 1) for _ in range(more)])
        self.fc = nn.Linear(64, 10)

    def forward(self, x):
        x = self.layer3(self.layer2(self.layer1(F.relu(self.bn1(self.conv1(x))))))
        return self.fc(F.adaptive_avg_pool2d(x, 1).flatten(1))


class Weights(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        torch.manual_seed(0)

    def judge(self, name: str, make, shape: tuple):
        network = make()
        with torch.no_grad():  # batch norms with scales and shifts of their own from the start: few steps change little
            for module in network.modules():
                if isinstance(module, nn.BatchNorm2d):
                    module.weight.uniform_(0.5, 1.0)
                    module.bias.uniform_(-0.2, 0.2)
        self.train(network, shape)
        with torch.no_grad():
            x = torch.randn(shape)
            expected = network(x)
            weights, inputs, outputs, saved = (self.folder / part for part in ("weights", "inputs", "outputs", "saved"))
            save_file(network.state_dict(), weights)
            save_file({"x": x}, inputs)
            run = subprocess.run([PROGRAM, name, weights, inputs, outputs, saved], text=True, capture_output=True)
            self.assertEqual(0, run.returncode, run.stderr)
            count = len(network.state_dict())
            self.assertIn(f"{count} of {count} tensors loaded", run.stdout)

            y = load_file(outputs)["y"]
            self.assertGreater(expected.std().item(), 1e-3, "outputs that are all alike would judge nothing")
            difference = (y - expected).abs().max().item()
            print(f"{name}: {sum(p.numel() for p in network.parameters()):,} parameters, outputs differ by {difference:.1e}")
            self.assertLessEqual(difference, 1e-5)

            other = make().eval()
            other.load_state_dict(load_file(saved))
            self.assertTrue(torch.equal(expected, other(x)))

    def train(self, network: nn.Module, shape: tuple):
        optimizer = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9)
        network.train()
        losses = []
        x, label = torch.randn(shape), torch.randint(10, shape[:1])
        for _ in range(5):
            optimizer.zero_grad()
            loss = F.cross_entropy(network(x), label)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        self.assertNotEqual(losses[0], losses[-1])
        network.eval()

    def test_mlp(self):
        self.judge("mlp", Mlp, (16, 1, 28, 28))

    def test_mnist_cnn(self):
        self.judge("mnist_cnn", MnistCnn, (16, 1, 28, 28))

    def test_cifar_resnets(self):
        for depth in (20, 32, 56):
            with self.subTest(depth=depth):
                self.judge(f"cifar_resnet{depth}", lambda depth=depth: CifarResNet(depth), (8, 3, 32, 32))

    def test_resnet18(self):
        self.judge("resnet18", torchvision.models.resnet18, (4, 3, 96, 96))

    def test_resnet34(self):
        self.judge("resnet34", torchvision.models.resnet34, (4, 3, 64, 64))

    def test_resnet50(self):
        self.judge("resnet50", torchvision.models.resnet50, (4, 3, 64, 64))


def measure(threads: int):
    torch.set_num_threads(threads)
    network = torchvision.models.resnet18().eval()
    x = torch.rand(8, 3, 224, 224)
    fastest = float("inf")
    with torch.no_grad():
        for _ in range(10):
            start = time.perf_counter()
            network(x)
            fastest = min(fastest, 1e3 * (time.perf_counter() - start))
    ours = float(subprocess.run([PROGRAM, "time", "resnet18", str(threads)], text=True, capture_output=True, check=True).stdout)
    print(f"ResNet-18, 8 pictures, {threads} threads: torchvision {fastest:.1f} ms, base/model {ours:.1f} ms")


if __name__ == "__main__":
    if sys.argv[2:] == ["time"]:
        measure(1)
        measure(2)
    else:
        unittest.main(argv=sys.argv[:1], verbosity=1)
