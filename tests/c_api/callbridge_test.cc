#include "callbridge/callbridge.h"

#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "callbridge/callbridge_ffi.h"
#include "callbridge/typed_ffi/c_api.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/c_api/callbridge_c_test.h"

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// The error's code name and message, or "OK"; frees it.
std::string Text(callbridge_error* error) {
  if (error == nullptr) return "OK";
  std::string text = std::string(callbridge_error_code_name(error->code)) + ": " +
                     std::string(error->message, error->message_size);
  EXPECT_GE(error->struct_size, sizeof(callbridge_error));
  EXPECT_EQ(error->message[error->message_size], '\0');
  callbridge_error_destroy(error);
  return text;
}

void Add(void* out, const void** in) {
  auto* const* pair = static_cast<const int32_t* const*>(in[0]);
  *static_cast<int32_t*>(out) = *pair[0] + *pair[1];
}

callbridge_target AddTarget() {
  callbridge_target target = {};
  target.struct_size = sizeof(target);
  target.name = "add";
  target.platform = "cpu";
  target.api_version = CALLBRIDGE_API_VERSION_ORIGINAL;
  target.api_version_is_proved = 1;
  target.address = reinterpret_cast<void*>(&Add);
  return target;
}

const char* const kPair[] = {"(s32[],s32[])"};

callbridge_site PairSite() {
  callbridge_site site = {};
  site.struct_size = sizeof(site);
  site.operands = kPair;
  site.operand_count = 1;
  site.result = "s32[]";
  return site;
}

TEST(CallbridgeTest, VersionIsThreeNumbers) {
  EXPECT_THAT(callbridge_version(), ::testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

TEST(CallbridgeTest, CodeNames) {
  EXPECT_STREQ(callbridge_error_code_name(0), "OK");
  EXPECT_STREQ(callbridge_error_code_name(3), "INVALID_ARGUMENT");
  EXPECT_STREQ(callbridge_error_code_name(13), "INTERNAL");
  EXPECT_STREQ(callbridge_error_code_name(16), "UNAUTHENTICATED");
  EXPECT_STREQ(callbridge_error_code_name(17), "UNKNOWN");
  EXPECT_STREQ(callbridge_error_code_name(-1), "UNKNOWN");
}

TEST(CallbridgeTest, ErrorsCanBeMade) {
  std::string message("out of\0cheese", 13);
  callbridge_error* error = callbridge_error_create(5, message.data(), message.size());
  message.assign(13, 'x');
  EXPECT_EQ(Text(error), std::string("NOT_FOUND: out of\0cheese", 24));
  EXPECT_EQ(Text(callbridge_error_create(99, nullptr, 0)), "UNKNOWN: ");
}

TEST(CallbridgeTest, NullsAreIgnoredWhereThatIsSaid) {
  callbridge_error_destroy(nullptr);
  EXPECT_EQ(callbridge_library_close(nullptr), nullptr);
  callbridge_call_destroy(nullptr);
  callbridge_bytes_free(nullptr);
}

TEST(CallbridgeTest, AMissingLibraryIsNotFound) {
  callbridge_library* library = nullptr;
  EXPECT_THAT(Text(callbridge_library_load("/no/such/file.so", &library)),
              StartsWith("NOT_FOUND: "));
  EXPECT_EQ(library, nullptr);
}

TEST(CallbridgeTest, ExecuteChecksSizesAndCalls) {
  int32_t a = 2, b = 40, sum = 0;
  const callbridge_target target = AddTarget();
  const callbridge_site site = PairSite();
  callbridge_array operands[] = {{&a, 4}, {&b, 4}};
  callbridge_array result = {&sum, 4};
  EXPECT_EQ(Text(callbridge_execute(&target, &site, operands, 2, &result, 1, nullptr)), "OK");
  EXPECT_EQ(sum, 42);

  EXPECT_EQ(
      Text(callbridge_execute(&target, &site, operands, 1, &result, 1, nullptr)),
      "INVALID_ARGUMENT: the call site declares 2 operands (leaves of tuples counted), but the "
      "call has 1");
  operands[1].size_bytes = 8;
  EXPECT_EQ(Text(callbridge_execute(&target, &site, operands, 2, &result, 1, nullptr)),
            "INVALID_ARGUMENT: operand 1 (leaves of tuples counted) is declared s32[], which has 4 "
            "bytes, but its array has 8");
}

TEST(CallbridgeTest, BindOnceAndExecute) {
  const callbridge_target target = AddTarget();
  const callbridge_site site = PairSite();
  callbridge_call* call = nullptr;
  ASSERT_EQ(Text(callbridge_call_bind(&target, &site, &call)), "OK");
  for (int32_t i = 0; i < 3; ++i) {
    int32_t b = 10, sum = 0;
    void* operands[] = {&i, &b};
    void* results[] = {&sum};
    EXPECT_EQ(Text(callbridge_call_execute(call, operands, 2, results, 1, nullptr)), "OK");
    EXPECT_EQ(sum, i + 10);
  }
  EXPECT_THAT(Text(callbridge_call_execute(call, nullptr, 0, nullptr, 0, nullptr)),
              HasSubstr("declares 2 operands"));
  callbridge_call_destroy(call);
}

TEST(CallbridgeTest, GpuTargetsGetTheContextsStream) {
  static void* seen;
  callbridge_target target = AddTarget();
  target.platform = "CUDA";
  target.api_version = CALLBRIDGE_API_VERSION_UNSPECIFIED;
  target.address =
      reinterpret_cast<void*>(+[](void* stream, void**, const char*, size_t) { seen = stream; });
  int stream;
  const callbridge_execution_context context = {sizeof(context), &stream, nullptr, 0};
  const callbridge_site site = PairSite();
  callbridge_call* call = nullptr;
  ASSERT_EQ(Text(callbridge_call_bind(&target, &site, &call)), "OK");
  void* pointers[] = {nullptr, nullptr};
  EXPECT_EQ(Text(callbridge_call_execute(call, pointers, 2, pointers, 1, &context)), "OK");
  EXPECT_EQ(seen, &stream);
  callbridge_call_destroy(call);
}

// ---- Typed targets

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
    EXPECT_EQ(callbridge_ffi_attributes_set_scalar(attributes_, "n", 1, 4, &n), nullptr);
    site_.struct_size = sizeof(site_);
    site_.result = "s32[]";
    site_.attributes = attributes_;
    instantiated = 0;
  }
  ~TypedTargetTest() override { callbridge_ffi_attributes_destroy(attributes_); }

  callbridge_target target_ = {};
  callbridge_site site_ = {};
  callbridge_ffi_attributes* attributes_ = nullptr;
  int32_t result_ = -1;
};

TEST_F(TypedTargetTest, ExecuteLendsWhatXlaCpuLends) {
  callbridge_array result = {&result_, 4};
  EXPECT_EQ(Text(callbridge_execute(&target_, &site_, nullptr, 0, &result, 1, nullptr)), "OK");
  EXPECT_EQ(result_, 40);
  EXPECT_EQ(instantiated, 1);
}

TEST_F(TypedTargetTest, IsInstantiatedOnceAndLentTheContext) {
  callbridge_call* call = nullptr;
  ASSERT_EQ(Text(callbridge_call_bind(&target_, &site_, &call)), "OK");
  void* results[] = {&result_};
  const int32_t ordinal = 2;
  callbridge_ffi_context lent = {};
  lent.struct_size = sizeof(lent);
  lent.device_ordinal = &ordinal;
  callbridge_execution_context context = {sizeof(context), nullptr, &lent, 0};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Text(callbridge_call_execute(call, nullptr, 0, results, 1, &context)), "OK");
  }
  EXPECT_EQ(result_, 42);
  EXPECT_EQ(instantiated, 1);
  EXPECT_THAT(Text(callbridge_call_execute(call, nullptr, 0, results, 1, nullptr)),
              HasSubstr("device ordinal is not available"));
  lent.struct_size = 8;
  EXPECT_THAT(Text(callbridge_call_execute(call, nullptr, 0, results, 1, &context)),
              StartsWith("INVALID_ARGUMENT: callbridge_ffi_context.struct_size is 8"));
  callbridge_call_destroy(call);
}

TEST_F(TypedTargetTest, IsLentWhatXlaCpuLends) {
  callbridge_call* call = nullptr;
  ASSERT_EQ(Text(callbridge_call_bind(&target_, &site_, &call)), "OK");
  void* results[] = {&result_};
  callbridge_execution_context context = {sizeof(context), nullptr, nullptr, 1};
  EXPECT_EQ(Text(callbridge_call_execute(call, nullptr, 0, results, 1, &context)), "OK");
  EXPECT_EQ(result_, 40);  // on device 0
  const int32_t ordinal = 2;
  callbridge_ffi_context lent = {};
  lent.struct_size = sizeof(lent);
  lent.device_ordinal = &ordinal;
  context.lent = &lent;
  EXPECT_EQ(Text(callbridge_call_execute(call, nullptr, 0, results, 1, &context)), "OK");
  EXPECT_EQ(result_, 42);
  callbridge_call_destroy(call);
}

TEST(CallbridgeTest, XlaCpusFloatingPointModeIsForThoseWhoAsk) {
  callbridge_target target = AddTarget();
  target.address = reinterpret_cast<void*>(+[](void* out, const void** in) {
    *static_cast<float*>(out) = *static_cast<const float*>(in[0]) * 0.5F;
  });
  const char* operands[] = {"f32[]"};
  callbridge_site site = {};
  site.struct_size = sizeof(site);
  site.operands = operands;
  site.operand_count = 1;
  site.result = "f32[]";
  callbridge_call* call = nullptr;
  ASSERT_EQ(Text(callbridge_call_bind(&target, &site, &call)), "OK");
  float smallest = std::numeric_limits<float>::min(), half = -1;
  void* ins[] = {&smallest};
  void* outs[] = {&half};
  callbridge_execution_context context = {sizeof(context), nullptr, nullptr, 0};
  EXPECT_EQ(Text(callbridge_call_execute(call, ins, 1, outs, 1, &context)), "OK");
  EXPECT_GT(half, 0);  // subnormal
  context.as_xla_cpu = 1;
  EXPECT_EQ(Text(callbridge_call_execute(call, ins, 1, outs, 1, &context)), "OK");
  EXPECT_EQ(half, 0);
  context.struct_size = offsetof(callbridge_execution_context, as_xla_cpu);
  EXPECT_EQ(Text(callbridge_call_execute(call, ins, 1, outs, 1, &context)), "OK");
  EXPECT_GT(half, 0);
  callbridge_call_destroy(call);
}

// Fields that its caller does not know are not read.
TEST_F(TypedTargetTest, StructsOfTheFirstVersionEndBeforeThem) {
  target_.struct_size = offsetof(callbridge_target, instantiate);
  callbridge_array result = {&result_, 4};
  EXPECT_EQ(Text(callbridge_execute(&target_, &site_, nullptr, 0, &result, 1, nullptr)), "OK");
  EXPECT_EQ(instantiated, 0);

  callbridge_target untyped = AddTarget();
  callbridge_site site = PairSite();
  site.struct_size = offsetof(callbridge_site, attributes);
  site.attributes = attributes_;
  callbridge_execution_context context = {offsetof(callbridge_execution_context, lent), nullptr,
                                          reinterpret_cast<callbridge_ffi_context*>(1), 0};
  int32_t a = 2, b = 40;
  callbridge_array operands[] = {{&a, 4}, {&b, 4}};
  EXPECT_EQ(Text(callbridge_execute(&untyped, &site, operands, 2, &result, 1, &context)), "OK");
  EXPECT_EQ(result_, 42);
  site.struct_size = sizeof(site);
  EXPECT_THAT(Text(callbridge_execute(&untyped, &site, operands, 2, &result, 1, &context)),
              HasSubstr("is untyped and takes none"));
}

TEST(CallbridgeTest, WrongStructsAreNamed) {
  callbridge_call* call = nullptr;
  const callbridge_site good_site = PairSite();
  const callbridge_target good_target = AddTarget();
  auto bind_target = [&](auto change) {
    callbridge_target target = AddTarget();
    change(target);
    return Text(callbridge_call_bind(&target, &good_site, &call));
  };
  auto bind_site = [&](auto change) {
    callbridge_site site = PairSite();
    change(site);
    return Text(callbridge_call_bind(&good_target, &site, &call));
  };
  EXPECT_THAT(bind_target([](auto& t) { t.struct_size = 8; }),
              StartsWith("INVALID_ARGUMENT: callbridge_target.struct_size is 8"));
  EXPECT_EQ(bind_target([](auto& t) { t.name = nullptr; }),
            "INVALID_ARGUMENT: callbridge_target.name is null");
  EXPECT_EQ(bind_target([](auto& t) { t.platform = nullptr; }),
            "INVALID_ARGUMENT: callbridge_target.platform is null");
  EXPECT_THAT(bind_target([](auto& t) { t.platform = "TPU"; }), HasSubstr("TPU"));
  EXPECT_THAT(bind_target([](auto& t) { t.api_version = 5; }), HasSubstr("api_version is 5"));
  EXPECT_THAT(bind_target([](auto& t) { t.address = nullptr; }), HasSubstr("null address"));
  EXPECT_THAT(bind_target([](auto& t) { t.api_version = 0; }), HasSubstr("declare it"));
  EXPECT_THAT(bind_site([](auto& s) { s.struct_size = 0; }),
              StartsWith("INVALID_ARGUMENT: callbridge_site.struct_size is 0"));
  EXPECT_EQ(bind_site([](auto& s) { s.operands = nullptr; }),
            "INVALID_ARGUMENT: callbridge_site.operands is null");
  EXPECT_EQ(bind_site([](auto& s) { s.result = nullptr; }), "INVALID_ARGUMENT: result is null");
  EXPECT_THAT(bind_site([](auto& s) { s.result = "f32["; }),
              StartsWith("INVALID_ARGUMENT: result: "));
  EXPECT_THAT(bind_site([](auto& s) { s.era = 2; }), HasSubstr("era is 2"));
  EXPECT_EQ(bind_site([](auto& s) { s.opaque_size = 1; }),
            "INVALID_ARGUMENT: callbridge_site.opaque is null");
  EXPECT_EQ(call, nullptr);
}

TEST(CallbridgeTest, ShapesAreVisitedInPreorder) {
  struct Node {
    int32_t type;
    std::vector<int64_t> dimensions;
    size_t count;
    int64_t size;
    bool operator==(const Node& other) const {
      return type == other.type && dimensions == other.dimensions && count == other.count &&
             size == other.size;
    }
  };
  std::vector<Node> nodes;
  auto visit = [](void* user, int32_t type, const int64_t* dimensions, size_t count, int64_t size) {
    std::vector<int64_t> copy;
    if (dimensions != nullptr) copy.assign(dimensions, dimensions + count);
    static_cast<std::vector<Node>*>(user)->push_back({type, copy, count, size});
  };
  ASSERT_EQ(Text(callbridge_shape_visit("(f32[8,4],((),token[]),bf16[])", +visit, &nodes)), "OK");
  EXPECT_THAT(nodes, ElementsAre(Node{13, {}, 3, 0}, Node{11, {8, 4}, 2, 128}, Node{13, {}, 2, 0},
                                 Node{13, {}, 0, 0}, Node{17, {}, 0, 0}, Node{16, {}, 0, 2}));
  EXPECT_THAT(Text(callbridge_shape_visit("f32", +visit, &nodes)), StartsWith("INVALID_ARGUMENT"));
}

TEST(CallbridgeTest, EntryPointsServeASiteDescriptor) {
  const callbridge_target target = AddTarget();
  callbridge_entry_points points = {sizeof(points), nullptr, nullptr};
  ASSERT_EQ(Text(callbridge_target_entry_points(&target, &points)), "OK");
  ASSERT_NE(points.typed, nullptr);

  const callbridge_site site = PairSite();
  char* descriptor = nullptr;
  size_t size = 0;
  ASSERT_EQ(Text(callbridge_site_encode(&site, &descriptor, &size)), "OK");
  int32_t a = 2, b = 40, sum = 0;
  const void* in[] = {&a, &b};
  reinterpret_cast<void (*)(void*, const void**, const char*, size_t, void*)>(points.untyped)(
      &sum, in, descriptor, size, nullptr);
  EXPECT_EQ(sum, 42);
  callbridge_bytes_free(descriptor);

  points.struct_size = 8;
  EXPECT_THAT(Text(callbridge_target_entry_points(&target, &points)),
              StartsWith("INVALID_ARGUMENT: callbridge_entry_points.struct_size"));
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
  ASSERT_EQ(Text(callbridge_target_entry_points(&target_, &points)), "OK");
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
    ASSERT_EQ(Text(callbridge_site_encode(&site_, &bytes, &size)), "OK");
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
    const std::string text = Text(callbridge_site_encode(&site, &bytes, &size));
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

TEST(CallbridgeTest, TheHeaderIsC) { EXPECT_EQ(CallFromC(), 0); }

TEST(CallbridgeTest, ProbesFunctions) {
  // The test holds callbridge itself, whose functions cannot be asked from outside.
  int32_t verdict = -1;
  char* evidence = nullptr;
  ASSERT_EQ(
      callbridge_probe_typed(reinterpret_cast<void*>(&callbridge_version), &verdict, &evidence),
      nullptr);
  EXPECT_EQ(verdict, CALLBRIDGE_PROBE_UNVERIFIED);
  EXPECT_STREQ(evidence, "it is callbridge's own");
  callbridge_bytes_free(evidence);
  ASSERT_EQ(callbridge_probe_typed(&verdict, &verdict, nullptr), nullptr);
  EXPECT_EQ(verdict, CALLBRIDGE_PROBE_UNVERIFIED);
}

}  // namespace
