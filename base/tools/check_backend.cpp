// check_backend: runs an export in one engine, compares its answers with those of another, and says how fast it is.
//
//     check_backend --export exports/400 --target tensorrt:0 --batches 1,8,64
//     check_backend --export exports/400 --target tensorrt:0 --tensorrt.precision fp16 --tensorrt.save_plan model.plan
#include "base/infer/check_command.h"
#include "base/log/error.h"

int main(int argc, char** argv) {
  return base::run_main([&] {
    return base::run_check_command({argv + 1, argv + argc}, "check_backend",
                                   "Compares the answers of an engine with those of another, and measures it.");
  });
}
