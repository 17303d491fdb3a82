// Keeps libraries loaded until the process ends.
#ifndef CALLBRIDGE_ADAPTERS_KEPT_FOR_GOOD_H_
#define CALLBRIDGE_ADAPTERS_KEPT_FOR_GOOD_H_

#include <memory>

namespace callbridge {

// Keeps `library` for as long as the process lives, because something that is never destroyed, or
// that a runtime got, points into it. Ignores null. Thread-safe.
void KeepForGood(std::shared_ptr<const void> library);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_KEPT_FOR_GOOD_H_
