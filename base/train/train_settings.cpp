#include "base/torch.h"

#include "base/train/train_settings.h"

namespace base {

void CheckpointSettings::declare(Knobs& knobs) {
  knobs.add("every_steps", every_steps, "save after so many steps; 0: not by steps", {.min = 0});
  knobs.add("every_epochs", every_epochs, "save after so many epochs; 0: not by epochs", {.min = 0});
  knobs.add("every", every, "save after so much time, such as 10m; 0s: not by time",
            {.min = std::chrono::milliseconds(0)});
  knobs.add("keep_last", keep_last, "how many of the newest to keep", {.min = 1});
  knobs.add("keep_best", keep_best, "how many of the best to keep besides", {.min = 0});
}

void AverageSettings::declare(Knobs& knobs) {
  knobs.add("decay", decay, "of the moving average of the weights, such as 0.999; 0: no average",
            {.min = 0.0, .max = 0.999999});
  knobs.add("evaluate", evaluate, "validate, predict and export with the average instead of the weights");
}

void TrainSettings::declare(Knobs& knobs) {
  knobs.add("epochs", epochs, "passes over the training data; 0: no end by epochs", {.min = 0});
  knobs.add("steps", steps, "changes of the weights at most; 0: no end by steps", {.min = 0});
  knobs.add("time", time, "train for so long at most, such as 8h; 0s: no end by time",
            {.min = std::chrono::milliseconds(0)});
  knobs.add("device", device, "auto, cpu, cuda or cuda:1");
  knobs.add("precision", precision, "of the forward pass; fp16 needs a GPU", {.choices = {"fp32", "bf16", "fp16"}});
  knobs.add("layout", layout, "of pictures in memory; auto: channels_last for networks with convolutions of pictures",
            {.choices = {"auto", "contiguous", "channels_last"}});
  knobs.add("threads", threads, "at most, for the work inside one operation; 0: one for each core",
            {.min = 0, .max = 1024});
  knobs.add("gpu_memory", gpu_memory, "the part of the GPU's memory that may be taken", {.min = 0.01, .max = 1.0});
  knobs.add("seed", seed, "of the weights, the order of the data and everything else that is drawn");
  knobs.add("deterministic", deterministic, "the same bits in every run; slower on a GPU");
  knobs.add("accumulate", accumulate, "batches whose gradients are added up for one step", {.min = 1});
  knobs.add("clip_norm", clip_norm, "the largest norm of all gradients together; 0: any", {.min = 0.0});
  knobs.add("clip_value", clip_value, "the largest element of a gradient; 0: any", {.min = 0.0});
  knobs.add("log_every", log_every,
            "steps between lines in the log and, on a GPU, between batches of training that are measured", {.min = 1});
  knobs.add("validate_every_steps", validate_every_steps, "validate after so many steps; 0: not by steps", {.min = 0});
  knobs.add("validate_every_epochs", validate_every_epochs, "validate after so many epochs; 0: not by epochs",
            {.min = 0});
  knobs.add("validation_batch_size", validation_batch_size, "examples in a batch of validation; 0: as in training",
            {.min = 0});
  knobs.add("score", score, "the figure of validation that the best checkpoint and the plateau schedule go by");
  knobs.add("lower_is_better", lower_is_better, "of the score");
  knobs.add("smoke", smoke, "try everything with a single batch: train, validate, save, restore, predict");
  knobs.section("optimizer", optimizer, "how the weights move");
  knobs.section("schedule", schedule, "how the learning rate changes");
  knobs.section("average", average, "the moving average of the weights");
  knobs.section("checkpoint", checkpoint, "when the run is saved");
  knobs.section("data", data, "how examples become batches");
  knobs.section("dist", dist, "where several processes train together");
}

bool TrainSettings::is_of_machine(std::string_view key) {
  return key == "device" || key == "threads" || key == "gpu_memory" || key == "data.threads" || key == "data.prefetch";
}

}  // namespace base
