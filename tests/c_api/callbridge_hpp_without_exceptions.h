// callbridge/callbridge.hpp in a file that is compiled with -fno-exceptions, for the test beside
// it.
#ifndef CALLBRIDGE_TESTS_C_API_CALLBRIDGE_HPP_WITHOUT_EXCEPTIONS_H_
#define CALLBRIDGE_TESTS_C_API_CALLBRIDGE_HPP_WITHOUT_EXCEPTIONS_H_

#include <string>

namespace without_exceptions {

// Aborts.
int ValueOfAnError();
std::string TextOfAnError();

}  // namespace without_exceptions

#endif  // CALLBRIDGE_TESTS_C_API_CALLBRIDGE_HPP_WITHOUT_EXCEPTIONS_H_
