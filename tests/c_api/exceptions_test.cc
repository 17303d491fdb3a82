// What visitors and other callbacks throw does not leave C functions.
#include <pthread.h>

#include <new>
#include <stdexcept>
#include <string>

#include "callbridge/callbridge.h"
#include "callbridge/callbridge_ffi.h"
#include "callbridge/typed_ffi/c_api.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/c_api/error_text.h"

namespace callbridge {
namespace {

// Calls a function whose visitor calls `thrower`.
std::string Visit(void (*thrower)()) {
  return ErrorText(callbridge_shape_visit(
      "s32[]",
      [](void* user, int32_t, const int64_t*, size_t, int64_t) {
        reinterpret_cast<void (*)()>(user)();
      },
      reinterpret_cast<void*>(thrower)));
}

TEST(ExceptionsTest, OfVisitorsAreErrors) {
  EXPECT_EQ(Visit([] { throw std::runtime_error("no"); }),
            "INTERNAL: threw std::runtime_error: no");
  EXPECT_EQ(Visit([] { throw std::length_error("long"); }),
            "INTERNAL: threw std::length_error: long");
  EXPECT_EQ(Visit([] { throw std::logic_error("odd"); }), "INTERNAL: threw std::logic_error: odd");
  EXPECT_EQ(Visit([] { throw std::bad_alloc(); }), "RESOURCE_EXHAUSTED: out of memory");
  EXPECT_EQ(Visit([] { throw 42; }), "INTERNAL: threw int");
  EXPECT_EQ(Visit([] { throw "text"; }), "INTERNAL: threw char const*");
}

TEST(ExceptionsTest, OfVisitorsOfHandlersAreErrors) {
  XLA_FFI_Handler* const handler = [](XLA_FFI_CallFrame* frame) -> XLA_FFI_Error* {
    if (frame->extension_start != nullptr) {
      auto* query = reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start);
      query->metadata->api_version.major_version = XLA_FFI_API_MAJOR;
      query->metadata->api_version.minor_version = XLA_FFI_API_MINOR;
    }
    return nullptr;
  };
  const XLA_FFI_Api* api = callbridge_xla_ffi_api();
  XLA_FFI_Handler_Register_Args args = {};
  args.struct_size = XLA_FFI_Handler_Register_Args_STRUCT_SIZE;
  args.name = {"exceptions_test", 15};
  args.platform = {"Host", 4};
  args.bundle.execute = handler;
  ASSERT_EQ(api->XLA_FFI_Handler_Register(&args), nullptr);
  EXPECT_EQ(ErrorText(callbridge_ffi_visit_handlers(
                [](void*, const char*, const char*, const callbridge_ffi_handlers*, uint32_t) {
                  throw 42;
                },
                nullptr)),
            "INTERNAL: threw int");
}

TEST(ExceptionsTest, OfWhatARunTellsAreDropped) {
  callbridge_ffi_handlers handlers = {};
  handlers.struct_size = sizeof(handlers);
  handlers.execute = reinterpret_cast<callbridge_ffi_handler*>(
      +[](XLA_FFI_CallFrame*) -> XLA_FFI_Error* { return nullptr; });
  callbridge_ffi_site site = {};
  site.struct_size = sizeof(site);
  site.release = "0.4.30";
  callbridge_ffi_call* call = nullptr;
  ASSERT_EQ(ErrorText(callbridge_ffi_call_create(&handlers, &site, nullptr, &call)), "OK");
  int times = 0;
  const auto done = [](void* user, callbridge_error* error) {
    callbridge_error_destroy(error);
    ++*static_cast<int*>(user);
    throw 42;
  };
  EXPECT_EQ(
      ErrorText(callbridge_ffi_call_start(call, nullptr, 0, nullptr, 0, nullptr, +done, &times)),
      "OK");
  EXPECT_EQ(times, 1);
  callbridge_ffi_call_destroy(call);
}

TEST(ExceptionsTest, AThreadsCancellationGoesOn) {
  pthread_t thread;
  const auto run = [](void*) -> void* {
    Visit([] {
      pthread_cancel(pthread_self());
      pthread_testcancel();
    });
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, nullptr, +run, nullptr), 0);
  void* result = nullptr;
  ASSERT_EQ(pthread_join(thread, &result), 0);
  EXPECT_EQ(result, PTHREAD_CANCELED);
}

}  // namespace
}  // namespace callbridge
