#include "base/torch.h"

#include "tests/checkpoint/endless_saver.h"

#include <gmock/gmock.h>

#include <string_view>

// GoogleTest's main, except that the program can be started by its own tests as the one to be killed.
int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "--save-until-killed") base::save_until_killed(argv[2]);
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
