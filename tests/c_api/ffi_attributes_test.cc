// Attributes are set and read by several threads at a time.
#include <string>
#include <thread>
#include <vector>

#include "callbridge/callbridge.h"
#include "callbridge/callbridge_ffi.h"
#include "callbridge/typed_ffi/c_api.h"
#include "gtest/gtest.h"
#include "tests/c_api/error_text.h"
#include "tests/c_api/simple_calls.h"

namespace callbridge {
namespace {

constexpr int kThreads = 4;
constexpr int kRounds = 200;
constexpr int32_t kS32Number = 4;

void SetEach(callbridge_ffi_attributes* attributes, int round) {
  const std::string name = "a name that needs an allocation " + std::to_string(round % 7);
  const int32_t numbers[] = {round, round};
  EXPECT_EQ(ErrorText(callbridge_ffi_attributes_set_scalar(attributes, name.c_str(), kS32Number,
                                                           numbers)),
            "OK");
  EXPECT_EQ(ErrorText(callbridge_ffi_attributes_set_array(attributes, name.c_str() + 1, kS32Number,
                                                          numbers, 2)),
            "OK");
  EXPECT_EQ(ErrorText(callbridge_ffi_attributes_set_string(attributes, name.c_str() + 2,
                                                           name.data(), name.size())),
            "OK");
}

// What reads attributes: a typed target's site, encoded and bound, and a call's options.
void ReadEach(const callbridge_ffi_attributes* attributes) {
  callbridge_site site = {};
  site.struct_size = sizeof(site);
  site.result = "s32[]";
  site.attributes = attributes;
  char* bytes = nullptr;
  size_t size = 0;
  EXPECT_EQ(ErrorText(callbridge_site_encode(&site, &bytes, &size)), "OK");
  callbridge_bytes_free(bytes);

  const callbridge_target target = TypedTarget(Handlers());
  callbridge_site old_site = OldSite();
  old_site.attributes = attributes;
  callbridge_runtime_services services = NoServices();
  services.custom_options = attributes;
  const callbridge_execution_context context = Lending(services);
  callbridge_call* call = nullptr;
  EXPECT_EQ(ErrorText(callbridge_call_bind(&target, &old_site, &context, &call)), "OK");
  callbridge_call_destroy(call);
}

TEST(FfiAttributesTest, AreThreadSafe) {
  callbridge_ffi_attributes* attributes = nullptr;
  callbridge_ffi_attributes* other = nullptr;
  ASSERT_EQ(ErrorText(callbridge_ffi_attributes_create(&attributes)), "OK");
  ASSERT_EQ(ErrorText(callbridge_ffi_attributes_create(&other)), "OK");
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([=] {
      for (int round = 0; round < kRounds; ++round) {
        SetEach(attributes, round);
        ReadEach(attributes);
      }
    });
  }
  // Each into the other at once, and into itself: whose lock is taken first must not matter.
  for (auto [to, from] :
       {std::pair(attributes, other), std::pair(other, attributes), std::pair(other, other)}) {
    threads.emplace_back([to = to, from = from] {
      for (int round = 0; round < 5; ++round) {  // each doubles what is in there
        EXPECT_EQ(ErrorText(callbridge_ffi_attributes_set_dictionary(to, "d", from)), "OK");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  callbridge_ffi_attributes_destroy(attributes);
  callbridge_ffi_attributes_destroy(other);
}

}  // namespace
}  // namespace callbridge
