#include "base/tensor/one_thread.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>

namespace base {
namespace {

void set_threads_of_this_thread(int threads) {
  static const auto set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  if (set != nullptr) set(threads);
}

}  // namespace

OneThread::OneThread() {
  at::internal::lazy_init_num_threads();  // or a new thread's first operation would set the number anew
  before_ = at::get_num_threads();
  set_threads_of_this_thread(1);
}

OneThread::~OneThread() {
  set_threads_of_this_thread(before_);
}

}  // namespace base
