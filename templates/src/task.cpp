// The program: `--help` lists what it does, `train --help` every knob.
#include <base/torch.h>  // first, since it is precompiled

#include <base/app/app.h>

#include "src/data_loader.h"
#include "src/model.h"
#include "src/settings.h"
#include "src/trainer.h"
// New classes are included above this line by `scaffold add`.

int main(int argc, char** argv) {
  using namespace <@ namespace @>;
  base::App<Settings> app("<@ identifier @>");
  app.add_model<Model>("model");
  app.add_data_loader<DataLoader>("data_loader");
  app.add_trainer<Trainer>("trainer");
  // New classes are added above this line by `scaffold add`.
  return app.run(argc, argv);
}
