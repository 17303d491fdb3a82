#include "callbridge/tools/standard_output.h"

#include <cerrno>
#include <cstdio>

namespace callbridge {

absl::Status PrintToStandardOutput(absl::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) return absl::ErrnoToStatus(errno, "standard output");
  return absl::OkStatus();
}

}  // namespace callbridge
