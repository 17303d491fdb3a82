// Calls of typed targets through the C API.
#include <cstddef>
#include <string>
#include <utility>
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

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Writes n, an s32 attribute, plus the device ordinal to the result.
XLA_FFI_Error* Typed(XLA_FFI_CallFrame* frame) {
  if (frame->ctx == nullptr) return nullptr;  // asked what it is
  XLA_FFI_DeviceOrdinal_Get_Args args = {sizeof(args), nullptr, frame->ctx, 0};
  if (XLA_FFI_Error* error = frame->api->XLA_FFI_DeviceOrdinal_Get(&args)) return error;
  const auto* n = static_cast<const XLA_FFI_Scalar*>(frame->attrs.attrs[0]);
  auto* result = static_cast<XLA_FFI_Buffer*>(frame->rets.rets[0]);
  *static_cast<int32_t*>(result->data) = *static_cast<int32_t*>(n->value) + args.device_ordinal;
  return nullptr;
}

int instantiated = 0;
XLA_FFI_Error* Instantiate(XLA_FFI_CallFrame* frame) {
  if (frame->ctx != nullptr) ++instantiated;
  return nullptr;
}

std::vector<XLA_FFI_ExecutionStage> stages;
XLA_FFI_Error* NoteStage(XLA_FFI_CallFrame* frame) {
  if (frame->ctx != nullptr) stages.push_back(frame->stage);
  return nullptr;
}

class TypedTargetTest : public ::testing::Test {
 protected:
  TypedTargetTest() {
    target_.struct_size = sizeof(target_);
    target_.name = "typed";
    target_.platform = "Host";
    target_.api_version = CALLBRIDGE_API_VERSION_TYPED_FFI;
    target_.address = reinterpret_cast<void*>(&Typed);
    target_.instantiate = reinterpret_cast<void*>(&Instantiate);
    EXPECT_EQ(callbridge_ffi_attributes_create(&attributes_), nullptr);
    const int32_t n = 40;
    EXPECT_EQ(callbridge_ffi_attributes_set_scalar(attributes_, "n", 4, &n), nullptr);
    site_.attributes = attributes_;
    instantiated = 0;
  }
  ~TypedTargetTest() override { callbridge_ffi_attributes_destroy(attributes_); }

  callbridge_target target_ = {};
  callbridge_site site_ = ResultSite("s32[]");
  callbridge_ffi_attributes* attributes_ = nullptr;
  int32_t result_ = -1;
};

TEST_F(TypedTargetTest, ExecuteLendsWhatXlaCpuLends) {
  callbridge_array result = {&result_, 4};
  EXPECT_EQ(ErrorText(callbridge_execute(&target_, &site_, nullptr, 0, &result, 1, nullptr)), "OK");
  EXPECT_EQ(result_, 40);
  EXPECT_EQ(instantiated, 1);
}

TEST_F(TypedTargetTest, ExecuteLendsTheContext) {
  const int32_t ordinal = 2;
  callbridge_runtime_services services = NoServices();
  services.device_ordinal = &ordinal;
  const callbridge_array result = {&result_, 4};
  callbridge_execution_context context = {sizeof(context), nullptr, &services, 0, 0, nullptr, 0};
  EXPECT_EQ(ErrorText(callbridge_execute(&target_, &site_, nullptr, 0, &result, 1, &context)),
            "OK");
  EXPECT_EQ(result_, 42);
  services.struct_size = 8;
  EXPECT_THAT(ErrorText(callbridge_execute(&target_, &site_, nullptr, 0, &result, 1, &context)),
              StartsWith("INVALID_ARGUMENT: callbridge_runtime_services.struct_size is 8"));
}

// Each by its own field.
TEST_F(TypedTargetTest, CallsItsHandlerForEachStage) {
  target_.instantiate = target_.prepare = target_.initialize = reinterpret_cast<void*>(&NoteStage);
  const callbridge_array result = {&result_, 4};
  stages.clear();
  EXPECT_EQ(ErrorText(callbridge_execute(&target_, &site_, nullptr, 0, &result, 1, nullptr)), "OK");
  EXPECT_THAT(stages,
              ElementsAre(XLA_FFI_ExecutionStage_INSTANTIATE, XLA_FFI_ExecutionStage_PREPARE,
                          XLA_FFI_ExecutionStage_INITIALIZE));
  for (auto [field, stage] :
       {std::pair(&callbridge_target::instantiate, XLA_FFI_ExecutionStage_INSTANTIATE),
        std::pair(&callbridge_target::prepare, XLA_FFI_ExecutionStage_PREPARE),
        std::pair(&callbridge_target::initialize, XLA_FFI_ExecutionStage_INITIALIZE)}) {
    target_.instantiate = target_.prepare = target_.initialize = nullptr;
    target_.*field = reinterpret_cast<void*>(&NoteStage);
    stages.clear();
    EXPECT_EQ(ErrorText(callbridge_execute(&target_, &site_, nullptr, 0, &result, 1, nullptr)),
              "OK");
    EXPECT_THAT(stages, ElementsAre(stage));
  }
}

TEST_F(TypedTargetTest, IsInstantiatedOnceAndLentTheContext) {
  callbridge_call* call = nullptr;
  ASSERT_EQ(ErrorText(callbridge_call_bind(&target_, &site_, nullptr, &call)), "OK");
  void* results[] = {&result_};
  const int32_t ordinal = 2;
  callbridge_runtime_services services = NoServices();
  services.device_ordinal = &ordinal;
  callbridge_execution_context context = {sizeof(context), nullptr, &services, 0, 0, nullptr, 0};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ErrorText(callbridge_call_execute(call, nullptr, 0, results, 1, &context)), "OK");
  }
  EXPECT_EQ(result_, 42);
  EXPECT_EQ(instantiated, 1);
  EXPECT_THAT(ErrorText(callbridge_call_execute(call, nullptr, 0, results, 1, nullptr)),
              HasSubstr("device ordinal is not available"));
  services.struct_size = 8;
  EXPECT_THAT(ErrorText(callbridge_call_execute(call, nullptr, 0, results, 1, &context)),
              StartsWith("INVALID_ARGUMENT: callbridge_runtime_services.struct_size is 8"));
  callbridge_call_destroy(call);
}

TEST_F(TypedTargetTest, IsLentWhatXlaCpuLends) {
  callbridge_call* call = nullptr;
  ASSERT_EQ(ErrorText(callbridge_call_bind(&target_, &site_, nullptr, &call)), "OK");
  void* results[] = {&result_};
  callbridge_execution_context context = {sizeof(context), nullptr, nullptr, 1, 0, nullptr, 0};
  EXPECT_EQ(ErrorText(callbridge_call_execute(call, nullptr, 0, results, 1, &context)), "OK");
  EXPECT_EQ(result_, 40);  // on device 0
  const int32_t ordinal = 2;
  callbridge_runtime_services services = NoServices();
  services.device_ordinal = &ordinal;
  context.services = &services;
  EXPECT_EQ(ErrorText(callbridge_call_execute(call, nullptr, 0, results, 1, &context)), "OK");
  EXPECT_EQ(result_, 42);
  callbridge_call_destroy(call);
}

// Fields that its caller does not know are not read.
TEST_F(TypedTargetTest, StructsOfTheFirstVersionEndBeforeThem) {
  target_.struct_size = offsetof(callbridge_target, instantiate);
  callbridge_array result = {&result_, 4};
  EXPECT_EQ(ErrorText(callbridge_execute(&target_, &site_, nullptr, 0, &result, 1, nullptr)), "OK");
  EXPECT_EQ(instantiated, 0);

  const callbridge_target untyped = OriginalTarget();
  callbridge_site site = CopySite();
  site.struct_size = offsetof(callbridge_site, attributes);
  site.attributes = attributes_;
  callbridge_execution_context context = {offsetof(callbridge_execution_context, services),
                                          nullptr,
                                          reinterpret_cast<callbridge_runtime_services*>(1),
                                          0,
                                          0,
                                          nullptr,
                                          0};
  int32_t a = 42;
  const callbridge_array operand = {&a, 4};
  EXPECT_EQ(ErrorText(callbridge_execute(&untyped, &site, &operand, 1, &result, 1, &context)),
            "OK");
  EXPECT_EQ(result_, 42);
  site.struct_size = sizeof(site);
  EXPECT_THAT(ErrorText(callbridge_execute(&untyped, &site, &operand, 1, &result, 1, &context)),
              HasSubstr("is untyped and takes none"));
}

// As a runtime without FFI calls it.
TEST_F(TypedTargetTest, ItsEntryPointServesTheSitesBytes) {
  callbridge_entry_points points = {sizeof(points), nullptr, &points};
  target_.address = reinterpret_cast<void*>(+[](XLA_FFI_CallFrame* frame) -> XLA_FFI_Error* {
    if (frame->ctx == nullptr) return nullptr;  // asked what it is
    const auto* n = static_cast<const XLA_FFI_Scalar*>(frame->attrs.attrs[0]);
    const auto* a = static_cast<const XLA_FFI_Buffer*>(frame->args.args[0]);
    auto* result = static_cast<XLA_FFI_Buffer*>(frame->rets.rets[0]);
    *static_cast<int32_t*>(result->data) = *static_cast<int32_t*>(n->value) +
                                           *static_cast<int32_t*>(a->data) +
                                           static_cast<int32_t>(a->dims[0]);
    return nullptr;
  });
  ASSERT_EQ(ErrorText(callbridge_target_entry_points(&target_, &points)), "OK");
  EXPECT_EQ(points.typed, nullptr);
  ASSERT_NE(points.untyped, nullptr);

  const char* const operands[] = {"s32[100]"};
  site_.operands = operands;
  site_.operand_count = 1;
  int32_t a[100] = {2};
  const void* in[] = {a};
  for (int i = 0; i < 3; ++i) {
    char* bytes = nullptr;
    size_t size = 0;
    ASSERT_EQ(ErrorText(callbridge_site_encode(&site_, &bytes, &size)), "OK");
    reinterpret_cast<void (*)(void*, const void**, const char*, size_t, void*)>(points.untyped)(
        &result_, in, bytes, size, nullptr);
    callbridge_bytes_free(bytes);
    EXPECT_EQ(result_, 142);
  }
  EXPECT_EQ(instantiated, 1);
}

TEST_F(TypedTargetTest, AttributesMakeASiteATypedOne) {
  const auto encode = [](const callbridge_site& site) {
    char* bytes = nullptr;
    size_t size = 0;
    const std::string text = ErrorText(callbridge_site_encode(&site, &bytes, &size));
    if (text != "OK") return text;
    std::string encoded(bytes, size);
    callbridge_bytes_free(bytes);
    return encoded;
  };
  constexpr size_t kVersion = 7;  // the last byte of a descriptor's first eight
  EXPECT_EQ(encode(site_)[kVersion], 2);
  callbridge_ffi_attributes* none = nullptr;
  ASSERT_EQ(callbridge_ffi_attributes_create(&none), nullptr);
  site_.attributes = none;
  EXPECT_EQ(encode(site_)[kVersion], 2);
  site_.opaque = "x";
  site_.opaque_size = 1;
  EXPECT_THAT(encode(site_), StartsWith("INVALID_ARGUMENT: the call site has an opaque and"));
  site_.attributes = nullptr;
  EXPECT_EQ(encode(site_)[kVersion], 1);
  site_.attributes = none;
  site_.struct_size = offsetof(callbridge_site, attributes);  // its caller does not know them
  EXPECT_EQ(encode(site_)[kVersion], 1);
  callbridge_ffi_attributes_destroy(none);
}

TEST_F(TypedTargetTest, ScratchMemoryIsInTheDescriptorOfATypedSite) {
  const auto encode = [](const callbridge_site& site) {
    char* bytes = nullptr;
    size_t size = 0;
    const std::string text = ErrorText(callbridge_site_encode(&site, &bytes, &size));
    if (text != "OK") return text;
    std::string encoded(bytes, size);
    callbridge_bytes_free(bytes);
    return encoded;
  };
  constexpr size_t kVersion = 7;
  const std::string without = encode(site_);
  site_.scratch_bytes = 100;
  const std::string with = encode(site_);
  EXPECT_EQ(with[kVersion], 3);
  EXPECT_EQ(with[kVersion + 1], 100);
  EXPECT_EQ(with.substr(16), without.substr(8));
  site_.struct_size = offsetof(callbridge_site, scratch_bytes);  // its caller does not know it
  EXPECT_EQ(encode(site_), without);
  site_.struct_size = sizeof(site_);
  site_.scratch_bytes = -1;
  EXPECT_EQ(encode(site_),
            "INVALID_ARGUMENT: callbridge_site.scratch_bytes is -1, but must not be negative");
  site_.scratch_bytes = 1;
  site_.attributes = nullptr;
  EXPECT_THAT(encode(site_), StartsWith("INVALID_ARGUMENT: callbridge_site.scratch_bytes is set, "
                                        "but untyped targets ask for no scratch memory"));
}

}  // namespace
}  // namespace callbridge
