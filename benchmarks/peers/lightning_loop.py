"""The same work with Lightning's Trainer as it comes: progress bar, logger and checkpoints on."""

import tempfile
import time

import lightning
from torch.nn import functional

import common

chosen = common.arguments()


class Classifier(lightning.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.network = common.network(chosen.network)

    def forward(self, x):
        return self.network(x)

    def training_step(self, batch, batch_index):
        images, labels = batch
        loss = functional.cross_entropy(self(images), labels)
        self.log("train_loss", loss)
        return loss

    def configure_optimizers(self):
        return common.optimizer(chosen.optimizer, self.parameters())


class Clock(lightning.Callback):
    start = time.perf_counter()

    def on_train_batch_end(self, trainer, *_) -> None:
        if trainer.global_step == chosen.warmup:
            self.start = time.perf_counter()


clock = Clock()
model = Classifier()
with tempfile.TemporaryDirectory() as folder:
    trainer = lightning.Trainer(max_epochs=chosen.epochs, accelerator="cpu", default_root_dir=folder, callbacks=[clock])
    trainer.fit(model, common.training_loader(chosen))
    seconds = time.perf_counter() - clock.start
common.report("Lightning", chosen, model, seconds)
