// Callers that know the structs' first version alone: it ends where it ended, and nothing behind it
// is read or written. These sizes are promised: none may grow.
#include "callbridge/c_api/first_sizes.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "callbridge/c_api/struct_size.h"
#include "callbridge/callbridge.h"
#include "callbridge/callbridge_ffi.h"
#include "callbridge/legacy/registry_functions.h"
#include "callbridge/typed_ffi/c_api.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/c_api/error_text.h"
#include "tests/c_api/simple_calls.h"

namespace callbridge {
namespace {

using ::testing::HasSubstr;

const std::map<std::string, size_t>& Promised() {
  static const auto& sizes = *new std::map<std::string, size_t>{
      {"callbridge_entry_points", kFirstSize<callbridge_entry_points>},
      {"callbridge_error", kFirstSize<callbridge_error>},
      {"callbridge_execution_context", kFirstSize<callbridge_execution_context>},
      {"callbridge_runtime_services", kFirstSize<callbridge_runtime_services>},
      {"callbridge_ffi_handlers", kFirstSize<callbridge_ffi_handlers>},
      {"callbridge_ffi_scratch", kFirstSize<callbridge_ffi_scratch>},
      {"callbridge_ffi_thread_pool", kFirstSize<callbridge_ffi_thread_pool>},
      {"callbridge_pjrt_options", kFirstSize<callbridge_pjrt_options>},
      {"callbridge_site", kFirstSize<callbridge_site>},
      {"callbridge_target", kFirstSize<callbridge_target>},
      {"callbridge_target_abi", kFirstSize<callbridge_target_abi>},
  };
  return sizes;
}

// The structs of a header whose first field is `struct_size`.
std::set<std::string> SizedStructs(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.is_open()) << path;
  std::stringstream text;
  text << file.rdbuf();
  const std::string header = text.str();
  const std::regex sized("typedef struct (\\w+) \\{\\s+size_t struct_size;");
  std::set<std::string> names;
  for (std::sregex_iterator i(header.begin(), header.end(), sized), end; i != end; ++i) {
    names.insert((*i)[1]);
  }
  return names;
}

TEST(FirstSizesTest, EachStructHasOne) {
  std::set<std::string> structs;
  for (const char* header : {"c_api/callbridge.h", "c_api/callbridge_ffi.h",
                             "c_api/callbridge_pjrt.h", "client/callbridge_module.h"}) {
    structs.merge(SizedStructs(std::string(SOURCE_FOLDER "/") + header));
  }
  std::set<std::string> promised;
  for (const auto& [name, size] : Promised()) promised.insert(name);
  EXPECT_EQ(promised, structs);
}

// A struct to which a field was appended, as a later version will.
struct GrownScratch : callbridge_ffi_scratch {
  const void* appended;
};

}  // namespace

template <>
inline constexpr size_t kFirstSize<GrownScratch> = kFirstSize<callbridge_ffi_scratch>;

namespace {

TEST(FirstSizesTest, AppendedFieldsAreNotAskedFor) {
  GrownScratch scratch = {};
  scratch.struct_size = sizeof(callbridge_ffi_scratch);
  EXPECT_TRUE(CheckStructSize("callbridge_ffi_scratch", scratch).ok());
  EXPECT_FALSE(KnowsField(scratch, scratch.appended));
  scratch.struct_size = sizeof(scratch);
  EXPECT_TRUE(CheckStructSize("callbridge_ffi_scratch", scratch).ok());
  EXPECT_TRUE(KnowsField(scratch, scratch.appended));
  scratch.struct_size = sizeof(callbridge_ffi_scratch) - 1;
  EXPECT_EQ(CheckStructSize("callbridge_ffi_scratch", scratch).message(),
            "callbridge_ffi_scratch.struct_size is 31, but must be at least 32: set it to "
            "sizeof(callbridge_ffi_scratch)");
}

// The first `kFirstSize<Struct>` bytes of a struct, behind which no memory is.
template <typename Struct>
class AtTheEdge {
 public:
  explicit AtTheEdge(Struct value) : page_(static_cast<size_t>(getpagesize())) {
    memory_ = static_cast<char*>(
        mmap(nullptr, 2 * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_NE(memory_, MAP_FAILED);
    EXPECT_EQ(mprotect(memory_ + page_, page_, PROT_NONE), 0);
    value.struct_size = kFirstSize<Struct>;
    std::memcpy(static_cast<void*>(get()), &value, value.struct_size);
  }
  ~AtTheEdge() { munmap(memory_, 2 * page_); }
  AtTheEdge(const AtTheEdge&) = delete;
  AtTheEdge& operator=(const AtTheEdge&) = delete;

  Struct* get() const { return reinterpret_cast<Struct*>(memory_ + page_ - kFirstSize<Struct>); }
  Struct* operator->() const { return get(); }

 private:
  const size_t page_;
  char* memory_;
};

TEST(FirstSizesTest, UntypedCalls) {
  const AtTheEdge<callbridge_target> target(OriginalTarget());
  const AtTheEdge<callbridge_site> site(CopySite());
  const AtTheEdge<callbridge_execution_context> context({});
  const AtTheEdge<callbridge_entry_points> points({});
  int32_t in = 42, out = 0;
  const callbridge_array operand = {&in, 4}, result = {&out, 4};
  EXPECT_EQ(ErrorText(callbridge_execute(target.get(), site.get(), &operand, 1, &result, 1,
                                         context.get())),
            "OK");
  EXPECT_EQ(out, 42);
  EXPECT_EQ(ErrorText(callbridge_target_entry_points(target.get(), points.get())), "OK");
  EXPECT_NE(points->untyped, nullptr);
  char* bytes = nullptr;
  size_t size = 0;
  EXPECT_EQ(ErrorText(callbridge_site_encode(site.get(), &bytes, &size)), "OK");
  callbridge_bytes_free(bytes);

  callbridge_register_target("first_sizes", 11, target->address, "Host", 4, 1);
  callbridge_library* library = nullptr;
  ASSERT_EQ(ErrorText(callbridge_library_of_process(&library)), "OK");
  const AtTheEdge<callbridge_target> listed({});
  ASSERT_GT(callbridge_library_target_count(library), 0U);
  EXPECT_EQ(ErrorText(callbridge_library_target(library, 0, listed.get())), "OK");
  EXPECT_STREQ(listed->name, "first_sizes");
  EXPECT_EQ(ErrorText(callbridge_library_close(library)), "OK");
}

TEST(FirstSizesTest, CallsOfHandlers) {
  const AtTheEdge<callbridge_target> target(TypedTarget(Handlers()));
  const AtTheEdge<callbridge_site> site(ResultSite("()"));
  const AtTheEdge<callbridge_ffi_thread_pool> pool(*callbridge_ffi_process_threads());
  const AtTheEdge<callbridge_ffi_scratch> scratch(*callbridge_ffi_host_memory());
  callbridge_runtime_services whole_services = NoServices();
  whole_services.thread_pool = pool.get();
  whole_services.scratch = scratch.get();
  const AtTheEdge<callbridge_runtime_services> services(whole_services);
  const callbridge_execution_context context = Lending(*services.get());
  callbridge_call* call = nullptr;
  ASSERT_EQ(ErrorText(callbridge_call_bind(target.get(), site.get(), &context, &call)), "OK");
  EXPECT_EQ(ErrorText(callbridge_call_execute(call, nullptr, 0, nullptr, 0, &context)), "OK");
  callbridge_run* run = nullptr;
  EXPECT_EQ(ErrorText(callbridge_call_start(call, nullptr, 0, nullptr, 0, &context, nullptr,
                                            nullptr, &run)),
            "OK");
  EXPECT_EQ(ErrorText(callbridge_run_wait(run, -1)), "OK");
  callbridge_run_destroy(run);
  callbridge_call_destroy(call);
  const AtTheEdge<callbridge_ffi_handlers> found({});
  EXPECT_THAT(ErrorText(callbridge_ffi_find_handlers("no such handler", "Host", found.get())),
              HasSubstr("NOT_FOUND"));
  const AtTheEdge<callbridge_ffi_handlers> handlers(Handlers());
  EXPECT_THAT(
      ErrorText(callbridge_ffi_adapt_handlers(handlers.get(), "Host", nullptr, found.get())),
      HasSubstr("FAILED_PRECONDITION"));
}

}  // namespace
}  // namespace callbridge
