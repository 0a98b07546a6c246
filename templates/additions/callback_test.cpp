#include <base/torch.h>  // first, since it is precompiled

#include "src/<@ file_name @>.h"

#include <gtest/gtest.h>

namespace <@ namespace @> {
namespace {

TEST(<@ class_name @>, RemembersItsState) {
  <@ class_name @> callback;
  base::TrainControl control;
  callback.on_validation_end({}, control);
  base::State state;
  callback.save_state(state);
  <@ class_name @> restored;
  restored.load_state(state);
  base::State again;
  restored.save_state(again);
  EXPECT_EQ(state.values(), again.values());
}

}  // namespace
}  // namespace <@ namespace @>
