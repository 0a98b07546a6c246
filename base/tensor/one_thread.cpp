#include "base/tensor/one_thread.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>

namespace base {
namespace {

template <typename Function>
Function find_function(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

void set_openmp_threads(int threads) {
  static const auto set = find_function<void (*)(int)>("omp_set_num_threads");
  if (set != nullptr) set(threads);
}

/// MKL's matrix products have a number of their own. Returns the one before.
int set_mkl_threads(int threads) {
  static const auto set = find_function<int (*)(int)>("MKL_Set_Num_Threads_Local");
  return set != nullptr ? set(threads) : 0;
}

}  // namespace

OneThread::OneThread() {
  at::internal::lazy_init_num_threads();  // or a new thread's first operation would set the number anew
  openmp_before_ = at::get_num_threads();
  set_openmp_threads(1);
  mkl_before_ = set_mkl_threads(1);
}

OneThread::~OneThread() {
  set_mkl_threads(mkl_before_);
  set_openmp_threads(openmp_before_);
}

}  // namespace base
