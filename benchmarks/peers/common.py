"""What the Python peers share: the command line, the data, the two networks, and how a result is printed."""

import argparse
import gzip
import json
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset


def arguments() -> argparse.Namespace:
    """The flags are those of the C++ programs in benchmarks/training."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--network", choices=["cnn", "mlp"], required=True)
    parser.add_argument("--optimizer", choices=["adamw", "sgd"], required=True)
    parser.add_argument("--batch_size", type=int, required=True)
    parser.add_argument("--examples", type=int, required=True, help="of the training set: its first so many")
    parser.add_argument("--epochs", type=int, required=True)
    parser.add_argument("--warmup", type=int, required=True, help="steps before the clock starts")
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--data", type=Path, required=True)
    chosen = parser.parse_args()
    torch.set_num_threads(chosen.threads)
    torch.manual_seed(1)
    return chosen


def read(folder: Path, name: str, examples: int) -> TensorDataset:
    def values(kind: str, header: int) -> torch.Tensor:
        with gzip.open(folder / f"{name}-{kind}-ubyte.gz") as file:
            return torch.frombuffer(bytearray(file.read()[header:]), dtype=torch.uint8)

    images = values("images-idx3", 16).view(-1, 1, 28, 28)[:examples].float() / 255
    return TensorDataset(images, values("labels-idx1", 8)[:examples].long())


def training_loader(chosen: argparse.Namespace) -> DataLoader:
    return DataLoader(read(chosen.data, "train", chosen.examples), batch_size=chosen.batch_size, shuffle=True)


class Cnn(nn.Module):
    """The network of PyTorch's MNIST example."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3)
        self.conv2 = nn.Conv2d(32, 64, 3)
        self.dropout1 = nn.Dropout(0.25)
        self.dropout2 = nn.Dropout(0.5)
        self.fc1 = nn.Linear(9216, 128)
        self.fc2 = nn.Linear(128, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = functional.relu(self.conv1(x))
        x = functional.relu(self.conv2(x))
        x = self.dropout1(functional.max_pool2d(x, 2))
        x = functional.relu(self.fc1(torch.flatten(x, 1)))
        return self.fc2(self.dropout2(x))


def network(name: str) -> nn.Module:
    if name == "cnn":
        return Cnn()
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))


def optimizer(name: str, parameters) -> torch.optim.Optimizer:
    if name == "adamw":
        return torch.optim.AdamW(parameters, lr=0.001)
    return torch.optim.SGD(parameters, lr=0.01, momentum=0.9)


def report(name: str, chosen: argparse.Namespace, model: nn.Module, seconds: float) -> None:
    """Prints what was measured, and the loss on the test set: whoever trained less would show it there."""
    model.eval()
    with torch.no_grad():
        images, labels = read(chosen.data, "t10k", 10000).tensors
        loss = sum(functional.cross_entropy(model(x), y, reduction="sum").item()
                   for x, y in zip(images.split(1000), labels.split(1000))) / len(labels)
    steps = chosen.epochs * -(-chosen.examples // chosen.batch_size) - chosen.warmup
    print("\n" + json.dumps({"name": name, "work": chosen.network, "steps_per_second": steps / seconds,
                             "samples_per_second": steps * chosen.batch_size / seconds, "test_loss": loss}), flush=True)
