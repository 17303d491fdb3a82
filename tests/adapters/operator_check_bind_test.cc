// Attributes that are declared, and what Bind() does with them and with the rest of operator
// information.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "callbridge/adapters/bind.h"
#include "callbridge/adapters/operator_check.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/adapters/operator_sites.h"
#include "tests/refused.h"

namespace callbridge {
namespace {

using namespace operator_sites;  // NOLINT(google-build-using-namespace)
using ::testing::EndsWith;
using ::testing::HasSubstr;

using Elements = OperatorInfo::AttributeType::Elements;
using Kind = OperatorInfo::AttributeType::Kind;

// ---- Attributes ---------------------------------------------------------------------------------

OperatorInfo WithAttributes() {
  OperatorInfo info = Binary({});
  info.attributes = {{"axis", true, {Kind::kScalar, Elements::kIntegers, {}, "int"}},
                     {"scale", true, {Kind::kScalar, Elements::kExact, kF32, "f32"}},
                     {"note", false, {}}};
  const int64_t one = 1;
  info.defaults.SetScalar("axis", PrimitiveType::kS64, &one);
  return info;
}

Target Typed() {
  Target target = Recording();
  target.api_version = ApiVersion::kTypedFfi;
  return target;
}

absl::Status CheckAttributes(const Attributes& attributes) {
  CallSite site = MakeSite(WithAttributes(), {"f32[]", "f32[]"}, "f32[]");
  site.attributes = attributes;
  return CheckOperator(site, Typed());
}

TEST(OperatorCheckBindTest, AttributesAreThoseThatAreDeclared) {
  const float half = 0.5F;
  const double wide = 0.5;
  const int32_t two = 2;
  const Attributes scale = Attributes().SetScalar("scale", kF32, &half);
  EXPECT_EQ(CheckAttributes(scale), absl::OkStatus());
  EXPECT_EQ(CheckAttributes(Attributes(scale).SetScalar("axis", kS32, &two).SetString("note", "")),
            absl::OkStatus());
  EXPECT_EQ(Refused(CheckAttributes({})),
            absl::StrCat(kSubject,
                         " requires attribute \"scale\", f32, which has no default and which the "
                         "call lacks"));
  EXPECT_EQ(Refused(CheckAttributes(Attributes(scale).SetString("size", "x"))),
            absl::StrCat(kSubject,
                         " declares no attribute \"size\", which the call has; it declares axis, "
                         "scale, note"));
  EXPECT_EQ(Refused(CheckAttributes(Attributes().SetScalar("scale", PrimitiveType::kF64, &wide))),
            absl::StrCat(kSubject, " declares attribute \"scale\" as f32, but the call has f64"));
  EXPECT_EQ(Refused(CheckAttributes(Attributes(scale).SetArray("axis", kS32, &two, 1))),
            absl::StrCat(kSubject, " declares attribute \"axis\" as int, but the call has s32[1]"));
  CallSite site = MakeSite(Binary({}), {"f32[]", "f32[]"}, "f32[]");
  site.attributes = scale;
  EXPECT_THAT(Refused(CheckOperator(site, Typed())), EndsWith("it declares none"));
}

TEST(OperatorCheckBindTest, UntypedTargetsTakeNoAttributes) {
  const CallSite site = MakeSite(WithAttributes(), {"f32[]", "f32[]"}, "f32[]");
  EXPECT_EQ(Refused(CheckOperator(site, Recording())),
            absl::StrCat(kSubject,
                         " declares attribute \"axis\", but the target is untyped and takes none: "
                         "pass bytes as its opaque"));
  // A target of an ABI that only the site declares.
  Target unknown = Recording();
  unknown.api_version = ApiVersion::kUnspecified;
  CallSite typed = site;
  typed.api_version = ApiVersion::kTypedFfi;
  EXPECT_THAT(Refused(CheckOperator(typed, unknown)), HasSubstr("requires attribute \"scale\""));
}

// ---- Bind ---------------------------------------------------------------------------------------

// The typed target: it has attributes, and wants "axis" to be an s64.
int64_t seen_axis;
XLA_FFI_Error* SeeAxis(XLA_FFI_CallFrame* frame) {
  // The metadata query has no attributes.
  for (int64_t i = 0; i < frame->attrs.size; ++i) {
    const XLA_FFI_ByteSpan* name = frame->attrs.names[i];
    if (std::string(name->ptr, name->len) != "axis") continue;
    const auto* scalar = static_cast<const XLA_FFI_Scalar*>(frame->attrs.attrs[i]);
    seen_axis = *static_cast<const int64_t*>(scalar->value);
  }
  return nullptr;
}

struct AbiCase {
  const char* name;
  Target target;
};

std::vector<AbiCase> Abis() {
  return {
      {"original", MakeTarget(&HostOriginalTarget, Platform::kHost, ApiVersion::kOriginal)},
      {"status_returning",
       MakeTarget(&HostStatusTarget, Platform::kHost, ApiVersion::kStatusReturning)},
      {"unified",
       MakeTarget(&HostUnifiedTarget, Platform::kHost, ApiVersion::kStatusReturningUnified)},
      {"typed_ffi", MakeTarget(&SeeAxis, Platform::kHost, ApiVersion::kTypedFfi)},
  };
}

TEST(OperatorCheckBindTest, BindChecksTargetsOfEveryAbi) {
  for (const AbiCase& abi : Abis()) {
    SCOPED_TRACE(abi.name);
    CallSite site = MakeSite(Binary({{Of(kF32), Of(kF32), Of(kF32)}}), {"f32[]", "f32[]"}, "f32[]");
    if (abi.target.api_version == ApiVersion::kTypedFfi) site.release = "0.4.30";
    recorded = Recorded();
    absl::StatusOr<BoundCall> call = Bind(site, abi.target);
    ASSERT_TRUE(call.ok()) << call.status();
    void* operands[] = {nullptr, nullptr};
    void* results[] = {nullptr};
    EXPECT_EQ(call->Execute({operands, results}), absl::OkStatus());
    site.operands[1] = MakeShape("s8[]");
    EXPECT_THAT(Refused(Bind(site, abi.target).status()),
                AllOf(HasSubstr(kSubject), EndsWith("operand 1 (x2) must be f32, but is s8[]")));
    site.operands[1] = MakeShape("f32[]");
    EXPECT_TRUE(Bind(site, abi.target).ok()) << "after a failure";
    site.operands[1] = MakeShape("s8[]");
    site.operator_info = nullptr;
    EXPECT_TRUE(Bind(site, abi.target).ok()) << "nothing is declared";
  }
}

TEST(OperatorCheckBindTest, BindSaysFirstThatATargetIsOfAnotherPlatform) {
  CallSite site = MakeSite(Binary({}), {}, "f32[]");
  site.platform = Platform::kCuda;
  EXPECT_EQ(Bind(site, Recording()).status().code(), absl::StatusCode::kNotFound);
  Target null = Recording();
  null.address = nullptr;
  site.platform = Platform::kHost;
  EXPECT_THAT(Refused(Bind(site, null).status()), EndsWith("has a null address"));
}

TEST(OperatorCheckBindTest, BindFillsInDefaults) {
  const Target typed = MakeTarget(&SeeAxis, Platform::kHost, ApiVersion::kTypedFfi);
  OperatorInfo info = WithAttributes();
  const float half = 0.5F;
  CallSite site = MakeSite(info, {"f32[]", "f32[]"}, "f32[]");
  site.release = "0.4.30";
  EXPECT_THAT(Refused(Bind(site, typed).status()), HasSubstr("requires attribute \"scale\""));
  site.attributes.SetScalar("scale", kF32, &half);
  const auto axis_of = [&](const CallSite& bound) {
    seen_axis = -1;
    absl::StatusOr<BoundCall> call = Bind(bound, typed);
    EXPECT_TRUE(call.ok()) << call.status();
    void* operands[] = {nullptr, nullptr};
    void* results[] = {nullptr};
    if (!call.ok()) return seen_axis;
    EXPECT_EQ(call->Execute({operands, results}), absl::OkStatus());
    return seen_axis;
  };
  EXPECT_EQ(axis_of(site), 1) << "the default";
  EXPECT_THAT(site.attributes.values().count("axis"), 0) << "of the call alone";
  const int64_t three = 3;
  site.attributes.SetScalar("axis", PrimitiveType::kS64, &three);
  EXPECT_EQ(axis_of(site), 3) << "the call's own";
}

}  // namespace
}  // namespace callbridge
