// Only what has no LibTorch behind it.
#include <base/log/error.h>

int main() {
  return base::run_main(
      []() -> int { throw base::Error(base::ErrorKind::kBackend, "no model", "exports/1", "export one"); });
}
