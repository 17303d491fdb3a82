// Refused(): expects an error. For tests in Python, see tests/python/refused.py.
#ifndef CALLBRIDGE_TESTS_REFUSED_H_
#define CALLBRIDGE_TESTS_REFUSED_H_

#include <string>

#include "absl/status/status.h"
#include "gtest/gtest.h"

namespace callbridge {

// Expects an error of `code`. Returns its message.
inline std::string Refused(const absl::Status& status,
                           absl::StatusCode code = absl::StatusCode::kInvalidArgument) {
  EXPECT_EQ(status.code(), code) << status;
  return std::string(status.message());
}

}  // namespace callbridge

#endif  // CALLBRIDGE_TESTS_REFUSED_H_
