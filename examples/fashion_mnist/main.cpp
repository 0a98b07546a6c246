// A convolutional network on Fashion-MNIST: 70,000 pictures of clothes, 28 x 28, in ten classes.
//
//     ./dev demo                                                                 400 steps of 64 pictures
//     build/release/examples/fashion_mnist/fashion_mnist --epochs 5              the whole training
//     build/release/examples/fashion_mnist/fashion_mnist --smoke --run /tmp/try  one batch through every stage
//
// Expect a loss near 2.3 at first and below 0.6 after 400 steps, and about 85 of 100 pictures of the test set right;
// above 91 after 5 epochs.
#include <base/torch.h>  // first, since it is precompiled

#include <base/log/error.h>
#include <base/log/log.h>

#include "trainer.h"

int main(int argc, char** argv) {
  return base::run_main([&] {
    fashion_mnist::Settings settings;
    const auto origins = base::load_settings(settings, argc, argv, {.description = "Trains on Fashion-MNIST."});
    if (!origins) return 0;

    fashion_mnist::Trainer trainer(settings);
    const auto run = base::RunFolder::choose(trainer.group(), settings.run, settings.runs, "fashion_mnist");
    if (!trainer.set_run(run).restore() && trainer.world().is_first())
      base::write_settings(settings, run.config(), *origins);
    trainer.run();

    base::log::info("accuracy on the test set: {:.1f} %",
                    100 * base::result_of(trainer.state().validation, "accuracy"));
    base::log::info("the run is kept in {}", run.path().string());
    return 0;
  });
}
