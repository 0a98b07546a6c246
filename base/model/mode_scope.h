// mode_scope.h: a model in another mode for a while.
#ifndef BASE_MODEL_MODE_SCOPE_H_
#define BASE_MODEL_MODE_SCOPE_H_

#include "base/model/model.h"

namespace base {

/// Until its end the model is in this mode, then in the one before, also if something is thrown.
class ModeScope {
 public:
  ModeScope(Model& model, Model::Mode mode) : model_(model), before_(model.mode()) { model.set_mode(mode); }
  ~ModeScope() { model_.set_mode(before_); }
  ModeScope(const ModeScope&) = delete;
  ModeScope& operator=(const ModeScope&) = delete;

 private:
  Model& model_;
  Model::Mode before_;
};

}  // namespace base

#endif  // BASE_MODEL_MODE_SCOPE_H_
