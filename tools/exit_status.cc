#include "callbridge/tools/exit_status.h"

#include <cstdio>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace callbridge {
namespace {

// A target's message may hold any bytes. Escapes line feeds, so that a part does not look like a
// message of its own.
void PrintLine(absl::string_view message) {
  std::string line = "callbridge: ";
  for (const char& c : message) {
    absl::StrAppend(&line, absl::ascii_iscntrl(c) ? absl::CHexEscape(absl::string_view(&c, 1))
                                                  : std::string(1, c));
  }
  line.push_back('\n');
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace

ExitStatus Failure(const absl::Status& status) {
  PrintLine(status.ToString());
  return kFailure;
}

ExitStatus UsageError(absl::string_view message) {
  PrintLine(message);
  return kUsageError;
}

}  // namespace callbridge
