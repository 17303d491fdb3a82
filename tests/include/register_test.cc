// The registration macros, through XLA's own include paths, as old sources use them.
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "tensorflow/compiler/xla/service/custom_call_status.h"
#include "tensorflow/compiler/xla/service/custom_call_target_registry.h"
#include "xla/service/custom_call_status.h"
#include "xla/service/custom_call_target_registry.h"

// What cuda.h says of a stream.
typedef struct CUstream_st* CUstream;

namespace {

void original(void*, const void**) {}
void original_without_const(void*, void**) {}
void status_returning(void*, const void**, XlaCustomCallStatus*) {}
void status_returning_without_const(void*, void**, XlaCustomCallStatus*) {}
void unified(void*, const void**, const char*, size_t, XlaCustomCallStatus*) {}
void gpu_original(CUstream, void**, const char*, size_t) {}
void gpu_status_returning(CUstream, void**, const char*, size_t, XlaCustomCallStatus*) {}
void gpu_void_stream(void*, void**, const char*, size_t, XlaCustomCallStatus*) {}
void* const typeless = reinterpret_cast<void*>(&original);
int another_type(int x) { return x; }

XLA_REGISTER_CUSTOM_CALL_TARGET(original, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET(original_without_const, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET(status_returning, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET(&status_returning_without_const, "Host");
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(unified);
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("renamed", original);
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("renamed on GPU", gpu_original, "CUDA");
XLA_REGISTER_CUSTOM_CALL_TARGET(gpu_status_returning, "ROCM");
XLA_REGISTER_CUSTOM_CALL_TARGET(gpu_void_stream, "CUDA");
XLA_REGISTER_CUSTOM_CALL_TARGET(typeless, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET(another_type, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("original on GPU", original, "CUDA");

struct Registered {
  void* address;
  int api_version;
};

std::map<std::pair<std::string, std::string>, Registered> AllRegistered() {
  std::map<std::pair<std::string, std::string>, Registered> all;
  for (const auto& target : xla::CustomCallTargetRegistry::Global()->Targets()) {
    all[{target.symbol, target.platform}] = {target.address, target.api_version};
  }
  return all;
}

struct Expected {
  const char* symbol;
  const char* platform;
  void* address;
  int api_version;
};

TEST(RegisterTest, NamesAddressesAndVersions) {
  auto address = [](auto* function) { return reinterpret_cast<void*>(function); };
  const Expected kExpected[] = {
      {"original", "Host", address(&original), 1},
      {"original_without_const", "Host", address(&original_without_const), 1},
      {"status_returning", "Host", address(&status_returning), 2},
      {"&status_returning_without_const", "Host", address(&status_returning_without_const), 2},
      {"unified", "Host", address(&unified), 3},
      {"renamed", "Host", address(&original), 1},
      {"renamed on GPU", "CUDA", address(&gpu_original), 1},
      {"gpu_status_returning", "ROCM", address(&gpu_status_returning), 2},
      {"gpu_void_stream", "CUDA", address(&gpu_void_stream), 2},
      {"typeless", "Host", address(&original), 0},
      {"another_type", "Host", address(&another_type), 0},
      {"original on GPU", "CUDA", address(&original), 0},
  };
  auto all = AllRegistered();
  for (const Expected& expected : kExpected) {
    SCOPED_TRACE(expected.symbol);
    auto found = all.find({expected.symbol, expected.platform});
    ASSERT_NE(found, all.end());
    EXPECT_EQ(found->second.address, expected.address);
    EXPECT_EQ(found->second.api_version, expected.api_version);
  }
  EXPECT_EQ(all.size(), std::size(kExpected));
}

TEST(RegisterTest, LookupIsAsItWas) {
  auto* registry = xla::CustomCallTargetRegistry::Global();
  EXPECT_EQ(registry->Lookup("original", "Host"), reinterpret_cast<void*>(&original));
  EXPECT_EQ(registry->Lookup("original", "cpu"), nullptr);
  EXPECT_EQ(registry->Lookup("no such target", "Host"), nullptr);
}

}  // namespace
