// callbridge-probe FILE ADDRESS LIBCALLBRIDGE: asks the function at ADDRESS of FILE whether it is a
// typed FFI handler, and reports the answers to the callbridge process that runs it
// (loader/typed_probe.h). LIBCALLBRIDGE is LoadedCallbridge() of that process.
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "callbridge/loader/child_process.h"
#include "callbridge/loader/typed_probe.h"

namespace {

void Say(const std::string& line) {
  const std::string whole = absl::StrCat(absl::StrReplaceAll(line, {{"\n", " "}}), "\n");
  // If it cannot be written, there is no other channel to report to.
  if (write(callbridge::kAnswersDescriptor, whole.data(), whole.size()) < 0) std::_Exit(1);
}

// A crash is a possible answer: writes no core file, and ends with its parent.
void PrepareForCrash() {
  const rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  PrepareForCrash();
  callbridge::OpenLoadedCallbridge(argv[3]);
  const uint64_t address = std::strtoull(argv[2], nullptr, 0);
  absl::StatusOr<void*> function = callbridge::OpenFunction(argv[1], address);
  if (!function.ok()) {
    Say(absl::StrCat("unverified its file cannot be opened: ", function.status().message()));
    std::_Exit(0);
  }
  Say("opened");
  alarm(callbridge::kSecondsToAnswer);
  callbridge::AskForMetadata(*function, Say);
  std::_Exit(0);  // skips the file's destructors
}
