// Forks while threads are at work in all that libcallbridge keeps for a process. Sanitizers have
// locks of their own, with which children hang.
#include <threads.h>

#include <atomic>
#include <string>
#include <vector>

#include "callbridge/callbridge.h"
#include "callbridge/callbridge_ffi.h"
#include "callbridge/legacy/registry_functions.h"
#include "callbridge/typed_ffi/c_api.h"
#include "gtest/gtest.h"
#include "tests/c_api/simple_calls.h"
#include "tests/forked_process.h"

namespace callbridge {
namespace {

void Nothing(void*, const void**) {}

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
  callbridge_error_destroy(callbridge_ffi_register_type("a type", &id, nullptr));
}

void FindHandlers() {
  callbridge_ffi_handlers handlers = Handlers(nullptr);
  callbridge_error_destroy(callbridge_ffi_find_handlers("nothing", "Host", &handlers));
}

void MakeEntryPoints() {
  const callbridge_target target = OriginalTarget(&Nothing, "nothing");
  callbridge_entry_points points = {sizeof(points), nullptr, nullptr};
  callbridge_error_destroy(callbridge_target_entry_points(&target, &points));
}

void MakeACall() {
  const callbridge_target target = TypedTarget(Handlers());
  callbridge_site site = OldSite();
  site.release = "newest";
  callbridge_call* call = nullptr;
  callbridge_error_destroy(callbridge_call_bind(&target, &site, nullptr, &call));
  callbridge_call_destroy(call);
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
    EXPECT_EQ(InChild([] {
                for (Work work : kWorks) work();
                return 0;
              }),
              0)
        << "a signal of 14: a lock that a thread of the parent had";
  }
  ends = true;
  for (thrd_t thread : threads) thrd_join(thread, nullptr);
}

}  // namespace
}  // namespace callbridge
