// Leaves a line in the file CALLBRIDGE_TEST_OPENED each time that it is opened, and starts a thread
// if CALLBRIDGE_TEST_THREAD is set. Its functions, which the probe asks, depend on what was before.
#include <sys/types.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "callbridge/typed_ffi/c_api.h"

namespace {

int calls = 0;

__attribute__((constructor)) void Open() {
  if (const char* path = std::getenv("CALLBRIDGE_TEST_OPENED")) {
    std::ofstream(path, std::ios::app) << getpid() << "\n";
  }
  if (std::getenv("CALLBRIDGE_TEST_THREAD") != nullptr) std::thread([] { pause(); }).detach();
}

}  // namespace

extern "C" {

// Reports as its version how often functions of this file were called.
XLA_FFI_Error* counts(XLA_FFI_CallFrame* frame) {
  auto* extension = reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start);
  extension->metadata->api_version.major_version = 0;
  extension->metadata->api_version.minor_version = ++calls;
  return nullptr;
}

void returns(void*, const void**) { ++calls; }
void aborts(void*, const void**) { std::abort(); }
void sleeps(void*, const void**) { sleep(1); }
void kills_group(void*, const void**) { kill(0, SIGKILL); }
void kills_parent(void*, const void**) {
  kill(getppid(), SIGKILL);
  pause();
}

}  // extern "C"
