// AOT operators as typed targets: in the embedded runtime, on each version of XLA's FFI, and by
// version 3.
#include "callbridge/mindspore_aot/aot_handler.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/abi/typed_site_descriptor.h"
#include "callbridge/adapters/bind.h"
#include "callbridge/adapters/cross_version/headers.h"
#include "callbridge/adapters/entry_points/entry_points.h"
#include "callbridge/adapters/executor.h"
#include "callbridge/mindspore_aot/operator_info_json.h"
#include "callbridge/status_returning/custom_call_status_internal.h"
#include "callbridge/typed_ffi/runtime_versions.h"
#include "callbridge/typed_ffi/state_calls.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/mindspore_aot/aot_operators.h"

namespace callbridge {
namespace mindspore_aot {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

CallSite Site(const std::vector<std::string>& operands, const std::string& result) {
  CallSite site;
  for (const std::string& operand : operands) site.operands.push_back(ParseShape(operand).value());
  site.result = ParseShape(result).value();
  return site;
}

CallSite ReduceSite(int64_t axis) {
  CallSite site = Site({"f32[2,3]", "f32[2,3]"}, axis == 0 ? "f32[3]" : "f32[2]");
  const bool keep_dim = false;
  site.attributes.SetScalar("axis", PrimitiveType::kS64, &axis);
  site.attributes.SetScalar("keep_dim", PrimitiveType::kPred, &keep_dim);
  return site;
}

class AotHandlerTest : public testing::TestWithParam<const char*> {
 protected:
  Target Made(const std::string& function, Platform platform = Platform::kHost) {
    absl::StatusOr<AotOperator> opened = Open(GetParam(), function);
    EXPECT_TRUE(opened.ok()) << opened.status();
    absl::StatusOr<Target> target = MakeTypedTarget(*opened, platform);
    EXPECT_TRUE(target.ok()) << target.status();
    return *std::move(target);
  }

  // Binds and calls once.
  static absl::Status Run(const CallSite& site, const Target& target, std::vector<void*> operands,
                          std::vector<void*> results) {
    absl::StatusOr<BoundCall> call = Bind(site, target);
    if (!call.ok()) return call.status();
    return ExecuteAsXlaCpu(*call, {absl::MakeSpan(operands), absl::MakeSpan(results)});
  }
};
INSTANTIATE_TEST_SUITE_P(, AotHandlerTest, testing::ValuesIn(kStringAbis),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(AotHandlerTest, RunsInTheEmbeddedRuntime) {
  float a[] = {1, 2, 3}, b[] = {10, 20, 40}, sum[3], product[3], quotient[3];
  ASSERT_EQ(Run(Site({"f32[3]", "f32[3]"}, "f32[3]"), Made("Add"), {a, b}, {sum}),
            absl::OkStatus());
  EXPECT_THAT(sum, ElementsAre(11, 22, 43));
  ASSERT_EQ(Run(Site({"f32[3]", "f32[3]"}, "(f32[3],f32[3],f32[3])"), Made("AddMulDiv"), {b, a},
                {sum, product, quotient}),
            absl::OkStatus());
  EXPECT_THAT(sum, ElementsAre(11, 22, 43));
  EXPECT_THAT(product, ElementsAre(10, 40, 120));
  EXPECT_THAT(quotient, ElementsAre(10, 10, 40 / 3.0F));
}

TEST_P(AotHandlerTest, AttributesAndWorkspacesArePassed) {
  const Target reduce = Made("AddReduce");
  float a[] = {1, 2, 3, 4, 5, 6}, b[] = {10, 20, 30, 40, 50, 60}, columns[3], rows[2];
  ASSERT_EQ(Run(ReduceSite(0), reduce, {a, b}, {columns}), absl::OkStatus());
  EXPECT_THAT(columns, ElementsAre(55, 77, 99));
  ASSERT_EQ(Run(ReduceSite(1), reduce, {a, b}, {rows}), absl::OkStatus());
  EXPECT_THAT(rows, ElementsAre(66, 165));
}

TEST_P(AotHandlerTest, OperatorInformationIsCheckedAndFillsInAttributes) {
  // The documentation's: its two inputs have one index.
  const auto info =
      std::make_shared<const OperatorInfo>(ParseOperatorInfo(R"({"op_name": "reduce_kernel_cpu",
          "inputs": [{"index": 0, "name": "x1", "paramType": "required"},
                     {"index": 0, "name": "x2", "paramType": "required"}],
          "outputs": [{"index": 0, "name": "y", "paramType": "required"}],
          "attr": [{"name": "axis", "paramType": "required", "type": "all", "value": 1},
                   {"name": "keep_dim", "paramType": "required", "type": "all", "value": false}],
          "fusion_type": "", "dtype_format": [[["", ""], ["", ""], ["", ""]]], "target": "CPU"})")
                                               .value());
  float a[] = {1, 2, 3, 4, 5, 6}, b[] = {10, 20, 30, 40, 50, 60}, columns[3], rows[2];
  CallSite site = Site({"f32[2,3]", "f32[2,3]"}, "f32[2]");
  site.operator_info = info;
  ASSERT_EQ(Run(site, Made("AddReduce"), {a, b}, {rows}), absl::OkStatus());
  EXPECT_THAT(rows, ElementsAre(66, 165));
  CallSite by_columns = ReduceSite(0);
  by_columns.operator_info = info;
  ASSERT_EQ(Run(by_columns, Made("AddReduce"), {a, b}, {columns}), absl::OkStatus());
  EXPECT_THAT(columns, ElementsAre(55, 77, 99));
  site.operands.pop_back();
  EXPECT_THAT(std::string(Run(site, Made("AddReduce"), {a}, {rows}).message()),
              HasSubstr("\"reduce_kernel_cpu\" declares 2 operands (x1, x2), but the call has 1"));
  by_columns.platform = Platform::kCuda;
  EXPECT_THAT(std::string(Bind(by_columns, Made("AddReduce", Platform::kCuda)).status().message()),
              HasSubstr("is for CPU, but the call is made on CUDA"));
}

TEST_P(AotHandlerTest, RunsOnEveryVersionThatKeepsState) {
  const Target reduce = Made("AddReduce");
  float a[] = {1, 2, 3, 4, 5, 6}, b[] = {10, 20, 30, 40, 50, 60}, columns[3];
  int without_state = 0;
  for (const typed_ffi::RuntimeVersion& version : typed_ffi::kRuntimeVersions) {
    CallSite site = ReduceSite(0);
    const std::vector<std::string> words = absl::StrSplit(version.releases, ' ');
    site.release = words[1];
    columns[0] = 0;
    const absl::Status status = Run(site, reduce, {a, b}, {columns});
    if (!typed_ffi::KeepsState(version, XLA_FFI_ExecutionStage_INSTANTIATE)) {
      EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented) << status;
      ++without_state;
      continue;
    }
    ASSERT_EQ(status, absl::OkStatus()) << version.releases;
    EXPECT_THAT(columns, ElementsAre(55, 77, 99));
  }
  EXPECT_EQ(without_state, 1) << "the oldest";
}

TEST_P(AotHandlerTest, RunsByVersionThree) {
  const auto points = GetEntryPoints(Made("AddReduce"));
  ASSERT_TRUE(points.ok()) << points.status();
  CallSite site = ReduceSite(0);
  const std::string descriptor = EncodeTypedSiteDescriptor(site).value();
  float a[] = {1, 2, 3, 4, 5, 6}, b[] = {10, 20, 30, 40, 50, 60}, columns[3];
  void* in[] = {a, b};
  XlaCustomCallStatus status;
  using Function = void(void*, void**, const char*, size_t, XlaCustomCallStatus*);
  for (int run = 0; run < 3; ++run) {
    reinterpret_cast<Function*>(points->untyped)(columns, in, descriptor.data(), descriptor.size(),
                                                 &status);
    EXPECT_FALSE(status.message.has_value()) << *status.message;
    EXPECT_THAT(columns, ElementsAre(55, 77, 99));
  }
}

TEST_P(AotHandlerTest, TheEightTypesOfAttributesArePassed) {
  CallSite site = Site({}, "f64[8]");
  Attributes& attributes = site.attributes;
  const bool is_true = true;
  const int64_t large = int64_t{1} << 40;
  const float number = 2.5F;
  const int64_t ints[] = {3, -4};
  const float floats[] = {0.5F, 1.25F};
  const int32_t small_ints[] = {7, 8};
  const double doubles[] = {6.5};
  attributes.SetScalar("bool", PrimitiveType::kPred, &is_true);
  attributes.SetScalar("int", PrimitiveType::kS64, &large);
  attributes.SetScalar("float", PrimitiveType::kF32, &number);
  attributes.SetString("string", std::string(99, 'x') + "y");
  attributes.SetArray("ints", PrimitiveType::kS64, ints, 2);
  attributes.SetArray("floats", PrimitiveType::kF32, floats, 2);
  Attributes int_lists, float_lists;
  int_lists.SetArray("1", PrimitiveType::kS32, small_ints, 2);
  int_lists.SetArray("0", PrimitiveType::kS64, ints, 0);
  float_lists.SetArray("0", PrimitiveType::kF32, floats, 2);
  float_lists.SetArray("1", PrimitiveType::kF64, doubles, 1);
  attributes.SetDictionary("int lists", int_lists);
  attributes.SetDictionary("float lists", float_lists);
  double out[8];
  ASSERT_EQ(Run(site, Made("Attributes"), {}, {out}), absl::OkStatus());
  EXPECT_THAT(out, ElementsAre(1, static_cast<double>(large), 2.5, 100000 + 'y', -4, 1.25, 8, 6.5));
}

TEST_P(AotHandlerTest, OtherAttributesAreErrors) {
  const Target add = Made("Add");
  const uint64_t large = UINT64_MAX;
  const float complex[] = {1, 2};
  float a[3] = {};
  const auto check = [&](const Attributes& attributes) {
    CallSite site = Site({"f32[3]", "f32[3]"}, "f32[3]");
    site.attributes = attributes;
    const absl::Status status = Run(site, add, {a, a}, {a});
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr("attribute \"odd\": an AOT operator takes"));
  };
  check(Attributes().SetScalar("odd", PrimitiveType::kU64, &large));
  check(Attributes().SetScalar("odd", PrimitiveType::kC64, complex));
  check(Attributes().SetArray("odd", PrimitiveType::kC64, complex, 1));
  check(Attributes().SetDictionary("odd", Attributes().SetString("0", "text")));
  check(Attributes().SetDictionary("odd",
                                   Attributes().SetArray("1", PrimitiveType::kF32, complex, 2)));
  check(Attributes().SetDictionary("odd", Attributes()
                                              .SetArray("0", PrimitiveType::kF32, complex, 2)
                                              .SetArray("1", PrimitiveType::kU64, &large, 0)));
}

TEST_P(AotHandlerTest, TensorsAreDescribedAsMindSporeDoes) {
  const std::pair<const char*, const char*> kTypes[] = {
      {"pred", "bool"},     {"s8", "int8"},       {"s16", "int16"},      {"s32", "int32"},
      {"s64", "int64"},     {"u8", "uint8"},      {"u16", "uint16"},     {"u32", "uint32"},
      {"u64", "uint64"},    {"f16", "float16"},   {"f32", "float32"},    {"f64", "float64"},
      {"bf16", "bfloat16"}, {"c64", "complex64"}, {"c128", "complex128"}};
  const Target describe = Made("Describe");
  for (const auto& [type, name] : kTypes) {
    CallSite site = Site({absl::StrCat(type, "[2,3]"), absl::StrCat(type, "[]")}, "u8[200]");
    const int64_t sizes[] = {8, 1000};
    site.attributes.SetArray("workspaces", PrimitiveType::kS64, sizes, 2);
    std::vector<char> memory(96);
    char out[201] = {};
    ASSERT_EQ(Run(site, describe, {memory.data(), memory.data()}, {out}), absl::OkStatus());
    EXPECT_EQ(std::string(out), absl::StrCat("3+2 no stream\n", name, " 2 3\n", name,
                                             "\nuint8 200\nworkspace\nworkspace\n"));
  }
  for (const char* type : {"s4", "f8e4m3fn"}) {
    CallSite site = Site({absl::StrCat(type, "[2]")}, "u8[200]");
    site.attributes.SetArray("workspaces", PrimitiveType::kS64, nullptr, 0);
    char memory[2], out[201];
    const absl::Status status = Run(site, describe, {memory}, {out});
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(),
                HasSubstr(absl::StrCat("no tensors of ", type, ", which parameter 0")));
  }
}

TEST_P(AotHandlerTest, ManyParametersArePassed) {
  const Target describe = Made("Describe");
  CallSite site = Site(std::vector<std::string>(100, "f32[1]"), "u8[2000]");
  const std::vector<int64_t> sizes(70, 16);
  site.attributes.SetArray("workspaces", PrimitiveType::kS64, sizes.data(), sizes.size());
  float operand = 0;
  char out[2001] = {};
  ASSERT_EQ(Run(site, describe, std::vector<void*>(100, &operand), {out}), absl::OkStatus());
  EXPECT_THAT(std::string(out), HasSubstr("101+70 no stream\nfloat32 1\n"));
  EXPECT_THAT(std::string(out), testing::EndsWith("uint8 2000\n" + [] {
                std::string text;
                for (int i = 0; i < 70; ++i) text += "workspace\n";
                return text;
              }()));
}

TEST_P(AotHandlerTest, AWorkspaceLargerThanMemoryIsAnError) {
  const Target flaky = Made("Flaky");
  CallSite site = Site({}, "s64[]");
  site.attributes.SetString("way", "memory");
  int64_t out;
  const absl::Status status = Run(site, flaky, {}, {&out});
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_THAT(status.message(), HasSubstr("4611686018427387904 bytes"));
}

TEST_P(AotHandlerTest, FailuresAreErrors) {
  CallSite site = Site({}, "f32[]");
  site.attributes.SetString("way", "exception");
  float out;
  const absl::Status status = Run(site, Made("Fails"), {}, {&out});
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(status.message(), HasSubstr("threw std::runtime_error: no licence"));
}

TEST_P(AotHandlerTest, GpuOperatorsGetTheStream) {
  const Target describe = Made("Describe", Platform::kCuda);
  CallSite site = Site({}, "u8[200]");
  site.platform = Platform::kCuda;
  site.attributes.SetArray("workspaces", PrimitiveType::kS64, nullptr, 0);
  const auto call = Bind(site, describe);
  ASSERT_TRUE(call.ok()) << call.status();
  char out[201] = {};
  void* result = out;
  int stream;
  ExecutionContext context;
  context.stream = &stream;
  ASSERT_EQ(call->Execute({{}, {&result, 1}}, context), absl::OkStatus());
  EXPECT_EQ(std::string(out), "1+0 stream\nuint8 200\n");
}

TEST_P(AotHandlerTest, RunsOnEveryRuntimeWithoutAWrapper) {
  const auto headers = RecognizeHeaders(Made("Add").stages.execute);
  ASSERT_TRUE(headers.ok()) << headers.status();
  EXPECT_TRUE(headers->adapts);
}

TEST_P(AotHandlerTest, OneFunctionHasOneHandler) {
  const absl::StatusOr<AotOperator> add = Open(GetParam(), "Add");
  ASSERT_TRUE(add.ok()) << add.status();
  const Target first = MakeTypedTarget(*add, Platform::kHost).value();
  EXPECT_EQ(MakeTypedTarget(*add, Platform::kHost)->address, first.address);
  EXPECT_NE(MakeTypedTarget(*add, Platform::kCuda)->address, first.address);
}

TEST_P(AotHandlerTest, MoreOperatorsThanCompiledTrampolinesRun) {
  float a[] = {1}, b[] = {2}, sum[1];
  for (int i = 0; i < 70; ++i) {
    sum[0] = 0;
    ASSERT_EQ(Run(Site({"f32[1]", "f32[1]"}, "f32[1]"), Made("Add"), {a, b}, {sum}),
              absl::OkStatus());
    EXPECT_EQ(sum[0], 3);
  }
}

}  // namespace
}  // namespace mindspore_aot
}  // namespace callbridge
