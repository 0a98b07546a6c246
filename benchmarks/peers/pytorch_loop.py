"""The plain training loop of a PyTorch user; with --compile, the same with torch.compile."""

import sys
import time

import torch
from torch.nn import functional

import common

compiled = "--compile" in sys.argv
if compiled:
    sys.argv.remove("--compile")
chosen = common.arguments()
loader = common.training_loader(chosen)
model = common.network(chosen.network)
optimizer = common.optimizer(chosen.optimizer, model.parameters())
run = torch.compile(model) if compiled else model

model.train()
step = 0
start = time.perf_counter()
for epoch in range(chosen.epochs):
    for images, labels in loader:
        optimizer.zero_grad()
        loss = functional.cross_entropy(run(images), labels)
        loss.backward()
        optimizer.step()
        step += 1
        if step % 100 == 0:
            print(f"epoch {epoch}  step {step}  loss {loss.item():.4f}")
        if step == chosen.warmup:
            start = time.perf_counter()
seconds = time.perf_counter() - start
common.report("torch.compile" if compiled else "PyTorch", chosen, model, seconds)
