#include "callbridge/loader/tensorflow_library.h"

#include "absl/strings/match.h"

namespace callbridge {

bool IsTensorFlowLibrary(absl::string_view name) {
  name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0
  return absl::StartsWith(name, "libtensorflow_cc.so") ||
         absl::StartsWith(name, "libtensorflow_framework.so");
}

}  // namespace callbridge
