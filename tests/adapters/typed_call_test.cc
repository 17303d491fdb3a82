// Which runtime a BoundCall shows to each stage of a typed target, and what it keeps.
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "callbridge/abi/shape_text.h"
#include "callbridge/adapters/bind.h"
#include "callbridge/typed_ffi/host/api_table.h"
#include "callbridge/typed_ffi/host/runtime_services.h"
#include "gtest/gtest.h"
#include "tests/adapters/imitated_headers.h"

namespace callbridge {
namespace {

using typed_ffi::kNewestVersion;
using typed_ffi::kRuntimeVersionCount;
using typed_ffi::kRuntimeVersions;

constexpr int kNewest = kRuntimeVersionCount - 1;

Target TypedTarget(XLA_FFI_Handler* execute, Platform platform = Platform::kHost) {
  return {"typed", platform, ApiVersion::kTypedFfi, true, reinterpret_cast<void*>(execute)};
}

CallSite NoOperands(Platform platform = Platform::kHost) {
  CallSite site;
  site.platform = platform;
  site.result = ParseShape("f32[]").value();
  return site;
}

absl::Status Execute(const BoundCall& call, const ExecutionContext& context = {}) {
  float out = 0;
  void* result = &out;
  return call.Execute({{}, {&result, 1}}, context);
}

class TypedCallTest : public testing::Test {
 protected:
  TypedCallTest() { imitated::says = {}; }
  ~TypedCallTest() override {
    imitated::in_the_call = nullptr;
    imitated::says = {};
  }

  // Whether each call is shown a table of the headers that it was built with.
  void WriteDownTables() {
    imitated::in_the_call = [this](XLA_FFI_CallFrame* frame) -> XLA_FFI_Error* {
      tables.push_back(frame->api);
      return nullptr;
    };
  }
  std::vector<const XLA_FFI_Api*> tables;
};

TEST_F(TypedCallTest, TheHandlerIsShownTheRuntimeOfItsHeaders) {
  WriteDownTables();
  for (int row = 0; row < kRuntimeVersionCount; ++row) {
    tables.clear();
    const auto call = Bind(NoOperands(), TypedTarget(imitated::kHandlers[row]));
    ASSERT_TRUE(call.ok()) << call.status();
    ASSERT_EQ(Execute(*call), absl::OkStatus());
    ASSERT_EQ(tables.size(), 1U);
    const auto& taken_for = kRuntimeVersions[imitated::RowTakenFor(row)];
    EXPECT_EQ(tables[0]->struct_size, taken_for.stated_size);
    // Four rows speak 0.1, and only a wrapper's table serves all of them.
    EXPECT_EQ(tables[0] == &host::ApiTable(taken_for), taken_for.minor != 1);
  }
}

constexpr XLA_FFI_Handler* XLA_FFI_Handler_Bundle::*kOtherStages[] = {
    &XLA_FFI_Handler_Bundle::instantiate, &XLA_FFI_Handler_Bundle::prepare,
    &XLA_FFI_Handler_Bundle::initialize, &XLA_FFI_Handler_Bundle::record};

TEST_F(TypedCallTest, StagesOfDifferentHeadersAreShownEachItsOwn) {
  WriteDownTables();
  for (auto stage : kOtherStages) {
    tables.clear();
    Target target = TypedTarget(imitated::kHandlers[kNewest]);
    target.stages.*stage = imitated::kHandlers[kNewest - 1];
    const auto call = Bind(NoOperands(), target);
    ASSERT_TRUE(call.ok()) << call.status();
    ASSERT_EQ(Execute(*call), absl::OkStatus());
    const bool is_run = stage != &XLA_FFI_Handler_Bundle::record;
    ASSERT_EQ(tables.size(), is_run ? 2U : 1U);
    EXPECT_EQ(tables.back()->struct_size, kNewestVersion.stated_size);
    EXPECT_NE(tables.back(), &host::ApiTable(kNewestVersion)) << "it is wrapped";
    if (is_run) {
      EXPECT_EQ(tables[0]->struct_size, kRuntimeVersions[kNewest - 1].stated_size);
    }
  }
}

TEST_F(TypedCallTest, StagesOfOneVersionAreNotWrapped) {
  WriteDownTables();
  for (auto stage : kOtherStages) {
    tables.clear();
    Target target = TypedTarget(imitated::kHandlers[kNewest - 1]);
    target.stages.*stage = imitated::kHandlers[kNewest - 1];
    const auto call = Bind(NoOperands(), target);
    ASSERT_TRUE(call.ok()) << call.status();
    ASSERT_EQ(Execute(*call), absl::OkStatus());
    for (const XLA_FFI_Api* table : tables) {
      EXPECT_EQ(table, &host::ApiTable(kRuntimeVersions[kNewest - 1]));
    }
  }
}

// The wrapper, which lives as long as the process, leads into the library.
TEST_F(TypedCallTest, AWrappedHandlersLibraryStaysForGood) {
  for (int row : {kNewest, 3}) {
    const auto library = std::make_shared<int>();
    Target target = TypedTarget(imitated::kHandlers[row]);
    target.library = library;
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(Bind(NoOperands(), target).ok());
    target.library = nullptr;
    EXPECT_EQ(library.use_count() > 1, kRuntimeVersions[row].minor == 1) << row;
  }
}

TEST_F(TypedCallTest, HeadersThatNobodyKnowsAreNamedWithTheTarget) {
  const auto newer =
      +[](XLA_FFI_CallFrame* frame) { return imitated::Call(kNewestVersion, 0, 99, frame); };
  EXPECT_EQ(Bind(NoOperands(), TypedTarget(newer)).status(),
            absl::UnimplementedError(
                std::string("custom call \"typed\": the handler was built with headers of XLA FFI "
                            "0.99; callbridge knows those up to 0.") +
                std::to_string(kNewestVersion.minor) + " (" + kNewestVersion.releases + ")"));
  Target target = TypedTarget(imitated::kHandlers[kNewest]);
  target.stages.record = newer;
  EXPECT_EQ(Bind(NoOperands(), target).status().code(), absl::StatusCode::kUnimplemented);
}

// Of a wrapper's: else the runtime would know the type.
TEST_F(TypedCallTest, AStateThatNobodyCanDeleteIsNamedWithTheTarget) {
  Target target = TypedTarget(imitated::kHandlers[kNewest]);
  target.stages.instantiate = imitated::kHandlers[kNewest - 1];
  imitated::says.type_is_missing = true;
  EXPECT_EQ(Bind(NoOperands(), target).status(),
            absl::InvalidArgumentError(
                "custom call \"typed\": the handler makes state of a type that is not registered; "
                "register the type first, with callbridge.jax.register_type or "
                "callbridge_ffi_register_type"));
}

TEST_F(TypedCallTest, AnOpaqueIsRefused) {
  CallSite site = NoOperands();
  site.opaque = "x";
  EXPECT_EQ(Bind(site, TypedTarget(imitated::kHandlers[kNewest])).status(),
            absl::InvalidArgumentError(
                "the call site has an opaque, but custom call \"typed\" is a typed FFI handler, "
                "which gets attributes and no opaque: pass it as one of them (a CALLBRIDGE_EXPORT "
                "handler reads \"opaque\")"));
}

XLA_FFI_Error* AskForDevice(XLA_FFI_CallFrame* frame, int32_t& device) {
  XLA_FFI_DeviceOrdinal_Get_Args args = {};
  args.struct_size = XLA_FFI_DeviceOrdinal_Get_Args_STRUCT_SIZE;
  args.ctx = frame->ctx;
  XLA_FFI_Error* error = frame->api->XLA_FFI_DeviceOrdinal_Get(&args);
  device = args.device_ordinal;
  return error;
}

TEST_F(TypedCallTest, EachStageIsLentWhatItsCallerLends) {
  int32_t device = -1;
  imitated::in_the_call = [&](XLA_FFI_CallFrame* frame) { return AskForDevice(frame, device); };
  Target target = TypedTarget(imitated::kHandlers[kNewest]);
  target.stages.instantiate = imitated::kHandlers[kNewest];
  host::RuntimeServices services;
  ExecutionContext context;
  context.services = &services;
  services.device_ordinal = 7;
  const auto call = Bind(NoOperands(), target, context);
  ASSERT_TRUE(call.ok()) << call.status();
  EXPECT_EQ(device, 7);
  services.device_ordinal = 8;
  EXPECT_EQ(Execute(*call, context), absl::OkStatus());
  EXPECT_EQ(device, 8);
  EXPECT_FALSE(Execute(*call).ok()) << "nothing was lent";
  EXPECT_FALSE(Bind(NoOperands(), target).ok());
}

TEST_F(TypedCallTest, OnAGpuToo) {
  int32_t device = -1;
  imitated::in_the_call = [&](XLA_FFI_CallFrame* frame) { return AskForDevice(frame, device); };
  const auto call =
      Bind(NoOperands(Platform::kCuda), TypedTarget(imitated::kHandlers[kNewest], Platform::kCuda));
  ASSERT_TRUE(call.ok()) << call.status();
  host::RuntimeServices services;
  services.device_ordinal = 9;
  ExecutionContext context;
  context.services = &services;
  EXPECT_EQ(Execute(*call, context), absl::OkStatus());
  EXPECT_EQ(device, 9);
}

// As one that a registry has by its name alone.
TEST_F(TypedCallTest, ATargetOfNoKnownAbiIsTypedWhereTheSiteSaysSo) {
  int calls = 0;
  imitated::in_the_call = [&](XLA_FFI_CallFrame*) -> XLA_FFI_Error* {
    ++calls;
    return nullptr;
  };
  Target target = TypedTarget(imitated::kHandlers[kNewest]);
  target.api_version = ApiVersion::kUnspecified;
  target.api_version_is_proved = false;
  CallSite site = NoOperands();
  site.api_version = ApiVersion::kTypedFfi;
  const auto call = Bind(site, target);
  ASSERT_TRUE(call.ok()) << call.status();
  EXPECT_EQ(Execute(*call), absl::OkStatus());
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace callbridge
