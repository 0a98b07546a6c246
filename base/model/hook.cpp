#include "base/torch.h"

#include "base/model/hook.h"

#include "base/log/error.h"
#include "base/log/format.h"

namespace base {

void rethrow_from_hook(const char* hook, const Tensors& given, const c10::Error& error) {
  if (dynamic_cast<const c10::DistError*>(&error) != nullptr) throw;
  const std::string text = error.what_without_backtrace();
  const std::string reason = text.substr(0, text.find('\n'));
  const bool is_of_layout = reason.find("view size is not compatible") != std::string::npos;
  throw Error(ErrorKind::kTraining, format("{}() of the model fails", hook),
              format("{}; it was given {}", reason, describe(given)),
              is_of_layout ? "use reshape() in place of view(), or set layout = \"contiguous\""
                           : "correct the hook, or example_inputs() and the data if these shapes are wrong");
}

}  // namespace base
