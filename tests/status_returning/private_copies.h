// Private copies of the status functions, as old binaries hold them: one for each layout in which
// headers have had the object. They write whatever storage they are given.
#ifndef CALLBRIDGE_TESTS_STATUS_RETURNING_PRIVATE_COPIES_H_
#define CALLBRIDGE_TESTS_STATUS_RETURNING_PRIVATE_COPIES_H_

#include <cstddef>

namespace callbridge {

struct StatusFunctions {
  const char* layout;
  void (*set_success)(void* status);
  void (*set_failure)(void* status, const char* message, size_t message_len);
};

// std::optional<std::string> in the new string ABI.
StatusFunctions OptionalCopy();
// The same in the old one.
StatusFunctions OldStringCopy();
// absl::optional<std::string> under C++14: a flag, then the string.
StatusFunctions AbslOptionalCopy();

}  // namespace callbridge

#endif  // CALLBRIDGE_TESTS_STATUS_RETURNING_PRIVATE_COPIES_H_
