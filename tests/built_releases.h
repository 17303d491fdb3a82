// The releases of jaxlib with whose XLA headers this build built handlers: a sample, or all of them
// (cmake/genuine_handlers.cmake).
#ifndef CALLBRIDGE_TESTS_BUILT_RELEASES_H_
#define CALLBRIDGE_TESTS_BUILT_RELEASES_H_

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace callbridge {

inline std::vector<std::string> BuiltReleases() {
  std::istringstream words(FFI_RELEASES);
  return {std::istream_iterator<std::string>(words), {}};
}

// Those of `rows` whose `release` is one of them.
template <typename Rows, typename Row>
std::vector<Row> OnlyBuilt(const Rows& rows, const char* Row::*release) {
  const std::vector<std::string> built = BuiltReleases();
  std::vector<Row> found;
  for (const Row& row : rows) {
    if (std::count(built.begin(), built.end(), row.*release) != 0) found.push_back(row);
  }
  return found;
}

}  // namespace callbridge

#endif  // CALLBRIDGE_TESTS_BUILT_RELEASES_H_
