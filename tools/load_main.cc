// callbridge-load FILE LIBCALLBRIDGE: loads FILE, reports that and exits. LIBCALLBRIDGE is
// LoadedCallbridge() of the process that runs it, for LoadOptions::isolate
// (loader/target_library.h).
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <memory>

#include "absl/status/statusor.h"
#include "callbridge/loader/child_process.h"
#include "callbridge/loader/target_library.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  // It may crash: writes no core file, and ends with its parent.
  const rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Sanitizers would turn a crash into an exit.
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(signal, SIG_DFL);
  callbridge::OpenLoadedCallbridge(argv[2]);
  // Kept until the end.
  [[maybe_unused]] const absl::StatusOr<std::shared_ptr<callbridge::TargetLibrary>> library =
      callbridge::TargetLibrary::Load(argv[1]);
  const bool is_told = write(callbridge::kLoadedDescriptor, "loaded", 6) == 6;
  std::_Exit(is_told ? 0 : 1);  // skips the library's destructors
}
