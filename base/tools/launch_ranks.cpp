// launch_ranks: starts a program as several ranks of one world, on this machine or on each of several.
//
//     launch_ranks --ranks 4 -- build/release/demo train
//     launch_ranks --gpus 0,1 --max_restarts 3 --logs runs/a/runlogs -- build/release/demo train --epochs 10
#include <string>
#include <vector>

#include "base/dist/launch_command.h"
#include "base/log/error.h"

int main(int argc, char** argv) {
  return base::run_main([&] {
    return base::run_launch_command({argv + 1, argv + argc}, "launch_ranks",
                                    "Starts a program as several ranks: launch_ranks --ranks 4 -- PROGRAM ARGUMENT...");
  });
}
