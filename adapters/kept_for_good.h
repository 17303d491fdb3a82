// What must stay for as long as the process lives, though its owner could close it.
#ifndef CALLBRIDGE_ADAPTERS_KEPT_FOR_GOOD_H_
#define CALLBRIDGE_ADAPTERS_KEPT_FOR_GOOD_H_

#include <memory>

namespace callbridge {

// Holds on to `library` for good: something that is never destroyed, or that a runtime was given,
// leads into it. Null is ignored. Thread-safe.
void KeepForGood(std::shared_ptr<const void> library);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_KEPT_FOR_GOOD_H_
