#include "callbridge/tools/standard_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace callbridge {
namespace {

constexpr char kBeginning[] = "callbridge: ";

// A target's message may hold any bytes. Escapes line feeds, so that a part does not look like a
// message of its own.
void PrintLine(absl::string_view beginning, absl::string_view message) {
  std::string line(beginning);
  for (const char& c : message) {
    absl::StrAppend(&line, absl::ascii_iscntrl(c) ? absl::CHexEscape(absl::string_view(&c, 1))
                                                  : std::string(1, c));
  }
  line.push_back('\n');
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace

void OccupyStandardDescriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(number, F_GETFD) >= 0) continue;
    // Opens it for the opposite direction, so that using it fails. open() returns the lowest free
    // number, which is this one.
    open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

absl::Status PrintToStandardOutput(absl::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) return absl::ErrnoToStatus(errno, "standard output");
  return absl::OkStatus();
}

ExitStatus Failure(const absl::Status& status) {
  PrintLine(kBeginning, status.ToString());
  return kFailure;
}

ExitStatus FailureInLines(const absl::Status& status) {
  absl::string_view beginning = kBeginning;
  const std::string message = status.ToString();
  for (const absl::string_view line :
       absl::StrSplit(absl::StripTrailingAsciiWhitespace(message), '\n')) {
    PrintLine(beginning, line);
    beginning = "  ";
  }
  return kFailure;
}

ExitStatus UsageError(absl::string_view message) {
  PrintLine(kBeginning, message);
  return kUsageError;
}

}  // namespace callbridge
