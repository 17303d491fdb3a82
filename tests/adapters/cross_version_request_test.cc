// What handlers of each version ask of runtimes of each version: futures, threads, memory and what
// the context provides.
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "callbridge/adapters/cross_version/runtime.h"
#include "callbridge/typed_ffi/host/type_registry.h"
#include "callbridge/typed_ffi/runtime_texts.h"
#include "callbridge/typed_ffi/state_calls.h"
#include "gtest/gtest.h"
#include "tests/adapters/cross_version_call_fixture.h"

namespace callbridge {
namespace {

using typed_ffi::ApiFunction;
using typed_ffi::kRuntimeVersions;

// Both give the struct's first fields.
template <typename Args>
Args ArgsFor(XLA_FFI_InvokeContext* ctx) {
  Args args = {};
  args.struct_size = sizeof(Args);
  args.ctx = ctx;
  return args;
}

class ForeignRequestTest : public ForeignCallTest {
 protected:
  // "12: `what` needs XLA FFI 0.1 (...); this runtime speaks ...", where the runtime has no such
  // function; "" where it has.
  std::string MissingText(ApiFunction function) const {
    if (runtime->Has(function)) return "";
    return "12: " + std::string(ApiFunctionName(function)) + " needs " +
           typed_ffi::DescribeSince(typed_ffi::FirstWith(function)) + "; this runtime speaks " +
           Speaks();
  }
  // XLA:CPU of 0.4.30 and 0.4.31 crashes where it is asked for some things.
  bool IsFirstCpu() const { return &version() < &kRuntimeVersions[2]; }
  std::string MissingOnFirstCpus(const char* what) const {
    return IsFirstCpu() ? std::string("12: ") + what +
                              " on the CPU needs XLA FFI 0.1 (jaxlib 0.4.32 or newer); this "
                              "runtime speaks " +
                              Speaks()
                        : "";
  }

  // The context and the table that a handler keeps when it has returned.
  struct Kept {
    const XLA_FFI_Api* api = nullptr;
    XLA_FFI_InvokeContext* ctx = nullptr;
    XLA_FFI_Future* future = nullptr;
  };
  static void Create(Kept& kept) {
    XLA_FFI_Future_Create_Args args = {XLA_FFI_Future_Create_Args_STRUCT_SIZE, nullptr, nullptr};
    EXPECT_EQ(In<XLA_FFI_Future_Create>(*kept.api, ApiFunction::kFutureCreate)(&args), nullptr);
    kept.future = args.future;
  }
  // With an error where `text` is not null.
  static void Complete(const Kept& kept, const char* text) {
    if (text == nullptr) {
      XLA_FFI_Future_SetAvailable_Args args = {XLA_FFI_Future_SetAvailable_Args_STRUCT_SIZE,
                                               nullptr, kept.future};
      EXPECT_EQ(In<XLA_FFI_Future_SetAvailable>(*kept.api, ApiFunction::kFutureSetAvailable)(&args),
                nullptr);
      return;
    }
    XLA_FFI_Future_SetError_Args args = {XLA_FFI_Future_SetError_Args_STRUCT_SIZE, nullptr,
                                         kept.future,
                                         MakeError(*kept.api, XLA_FFI_Error_Code_ABORTED, text)};
    EXPECT_EQ(In<XLA_FFI_Future_SetError>(*kept.api, ApiFunction::kFutureSetError)(&args), nullptr);
  }
};
INSTANTIATE_TEST_SUITE_P(Versions, ForeignRequestTest, AllPairsOfVersions(), NameOfPair);

constexpr const char* kOutcomes[] = {nullptr, "failed"};
std::string TextOf(const char* outcome) {
  return outcome == nullptr ? "" : std::string("10: ") + outcome;
}

// ---- Futures

TEST_P(ForeignRequestTest, AFutureThatIsFinishedIsTheCallsResult) {
  if (!HeadersHave(ApiFunction::kFutureCreate)) return;
  for (const char* outcome : kOutcomes) {
    EXPECT_EQ(Call([&](XLA_FFI_CallFrame* shown) -> XLA_FFI_Error* {
                Kept kept = {shown->api};
                Create(kept);
                Complete(kept, outcome);
                shown->future = kept.future;
                return nullptr;
              }),
              TextOf(outcome));
  }
}

TEST_P(ForeignRequestTest, AFutureThatIsNotBecomesTheRuntimes) {
  if (!HeadersHave(ApiFunction::kFutureCreate) || !version().frame_has_future) return;
  for (const char* outcome : kOutcomes) {
    XLA_FFI_CallFrame* call = frame.ForCall(*runtime);
    Kept kept;
    imitated::in_the_call = [&](XLA_FFI_CallFrame* shown) -> XLA_FFI_Error* {
      kept = {shown->api, shown->ctx};
      Create(kept);
      shown->future = kept.future;
      return nullptr;
    };
    ASSERT_EQ(TakeText(Wrapper()(call)), "");
    const std::unique_ptr<XLA_FFI_Future> future(call->future);
    ASSERT_NE(future, nullptr);
    EXPECT_FALSE(future->done);

    // The runtime's context is gone by now; a task is run by whom schedules it.
    auto stream = ArgsFor<XLA_FFI_Stream_Get_Args>(kept.ctx);
    const Details refused =
        TakeDetails(*kept.api, Ask<XLA_FFI_Stream_Get>(*kept.api, ApiFunction::kStream, stream));
    EXPECT_EQ(refused.message, "XLA_FFI_Stream_Get was called after the handler had returned");
    if (HeadersHave(ApiFunction::kErrorGetDetails)) {
      EXPECT_EQ(refused.code, XLA_FFI_Error_Code_UNAVAILABLE);
    }
    runtime->call.run_tasks_at_once = false;
    int ran = 0;
    auto task = ArgsFor<XLA_FFI_ThreadPool_Schedule_Args>(kept.ctx);
    task.task = [](void* data) { ++*static_cast<int*>(data); };
    task.data = &ran;
    EXPECT_EQ(Ask<XLA_FFI_ThreadPool_Schedule>(*kept.api, ApiFunction::kThreadPoolSchedule, task),
              nullptr);
    EXPECT_EQ(ran, 1);

    Complete(kept, outcome);
    EXPECT_TRUE(future->done);
    EXPECT_EQ(TakeText(future->error), TextOf(outcome));
  }
}

TEST_P(ForeignRequestTest, ARuntimeWithoutFuturesWaits) {
  if (!HeadersHave(ApiFunction::kFutureCreate) || version().frame_has_future) return;
  for (const char* outcome : kOutcomes) {
    std::thread completing;
    EXPECT_EQ(Call([&](XLA_FFI_CallFrame* shown) -> XLA_FFI_Error* {
                Kept kept = {shown->api};
                Create(kept);
                completing = std::thread([kept, outcome] { Complete(kept, outcome); });
                shown->future = kept.future;
                return nullptr;
              }),
              TextOf(outcome));
    completing.join();
  }
}

TEST_P(ForeignRequestTest, AnErrorBesideAFutureCounts) {
  if (!HeadersHave(ApiFunction::kFutureCreate)) return;
  XLA_FFI_CallFrame* call = frame.ForCall(*runtime);
  Kept kept;
  imitated::in_the_call = [&](XLA_FFI_CallFrame* shown) {
    kept = {shown->api};
    Create(kept);
    shown->future = kept.future;
    return MakeError(*shown->api, XLA_FFI_Error_Code_ABORTED, "both");
  };
  EXPECT_EQ(TakeText(Wrapper()(call)), "10: both");
  if (version().frame_has_future) {
    EXPECT_EQ(call->future, nullptr);
  }
  Complete(kept, nullptr);  // of no interest, and no leak
}

// ---- What the context provides

TEST_P(ForeignRequestTest, WhatTheRuntimeLends) {
  const XLA_FFI_Extension extension = {sizeof(extension), {}, nullptr};
  const XLA_FFI_Attrs options = {};
  runtime->call.stream = this;
  runtime->call.run_id = 71;
  runtime->call.device_ordinal = 72;
  runtime->call.extensions = &extension;
  runtime->call.custom_options = &options;
  const auto expect = [&](auto args, auto* function, ApiFunction which, auto check) {
    if (!HeadersHave(which)) return;
    using Function = std::remove_pointer_t<decltype(function)>;
    bool called = false;
    EXPECT_EQ(Call([&](XLA_FFI_CallFrame* shown) {
                called = true;
                args.ctx = shown->ctx;
                XLA_FFI_Error* error = Ask<Function>(*shown->api, which, args);
                if (error == nullptr) {
                  EXPECT_TRUE(check(args)) << ApiFunctionName(which);
                }
                return error;
              }),
              MissingText(which));
    EXPECT_TRUE(called);
  };
  expect(ArgsFor<XLA_FFI_Stream_Get_Args>(nullptr), static_cast<XLA_FFI_Stream_Get*>(nullptr),
         ApiFunction::kStream, [&](const auto& args) { return args.stream == this; });
  expect(ArgsFor<XLA_FFI_RunId_Get_Args>(nullptr), static_cast<XLA_FFI_RunId_Get*>(nullptr),
         ApiFunction::kRunId, [](const auto& args) { return args.run_id == 71; });
  expect(ArgsFor<XLA_FFI_DeviceOrdinal_Get_Args>(nullptr),
         static_cast<XLA_FFI_DeviceOrdinal_Get*>(nullptr), ApiFunction::kDeviceOrdinal,
         [](const auto& args) { return args.device_ordinal == 72; });
  expect(ArgsFor<XLA_FFI_InvokeContext_FindExtension_Args>(nullptr),
         static_cast<XLA_FFI_InvokeContext_FindExtension*>(nullptr), ApiFunction::kExtensions,
         [&](const auto& args) { return args.extension == &extension; });
  expect(ArgsFor<XLA_FFI_CustomOptions_Get_Args>(nullptr),
         static_cast<XLA_FFI_CustomOptions_Get*>(nullptr), ApiFunction::kCustomOptions,
         [&](const auto& args) { return args.attrs == &options; });
  int64_t threads = 0;
  auto number = ArgsFor<XLA_FFI_ThreadPool_NumThreads_Args>(nullptr);
  number.num_threads = &threads;
  expect(number, static_cast<XLA_FFI_ThreadPool_NumThreads*>(nullptr),
         ApiFunction::kThreadPoolNumThreads, [&](const auto&) { return threads == 5; });
}

TEST_P(ForeignRequestTest, TasksGoToTheRuntimesThreads) {
  if (!HeadersHave(ApiFunction::kThreadPoolSchedule)) return;
  int ran = 0;
  const auto schedule = [&](XLA_FFI_CallFrame* shown) {
    auto args = ArgsFor<XLA_FFI_ThreadPool_Schedule_Args>(shown->ctx);
    args.task = [](void* data) { ++*static_cast<int*>(data); };
    args.data = &ran;
    return Ask<XLA_FFI_ThreadPool_Schedule>(*shown->api, ApiFunction::kThreadPoolSchedule, args);
  };
  runtime->call.run_tasks_at_once = false;
  EXPECT_EQ(Call(schedule), "");
  if (!runtime->Has(ApiFunction::kThreadPoolSchedule)) {
    EXPECT_EQ(ran, 1) << "it has none, so the task is run at once";
    return;
  }
  EXPECT_EQ(ran, 0);
  ASSERT_EQ(runtime->call.tasks.size(), 1U);
  runtime->call.tasks[0].first(runtime->call.tasks[0].second);
  EXPECT_EQ(ran, 1);
  runtime->call.has_thread_pool = false;
  EXPECT_EQ(Call(schedule), "12: no thread pool for this call");
  EXPECT_EQ(ran, 1);
}

TEST_P(ForeignRequestTest, ScratchMemory) {
  const auto use = [&](XLA_FFI_CallFrame* shown) -> XLA_FFI_Error* {
    auto args = ArgsFor<XLA_FFI_DeviceMemory_Allocate_Args>(shown->ctx);
    args.size = 24;
    args.alignment = 64;
    XLA_FFI_Error* error =
        Ask<XLA_FFI_DeviceMemory_Allocate>(*shown->api, ApiFunction::kScratchAllocate, args);
    if (error != nullptr) return error;
    EXPECT_EQ(runtime->call.scratch.count(args.data), 1U);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(args.data) % 64, 0U);
    auto freed = ArgsFor<XLA_FFI_DeviceMemory_Free_Args>(shown->ctx);
    freed.size = 24;
    freed.data = args.data;
    return Ask<XLA_FFI_DeviceMemory_Free>(*shown->api, ApiFunction::kScratchFree, freed);
  };
  EXPECT_EQ(Call(use), MissingOnFirstCpus("scratch memory"));
  EXPECT_EQ(Call(use, Platform::kCuda), "") << "GPUs have always had some";
  EXPECT_TRUE(runtime->call.scratch.empty());
}

// ---- User data

class ForeignUserDataTest : public ForeignRequestTest {
 protected:
  // Asks for the data of a type, as the handler has its id.
  std::string Find(XLA_FFI_TypeId& id, void*& found, Platform platform = Platform::kHost) {
    const int64_t own = id.type_id;
    std::string answer = Call(
        [&](XLA_FFI_CallFrame* shown) {
          auto args = ArgsFor<XLA_FFI_InvokeContext_Get_Args>(shown->ctx);
          args.type_id = &id;
          XLA_FFI_Error* error =
              Ask<XLA_FFI_InvokeContext_Get>(*shown->api, ApiFunction::kUserData, args);
          EXPECT_EQ(args.type_id, &id) << "the struct is the handler's, and as it was";
          found = args.data;
          return error;
        },
        platform);
    EXPECT_EQ(id.type_id, own);
    return answer;
  }
};
INSTANTIATE_TEST_SUITE_P(Versions, ForeignUserDataTest, AllPairsOfVersions(), NameOfPair);

TEST_P(ForeignUserDataTest, OfATypeThatTheRuntimeNumbered) {
  XLA_FFI_TypeId id = {5};
  void* found = nullptr;
  runtime->call.user_data[5] = this;
  EXPECT_EQ(Find(id, found), MissingOnFirstCpus("user data"));
  if (!IsFirstCpu()) {
    EXPECT_EQ(found, this);
  }
  EXPECT_EQ(Find(id, found, Platform::kRocm), "");
  EXPECT_EQ(found, this);
}

void DeleteNothing(void*) {}

// Each runtime has an id of its own for it, by its name.
TEST_P(ForeignUserDataTest, OfATypeThatCallbridgeNumbered) {
  static XLA_FFI_TypeId id = {0};
  const XLA_FFI_TypeInfo info = {XLA_FFI_TypeInfo_STRUCT_SIZE, nullptr, &DeleteNothing};
  ASSERT_TRUE(
      host::TypeRegistry::OfProcess().Register("cross_version_request_test.Data", id, &info).ok());
  ASSERT_TRUE(host::TypeRegistry::Issued(id));
  const auto& types = FakeRuntime::registry().types;
  const size_t before = types.size();
  void* found = nullptr;
  EXPECT_EQ(Find(id, found, Platform::kCuda), "5: no user data of this type");
  ASSERT_EQ(types.size(), before + 1);
  EXPECT_EQ(types.back().name, "cross_version_request_test.Data");
  EXPECT_EQ(types.back().deleter,
            runtime->Has(ApiFunction::kTypeRegister) ? &DeleteNothing : nullptr);
  EXPECT_NE(types.back().id, id.type_id);
  runtime->call.user_data[types.back().id] = this;
  EXPECT_EQ(Find(id, found, Platform::kCuda), "");
  EXPECT_EQ(found, this);
  EXPECT_EQ(types.size(), before + 1) << "it is registered once";
}

// A program may have registered the type with the runtime by the id that callbridge gave out.
TEST_P(ForeignUserDataTest, OfATypeThatTheRuntimeHasByCallbridgesId) {
  XLA_FFI_TypeId id = {0};
  const std::string name =
      "cross_version_request_test.taken." + NameOfPair({GetParam(), 0}) + ".Data";
  ASSERT_TRUE(host::TypeRegistry::OfProcess().Register(name, id, nullptr).ok());
  std::map<std::string, int64_t>& taken = FakeRuntime::registry().taken;
  const size_t before = FakeRuntime::registry().types.size();
  void* found = nullptr;
  taken[name] = id.type_id + 1;
  EXPECT_NE(Find(id, found, Platform::kCuda).find("type name already registered"),
            std::string::npos);
  taken[name] = id.type_id;
  runtime->call.user_data[id.type_id] = this;
  EXPECT_EQ(Find(id, found, Platform::kCuda), "");
  EXPECT_EQ(found, this);
  EXPECT_EQ(FakeRuntime::registry().types.size(), before);
  taken.erase(name);
}

// ---- Types that the handler registers itself

TEST_P(ForeignRequestTest, ItsTypesAreRegisteredWithCallbridge) {
  const std::string name = "cross_version_request_test." + NameOfPair({GetParam(), 0});
  const size_t before = FakeRuntime::registry().types.size();
  XLA_FFI_TypeId id = {0};
  const XLA_FFI_TypeInfo info = {XLA_FFI_TypeInfo_STRUCT_SIZE, nullptr, &DeleteNothing};
  const auto register_type = [&](const XLA_FFI_Api& api, const std::string& type) {
    const auto answer =
        typed_ffi::RegisterType(api, headers(), {type.data(), type.size()}, &id, &info);
    return TakeDetails(api, answer.value());
  };
  EXPECT_EQ(Call([&](XLA_FFI_CallFrame* shown) -> XLA_FFI_Error* {
              EXPECT_EQ(register_type(*shown->api, name).message, "");
              EXPECT_EQ(register_type(*shown->api, "").message,
                        "a type needs a name to be registered by");
              return nullptr;
            }),
            "");
  const auto type = host::TypeRegistry::OfProcess().Find(id);
  ASSERT_TRUE(type.has_value());
  EXPECT_EQ(type->name, name);
  EXPECT_EQ(type->deleter, HeadersHave(ApiFunction::kTypeRegister) ? &DeleteNothing : nullptr);
  EXPECT_EQ(FakeRuntime::registry().types.size(), before);
}

// ---- Names

TEST(FacilityNameTest, IsThatOfTheFunction) {
#define AT(function) std::make_pair(offsetof(XLA_FFI_Api, function), std::string(#function))
  const std::pair<size_t, std::string> kSlots[] = {AT(XLA_FFI_Error_Create),
                                                   AT(XLA_FFI_Error_GetDetails),
                                                   AT(XLA_FFI_Error_Destroy),
                                                   AT(XLA_FFI_Handler_Register),
                                                   AT(XLA_FFI_Stream_Get),
                                                   AT(XLA_FFI_Type_Register),
                                                   AT(XLA_FFI_InvokeContext_Get),
                                                   AT(XLA_FFI_State_Set),
                                                   AT(XLA_FFI_State_Get),
                                                   AT(XLA_FFI_DeviceMemory_Allocate),
                                                   AT(XLA_FFI_DeviceMemory_Free),
                                                   AT(XLA_FFI_ThreadPool_Schedule),
                                                   AT(XLA_FFI_ThreadPool_NumThreads),
                                                   AT(XLA_FFI_Future_Create),
                                                   AT(XLA_FFI_Future_SetAvailable),
                                                   AT(XLA_FFI_Future_SetError),
                                                   AT(XLA_FFI_RunId_Get),
                                                   AT(XLA_FFI_DeviceOrdinal_Get),
                                                   AT(XLA_FFI_InvokeContext_FindExtension),
                                                   AT(XLA_FFI_CustomOptions_Get)};
#undef AT
  for (int i = 0; i < typed_ffi::kApiFunctionCount; ++i) {
    for (const auto& [offset, name] : kSlots) {
      if (typed_ffi::kNewestVersion.slots[i] == offset) {
        EXPECT_EQ(ApiFunctionName(static_cast<ApiFunction>(i)), name);
      }
    }
  }
  EXPECT_STREQ(ApiFunctionName(ApiFunction::kErrorGetMessage), "XLA_FFI_Error_GetMessage");
  EXPECT_STREQ(ApiFunctionName(ApiFunction::kTypeIdRegister), "XLA_FFI_TypeId_Register");
}

}  // namespace
}  // namespace callbridge
