// support.h: what the tests of base/records share: a folder of its own for each test, and errors as text.
#ifndef TESTS_RECORDS_SUPPORT_H_
#define TESTS_RECORDS_SUPPORT_H_

#include <string>

#include "base/log/error.h"
#include "base/records/bytes.h"
#include "tests/support/temporary_folder.h"

namespace records_test {

using base::contents_of;
using base::TemporaryFolder;
using base::write_file;

/// The whole message of the error that `action` throws; "accepted" if it throws none.
template <typename Action>
std::string error_of(const Action& action) {
  try {
    action();
  } catch (const base::Error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace records_test

#endif  // TESTS_RECORDS_SUPPORT_H_
