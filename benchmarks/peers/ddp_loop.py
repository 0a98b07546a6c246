"""The loop of a PyTorch user with DistributedDataParallel; one process of several, as torchrun's variables say."""

import time

import torch
from torch import distributed
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

import common

chosen = common.arguments()
distributed.init_process_group("gloo")
data = common.read(chosen.data, "train", chosen.examples)
sampler = DistributedSampler(data, shuffle=True)
loader = DataLoader(data, batch_size=chosen.batch_size, sampler=sampler)
model = DistributedDataParallel(common.network(chosen.network), gradient_as_bucket_view=True)
optimizer = common.optimizer(chosen.optimizer, model.parameters())

model.train()
step = 0
start = time.perf_counter()
for epoch in range(chosen.epochs):
    sampler.set_epoch(epoch)
    for images, labels in loader:
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        step += 1
        if step % 100 == 0 and distributed.get_rank() == 0:
            print(f"epoch {epoch}  step {step}  loss {loss.item():.4f}")
        if step == chosen.warmup:
            start = time.perf_counter()
seconds = time.perf_counter() - start
chosen.examples //= distributed.get_world_size()  # of each process
common.report("DistributedDataParallel", chosen, model.module, seconds)
distributed.destroy_process_group()
