// message_of.h: an Error as text, for tests.
#ifndef TESTS_TENSOR_MESSAGE_OF_H_
#define TESTS_TENSOR_MESSAGE_OF_H_

#include <gtest/gtest.h>

#include <string>

#include "base/log/error.h"

namespace base {

/// The message of the Error that `run` throws, after checking its kind.
template <typename Run>
std::string message_of(ErrorKind kind, const Run& run) {
  try {
    run();
  } catch (const Error& error) {
    EXPECT_EQ(info(kind).name, info(error.kind()).name);
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

}  // namespace base

#endif  // TESTS_TENSOR_MESSAGE_OF_H_
