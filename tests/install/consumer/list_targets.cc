// Prints the custom calls that were linked into this program, with what is known of each.
#include <cstdio>

#include "callbridge/callbridge.h"

int main() {
  callbridge_library* process = nullptr;
  if (callbridge_library_of_process(&process) != nullptr) return 1;
  for (size_t i = 0; i < callbridge_library_target_count(process); ++i) {
    callbridge_target target = {};
    target.struct_size = sizeof(target);
    if (callbridge_library_target(process, i, &target) != nullptr) return 1;
    std::printf("%s on %s: %s\n", target.name, target.platform, target.evidence);
  }
  callbridge_library_close(process);
}
