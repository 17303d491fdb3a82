#include "callbridge/typed_ffi/host/run_id.h"

#include <atomic>

namespace callbridge {
namespace host {

int64_t NewRunId() {
  static std::atomic<int64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace host
}  // namespace callbridge
