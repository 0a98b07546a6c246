// reader_support.h: what the tests of the readers share.
#ifndef TESTS_DATA_READER_SUPPORT_H_
#define TESTS_DATA_READER_SUPPORT_H_

#include "base/torch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/log/error.h"
#include "tests/support/temporary_folder.h"

namespace base {

/// A test with a folder of its own to put files into.
class ReaderTest : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, std::string_view bytes) const {
    const std::filesystem::path path = folder_.path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }

 private:
  TemporaryFolder folder_;
};

/// The message of the data Error that `body` throws.
template <typename Body>
std::string data_error(Body body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no Error was thrown";
  return {};
}

inline torch::Tensor floats(const std::vector<float>& values) {
  return torch::tensor(values, torch::kFloat);
}

/// The very same values, type and shape.
inline testing::AssertionResult same(const torch::Tensor& left, const torch::Tensor& right) {
  if (left.scalar_type() == right.scalar_type() && left.sizes() == right.sizes() && left.equal(right))
    return testing::AssertionSuccess();
  std::ostringstream text;
  text << left << "\nis not\n" << right;
  return testing::AssertionFailure() << text.str();
}

}  // namespace base

#endif  // TESTS_DATA_READER_SUPPORT_H_
