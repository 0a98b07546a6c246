// The program. `<@ identifier @> --help` lists what it does, `<@ identifier @> train --help` every knob.
#include <base/torch.h>  // first, since it is precompiled

#include <base/app/app.h>

#include "src/data_loader.h"
#include "src/model.h"
#include "src/settings.h"
#include "src/trainer.h"
// New classes are included above this line by `scaffold add`.

int main(int argc, char** argv) {
  base::App<<@ namespace @>::Settings> app("<@ identifier @>");
  app.add_model<<@ namespace @>::Model>("model");
  app.add_data_loader<<@ namespace @>::DataLoader>("data_loader");
  app.add_trainer<<@ namespace @>::Trainer>("trainer");
  // New classes are added above this line by `scaffold add`.
  return app.run(argc, argv);
}
