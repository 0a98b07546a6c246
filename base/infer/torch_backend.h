// torch_backend.h: exported models in LibTorch. In scaffold::scaffold, for programs that link LibTorch anyway.
#ifndef BASE_INFER_TORCH_BACKEND_H_
#define BASE_INFER_TORCH_BACKEND_H_

namespace base {

/// From now on load_backend() knows the target "torch", LibTorch on the CPU, and has LibTorch for "cuda:0" where no
/// other engine can run there. BackendOptions::threads then holds for all of LibTorch in the process. Calling it twice
/// does nothing.
void use_torch_backend();

}  // namespace base

#endif  // BASE_INFER_TORCH_BACKEND_H_
