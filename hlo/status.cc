#include "callbridge/hlo/status.h"

#include <cstdio>
#include <cstdlib>

namespace xla {
inline namespace callbridge_v1 {
namespace internal {

void Die(absl::string_view message) {
  fprintf(stderr, "callbridge: %.*s\n", static_cast<int>(message.size()), message.data());
  abort();
}

}  // namespace internal
}  // namespace callbridge_v1
}  // namespace xla
