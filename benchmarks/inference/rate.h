// rate.h: how often something can be done in a second.
#ifndef BENCHMARKS_INFERENCE_RATE_H_
#define BENCHMARKS_INFERENCE_RATE_H_

#include <chrono>

namespace benchmarks {

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Seconds that one `work()` takes, on the mean of about `seconds`, after a warm-up.
template <typename Work>
double seconds_each(double seconds, const Work& work) {
  for (const double until = now() + seconds / 4; now() < until;) work();
  const double start = now();
  long count = 0;
  do {
    work();
    ++count;
  } while (now() < start + seconds);
  return (now() - start) / static_cast<double>(count);
}

}  // namespace benchmarks

#endif  // BENCHMARKS_INFERENCE_RATE_H_
