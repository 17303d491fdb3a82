// What is registered through the process's own API table, as the C API lists and finds it.
#include <string>
#include <vector>

#include "callbridge/callbridge.h"
#include "callbridge/callbridge_ffi.h"
#include "callbridge/typed_ffi/c_api.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/c_api/error_text.h"
#include "tests/c_api/simple_calls.h"

namespace callbridge {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

int last_asked = 0;  // so that no linker takes two of the functions below for one

// Answers the metadata query. Each number's function has an address of its own.
template <int kNumber>
XLA_FFI_Error* Numbered(XLA_FFI_CallFrame* frame) {
  last_asked = kNumber;
  auto* query = reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start);
  query->metadata->api_version.major_version = XLA_FFI_API_MAJOR;
  query->metadata->api_version.minor_version = XLA_FFI_API_MINOR;
  return nullptr;
}

void Register(const std::string& name, const std::string& platform,
              const XLA_FFI_Handler_Bundle& bundle, XLA_FFI_Handler_Traits traits = 0) {
  XLA_FFI_Handler_Register_Args args = {};
  args.struct_size = XLA_FFI_Handler_Register_Args_STRUCT_SIZE;
  args.name = {name.data(), name.size()};
  args.platform = {platform.data(), platform.size()};
  args.bundle = bundle;
  args.traits = traits;
  ASSERT_EQ(callbridge_xla_ffi_api()->XLA_FFI_Handler_Register(&args), nullptr);
}

constexpr XLA_FFI_Handler_Bundle kAllStages = {&Numbered<1>, &Numbered<2>, &Numbered<3>,
                                               &Numbered<4>, &Numbered<5>};

class FfiHandlersTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    Register("all stages", "Host", kAllStages);
    Register("b", "Host", {nullptr, nullptr, nullptr, &Numbered<6>, nullptr},
             XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE);
    Register("a", "CUDA", {nullptr, nullptr, nullptr, &Numbered<7>, nullptr});
  }
};

// The numbers of the functions, 0 where there is none.
std::string Numbers(const std::vector<void*>& functions) {
  void* const numbered[] = {nullptr,
                            reinterpret_cast<void*>(&Numbered<1>),
                            reinterpret_cast<void*>(&Numbered<2>),
                            reinterpret_cast<void*>(&Numbered<3>),
                            reinterpret_cast<void*>(&Numbered<4>),
                            reinterpret_cast<void*>(&Numbered<5>),
                            reinterpret_cast<void*>(&Numbered<6>),
                            reinterpret_cast<void*>(&Numbered<7>)};
  std::string text;
  for (void* function : functions) {
    for (size_t i = 0; i < std::size(numbered); ++i) {
      if (numbered[i] == function) text += std::to_string(i);
    }
  }
  return text;
}

std::string Numbers(const callbridge_ffi_handlers& handlers) {
  std::vector<void*> functions;
  for (callbridge_ffi_handler* handler : {handlers.instantiate, handlers.prepare,
                                          handlers.initialize, handlers.execute, handlers.record}) {
    functions.push_back(reinterpret_cast<void*>(handler));
  }
  return Numbers(functions);
}

TEST_F(FfiHandlersTest, AreFoundWithAllStages) {
  callbridge_ffi_handlers found = Handlers(nullptr);
  ASSERT_EQ(ErrorText(callbridge_ffi_find_handlers("all stages", "cpu", &found)), "OK");
  EXPECT_EQ(Numbers(found), "12345");
  ASSERT_EQ(ErrorText(callbridge_ffi_find_handlers("b", "Host", &found)), "OK");
  EXPECT_EQ(Numbers(found), "00060") << "what was there before is overwritten";
  EXPECT_EQ(found.traits, 1U);
}

TEST_F(FfiHandlersTest, AreFoundByNameAndPlatform) {
  callbridge_ffi_handlers found = Handlers(nullptr);
  EXPECT_EQ(ErrorText(callbridge_ffi_find_handlers("a", "CUDA", &found)), "OK");
  EXPECT_THAT(ErrorText(callbridge_ffi_find_handlers("a", "Host", &found)),
              AllOf(StartsWith("NOT_FOUND: "), HasSubstr(" all stages ("), HasSubstr(" b (")));
  found.struct_size = offsetof(callbridge_ffi_handlers, traits) - 1;
  EXPECT_THAT(ErrorText(callbridge_ffi_find_handlers("a", "CUDA", &found)),
              StartsWith("INVALID_ARGUMENT: callbridge_ffi_handlers.struct_size is 47"));
}

TEST_F(FfiHandlersTest, AreVisitedByPlatformThenName) {
  std::vector<std::string> visited;
  const auto visit = [](void* user, const char* name, const char* platform,
                        const callbridge_ffi_handlers* handlers, uint32_t traits) {
    EXPECT_EQ(handlers->struct_size, sizeof(*handlers));
    EXPECT_EQ(handlers->traits, traits);
    static_cast<std::vector<std::string>*>(user)->push_back(std::string(name) + " on " + platform +
                                                            ": " + Numbers(*handlers) + ", " +
                                                            std::to_string(traits));
  };
  ASSERT_EQ(ErrorText(callbridge_ffi_visit_handlers(visit, &visited)), "OK");
  EXPECT_THAT(visited, ElementsAre("a on CUDA: 00070, 0", "all stages on Host: 12345, 0",
                                   "b on Host: 00060, 1"));
}

TEST_F(FfiHandlersTest, AreTheProcesssTargets) {
  callbridge_library* process = nullptr;
  ASSERT_EQ(ErrorText(callbridge_library_of_process(&process)), "OK");
  std::vector<std::string> listed;
  for (size_t i = 0; i < callbridge_library_target_count(process); ++i) {
    callbridge_target target = {};
    target.struct_size = sizeof(target);
    EXPECT_EQ(ErrorText(callbridge_library_target(process, i, &target)), "OK");
    EXPECT_EQ(target.api_version, CALLBRIDGE_API_VERSION_TYPED_FFI);
    EXPECT_EQ(target.api_version_is_proved, 1);
    EXPECT_STREQ(target.evidence, "registered as a typed FFI handler");
    listed.push_back(std::string(target.name) + " on " + target.platform + ": " +
                     Numbers({target.instantiate, target.prepare, target.initialize, target.address,
                              target.record}) +
                     ", " + std::to_string(target.command_buffer_compatible));
  }
  EXPECT_THAT(listed, ElementsAre("a on CUDA: 00070, 0", "all stages on Host: 12345, 0",
                                  "b on Host: 00060, 1"));
  EXPECT_EQ(ErrorText(callbridge_library_close(process)), "OK");
}

}  // namespace
}  // namespace callbridge
