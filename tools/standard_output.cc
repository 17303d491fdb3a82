#include "callbridge/tools/standard_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace callbridge {

absl::Status PrintToStandardOutput(absl::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) return absl::ErrnoToStatus(errno, "standard output");
  return absl::OkStatus();
}

void OccupyStandardDescriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(number, F_GETFD) >= 0) continue;
    // Opens it for the opposite direction, so that using it fails. open() returns the lowest free
    // number, which is this one.
    open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace callbridge
