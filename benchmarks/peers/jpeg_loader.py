"""Random crops of 224 x 224 out of JPEG files, as a PyTorch user loads them: a Dataset with PIL and torchvision's
transforms, and a DataLoader with worker processes that stay from epoch to epoch."""

import argparse
import json
import time
from pathlib import Path

import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset
from torchvision import transforms


class Pictures(Dataset):
    def __init__(self, folder: Path) -> None:
        self.files = sorted(folder.glob("*/*.jpg"))
        self.transform = transforms.Compose([transforms.RandomCrop(224), transforms.ToTensor()])

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        with Image.open(self.files[index]) as image:
            return self.transform(image.convert("RGB")), int(self.files[index].parent.name)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--batch_size", type=int, required=True)
    parser.add_argument("--epochs", type=int, required=True, help="the first one is not timed")
    parser.add_argument("--threads", type=int, required=True)
    chosen = parser.parse_args()
    torch.manual_seed(1)

    pictures = Pictures(chosen.data)
    loader = DataLoader(pictures, batch_size=chosen.batch_size, shuffle=True, num_workers=chosen.threads,
                        persistent_workers=True)
    start, brightness = 0.0, 0.0
    for epoch in range(chosen.epochs):
        if epoch == 1:
            start = time.perf_counter()
        for images, _ in loader:
            brightness += images[0, 0, 0, 0].item()  # it is there, and a float
    seconds = time.perf_counter() - start
    print(json.dumps({"name": "PyTorch DataLoader", "work": "jpeg",
                      "samples_per_second": len(pictures) * (chosen.epochs - 1) / seconds,
                      "mean": images.mean().item()}), flush=True)
