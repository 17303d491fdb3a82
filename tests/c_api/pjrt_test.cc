// callbridge_pjrt.h and callbridge_pjrt.hpp, on a plugin that the test makes.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "callbridge/callbridge_ffi.h"
#include "callbridge/callbridge_pjrt.h"
#include "callbridge/callbridge_pjrt.hpp"
#include "callbridge/legacy/registry_functions.h"
#include "callbridge/typed_ffi/binding/ffi.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/c_api/error_text.h"
#include "tests/pjrt/fake_plugin.h"

namespace callbridge {
namespace {

using pjrt::FakePlugin;
using ::testing::HasSubstr;
using ::testing::StartsWith;

void Untyped(void*, void**, const char*, size_t) {}

callbridge_target CudaTarget(const char* name, void* address = reinterpret_cast<void*>(&Untyped)) {
  callbridge_target target = {};
  target.struct_size = sizeof(target);
  target.name = name;
  target.platform = "CUDA";
  target.address = address;
  return target;
}

callbridge_pjrt_options Prefer(int32_t prefer) {
  return {sizeof(callbridge_pjrt_options), nullptr, prefer, 0};
}
callbridge_pjrt_options Of(const char* platform) {
  return {sizeof(callbridge_pjrt_options), platform, 0, 0};
}

TEST(CApiPjrtTest, RegistersATarget) {
  FakePlugin fake;
  const callbridge_target target = CudaTarget("c_api_one");
  const callbridge_pjrt_options typed = Prefer(4), untyped = Prefer(3);
  int32_t api_version = 0;
  EXPECT_EQ(ErrorText(callbridge_pjrt_register(&fake.api, &target, nullptr, &api_version)), "OK");
  EXPECT_EQ(api_version, CALLBRIDGE_API_VERSION_TYPED_FFI);
  EXPECT_EQ(ErrorText(callbridge_pjrt_register(&fake.api, &target, &untyped, &api_version)), "OK");
  EXPECT_EQ(api_version, CALLBRIDGE_API_VERSION_STATUS_RETURNING_UNIFIED);
  EXPECT_EQ(ErrorText(callbridge_pjrt_register(&fake.api, &target, &typed, nullptr)), "OK");
  ASSERT_EQ(fake.registered.size(), 3u);
  EXPECT_EQ(fake.registered[1].api_version, PJRT_Gpu_Untyped);

  for (const int32_t prefer : {-1, 1, 2, 5, 100, 255, 260}) {
    const callbridge_pjrt_options options = Prefer(prefer);
    EXPECT_THAT(ErrorText(callbridge_pjrt_register(&fake.api, &target, &options, &api_version)),
                StartsWith("INVALID_ARGUMENT: prefer is "))
        << prefer;
  }
  EXPECT_EQ(api_version, CALLBRIDGE_API_VERSION_STATUS_RETURNING_UNIFIED) << "as it was";
}

TEST(CApiPjrtTest, OptionsAreOfThisVersionOrLater) {
  FakePlugin fake;
  const callbridge_target target = CudaTarget("c_api_options");
  callbridge_pjrt_options options = {};
  EXPECT_EQ(ErrorText(callbridge_pjrt_register(&fake.api, &target, &options, nullptr)),
            "INVALID_ARGUMENT: callbridge_pjrt_options.struct_size is 0, but must be at least 24: "
            "set it to sizeof(callbridge_pjrt_options)");
  callbridge_library* library = nullptr;
  ASSERT_EQ(ErrorText(callbridge_library_of_process(&library)), "OK");
  EXPECT_THAT(
      ErrorText(callbridge_pjrt_register_library(&fake.api, library, &options, nullptr, nullptr)),
      HasSubstr("callbridge_pjrt_options.struct_size is 0"));
  callbridge_library_close(library);
  options.struct_size = 1000;
  EXPECT_EQ(ErrorText(callbridge_pjrt_register(&fake.api, &target, &options, nullptr)), "OK");
}

// XLA takes the trait from what the handler reports.
TEST(CApiPjrtTest, TargetsMayBeCommandBufferCompatible) {
  FakePlugin fake;
  callbridge_target target = CudaTarget("c_api_compatible");
  target.command_buffer_compatible = 1;
  EXPECT_EQ(ErrorText(callbridge_pjrt_register(&fake.api, &target, nullptr, nullptr)), "OK");
  target.command_buffer_compatible = 0;
  EXPECT_THAT(ErrorText(callbridge_pjrt_register(&fake.api, &target, nullptr, nullptr)),
              StartsWith("ALREADY_EXISTS"));
  callbridge_pjrt_options options = Prefer(0);
  options.command_buffer_compatible = 1;
  EXPECT_EQ(ErrorText(callbridge_pjrt_register(&fake.api, &target, &options, nullptr)), "OK");
  target.name = "c_api_not_compatible";
  EXPECT_EQ(ErrorText(callbridge_pjrt_register(&fake.api, &target, nullptr, nullptr)), "OK");
  ASSERT_EQ(fake.registered.size(), 3u);
  EXPECT_EQ(fake.registered[0].functions, fake.registered[1].functions);
  EXPECT_NE(fake.registered[0].functions, fake.registered[2].functions);
}

TEST(CApiPjrtTest, ErrorsOfEachFloor) {
  FakePlugin fake;
  callbridge_target target = CudaTarget("c_api_errors");
  target.platform = "TPU";
  EXPECT_THAT(ErrorText(callbridge_pjrt_register(&fake.api, &target, nullptr, nullptr)),
              HasSubstr("TPU"));
  target.platform = "cpu";
  EXPECT_THAT(ErrorText(callbridge_pjrt_register(&fake.api, &target, nullptr, nullptr)),
              HasSubstr("the plugin runs programs on a GPU"));
  target.platform = "gpu";
  EXPECT_EQ(ErrorText(callbridge_pjrt_register(&fake.api, &target, nullptr, nullptr)), "OK");
  target.struct_size = 8;
  EXPECT_THAT(ErrorText(callbridge_pjrt_register(&fake.api, &target, nullptr, nullptr)),
              HasSubstr("callbridge_target.struct_size is 8"));
  target = CudaTarget("c_api_errors", nullptr);
  EXPECT_THAT(ErrorText(callbridge_pjrt_register(&fake.api, &target, nullptr, nullptr)),
              HasSubstr("null address"));
  target.api_version = CALLBRIDGE_API_VERSION_TYPED_FFI;
  EXPECT_THAT(ErrorText(callbridge_pjrt_register(&fake.api, &target, nullptr, nullptr)),
              HasSubstr("address is null"));
  fake.api.pjrt_api_version.major_version = 1;
  EXPECT_THAT(ErrorText(callbridge_pjrt_register(&fake.api, &target, nullptr, nullptr)),
              StartsWith("UNIMPLEMENTED: the plugin has the PJRT API 1.116"));
  EXPECT_THAT(
      ErrorText(callbridge_pjrt_register_library(&fake.api, nullptr, nullptr, nullptr, nullptr)),
      "INVALID_ARGUMENT: library is null");
}

// A function that is declared as a handler would crash at the first call.
TEST(CApiPjrtTest, WhatIsNoHandlerIsRefused) {
  setenv("CALLBRIDGE_PROBE", PROBE_PROGRAM, /*overwrite=*/1);
  FakePlugin fake;
  callbridge_target target =
      CudaTarget("c_api_no_handler", reinterpret_cast<void*>(+[](void** p) { *p = nullptr; }));
  target.api_version = CALLBRIDGE_API_VERSION_TYPED_FFI;
  EXPECT_THAT(ErrorText(callbridge_pjrt_register(&fake.api, &target, nullptr, nullptr)),
              HasSubstr("the function for the stage execute"));
  EXPECT_TRUE(fake.registered.empty());
}

// ---- Libraries

// The targets that this program registers.
class CApiPjrtLibraryTest : public testing::Test {
 protected:
  CApiPjrtLibraryTest() {
    static const bool registered = [] {
      for (const auto& [name, platform] :
           std::vector<std::pair<std::string, std::string>>{{"library_cuda", "CUDA"},
                                                            {"library_cuda_too", "CUDA"},
                                                            {"library_both", "Host"},
                                                            {"library_both", "CUDA"},
                                                            {"library_tpu", "TPU"}}) {
        callbridge_register_target(name.data(), name.size(), reinterpret_cast<void*>(&Untyped),
                                   platform.data(), platform.size(), 1);
      }
      return true;
    }();
    EXPECT_TRUE(registered);
    EXPECT_EQ(ErrorText(callbridge_library_of_process(&library_)), "OK");
  }
  ~CApiPjrtLibraryTest() override { callbridge_library_close(library_); }

  std::string RegisterText(const FakePlugin& fake, const char* platform) {
    count_ = 0;
    api_version_ = 0;
    const callbridge_pjrt_options options = Of(platform);
    return ErrorText(
        callbridge_pjrt_register_library(&fake.api, library_, &options, &count_, &api_version_));
  }

  callbridge_library* library_ = nullptr;
  size_t count_ = 0;
  int32_t api_version_ = 0;
};

TEST_F(CApiPjrtLibraryTest, RegistersThoseForThePlugin) {
  FakePlugin fake;
  EXPECT_EQ(RegisterText(fake, nullptr), "OK");
  EXPECT_EQ(count_, 3u);
  EXPECT_EQ(api_version_, 4);
  ASSERT_EQ(fake.registered.size(), 3u);
  EXPECT_EQ(fake.registered[0].name, "library_both");
  EXPECT_EQ(fake.registered[1].name, "library_cuda");
  EXPECT_EQ(fake.registered[2].name, "library_cuda_too");
  EXPECT_EQ(RegisterText(fake, "CUDA"), "OK");
  EXPECT_EQ(count_, 3u);
}

TEST_F(CApiPjrtLibraryTest, RegistersThoseForAPlatform) {
  FakePlugin fake;
  EXPECT_EQ(RegisterText(fake, "ROCM"),
            "NOT_FOUND: the library has no target for ROCM; it has \"library_both\" for CUDA, "
            "\"library_both\" for Host, \"library_cuda\" for CUDA, \"library_cuda_too\" for CUDA, "
            "\"library_tpu\" for TPU");
  EXPECT_THAT(RegisterText(fake, "TPU"), StartsWith("INVALID_ARGUMENT"));
  EXPECT_THAT(RegisterText(fake, "Host"), HasSubstr("runs programs on a GPU"));
  EXPECT_TRUE(fake.registered.empty());
  fake.RemoveGpu();
  EXPECT_EQ(RegisterText(fake, nullptr), "OK");
  ASSERT_EQ(fake.registered.size(), 1u);
  EXPECT_EQ(fake.registered[0].platform, "Host");
  EXPECT_EQ(api_version_, 4);
}

TEST_F(CApiPjrtLibraryTest, InCpp) {
  FakePlugin fake;
  const Library library = Library::OfProcess().value();
  EXPECT_EQ(RegisterWithPjrt(&fake.api, library, {"CUDA"}).value(), 4);
  EXPECT_EQ(RegisterWithPjrt(&fake.api, library, {"CUDA", 3}).value(), 3);
  Target target = library.Find("library_cuda", "CUDA").value();
  target.name = "library_in_cpp";
  EXPECT_EQ(RegisterWithPjrt(&fake.api, target).value(), 4);
  target.name = "library_in_cpp_compatible";
  EXPECT_EQ(RegisterWithPjrt(&fake.api, target, {"", 0, true}).value(), 4);
  EXPECT_NE(fake.registered.back().functions,
            fake.registered[fake.registered.size() - 2].functions);
  const int64_t type = RegisterTypeWithPjrt(&fake.api, "library.type").value();
  EXPECT_EQ(type, fake.types["library.type"]);
  target.name = std::string("n\0ul", 4);
  EXPECT_THAT(RegisterWithPjrt(&fake.api, target).error().ToString(), HasSubstr("NUL"));
  EXPECT_THAT(RegisterWithPjrt(&fake.api, library, {std::string("\0", 1)}).error().ToString(),
              HasSubstr("NUL"));
  EXPECT_THAT(RegisterTypeWithPjrt(&fake.api, std::string("\0", 1)).error().ToString(),
              HasSubstr("NUL"));
  fake.refuses = 13;
  EXPECT_EQ(RegisterWithPjrt(&fake.api, library, {"CUDA"}).error().ToString(),
            "INTERNAL: custom call \"library_both\": the plugin refuses it: not today");
}

// ---- Types

TEST(CApiPjrtTest, RegistersATypeOfUserData) {
  FakePlugin fake;
  int64_t id = 0;
  EXPECT_EQ(ErrorText(callbridge_pjrt_register_type(&fake.api, "c_api.type", &id, nullptr)), "OK");
  EXPECT_NE(id, 0);
  EXPECT_EQ(id, fake.types["c_api.type"]);
  auto* const unaligned = reinterpret_cast<int64_t*>(reinterpret_cast<char*>(&id) + 1);
  EXPECT_THAT(ErrorText(callbridge_pjrt_register_type(&fake.api, "c_api.type", unaligned, nullptr)),
              HasSubstr("must be the address of an int64_t"));
  fake.RemoveGpu();
  fake.other.next = nullptr;
  EXPECT_THAT(ErrorText(callbridge_pjrt_register_type(&fake.api, "c_api.type", &id, nullptr)),
              StartsWith("UNIMPLEMENTED: the plugin (PJRT API 0.116) registers no custom calls"));
}

// ---- Names that a library has twice. These tests register what those above would list.

XLA_FFI_DEFINE_HANDLER(
    kBeside, [] { return ::xla::ffi::Error::Success(); }, ::xla::ffi::Ffi::Bind());

void RegisterUntyped(const std::string& name, const std::string& platform) {
  callbridge_register_target(name.data(), name.size(), reinterpret_cast<void*>(&Untyped),
                             platform.data(), platform.size(), 1);
}

TEST(CApiPjrtTwiceTest, AHandlerComesBeforeTheFunction) {
  const callbridge_pjrt_options rocm = Of("ROCM");
  FakePlugin fake;
  RegisterUntyped("twice_beside", "ROCM");
  ASSERT_TRUE(::xla::ffi::internal::RegisterHandlerAtStart(callbridge_xla_ffi_api(), "twice_beside",
                                                           "ROCM", kBeside));
  callbridge_library* library = nullptr;
  ASSERT_EQ(ErrorText(callbridge_library_of_process(&library)), "OK");
  size_t count = 0;
  const std::string text =
      ErrorText(callbridge_pjrt_register_library(&fake.api, library, &rocm, &count, nullptr));
  callbridge_library_close(library);
  ASSERT_EQ(text, "OK");
  ASSERT_EQ(count, 1u);
  EXPECT_EQ(fake.registered[0].name, "twice_beside");
  EXPECT_EQ(fake.registered[0].functions[3], reinterpret_cast<void*>(kBeside));
}

TEST(CApiPjrtTwiceTest, ANameOfBothGpuPlatformsNeedsThePlatform) {
  const callbridge_pjrt_options cuda = Of("CUDA");
  FakePlugin fake;
  RegisterUntyped("twice_on_gpus", "CUDA");
  RegisterUntyped("twice_on_gpus", "ROCM");
  callbridge_library* library = nullptr;
  ASSERT_EQ(ErrorText(callbridge_library_of_process(&library)), "OK");
  EXPECT_EQ(
      ErrorText(callbridge_pjrt_register_library(&fake.api, library, nullptr, nullptr, nullptr)),
      "INVALID_ARGUMENT: the library has \"twice_on_gpus\" for CUDA and for ROCM: set the "
      "platform in callbridge_pjrt_options");
  EXPECT_TRUE(fake.registered.empty());
  EXPECT_EQ(
      ErrorText(callbridge_pjrt_register_library(&fake.api, library, &cuda, nullptr, nullptr)),
      "OK");
  callbridge_library_close(library);
}

TEST(CApiPjrtTwiceTest, NoneIfOneCannotBe) {
  const callbridge_pjrt_options rocm = Of("ROCM");
  FakePlugin fake;
  callbridge_register_target("twice_null", 10, nullptr, "ROCM", 4, 1);
  callbridge_library* library = nullptr;
  ASSERT_EQ(ErrorText(callbridge_library_of_process(&library)), "OK");
  EXPECT_THAT(
      ErrorText(callbridge_pjrt_register_library(&fake.api, library, &rocm, nullptr, nullptr)),
      HasSubstr("null address"));
  EXPECT_TRUE(fake.registered.empty());
  callbridge_library_close(library);
}

}  // namespace
}  // namespace callbridge
