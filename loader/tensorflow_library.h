// The libraries whose place callbridge takes.
#ifndef CALLBRIDGE_LOADER_TENSORFLOW_LIBRARY_H_
#define CALLBRIDGE_LOADER_TENSORFLOW_LIBRARY_H_

#include "absl/strings/string_view.h"

namespace callbridge {

// "libtensorflow_cc.so.2", "libtensorflow_framework.so.2": they exported XLA to those who linked
// them. Some binaries name them by their path.
bool IsTensorFlowLibrary(absl::string_view name);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_TENSORFLOW_LIBRARY_H_
