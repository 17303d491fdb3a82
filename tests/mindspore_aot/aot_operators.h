// What the tests of AOT operators share: the library of operators.cc, for each string ABI.
#ifndef CALLBRIDGE_TESTS_MINDSPORE_AOT_AOT_OPERATORS_H_
#define CALLBRIDGE_TESTS_MINDSPORE_AOT_AOT_OPERATORS_H_

#include <string>

#include "absl/status/statusor.h"
#include "callbridge/mindspore_aot/aot_library.h"

namespace callbridge {
namespace mindspore_aot {

inline constexpr const char* kStringAbis[] = {"old", "new"};

// "old" or "new".
inline std::string LibraryOf(const std::string& strings) { return AOT_OPERATORS + strings + ".so"; }

inline absl::StatusOr<AotOperator> Open(const std::string& strings, const std::string& function) {
  return OpenAotOperator({LibraryOf(strings), function});
}

}  // namespace mindspore_aot
}  // namespace callbridge

#endif  // CALLBRIDGE_TESTS_MINDSPORE_AOT_AOT_OPERATORS_H_
