// Forks while threads are at work in all that libcallbridge keeps for a process. Sanitizers have
// locks of their own, with which children hang.
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <vector>

#include "callbridge/callbridge.h"
#include "callbridge/callbridge_ffi.h"
#include "callbridge/legacy/registry_functions.h"
#include "callbridge/typed_ffi/c_api.h"
#include "gtest/gtest.h"

namespace {

void Nothing(void*, const void**) {}
XLA_FFI_Error* NoHandler(XLA_FFI_CallFrame*) { return nullptr; }

void RegisterAndLookUp() {
  callbridge_register_target("nothing", 7, reinterpret_cast<void*>(&Nothing), "Host", 4,
                             CALLBRIDGE_API_VERSION_ORIGINAL);
  callbridge_lookup_target("nothing", 7, "Host", 4);
}

void ListTheProcess() {
  callbridge_library* library = nullptr;
  callbridge_error_destroy(callbridge_library_of_process(&library));
  callbridge_error_destroy(callbridge_library_close(library));
}

void RegisterAType() {
  int64_t id = 0;
  const std::string name = "a type";
  callbridge_error_destroy(callbridge_ffi_register_type(name.data(), name.size(), &id, nullptr));
}

void FindHandlers() {
  callbridge_ffi_handlers handlers = {sizeof(handlers), nullptr, nullptr,
                                      nullptr,          nullptr, nullptr};
  callbridge_error_destroy(callbridge_ffi_find_handlers("nothing", "Host", &handlers));
}

void MakeEntryPoints() {
  callbridge_target target = {};
  target.struct_size = sizeof(target);
  target.name = "nothing";
  target.platform = "Host";
  target.api_version = CALLBRIDGE_API_VERSION_ORIGINAL;
  target.api_version_is_proved = 1;
  target.address = reinterpret_cast<void*>(&Nothing);
  callbridge_entry_points points = {sizeof(points), nullptr, nullptr};
  callbridge_error_destroy(callbridge_target_entry_points(&target, &points));
}

void MakeACall() {
  const callbridge_ffi_handlers handlers = {sizeof(handlers),
                                            nullptr,
                                            nullptr,
                                            nullptr,
                                            reinterpret_cast<callbridge_ffi_handler*>(&NoHandler),
                                            nullptr};
  callbridge_ffi_site site = {};
  site.struct_size = sizeof(site);
  callbridge_ffi_call* call = nullptr;
  callbridge_error_destroy(callbridge_ffi_call_create(&handlers, &site, nullptr, &call));
  callbridge_ffi_call_destroy(call);
}

using Work = void (*)();
constexpr Work kWorks[] = {RegisterAndLookUp, ListTheProcess,  RegisterAType,
                           FindHandlers,      MakeEntryPoints, MakeACall};

std::atomic<bool> ends{false};

int WorkUntilTheEnd(void* work) {
  while (!ends) (*static_cast<const Work*>(work))();
  return 0;
}

TEST(ForkTest, ChildrenFindEveryTableFree) {
  for (Work work : kWorks)
    work();  // constants that the first call makes are not what this is about
  std::vector<thrd_t> threads;
  for (const Work& work : kWorks) {
    threads.emplace_back();
    ASSERT_EQ(thrd_create(&threads.back(), &WorkUntilTheEnd, const_cast<Work*>(&work)),
              thrd_success);
  }
  for (int i = 0; i < 200 && !HasFailure(); ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      for (Work work : kWorks) work();
      _exit(0);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "a signal of 14: a lock that a thread of the parent had";
  }
  ends = true;
  for (thrd_t thread : threads) thrd_join(thread, nullptr);
}

}  // namespace
