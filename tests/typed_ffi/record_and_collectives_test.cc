// What Record and Collectives pass to the runtime, every argument of every function, and what they
// make of its answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "callbridge/typed_ffi/binding/collectives.h"
#include "callbridge/typed_ffi/binding/ffi.h"
#include "callbridge/typed_ffi/binding/record.h"
#include "tests/typed_ffi/fake_runtime.h"

namespace {

using ::callbridge::typed_ffi::kRuntimeVersionCount;
using ::callbridge::typed_ffi::testing::FakeRuntime;
using ::callbridge::typed_ffi::testing::live_errors;
using ::callbridge::typed_ffi::testing::NewError;
using namespace xla::ffi;  // NOLINT(google-build-using-namespace)

using Recorder = xla::ffi::internal::RecordContextBase<xla::ffi::internal::ErrorPolicy>;
using Record = xla::ffi::internal::RecordExtensionBase<Recorder>;
using Communicators = xla::ffi::internal::CommunicatorContextBase<xla::ffi::internal::ErrorPolicy>;
using Collectives = xla::ffi::internal::CollectivesExtensionBase<Communicators>;
using Commands = std::vector<const XLA_FFI_Command*>;

std::string seen;      // what the runtime's function was last called with
bool refuses = false;  // the runtime's functions answer with an error

XLA_FFI_Error* Answer() {
  return refuses ? NewError(XLA_FFI_Error_Code_UNAVAILABLE, "refused") : nullptr;
}

std::string Text(const void* address) {
  return std::to_string(reinterpret_cast<uintptr_t>(address));
}
void* At(uintptr_t address) { return reinterpret_cast<void*>(address); }
const XLA_FFI_Command* Command(uintptr_t number) {
  return reinterpret_cast<const XLA_FFI_Command*>(number);
}

// ---- Record -------------------------------------------------------------------------------------

const XLA_FFI_Command* made = Command(500);  // what the runtime answers

std::string Text(const XLA_FFI_KernelArgs& args) {
  std::string text = "{";
  for (int64_t i = 0; i < args.num_args; ++i) {
    const XLA_FFI_KernelArg& arg = args.args[i];
    text += " " + Text(arg.arg_address) + "/" + std::to_string(arg.size) + "/" +
            std::to_string(arg.type);
  }
  return text + " }";
}
std::string Text(const XLA_FFI_Command* const* dependencies, uint32_t count) {
  std::string text = "after";
  for (uint32_t i = 0; i < count; ++i) text += " " + Text(dependencies[i]);
  return text;
}

class RecordTest : public ::testing::Test {
 protected:
  RecordTest() {
    refuses = false;
    made = Command(500);
    api.create_launch = [](XLA_FFI_RecordContext* ctx, const char* name, const void* data,
                           int64_t size, XLA_FFI_SourceFormat format, XLA_FFI_LaunchDims dims,
                           uint32_t shared, int32_t pdl, const XLA_FFI_KernelArgs* args,
                           const XLA_FFI_Command* const* dependencies, uint32_t count,
                           const XLA_FFI_Command** out) {
      seen = Text(ctx) + " launch " + name + " " + Text(data) + " " + std::to_string(size) +
             " format " + std::to_string(format) + " dims " + std::to_string(dims.grid.x) +
             std::to_string(dims.block.y) + std::to_string(dims.cluster.z) + " shared " +
             std::to_string(shared) + " pdl " + std::to_string(pdl) + " " + Text(*args) + " " +
             Text(dependencies, count);
      *out = made;
      return Answer();
    };
    api.update_launch = [](XLA_FFI_RecordContext* ctx, const XLA_FFI_Command* command,
                           const XLA_FFI_KernelArgs* args) {
      seen = Text(ctx) + " update " + Text(command) + " " + Text(*args);
      return Answer();
    };
    api.create_memcpy_d2d = [](XLA_FFI_RecordContext* ctx, void* dst, void* src, int64_t size,
                               const XLA_FFI_Command* const* dependencies, uint32_t count,
                               const XLA_FFI_Command** out) {
      seen = Text(ctx) + " copy to " + Text(dst) + " from " + Text(src) + " size " +
             std::to_string(size) + " " + Text(dependencies, count);
      *out = made;
      return Answer();
    };
    api.update_memcpy_d2d = [](XLA_FFI_RecordContext* ctx, const XLA_FFI_Command* command,
                               void* dst, void* src, int64_t size) {
      seen = Text(ctx) + " update " + Text(command) + " to " + Text(dst) + " from " + Text(src) +
             " size " + std::to_string(size);
      return Answer();
    };
    api.request_stream_capture = [](XLA_FFI_RecordContext* ctx) {
      seen = Text(ctx) + " capture";
      return Answer();
    };
    api.create_empty_command = [](XLA_FFI_RecordContext* ctx,
                                  const XLA_FFI_Command* const* dependencies, uint32_t count,
                                  const XLA_FFI_Command** out) {
      seen = Text(ctx) + " empty " + Text(dependencies, count);
      *out = made;
      return Answer();
    };
  }
  ~RecordTest() override { EXPECT_EQ(live_errors, 0); }

  auto Launch(SourceFormat format, bool uses_pdl, const Commands& dependencies = {}) {
    const std::vector<KernelArg> args = {DevicePointer{At(40)}, HostValue{At(48), 6}};
    XLA_FFI_LaunchDims dims = {};
    dims.grid.x = 2;
    dims.block.y = 3;
    dims.cluster.z = 4;
    return recorder.CreateLaunch("kernel", At(30), 17, format, dims, 99, uses_pdl, args,
                                 dependencies);
  }

  FakeRuntime runtime{kRuntimeVersionCount - 1};
  XLA_FFI_RecordApi api = {};
  const XLA_FFI_Command* commands[3] = {};
  int64_t count = 0;
  XLA_FFI_RecordFrame frame = {reinterpret_cast<XLA_FFI_RecordContext*>(7),
                               &api,
                               XLA_FFI_RecordAction_Create,
                               commands,
                               &count,
                               3};
  Recorder recorder{runtime.api(), &frame};
};

TEST_F(RecordTest, PassesEveryArgument) {
  EXPECT_EQ(*Launch(SourceFormat::kPtx, false), Command(500));
  EXPECT_EQ(seen,
            "7 launch kernel 30 17 format 0 dims 234 shared 99 pdl 0 { 40/0/0 48/6/1 } after");
  EXPECT_EQ(*Launch(SourceFormat::kCubin, true, {Command(1), Command(2)}), Command(500));
  EXPECT_EQ(seen,
            "7 launch kernel 30 17 format 1 dims 234 shared 99 pdl 1 { 40/0/0 48/6/1 } after 1 2");
  // Of addresses alone, without dependencies.
  const std::vector<void*> addresses = {At(60), At(61)};
  EXPECT_TRUE(
      recorder.CreateLaunch("f", At(31), 0, SourceFormat::kFunctionPtr, {}, 0, false, addresses));
  EXPECT_EQ(seen, "7 launch f 31 0 format 2 dims 000 shared 0 pdl 0 { 60/0/0 61/0/0 } after");
  EXPECT_EQ(count, 3);

  EXPECT_TRUE(recorder.UpdateLaunch(Command(3), addresses).success());
  EXPECT_EQ(seen, "7 update 3 { 60/0/0 61/0/0 }");
  EXPECT_TRUE(recorder.UpdateMemcpyD2D(Command(4), At(5), At(6), 8).success());
  EXPECT_EQ(seen, "7 update 4 to 5 from 6 size 8");
  EXPECT_TRUE(recorder.RequestStreamCapture().success());
  EXPECT_EQ(seen, "7 capture");
  EXPECT_EQ(count, 3) << "only what is created is a command";
}

TEST_F(RecordTest, PassesEveryArgumentOfCopiesAndJoins) {
  EXPECT_EQ(*recorder.CreateMemcpyD2D(At(5), At(6), 8), Command(500));
  EXPECT_EQ(seen, "7 copy to 5 from 6 size 8 after");
  EXPECT_TRUE(recorder.CreateMemcpyD2D(At(5), At(6), 8, Commands{Command(9)}));
  EXPECT_EQ(seen, "7 copy to 5 from 6 size 8 after 9");
  EXPECT_TRUE(recorder.CreateEmptyCommand(Commands{Command(1), Command(2)}));
  EXPECT_EQ(seen, "7 empty after 1 2");
}

TEST_F(RecordTest, CommandsAreThoseThatWereCreated) {
  for (uintptr_t number : {71, 72}) {
    made = Command(number);
    ASSERT_TRUE(recorder.CreateEmptyCommand());
  }
  const BoundedCommandVector recorded = recorder.commands();
  EXPECT_TRUE(recorded.has_storage());
  EXPECT_EQ(recorded.size(), 2);
  EXPECT_EQ(recorded.capacity(), 3);
  EXPECT_EQ(recorded[0], Command(71));
  EXPECT_EQ(recorded[1], Command(72));
  EXPECT_EQ(recorder.action(), RecordAction::kCreate);
  frame.action = XLA_FFI_RecordAction_Update;
  EXPECT_EQ(recorder.action(), RecordAction::kUpdate);
}

TEST_F(RecordTest, WhatTheRuntimeRefusesIsTheHandlersError) {
  refuses = true;
  for (const Error& error :
       {Launch(SourceFormat::kPtx, false).error(),
        recorder.CreateMemcpyD2D(nullptr, nullptr, 0).error(),
        recorder.CreateEmptyCommand().error(), recorder.UpdateLaunch(nullptr, std::vector<void*>()),
        recorder.UpdateMemcpyD2D(nullptr, nullptr, nullptr, 0), recorder.RequestStreamCapture()}) {
    EXPECT_EQ(error.errc(), ErrorCode::kUnavailable);
    EXPECT_EQ(error.message(), "refused");
  }
  EXPECT_EQ(count, 0);
}

TEST_F(RecordTest, ACommandIsNeededAndRoomForIt) {
  made = nullptr;
  const std::pair<const char*, Error> none[] = {
      {"CreateLaunch", Launch(SourceFormat::kPtx, false).error()},
      {"CreateMemcpyD2D", recorder.CreateMemcpyD2D(nullptr, nullptr, 0).error()},
      {"CreateEmptyCommand", recorder.CreateEmptyCommand().error()}};
  for (const auto& [what, error] : none) {
    EXPECT_EQ(error.errc(), ErrorCode::kInternal);
    EXPECT_EQ(error.message(),
              std::string(what) + ": the runtime returned neither a command nor an error");
  }
  made = Command(1);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(recorder.CreateEmptyCommand());
  const std::pair<const char*, Error> full[] = {
      {"CreateLaunch", Launch(SourceFormat::kPtx, false).error()},
      {"CreateMemcpyD2D", recorder.CreateMemcpyD2D(nullptr, nullptr, 0).error()},
      {"CreateEmptyCommand", recorder.CreateEmptyCommand().error()}};
  for (const auto& [what, error] : full) {
    EXPECT_EQ(error.errc(), ErrorCode::kResourceExhausted);
    EXPECT_EQ(error.message(), std::string(what) + ": a call may record at most 3 commands");
  }
  EXPECT_EQ(count, 3);
  count = 0;
  frame.commands = nullptr;
  EXPECT_FALSE(recorder.commands().has_storage());
  EXPECT_EQ(recorder.CreateEmptyCommand().error().errc(), ErrorCode::kResourceExhausted);
  EXPECT_EQ(count, 0);
}

TEST_F(RecordTest, AKernelWithoutCodeIsNotLaunched) {
  seen = "nothing";
  const auto launch = recorder.CreateLaunch("kernel", nullptr, 4, SourceFormat::kPtx, {}, 0, false,
                                            std::vector<void*>());
  ASSERT_TRUE(launch.has_error());
  EXPECT_EQ(launch.error().errc(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(launch.error().message(), "CreateLaunch: the kernel's data or function is null");
  EXPECT_EQ(seen, "nothing");
}

TEST_F(RecordTest, TheExtensionLeadsToItsFrame) {
  const XLA_FFI_Record_Extension extension = BuildRecordCExtension(&frame);
  EXPECT_EQ(extension.extension_base.struct_size, sizeof(XLA_FFI_Record_Extension));
  EXPECT_EQ(extension.extension_base.id.extension_type, 128);
  EXPECT_EQ(extension.extension_base.id.major_version, 0);
  EXPECT_EQ(extension.extension_base.id.minor_version, 2);
  runtime.call.extensions = &extension.extension_base;
  DiagnosticEngine diagnostic;
  auto found = CtxDecoding<Extension<Record>>::Decode(runtime.api(), runtime.ctx(), diagnostic);
  ASSERT_TRUE(found.has_value()) << diagnostic.Result();
  EXPECT_TRUE(found->RequestStreamCapture().success());
  EXPECT_EQ(seen, "7 capture");
}

// ---- Collectives --------------------------------------------------------------------------------

template <typename Args>
std::string GroupsOf(const XLA_FFI_Collectives_Extension* self, const Args& args, size_t size) {
  std::string text = args.struct_size == size ? "" : "of another size: ";
  text += Text(self->state) + " mode " + std::to_string(args.group_mode) + " id " +
          std::to_string(args.communication_id) + " groups";
  for (size_t i = 0; i < args.num_groups; ++i) {
    text += " [";
    for (size_t j = 0; j < args.groups[i].size; ++j)
      text += " " + std::to_string(args.groups[i].ids[j]);
    text += " ]";
  }
  return text;
}

class CollectivesTest : public ::testing::Test {
 protected:
  CollectivesTest() {
    refuses = false;
    extension.extension_base = MakeExtensionHeader<Collectives>();
    extension.state = reinterpret_cast<XLA_FFI_CollectivesState*>(3);
    extension.request_communicator = [](const XLA_FFI_Collectives_Extension* self,
                                        XLA_FFI_Communicator_Request_Args* args) {
      seen = "request " + GroupsOf(self, *args, XLA_FFI_Communicator_Request_Args_STRUCT_SIZE);
      return Answer();
    };
    extension.get_communicator = [](const XLA_FFI_Collectives_Extension* self,
                                    XLA_FFI_Communicator_Get_Args* args) {
      seen = "get " + GroupsOf(self, *args, XLA_FFI_Communicator_Get_Args_STRUCT_SIZE);
      args->communicator = reinterpret_cast<XLA_FFI_Communicator*>(81);
      return Answer();
    };
    extension.request_window = [](const XLA_FFI_Collectives_Extension* self,
                                  XLA_FFI_Window_Request_Args* args) {
      seen = "request window " + GroupsOf(self, *args, XLA_FFI_Window_Request_Args_STRUCT_SIZE) +
             " regions";
      for (size_t i = 0; i < args->num_regions; ++i) {
        const XLA_FFI_CollectiveMemoryRegion& region = args->regions[i];
        seen += " " + Text(region.buffer) + "/" + std::to_string(region.byte_size) + "/" +
                std::to_string(region.flags);
      }
      return Answer();
    };
    extension.get_window = [](const XLA_FFI_Collectives_Extension* self,
                              XLA_FFI_Window_Get_Args* args) {
      seen = "get window " + GroupsOf(self, *args, XLA_FFI_Window_Get_Args_STRUCT_SIZE) + " of " +
             Text(args->buffer);
      args->window = reinterpret_cast<XLA_FFI_Window*>(91);
      args->window_offset = 92;
      return Answer();
    };
    runtime.call.extensions = &extension.extension_base;
  }
  ~CollectivesTest() override { EXPECT_EQ(live_errors, 0); }

  FakeRuntime runtime{kRuntimeVersionCount - 1};
  XLA_FFI_Collectives_Extension extension = {};
  Communicators communicators{runtime.api(), &extension};
};

TEST_F(CollectivesTest, PassesEveryArgument) {
  EXPECT_TRUE(
      communicators.RequestCommunicator(GroupMode::kCrossPartition, {{1, 2}, {3}}, 5).success());
  EXPECT_EQ(seen, "request 3 mode 1 id 5 groups [ 1 2 ] [ 3 ]");
  const auto communicator =
      communicators.GetCommunicator(GroupMode::kCrossReplicaAndPartition, {{4}}, 6);
  ASSERT_TRUE(communicator.has_value());
  EXPECT_EQ(*communicator, reinterpret_cast<XLA_FFI_Communicator*>(81));
  EXPECT_EQ(seen, "get 3 mode 2 id 6 groups [ 4 ]");
  EXPECT_TRUE(
      communicators
          .RequestWindow(GroupMode::kFlattenedId, {{}, {7}}, -8, {{At(20), 21, 22}, {At(23), 24}})
          .success());
  EXPECT_EQ(seen, "request window 3 mode 3 id -8 groups [ ] [ 7 ] regions 20/21/22 23/24/0");
  const auto window = communicators.GetWindow(GroupMode::kCrossReplica, {{9}}, 10, At(11));
  ASSERT_TRUE(window.has_value());
  EXPECT_EQ(window->window, reinterpret_cast<XLA_FFI_Window*>(91));
  EXPECT_EQ(window->offset, 92u);
  EXPECT_EQ(seen, "get window 3 mode 0 id 10 groups [ 9 ] of 11");
}

TEST_F(CollectivesTest, WhatTheRuntimeRefusesIsTheHandlersError) {
  refuses = true;
  constexpr GroupMode kMode = GroupMode::kCrossReplica;
  for (const Error& error : {communicators.RequestCommunicator(kMode, {}, 0),
                             communicators.GetCommunicator(kMode, {}, 0).error(),
                             communicators.RequestWindow(kMode, {}, 0, {}),
                             communicators.GetWindow(kMode, {}, 0, nullptr).error()}) {
    EXPECT_EQ(error.errc(), ErrorCode::kUnavailable);
    EXPECT_EQ(error.message(), "refused");
  }
}

TEST_F(CollectivesTest, TheExtensionIsFoundByItsNumberAndVersion) {
  EXPECT_EQ(extension.extension_base.id.extension_type, 129);
  DiagnosticEngine diagnostic;
  using Decoding = CtxDecoding<Extension<Collectives>>;
  auto found = Decoding::Decode(runtime.api(), runtime.ctx(), diagnostic);
  ASSERT_TRUE(found.has_value()) << diagnostic.Result();
  EXPECT_TRUE(found->RequestCommunicator(GroupMode::kCrossReplica, {}, 1).success());
  EXPECT_EQ(seen, "request 3 mode 0 id 1 groups");
  extension.extension_base.id.major_version = 1;
  EXPECT_FALSE(Decoding::Decode(runtime.api(), runtime.ctx(), diagnostic).has_value());
  EXPECT_EQ(diagnostic.Result(),
            "Extension CollectivesExtension: the handler was built for version 0.2 of it, the "
            "runtime has 1.2");
}

}  // namespace
