// memory_folder.h: a temporary folder for tests that sync much: thousands of syncs take minutes on a slow disk.
#ifndef TESTS_SUPPORT_MEMORY_FOLDER_H_
#define TESTS_SUPPORT_MEMORY_FOLDER_H_

#include "tests/support/temporary_folder.h"

namespace base {

/// In memory where that is possible.
class MemoryFolder : public TemporaryFolder {
 public:
  MemoryFolder()
      : TemporaryFolder(std::filesystem::exists("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path()) {}
};

}  // namespace base

#endif  // TESTS_SUPPORT_MEMORY_FOLDER_H_
