// Only what has no LibTorch behind it.
#include <base/infer/backend.h>
#include <base/log/error.h>

int main() {
  return base::run_main([] {
    base::load_backend("exports/1", "cpu");
    return 0;
  });
}
