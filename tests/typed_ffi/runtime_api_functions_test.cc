// Whole handlers that ask for more than buffers, on a runtime of each version: what they return,
// and that they read neither the API table nor the call frame beyond its end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "callbridge/typed_ffi/binding/collectives.h"
#include "callbridge/typed_ffi/binding/ffi.h"
#include "callbridge/typed_ffi/binding/record.h"
#include "tests/typed_ffi/fake_runtime.h"

namespace {

using ::callbridge::typed_ffi::ApiFunction;
using ::callbridge::typed_ffi::kRuntimeVersionCount;
using ::callbridge::typed_ffi::RuntimeVersion;
using ::callbridge::typed_ffi::StateLayout;
using ::callbridge::typed_ffi::testing::FakeRuntime;
using ::callbridge::typed_ffi::testing::live_errors;
using ::callbridge::typed_ffi::testing::RowName;
using ::callbridge::typed_ffi::testing::TakeText;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace xla::ffi;  // NOLINT(google-build-using-namespace)

// ---- The handlers -------------------------------------------------------------------------------

std::thread worker;  // completes the promise of AsynchronousHandler
std::string worker_says;

Future Asynchronous() {
  Promise promise;
  Future future(promise);
  worker = std::thread([promise]() mutable {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (worker_says.empty()) {
      promise.SetAvailable();
    } else {
      promise.SetError(Error::Internal(worker_says));
    }
  });
  return future;
}
XLA_FFI_DEFINE_HANDLER(AsynchronousHandler, Asynchronous, Ffi::Bind());

struct Sum {
  static TypeId id;
  int64_t value;
};
TypeId Sum::id = {0};

XLA_FFI_DEFINE_HANDLER(
    InstantiateHandler,
    []() -> ErrorOr<std::unique_ptr<Sum>> { return std::make_unique<Sum>(Sum{30}); },
    Ffi::BindInstantiate());
XLA_FFI_DEFINE_HANDLER(
    StatefulHandler,
    [](Sum* sum) {
      ++sum->value;
      return Error::Success();
    },
    Ffi::Bind().Ctx<State<Sum>>());

XLA_FFI_DEFINE_HANDLER(
    PoolHandler,
    [](ThreadPool pool) {
      int ran = 0;
      pool.Schedule([&ran] { ++ran; });
      return ran == 1 ? Error::Success() : Error::Internal("the task did not run");
    },
    Ffi::Bind().Ctx<ThreadPool>());

XLA_FFI_DEFINE_HANDLER(
    OptionsHandler,
    [](Context context) {
      if (auto options = context.get<CustomOptions>(); options.has_error()) return options.error();
      return Error::Success();
    },
    Ffi::Bind().Ctx());

using Recorder = xla::ffi::internal::RecordContextBase<xla::ffi::internal::ErrorPolicy>;
using Record = xla::ffi::internal::RecordExtensionBase<Recorder>;
using Communicators = xla::ffi::internal::CommunicatorContextBase<xla::ffi::internal::ErrorPolicy>;
using Collectives = xla::ffi::internal::CollectivesExtensionBase<Communicators>;

XLA_FFI_DEFINE_HANDLER(
    RecordHandler,
    [](Recorder recorder) {
      int kernel = 0;
      std::vector<KernelArg> args = {DevicePointer{&kernel}, HostValue{&kernel, sizeof(kernel)}};
      auto launch =
          recorder.CreateLaunch("kernel", &kernel, 4, SourceFormat::kCubin, {}, 0, false, args);
      if (launch.has_error()) return launch.error();
      auto join = recorder.CreateEmptyCommand(std::vector<const XLA_FFI_Command*>{*launch});
      if (join.has_error()) return join.error();
      return recorder.UpdateLaunch(*launch, args);
    },
    Ffi::Bind().Ctx<Extension<Record>>());

XLA_FFI_DEFINE_HANDLER(
    CollectiveHandler,
    [](Communicators communicators) {
      Error error = communicators.RequestCommunicator(GroupMode::kFlattenedId, {{0, 1}, {2}}, 7);
      if (error.failure()) return error;
      auto window = communicators.GetWindow(GroupMode::kCrossReplica, {{0}}, 7, &error);
      return window.has_error() ? window.error() : Error::Success();
    },
    Ffi::Bind().Ctx<Extension<Collectives>>());

// ---- Calls --------------------------------------------------------------------------------------

class RuntimeFacilitiesTest : public ::testing::TestWithParam<int> {
 protected:
  RuntimeFacilitiesTest() {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    pages_ = static_cast<char*>(
        mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(pages_ + page, page, PROT_NONE);
    frame_ = pages_ + page - frame_size();
  }
  ~RuntimeFacilitiesTest() override {
    munmap(pages_, 2 * static_cast<size_t>(sysconf(_SC_PAGESIZE)));
    EXPECT_EQ(live_errors, 0);
  }

  size_t frame_size() const { return version().frame_has_future ? sizeof(XLA_FFI_CallFrame) : 168; }
  const RuntimeVersion& version() const { return runtime.version(); }

  // "" or the error that the handler, or its future, comes to.
  std::string Call(XLA_FFI_Handler* handler, int stage) {
    XLA_FFI_CallFrame frame = {};
    frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
    frame.api = runtime.api();
    frame.ctx = runtime.ctx();
    frame.stage = static_cast<XLA_FFI_ExecutionStage>(stage);
    frame.args.struct_size = XLA_FFI_Args_STRUCT_SIZE;
    frame.rets.struct_size = XLA_FFI_Rets_STRUCT_SIZE;
    frame.attrs.struct_size = XLA_FFI_Attrs_STRUCT_SIZE;
    memcpy(frame_, &frame, frame_size());
    XLA_FFI_Error* error = handler(reinterpret_cast<XLA_FFI_CallFrame*>(frame_));
    if (worker.joinable()) worker.join();
    if (version().frame_has_future) {
      memcpy(&frame, frame_, sizeof(frame));
      std::unique_ptr<XLA_FFI_Future> future(frame.future);
      if (future != nullptr) {
        EXPECT_EQ(error, nullptr);
        EXPECT_TRUE(future->done);
        return TakeText(future->error);
      }
    }
    return TakeText(error);
  }
  std::string Execute(XLA_FFI_Handler* handler) { return Call(handler, version().execute); }

  FakeRuntime runtime{GetParam()};

 private:
  char* pages_;
  char* frame_;
};

INSTANTIATE_TEST_SUITE_P(AllVersions, RuntimeFacilitiesTest,
                         ::testing::Range(0, kRuntimeVersionCount),
                         [](const auto& info) { return RowName(info.param); });

TEST_P(RuntimeFacilitiesTest, Future) {
  worker_says = "";
  EXPECT_EQ(Execute(AsynchronousHandler), "");
  worker_says = "out of luck";
  EXPECT_EQ(Execute(AsynchronousHandler), "13: out of luck");
}

TEST_P(RuntimeFacilitiesTest, State) {
  Sum::id = {0};
  ASSERT_EQ(TakeText(Ffi::RegisterTypeId(runtime.api(), "Sum", &Sum::id, MakeTypeInfo<Sum>())), "");
  if (version().state == StateLayout::kNone) {
    EXPECT_THAT(Execute(StatefulHandler), StartsWith("12: "));
    EXPECT_THAT(
        Execute(StatefulHandler),
        HasSubstr("State needs the XLA FFI 0.0 of jaxlib 0.4.31 or newer; this runtime speaks "
                  "0.0 (jaxlib 0.4.30)"));
    return;
  }
  EXPECT_THAT(Execute(StatefulHandler), StartsWith("3: "));
  EXPECT_EQ(Call(InstantiateHandler, version().instantiate), "");
  EXPECT_EQ(Execute(StatefulHandler), "");
  ASSERT_EQ(runtime.call.states.size(), 1u);
  EXPECT_EQ(static_cast<Sum*>(runtime.call.states.begin()->second.state)->value, 31);
}

TEST_P(RuntimeFacilitiesTest, ThreadPool) {
  const std::string result = Execute(PoolHandler);
  if (runtime.Has(ApiFunction::kThreadPoolSchedule)) {
    EXPECT_EQ(result, "");
  } else {
    EXPECT_THAT(result, StartsWith("12: "));
    EXPECT_THAT(result, HasSubstr("ThreadPool needs XLA FFI 0.1 (jaxlib 0.4.32 or newer)"));
  }
}

TEST_P(RuntimeFacilitiesTest, OptionsOfTheContext) {
  const std::string result = Execute(OptionsHandler);
  if (runtime.Has(ApiFunction::kCustomOptions)) {
    EXPECT_EQ(result, "");
  } else {
    EXPECT_THAT(result, StartsWith("12: CustomOptions needs XLA FFI 0.5"));
  }
}

// ---- Record and collectives ---------------------------------------------------------------------

TEST_P(RuntimeFacilitiesTest, Record) {
  if (!runtime.Has(ApiFunction::kExtensions)) {
    EXPECT_THAT(Execute(RecordHandler), StartsWith("12: "));
    EXPECT_THAT(Execute(RecordHandler),
                HasSubstr("RecordExtension needs XLA FFI 0.4 (jaxlib 0.11.1 or newer)"));
    return;
  }
  EXPECT_THAT(Execute(RecordHandler),
              HasSubstr("RecordExtension: the runtime has not attached it"));

  static std::vector<std::string> log;
  log.clear();
  XLA_FFI_RecordApi api = {};
  api.create_launch = [](XLA_FFI_RecordContext*, const char* name, const void*, int64_t size,
                         XLA_FFI_SourceFormat format, XLA_FFI_LaunchDims, uint32_t, int32_t,
                         const XLA_FFI_KernelArgs* args, const XLA_FFI_Command* const*, uint32_t n,
                         const XLA_FFI_Command** out) -> XLA_FFI_Error* {
    log.push_back(std::string(name) + std::to_string(size) + std::to_string(format) +
                  std::to_string(args->num_args) + std::to_string(args->args[0].size) +
                  std::to_string(args->args[1].size) + std::to_string(n));
    *out = reinterpret_cast<const XLA_FFI_Command*>(&log);
    return nullptr;
  };
  api.create_empty_command = [](XLA_FFI_RecordContext*, const XLA_FFI_Command* const* dependencies,
                                uint32_t n, const XLA_FFI_Command** out) -> XLA_FFI_Error* {
    *out = n == 1 ? dependencies[0] : nullptr;
    return nullptr;
  };
  api.update_launch = [](XLA_FFI_RecordContext*, const XLA_FFI_Command*,
                         const XLA_FFI_KernelArgs*) -> XLA_FFI_Error* {
    return callbridge::typed_ffi::testing::NewError(XLA_FFI_Error_Code_UNAVAILABLE, "no update");
  };
  const XLA_FFI_Command* commands[2];
  int64_t count = 0;
  XLA_FFI_RecordFrame record = {nullptr, &api, XLA_FFI_RecordAction_Create, commands, &count, 2};
  const XLA_FFI_Record_Extension extension = BuildRecordCExtension(&record);
  runtime.call.extensions = &extension.extension_base;
  EXPECT_EQ(Execute(RecordHandler), "14: no update");
  EXPECT_THAT(log, ::testing::ElementsAre("kernel412040"));
  EXPECT_EQ(count, 2);
  EXPECT_EQ(Execute(RecordHandler), "8: CreateLaunch: a call may record at most 2 commands");
}

TEST_P(RuntimeFacilitiesTest, Collectives) {
  if (!runtime.Has(ApiFunction::kExtensions)) {
    EXPECT_THAT(Execute(CollectiveHandler),
                HasSubstr("CollectivesExtension needs XLA FFI 0.4 (jaxlib 0.11.1 or newer)"));
    return;
  }
  XLA_FFI_Collectives_Extension extension = {};
  extension.extension_base = MakeExtensionHeader<Collectives>();
  extension.request_communicator = [](const XLA_FFI_Collectives_Extension*,
                                      XLA_FFI_Communicator_Request_Args* args) -> XLA_FFI_Error* {
    const bool right = args->struct_size == XLA_FFI_Communicator_Request_Args_STRUCT_SIZE &&
                       args->group_mode == XLA_FFI_GROUP_FLATTENED_ID && args->num_groups == 2 &&
                       args->groups[0].size == 2 && args->groups[1].ids[0] == 2 &&
                       args->communication_id == 7;
    return right ? nullptr : callbridge::typed_ffi::testing::NewError(3, "wrong request");
  };
  extension.get_window = [](const XLA_FFI_Collectives_Extension*,
                            XLA_FFI_Window_Get_Args*) -> XLA_FFI_Error* {
    return callbridge::typed_ffi::testing::NewError(XLA_FFI_Error_Code_NOT_FOUND, "no window");
  };
  runtime.call.extensions = &extension.extension_base;
  EXPECT_EQ(Execute(CollectiveHandler), "5: no window");
}

}  // namespace
