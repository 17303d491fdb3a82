#include "tests/c_api/callbridge_hpp_without_exceptions.h"

#include <string>

#include "callbridge/callbridge.hpp"

namespace without_exceptions {

int ValueOfAnError() {
  const callbridge::Result<int> wrong = callbridge::Error(3, "wrong");
  return wrong.value();
}

std::string TextOfAnError() {
  const callbridge::Result<int> wrong = callbridge::Error(3, "wrong");
  return wrong.error().ToString();
}

}  // namespace without_exceptions
