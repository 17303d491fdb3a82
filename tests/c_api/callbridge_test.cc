#include "callbridge/callbridge.h"

#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "callbridge/callbridge_ffi.h"
#include "callbridge/typed_ffi/c_api.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/c_api/callbridge_c_test.h"
#include "tests/c_api/error_text.h"
#include "tests/c_api/simple_calls.h"

namespace callbridge {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

void Add(void* out, const void** in) {
  auto* const* pair = static_cast<const int32_t* const*>(in[0]);
  *static_cast<int32_t*>(out) = *pair[0] + *pair[1];
}

callbridge_target AddTarget() {
  callbridge_target target = OriginalTarget(&Add, "add");
  target.platform = "cpu";
  target.api_version_is_proved = 1;
  return target;
}

const char* const kPair[] = {"(s32[],s32[])"};
callbridge_site PairSite() { return Site(kPair, "s32[]"); }

TEST(CallbridgeTest, VersionIsThreeNumbers) {
  EXPECT_THAT(callbridge_version(), ::testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

TEST(CallbridgeTest, CodeNames) {
  for (int32_t code = 0; code <= 16; ++code) {
    EXPECT_EQ(callbridge_error_code_name(code),
              absl::StatusCodeToString(static_cast<absl::StatusCode>(code)));
  }
  for (int32_t code : {17, -1, INT32_MAX, INT32_MIN}) {
    EXPECT_STREQ(callbridge_error_code_name(code), "UNKNOWN") << code;
  }
}

TEST(CallbridgeTest, ErrorsCanBeMade) {
  std::string message("out of\0cheese", 13);
  callbridge_error* error = callbridge_error_create(5, message.data(), message.size());
  message.assign(13, 'x');
  EXPECT_EQ(ErrorText(error), std::string("NOT_FOUND: out of\0cheese", 24));
  EXPECT_EQ(ErrorText(callbridge_error_create(99, nullptr, 0)), "UNKNOWN: ");
}

TEST(CallbridgeTest, NullsAreIgnoredWhereThatIsSaid) {
  callbridge_error_destroy(nullptr);
  EXPECT_EQ(callbridge_library_close(nullptr), nullptr);
  callbridge_call_destroy(nullptr);
  callbridge_bytes_free(nullptr);
}

// ---- Functions that a library exports

class LibraryFunctionTest : public testing::Test {
 protected:
  LibraryFunctionTest() {
    EXPECT_EQ(ErrorText(callbridge_library_load(OLD_BINARIES "/original_unlinked.so", &library_)),
              "OK");
    target_.struct_size = sizeof(target_);
  }
  ~LibraryFunctionTest() override {
    EXPECT_EQ(ErrorText(callbridge_library_close(library_)), "OK");
  }

  std::string Find(const char* symbol, const char* platform = "Host") {
    return ErrorText(callbridge_library_function(library_, symbol, platform, &target_));
  }

  callbridge_library* library_ = nullptr;
  callbridge_target target_ = {};
};

TEST_F(LibraryFunctionTest, IsCalledByTheAbiThatIsDeclared) {
  ASSERT_EQ(Find("c_function", "cpu"), "OK");
  EXPECT_STREQ(target_.name, "c_function");
  EXPECT_STREQ(target_.platform, "Host");
  EXPECT_EQ(target_.api_version, CALLBRIDGE_API_VERSION_UNSPECIFIED);
  EXPECT_EQ(target_.api_version_is_proved, 0);
  EXPECT_STREQ(target_.evidence, "symbol c_function has no type (extern \"C\")");

  int32_t x = 40, y = 0;
  const callbridge_array operand = {&x, sizeof(x)}, result = {&y, sizeof(y)};
  const char* const shapes[] = {"s32[]"};
  const callbridge_site site = Site(shapes, "s32[]");
  const auto execute = [&] {
    return ErrorText(callbridge_execute(&target_, &site, &operand, 1, &result, 1, nullptr));
  };
  EXPECT_THAT(execute(), StartsWith("INVALID_ARGUMENT: "));
  target_.api_version = CALLBRIDGE_API_VERSION_ORIGINAL;
  EXPECT_EQ(execute(), "OK");
  EXPECT_EQ(y, 42);
}

TEST_F(LibraryFunctionTest, HasTheAbiThatItsSymbolProves) {
  ASSERT_EQ(Find("_Z14do_custom_callPvPPKv"), "OK");
  EXPECT_EQ(target_.api_version, CALLBRIDGE_API_VERSION_ORIGINAL);
  EXPECT_EQ(target_.api_version_is_proved, 1);
  const std::string evidence = target_.evidence;
  // Asked for again, and beside another one, the texts stay.
  const char* const text = target_.evidence;
  ASSERT_EQ(Find("c_function"), "OK");
  ASSERT_EQ(Find("_Z14do_custom_callPvPPKv"), "OK");
  EXPECT_EQ(target_.evidence, text);
  EXPECT_EQ(evidence, "symbol do_custom_call(void*, void const**)");
}

TEST_F(LibraryFunctionTest, SaysWhatIsLikeOneThatIsNotThere) {
  EXPECT_EQ(Find("c_functoin"),
            "NOT_FOUND: " OLD_BINARIES
            "/original_unlinked.so: exports no function c_functoin; did you mean c_function?");
  EXPECT_THAT(Find("do_custom_call"),
              EndsWith("exports no function do_custom_call; did you mean _Z14do_custom_callPvPPKv, "
                       "which is do_custom_call(void*, void const**)?"));
  EXPECT_THAT(Find("frobnicate"), EndsWith(": exports no function frobnicate"));
  // Of the libraries that it needs, but not its own.
  EXPECT_THAT(Find("malloc"), StartsWith("NOT_FOUND: "));
  EXPECT_THAT(Find("c_function", "TPU"), StartsWith("INVALID_ARGUMENT: "));
}

TEST_F(LibraryFunctionTest, TheProcessIsNoFile) {
  callbridge_library* process = nullptr;
  ASSERT_EQ(ErrorText(callbridge_library_of_process(&process)), "OK");
  EXPECT_THAT(ErrorText(callbridge_library_function(process, "malloc", "Host", &target_)),
              StartsWith("INVALID_ARGUMENT: the process is not the file of a library"));
  EXPECT_EQ(ErrorText(callbridge_library_close(process)), "OK");
}

TEST(CallbridgeTest, AMissingLibraryIsNotFound) {
  callbridge_library* library = nullptr;
  EXPECT_THAT(ErrorText(callbridge_library_load("/no/such/file.so", &library)),
              StartsWith("NOT_FOUND: "));
  EXPECT_EQ(library, nullptr);
}

TEST(CallbridgeTest, ExecuteChecksSizesAndCalls) {
  int32_t a = 2, b = 40, sum = 0;
  const callbridge_target target = AddTarget();
  const callbridge_site site = PairSite();
  callbridge_array operands[] = {{&a, 4}, {&b, 4}};
  callbridge_array result = {&sum, 4};
  EXPECT_EQ(ErrorText(callbridge_execute(&target, &site, operands, 2, &result, 1, nullptr)), "OK");
  EXPECT_EQ(sum, 42);

  EXPECT_EQ(
      ErrorText(callbridge_execute(&target, &site, operands, 1, &result, 1, nullptr)),
      "INVALID_ARGUMENT: the call site declares 2 operands (leaves of tuples counted), but the "
      "call has 1");
  operands[1].size_bytes = 8;
  EXPECT_EQ(ErrorText(callbridge_execute(&target, &site, operands, 2, &result, 1, nullptr)),
            "INVALID_ARGUMENT: operand 1 (leaves of tuples counted) is declared s32[], which has 4 "
            "bytes, but its array has 8");
}

TEST(CallbridgeTest, TheEraSaysHowTuplesAreHandedOver) {
  const callbridge_target target = OriginalTarget(+[](void* out, const void** in) {
    *static_cast<int32_t*>(out) =
        *static_cast<const int32_t*>(in[0]) - *static_cast<const int32_t*>(in[1]);
  });
  callbridge_site site = PairSite();
  site.tuple_layout = CALLBRIDGE_TUPLE_LAYOUT_FLAT;
  int32_t a = 50, b = 8, difference = 0;
  const callbridge_array operands[] = {{&a, 4}, {&b, 4}};
  const callbridge_array result = {&difference, 4};
  EXPECT_EQ(ErrorText(callbridge_execute(&target, &site, operands, 2, &result, 1, nullptr)), "OK");
  EXPECT_EQ(difference, 42);
}

TEST(CallbridgeTest, TheOpaqueIsAnyBytes) {
  callbridge_target target = OriginalTarget();
  target.api_version = CALLBRIDGE_API_VERSION_STATUS_RETURNING_UNIFIED;
  target.address =
      reinterpret_cast<void*>(+[](void* out, const void**, const char* opaque, size_t size, void*) {
        *static_cast<std::string*>(*static_cast<void**>(out)) = std::string(opaque, size);
      });
  std::string seen;
  void* where = &seen;
  const callbridge_array result = {&where, 8};
  for (const std::string& opaque : {std::string("a\0b\0", 4), std::string()}) {
    callbridge_site site = ResultSite("u64[]");
    site.opaque = opaque.data();
    site.opaque_size = opaque.size();
    EXPECT_EQ(ErrorText(callbridge_execute(&target, &site, nullptr, 0, &result, 1, nullptr)), "OK");
    EXPECT_EQ(seen, opaque);
  }
}

TEST(CallbridgeTest, EmptyArraysNeedNoData) {
  const char* const operands[] = {"s32[]", "f32[0]", "token[]"};
  const callbridge_target target = OriginalTarget();
  const callbridge_site site = Site(operands, "(s32[],f32[3,0])");
  int32_t in = 42, out = 0;
  const callbridge_array arrays[] = {{&in, 4}, {nullptr, 0}, {&in, 0}};
  const callbridge_array results[] = {{&out, 4}, {nullptr, 0}};
  callbridge_target first_of_two = target;
  first_of_two.address = reinterpret_cast<void*>(+[](void* tuple, const void** in) {
    EXPECT_EQ(in[2], nullptr) << "a token, whatever its array says";
    CopyS32(*static_cast<void**>(tuple), in);
  });
  EXPECT_EQ(ErrorText(callbridge_execute(&first_of_two, &site, arrays, 3, results, 2, nullptr)),
            "OK");
  EXPECT_EQ(out, 42);
}

TEST(CallbridgeTest, BindOnceAndExecute) {
  const callbridge_target target = AddTarget();
  const callbridge_site site = PairSite();
  callbridge_call* call = nullptr;
  ASSERT_EQ(ErrorText(callbridge_call_bind(&target, &site, nullptr, &call)), "OK");
  for (int32_t i = 0; i < 3; ++i) {
    int32_t b = 10, sum = 0;
    void* operands[] = {&i, &b};
    void* results[] = {&sum};
    EXPECT_EQ(ErrorText(callbridge_call_execute(call, operands, 2, results, 1, nullptr)), "OK");
    EXPECT_EQ(sum, i + 10);
  }
  EXPECT_THAT(ErrorText(callbridge_call_execute(call, nullptr, 0, nullptr, 0, nullptr)),
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
  const callbridge_execution_context context = {sizeof(context), &stream, nullptr, 0, 0,
                                                nullptr,         0};
  const callbridge_site site = PairSite();
  callbridge_call* call = nullptr;
  ASSERT_EQ(ErrorText(callbridge_call_bind(&target, &site, nullptr, &call)), "OK");
  void* pointers[] = {nullptr, nullptr};
  EXPECT_EQ(ErrorText(callbridge_call_execute(call, pointers, 2, pointers, 1, &context)), "OK");
  EXPECT_EQ(seen, &stream);
  callbridge_call_destroy(call);

  seen = nullptr;
  int32_t a = 0, b = 0, sum = 0;
  const callbridge_array operands[] = {{&a, 4}, {&b, 4}}, result = {&sum, 4};
  EXPECT_EQ(ErrorText(callbridge_execute(&target, &site, operands, 2, &result, 1, &context)), "OK");
  EXPECT_EQ(seen, &stream);
}

TEST(CallbridgeTest, XlaCpusFloatingPointModeIsForThoseWhoAsk) {
  callbridge_target target = AddTarget();
  target.address = reinterpret_cast<void*>(+[](void* out, const void** in) {
    *static_cast<float*>(out) = *static_cast<const float*>(in[0]) * 0.5F;
  });
  const char* const operands[] = {"f32[]"};
  const callbridge_site site = Site(operands, "f32[]");
  callbridge_call* call = nullptr;
  ASSERT_EQ(ErrorText(callbridge_call_bind(&target, &site, nullptr, &call)), "OK");
  float smallest = std::numeric_limits<float>::min(), half = -1;
  void* ins[] = {&smallest};
  void* outs[] = {&half};
  callbridge_execution_context context = {sizeof(context), nullptr, nullptr, 0, 0, nullptr, 0};
  EXPECT_EQ(ErrorText(callbridge_call_execute(call, ins, 1, outs, 1, &context)), "OK");
  EXPECT_GT(half, 0);  // subnormal
  context.as_xla_cpu = 1;
  EXPECT_EQ(ErrorText(callbridge_call_execute(call, ins, 1, outs, 1, &context)), "OK");
  EXPECT_EQ(half, 0);
  context.keeps_floating_point = 1;
  EXPECT_EQ(ErrorText(callbridge_call_execute(call, ins, 1, outs, 1, &context)), "OK");
  EXPECT_GT(half, 0);
  // A caller of before the field has padding where it would be, if it were narrower.
  context.struct_size = offsetof(callbridge_execution_context, keeps_floating_point);
  EXPECT_EQ(ErrorText(callbridge_call_execute(call, ins, 1, outs, 1, &context)), "OK");
  EXPECT_EQ(half, 0);
  context.struct_size = offsetof(callbridge_execution_context, as_xla_cpu);
  EXPECT_EQ(ErrorText(callbridge_call_execute(call, ins, 1, outs, 1, &context)), "OK");
  EXPECT_GT(half, 0);
  callbridge_call_destroy(call);
}

TEST(CallbridgeTest, WrongStructsAreNamed) {
  callbridge_call* call = nullptr;
  const callbridge_site good_site = PairSite();
  const callbridge_target good_target = AddTarget();
  auto bind_target = [&](auto change) {
    callbridge_target target = AddTarget();
    change(target);
    return ErrorText(callbridge_call_bind(&target, &good_site, nullptr, &call));
  };
  auto bind_site = [&](auto change) {
    callbridge_site site = PairSite();
    change(site);
    return ErrorText(callbridge_call_bind(&good_target, &site, nullptr, &call));
  };
  EXPECT_THAT(bind_target([](auto& t) { t.struct_size = 8; }),
              StartsWith("INVALID_ARGUMENT: callbridge_target.struct_size is 8"));
  EXPECT_EQ(bind_target([](auto& t) { t.name = nullptr; }),
            "INVALID_ARGUMENT: callbridge_target.name is null");
  EXPECT_EQ(bind_target([](auto& t) { t.platform = nullptr; }),
            "INVALID_ARGUMENT: callbridge_target.platform is null");
  EXPECT_THAT(bind_target([](auto& t) { t.platform = "TPU"; }), HasSubstr("TPU"));
  EXPECT_EQ(bind_target([](auto& t) { t.api_version = 5; }),
            "INVALID_ARGUMENT: callbridge_target.api_version is 5, but must be one of 0 to 4");
  EXPECT_EQ(bind_target([](auto& t) { t.api_version = -1; }),
            "INVALID_ARGUMENT: callbridge_target.api_version is -1, but must be one of 0 to 4");
  EXPECT_THAT(bind_target([](auto& t) { t.address = nullptr; }), HasSubstr("null address"));
  EXPECT_THAT(bind_target([](auto& t) { t.api_version = 0; }), HasSubstr("declare it"));
  EXPECT_THAT(bind_site([](auto& s) { s.struct_size = 0; }),
              StartsWith("INVALID_ARGUMENT: callbridge_site.struct_size is 0"));
  EXPECT_EQ(bind_site([](auto& s) { s.operands = nullptr; }),
            "INVALID_ARGUMENT: callbridge_site.operands is null");
  EXPECT_EQ(bind_site([](auto& s) { s.result = nullptr; }), "INVALID_ARGUMENT: result is null");
  EXPECT_THAT(bind_site([](auto& s) { s.result = "f32["; }),
              StartsWith("INVALID_ARGUMENT: result: "));
  static const char* const second_is_bad[] = {"s32[]", "s33[]"};
  EXPECT_THAT(bind_site([](auto& s) { s.operands = second_is_bad, s.operand_count = 2; }),
              StartsWith("INVALID_ARGUMENT: operand 1: "));
  for (int32_t tuple_layout : {2, -1}) {
    EXPECT_EQ(bind_site([&](auto& s) { s.tuple_layout = tuple_layout; }),
              "INVALID_ARGUMENT: callbridge_site.tuple_layout is " + std::to_string(tuple_layout) +
                  ", but must be 0 or 1");
  }
  EXPECT_EQ(bind_site([](auto& s) { s.opaque_size = 1; }),
            "INVALID_ARGUMENT: callbridge_site.opaque is null");
  EXPECT_EQ(call, nullptr);
}

std::string AbiText(size_t index, const char* platform) {
  callbridge_target_abi abi = {};
  abi.struct_size = sizeof(abi);
  const std::string error = ErrorText(callbridge_target_abi_at(index, platform, &abi));
  if (error != "OK") return error;
  return absl::StrCat(abi.name, " ", abi.enumerator, " ", abi.api_version, " as ", abi.called_as,
                      " provides ", abi.provides,
                      abi.serves_unspecified != 0 ? " unspecified" : "");
}

TEST(CallbridgeTest, AbisAreEnumerated) {
  ASSERT_EQ(callbridge_target_abi_count(), 4U);
  EXPECT_EQ(AbiText(0, "Host"), "original CALLBRIDGE_API_VERSION_ORIGINAL 1 as 2 provides 8");
  EXPECT_EQ(AbiText(1, "cpu"),
            "status_returning CALLBRIDGE_API_VERSION_STATUS_RETURNING 2 as 2 provides 9");
  EXPECT_EQ(
      AbiText(2, "HOST"),
      "status_returning_unified CALLBRIDGE_API_VERSION_STATUS_RETURNING_UNIFIED 3 as 3 provides "
      "11");
  EXPECT_EQ(AbiText(3, "Host"), "typed_ffi CALLBRIDGE_API_VERSION_TYPED_FFI 4 as 4 provides 112");
  for (const char* gpu : {"CUDA", "rocm", "gpu"}) {
    EXPECT_EQ(AbiText(0, gpu), "original CALLBRIDGE_API_VERSION_ORIGINAL 1 as 2 provides 6");
    EXPECT_EQ(
        AbiText(1, gpu),
        "status_returning CALLBRIDGE_API_VERSION_STATUS_RETURNING 2 as 2 provides 7 unspecified");
    EXPECT_EQ(AbiText(3, gpu), "typed_ffi CALLBRIDGE_API_VERSION_TYPED_FFI 4 as 4 provides 116");
  }
  EXPECT_EQ(AbiText(4, "Host"), "OUT_OF_RANGE: target ABI index 4 is out of range: there are 4");
  EXPECT_THAT(AbiText(0, "TPU"), StartsWith("INVALID_ARGUMENT: unknown platform \"TPU\""));
  callbridge_target_abi abi = {};
  abi.struct_size = 8;
  EXPECT_THAT(ErrorText(callbridge_target_abi_at(0, "Host", &abi)),
              StartsWith("INVALID_ARGUMENT: callbridge_target_abi.struct_size is 8"));
}

TEST(CallbridgeTest, AContextHasItsFirstVersionAtLeast) {
  const callbridge_target target = AddTarget();
  const callbridge_site site = PairSite();
  callbridge_call* call = nullptr;
  ASSERT_EQ(ErrorText(callbridge_call_bind(&target, &site, nullptr, &call)), "OK");
  int32_t a = 2, b = 40, sum = 0;
  const callbridge_array operands[] = {{&a, 4}, {&b, 4}}, result = {&sum, 4};
  void* ins[] = {&a, &b};
  void* outs[] = {&sum};
  const callbridge_execution_context context = {8, nullptr, nullptr, 0, 0, nullptr, 0};
  const std::string refused =
      "INVALID_ARGUMENT: callbridge_execution_context.struct_size is 8, but must be at least 16: "
      "set it to sizeof(callbridge_execution_context)";
  EXPECT_EQ(ErrorText(callbridge_call_execute(call, ins, 2, outs, 1, &context)), refused);
  EXPECT_EQ(ErrorText(callbridge_execute(&target, &site, operands, 2, &result, 1, &context)),
            refused);
  EXPECT_EQ(sum, 0);
  callbridge_call_destroy(call);
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
  ASSERT_EQ(ErrorText(callbridge_shape_visit("(f32[8,4],((),token[]),bf16[])", +visit, &nodes)),
            "OK");
  EXPECT_THAT(nodes, ElementsAre(Node{13, {}, 3, 0}, Node{11, {8, 4}, 2, 128}, Node{13, {}, 2, 0},
                                 Node{13, {}, 0, 0}, Node{17, {}, 0, 0}, Node{16, {}, 0, 2}));
  EXPECT_THAT(ErrorText(callbridge_shape_visit("f32", +visit, &nodes)),
              StartsWith("INVALID_ARGUMENT"));
}

TEST(CallbridgeTest, EntryPointsServeASiteDescriptor) {
  const callbridge_target target = AddTarget();
  callbridge_entry_points points = {sizeof(points), nullptr, nullptr};
  ASSERT_EQ(ErrorText(callbridge_target_entry_points(&target, &points)), "OK");
  ASSERT_NE(points.typed, nullptr);

  const callbridge_site site = PairSite();
  char* descriptor = nullptr;
  size_t size = 0;
  ASSERT_EQ(ErrorText(callbridge_site_encode(&site, &descriptor, &size)), "OK");
  int32_t a = 2, b = 40, sum = 0;
  const void* in[] = {&a, &b};
  reinterpret_cast<void (*)(void*, const void**, const char*, size_t, void*)>(points.untyped)(
      &sum, in, descriptor, size, nullptr);
  EXPECT_EQ(sum, 42);
  callbridge_bytes_free(descriptor);

  points.struct_size = 8;
  EXPECT_THAT(ErrorText(callbridge_target_entry_points(&target, &points)),
              StartsWith("INVALID_ARGUMENT: callbridge_entry_points.struct_size"));
}

// What a runtime learns of the handler when it is registered.
uint32_t ReportedTraits(void* handler) {
  XLA_FFI_Metadata metadata = {XLA_FFI_Metadata_STRUCT_SIZE, {}, 99, {0}};
  XLA_FFI_Metadata_Extension query = {{sizeof(query), XLA_FFI_Extension_Metadata, nullptr},
                                      &metadata};
  XLA_FFI_CallFrame frame = {};
  frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
  frame.extension_start = &query.extension_base;
  EXPECT_EQ(reinterpret_cast<XLA_FFI_Handler*>(handler)(&frame), nullptr);
  return metadata.traits;
}

TEST(CallbridgeTest, EntryPointsReportThatATargetMayBeCaptured) {
  callbridge_target target = AddTarget();
  callbridge_entry_points without = {sizeof(without), nullptr, nullptr}, with = without;
  ASSERT_EQ(ErrorText(callbridge_target_entry_points(&target, &without)), "OK");
  target.command_buffer_compatible = 1;
  ASSERT_EQ(ErrorText(callbridge_target_entry_points(&target, &with)), "OK");
  EXPECT_EQ(ReportedTraits(without.typed), 0U);
  EXPECT_EQ(ReportedTraits(with.typed), CALLBRIDGE_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE);
  EXPECT_NE(with.untyped, without.untyped);

  // A caller that was compiled before the field was there has other things behind its struct.
  target.struct_size = offsetof(callbridge_target, command_buffer_compatible);
  callbridge_entry_points old = {sizeof(old), nullptr, nullptr};
  ASSERT_EQ(ErrorText(callbridge_target_entry_points(&target, &old)), "OK");
  EXPECT_EQ(old.typed, without.typed);
}

TEST(CallbridgeTest, TheHeaderIsC) { EXPECT_EQ(CallFromC(), 0); }

}  // namespace
}  // namespace callbridge
