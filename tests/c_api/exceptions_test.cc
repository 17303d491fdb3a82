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
#include "tests/c_api/simple_calls.h"

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

// The metadata query.
XLA_FFI_Error* Answer(XLA_FFI_CallFrame* frame) {
  auto* query = reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start);
  query->metadata->api_version.major_version = XLA_FFI_API_MAJOR;
  query->metadata->api_version.minor_version = XLA_FFI_API_MINOR;
  return nullptr;
}

TEST(ExceptionsTest, OfVisitorsOfHandlersAreErrors) {
  const XLA_FFI_Api* api = callbridge_xla_ffi_api();
  XLA_FFI_Handler_Register_Args args = {};
  args.struct_size = XLA_FFI_Handler_Register_Args_STRUCT_SIZE;
  args.name = {"exceptions_test", 15};
  args.platform = {"Host", 4};
  args.bundle.execute = +[](XLA_FFI_CallFrame* frame) -> XLA_FFI_Error* {
    return frame->extension_start != nullptr ? Answer(frame) : nullptr;
  };
  ASSERT_EQ(api->XLA_FFI_Handler_Register(&args), nullptr);
  EXPECT_EQ(ErrorText(callbridge_ffi_visit_handlers(
                [](void*, const char*, const char*, const callbridge_ffi_handlers*, uint32_t) {
                  throw 42;
                },
                nullptr)),
            "INTERNAL: threw int");
}

TEST(ExceptionsTest, OfWhatARunTellsAreDropped) {
  const callbridge_target target = TypedTarget(Handlers());
  const callbridge_site site = OldSite();
  callbridge_call* call = nullptr;
  ASSERT_EQ(ErrorText(callbridge_call_bind(&target, &site, nullptr, &call)), "OK");
  int times = 0;
  const auto done = [](void* user, callbridge_error* error) {
    callbridge_error_destroy(error);
    ++*static_cast<int*>(user);
    throw 42;
  };
  EXPECT_EQ(ErrorText(callbridge_call_start(call, nullptr, 0, nullptr, 0, nullptr, +done, &times,
                                            nullptr)),
            "OK");
  EXPECT_EQ(times, 1);
  callbridge_call_destroy(call);
}

// ---- What a handler is provided, and what it leaves behind

// As handlers in C, exceptions do not pass through these.
XLA_FFI_Error* Schedule(XLA_FFI_CallFrame* frame) noexcept {
  if (frame->extension_start != nullptr) return Answer(frame);
  XLA_FFI_ThreadPool_Schedule_Args args = {};
  args.struct_size = XLA_FFI_ThreadPool_Schedule_Args_STRUCT_SIZE;
  args.ctx = frame->ctx;
  args.task = [](void*) {};
  return frame->api->XLA_FFI_ThreadPool_Schedule(&args);
}
XLA_FFI_Error* CountThreads(XLA_FFI_CallFrame* frame) noexcept {
  if (frame->extension_start != nullptr) return Answer(frame);
  int64_t threads = 0;
  XLA_FFI_ThreadPool_NumThreads_Args args = {};
  args.struct_size = XLA_FFI_ThreadPool_NumThreads_Args_STRUCT_SIZE;
  args.ctx = frame->ctx;
  args.num_threads = &threads;
  return frame->api->XLA_FFI_ThreadPool_NumThreads(&args);
}
XLA_FFI_Error* Allocate(XLA_FFI_CallFrame* frame) noexcept {
  if (frame->extension_start != nullptr) return Answer(frame);
  XLA_FFI_DeviceMemory_Allocate_Args args = {};
  args.struct_size = XLA_FFI_DeviceMemory_Allocate_Args_STRUCT_SIZE;
  args.ctx = frame->ctx;
  args.size = args.alignment = 8;
  return frame->api->XLA_FFI_DeviceMemory_Allocate(&args);
}

std::string RunOnce(const callbridge_ffi_handlers& handlers,
                    const callbridge_runtime_services& services) {
  const callbridge_target target = TypedTarget(handlers);
  callbridge_site site = ResultSite("()");
  site.release = "newest";
  const callbridge_execution_context context = Lending(services);
  callbridge_call* call = nullptr;
  EXPECT_EQ(ErrorText(callbridge_call_bind(&target, &site, &context, &call)), "OK");
  callbridge_run* run = nullptr;
  EXPECT_EQ(ErrorText(callbridge_call_start(call, nullptr, 0, nullptr, 0, &context, nullptr,
                                            nullptr, &run)),
            "OK");
  std::string text = ErrorText(callbridge_run_wait(run, -1));
  callbridge_run_destroy(run);
  EXPECT_EQ(ErrorText(callbridge_call_execute(call, nullptr, 0, nullptr, 0, &context)), text);
  callbridge_call_destroy(call);
  return text;
}

TEST(ExceptionsTest, OfWhatIsLentAreTheHandlersErrors) {
  callbridge_ffi_thread_pool pool = {};
  pool.struct_size = sizeof(pool);
  pool.schedule = [](void*, void (*)(void*), void*) { throw 42; };
  pool.num_threads = [](void*) -> int64_t { throw std::runtime_error("none"); };
  callbridge_ffi_scratch scratch = {};
  scratch.struct_size = sizeof(scratch);
  scratch.allocate = [](void*, size_t, size_t) -> void* { throw 42; };
  scratch.free = [](void*, void*, size_t) { throw 42; };
  callbridge_runtime_services context = NoServices();
  context.thread_pool = &pool;
  context.scratch = &scratch;
  EXPECT_EQ(RunOnce(Handlers(&Schedule), context), "INTERNAL: threw int");
  EXPECT_EQ(RunOnce(Handlers(&CountThreads), context), "INTERNAL: threw std::runtime_error: none");
  EXPECT_EQ(RunOnce(Handlers(&Allocate), context), "INTERNAL: threw int");
  static int64_t memory;
  scratch.allocate = [](void*, size_t, size_t) -> void* { return &memory; };
  EXPECT_EQ(RunOnce(Handlers(&Allocate), context), "OK");  // freed when the run ends
}

XLA_FFI_TypeId state_type = {};

XLA_FFI_Error* MakeState(XLA_FFI_CallFrame* frame) {
  if (frame->extension_start != nullptr) return Answer(frame);
  XLA_FFI_State_Set_Args args = {};
  args.struct_size = XLA_FFI_State_Set_Args_STRUCT_SIZE;
  args.ctx = frame->ctx;
  args.stage = XLA_FFI_ExecutionStage_INSTANTIATE;
  args.type_id = &state_type;
  args.state = &state_type;
  return frame->api->XLA_FFI_State_Set(&args);
}

TEST(ExceptionsTest, OfStatesEndsAreDropped) {
  static int ended = 0;
  ASSERT_EQ(ErrorText(callbridge_ffi_register_type("exceptions.State", &state_type.type_id,
                                                   [](void*) {
                                                     ++ended;
                                                     throw 42;
                                                   })),
            "OK");
  callbridge_ffi_handlers handlers = Handlers([](XLA_FFI_CallFrame* frame) -> XLA_FFI_Error* {
    return frame->extension_start != nullptr ? Answer(frame) : nullptr;
  });
  handlers.instantiate = reinterpret_cast<callbridge_ffi_handler*>(&MakeState);
  callbridge_runtime_services context = NoServices();
  EXPECT_EQ(RunOnce(handlers, context), "OK");
  EXPECT_EQ(ended, 1);
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
