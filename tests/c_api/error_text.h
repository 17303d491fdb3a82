// What an error of the C API says, for comparing.
#ifndef CALLBRIDGE_TESTS_C_API_ERROR_TEXT_H_
#define CALLBRIDGE_TESTS_C_API_ERROR_TEXT_H_

#include <string>

#include "callbridge/callbridge.h"
#include "gtest/gtest.h"

namespace callbridge {

// The error's code name and message, or "OK"; frees it.
inline std::string ErrorText(callbridge_error* error) {
  if (error == nullptr) return "OK";
  std::string text = std::string(callbridge_error_code_name(error->code)) + ": " +
                     std::string(error->message, error->message_size);
  EXPECT_EQ(error->struct_size, sizeof(callbridge_error));
  EXPECT_EQ(error->message[error->message_size], '\0');
  callbridge_error_destroy(error);
  return text;
}

}  // namespace callbridge

#endif  // CALLBRIDGE_TESTS_C_API_ERROR_TEXT_H_
