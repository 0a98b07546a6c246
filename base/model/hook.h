// hook.h: what an author of a model wrote, called so that its mistakes are told as such.
#ifndef BASE_MODEL_HOOK_H_
#define BASE_MODEL_HOOK_H_

#include <string>

#include "base/log/error.h"
#include "base/tensor/tensors.h"
#include "base/torch.h"

namespace base {

/// Within catch: throws what LibTorch said as a training Error that names the hook and what it was given. The failures
/// of other processes stay what they are.
[[noreturn]] void rethrow_from_hook(const char* hook, const Tensors& given, const c10::Error& error);

/// Runs a hook of the model, such as "forward", on the tensors that it is given.
template <typename Hook>
auto run_hook(const char* name, const Tensors& given, const Hook& hook) {
  try {
    return hook();
  } catch (const c10::Error& error) {
    rethrow_from_hook(name, given, error);
  } catch (const Error& error) {  // such as of a tensor that is not there
    throw error.with_place(std::string(name) + "() of the model");
  }
}

}  // namespace base

#endif  // BASE_MODEL_HOOK_H_
