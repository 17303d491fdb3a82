#include "callbridge/adapters/operator_check.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/adapters/operator_sites.h"
#include "tests/refused.h"

namespace callbridge {
namespace {

using namespace operator_sites;  // NOLINT(google-build-using-namespace)

using ::testing::EndsWith;
using ::testing::HasSubstr;

using Presence = OperatorInfo::Presence;

TEST(OperatorCheckTest, NothingDeclaredAllowsAll) {
  CallSite site;
  site.result = MakeShape("token[]");
  EXPECT_EQ(CheckOperator(site, Recording()), absl::OkStatus());
}

// ---- Combinations -------------------------------------------------------------------------------

TEST(OperatorCheckTest, AnAllowedCombinationPasses) {
  const std::vector<std::vector<Form>> combinations = {{Of(kF32), Of(kF32), Of(kF32)},
                                                       {Of(kS32), Of(kS32), Of(kF32)}};
  EXPECT_EQ(Check(Binary(combinations), {"f32[2,3]", "f32[]"}, "f32[7]"), absl::OkStatus());
  EXPECT_EQ(Check(Binary(combinations), {"s32[2,3]", "s32[0]"}, "(f32[7])"), absl::OkStatus());
  EXPECT_EQ(Check(Binary({}), {"s32[2,3]", "token[]"}, "()").code(),
            absl::StatusCode::kInvalidArgument)
      << "counts";
  EXPECT_EQ(Check(Binary({}), {"s32[2,3]", "token[]"}, "c128[]"), absl::OkStatus());
}

TEST(OperatorCheckTest, AMessageSaysWhatCameWhatIsAllowedAndTheNearest) {
  EXPECT_EQ(Refused(Check(Binary({{Of(kF32), Of(kF32), Of(kF32)}}), {"f64[2,3]", "f32[2,3]"},
                          "f32[2,3]")),
            absl::StrCat(kSubject,
                         " allows (x1 f32, x2 f32) -> (y f32), but the call has (f64[2,3], "
                         "f32[2,3]) -> (f32[2,3]); operand 0 (x1) must be f32, but is f64[2,3]"));
  EXPECT_EQ(
      Refused(Check(Binary({{Of(kF32), Of(kF32), Of(kF32)}, {Of(kS32), Any(), Nchw(kS32)}}),
                    {"s32[]", "s32[]"}, "s32[]")),
      absl::StrCat(kSubject,
                   " allows (x1 f32, x2 f32) -> (y f32) or (x1 s32, x2 any type) -> (y s32 NCHW), "
                   "but the call has (s32[], s32[]) -> (s32[]); nearest is combination 2 of 2, (x1 "
                   "s32, x2 any type) -> (y s32 NCHW): result 0 (y) must be s32 NCHW, which has "
                   "rank 4, but is s32[]"));
}

// Counts what differs, not what fits: each pair differs from each combination in as many as it
// says.
TEST(OperatorCheckTest, TheNearestIsThatWithTheFewestDifferencesAndTheFirstOfThose) {
  const OperatorInfo info = Binary({{Of(kF32), Of(kF32), Of(kF32)},
                                    {Of(kS32), Of(kS32), Of(kS32)},
                                    {Of(kS32), Of(kF32), Of(kS32)},
                                    {Of(kS32), Of(kS32), Of(kS32)}});
  const auto nearest = [&](const std::string& a, const std::string& b, const std::string& out) {
    return Refused(Check(info, {a, b}, out));
  };
  EXPECT_THAT(nearest("f64[]", "f64[]", "f64[]"), HasSubstr("nearest is combination 1 of 4"));
  EXPECT_THAT(nearest("s32[]", "f32[]", "f32[]"), HasSubstr("nearest is combination 1 of 4"));
  EXPECT_THAT(nearest("s32[]", "f64[]", "s32[]"), HasSubstr("nearest is combination 2 of 4"));
  EXPECT_THAT(nearest("s32[]", "s32[]", "f32[]"), HasSubstr("nearest is combination 2 of 4"));
  EXPECT_THAT(nearest("f64[]", "f32[]", "s32[]"),
              EndsWith("nearest is combination 3 of 4, (x1 s32, x2 f32) -> (y s32): operand 0 (x1) "
                       "must be s32, but is f64[]"));
  EXPECT_THAT(nearest("f64[]", "f64[]", "f32[]"),
              EndsWith("combination 1 of 4, (x1 f32, x2 f32) -> (y f32): operand 0 (x1) must be "
                       "f32, but is f64[]; operand 1 (x2) must be f32, but is f64[]"));
}

TEST(OperatorCheckTest, EachElementTypeIsItsOwn) {
  std::vector<PrimitiveType> types;
  for (int number = 0; number < 40; ++number) {
    const auto type = static_cast<PrimitiveType>(number);
    if (IsPrimitiveType(number) && IsArrayElement(type)) types.push_back(type);
  }
  EXPECT_EQ(types.size(), 30U);
  for (const PrimitiveType declared : types) {
    for (const PrimitiveType came : types) {
      const std::string shape = absl::StrCat(PrimitiveTypeName(came), "[2]");
      const absl::Status status =
          Check(Binary({{Of(declared), Any(), Any()}}), {shape, shape}, shape);
      if (declared == came) {
        EXPECT_EQ(status, absl::OkStatus());
      } else {
        EXPECT_THAT(Refused(status),
                    EndsWith(absl::StrCat("operand 0 (x1) must be ", PrimitiveTypeName(declared),
                                          ", but is ", shape)));
      }
    }
  }
}

TEST(OperatorCheckTest, FormatsAreRanksAndLayouts) {
  const auto check = [](const Form& form, const std::string& operand) {
    return Check(Binary({{form, Any(), Any()}}), {operand, "f32[]"}, "f32[]");
  };
  EXPECT_EQ(check(Of(kF32), "f32[2,3]{1,0}"), absl::OkStatus());
  EXPECT_EQ(check(Of(kF32), "f32[]{}"), absl::OkStatus());
  EXPECT_THAT(Refused(check(Of(kF32), "f32[2,3]{0,1}")),
              EndsWith("operand 0 (x1) must be f32 DefaultFormat, which is row-major, but is "
                       "f32[2,3]{0,1}"));
  EXPECT_EQ(check(Any(), "f32[2,3]{0,1}"), absl::OkStatus());
  EXPECT_EQ(check(Of(PrimitiveType::kS4), "s4[2,3]{1,0:E(4)}"), absl::OkStatus());
  EXPECT_EQ(check(Nchw(kF32), "f32[1,2,3,4]"), absl::OkStatus());
  EXPECT_EQ(check(Nchw(kF32), "f32[1,2,3,4]{3,2,1,0}"), absl::OkStatus());
  for (const char* wrong : {"f32[]", "f32[1,2,3]", "f32[1,2,3,4,5]"}) {
    EXPECT_THAT(Refused(check(Nchw(kF32), wrong)),
                EndsWith(absl::StrCat("operand 0 (x1) must be f32 NCHW, which has rank 4, but is ",
                                      wrong)));
  }
  EXPECT_THAT(Refused(check(Nchw(kF32), "f32[1,2,3,4]{0,1,2,3}")),
              HasSubstr("must be f32 NCHW, which is row-major, but is"));
  Form channel_last = Of(kF32);
  channel_last.min_rank = 1;
  channel_last.format = "ChannelLast";
  EXPECT_EQ(check(channel_last, "f32[4]"), absl::OkStatus());
  EXPECT_THAT(Refused(check(channel_last, "f32[]")),
              EndsWith("must be f32 ChannelLast, which has rank 1 or more, but is f32[]"));
  Form two_or_three = Of(kF32);
  two_or_three.min_rank = 2;
  two_or_three.max_rank = 3;
  EXPECT_THAT(Refused(check(two_or_three, "f32[4]")), HasSubstr("rank 2 to 3"));
}

// ---- Tuples and tokens --------------------------------------------------------------------------

TEST(OperatorCheckTest, TuplesAreOperandsWhereTheyAreDeclared) {
  const auto check = [](const Form& form, const std::string& operand,
                        Presence presence = Presence::kRequired) {
    OperatorInfo info = Binary({{form, Any(), Any()}});
    info.operands[0].presence = presence;
    return Check(info, {operand, "f32[]"}, "f32[]");
  };
  EXPECT_EQ(check(TupleOf(kF32), "(f32[2],(f32[],()))"), absl::OkStatus());
  EXPECT_EQ(check(TupleOf(kF32), "()"), absl::OkStatus());
  EXPECT_THAT(Refused(check(TupleOf(kF32), "f32[2]")),
              EndsWith("operand 0 (x1) must be a tuple of f32, but is f32[2]"));
  EXPECT_THAT(Refused(check(TupleOf(kF32), "(f32[2],(s32[]))")),
              EndsWith("must be a tuple, each leaf of which is f32, but is (f32[2],(s32[]))"));
  EXPECT_THAT(Refused(check(Of(kF32), "(f32[2])")), EndsWith("must be f32, but is (f32[2])"));
  EXPECT_THAT(Refused(check(Any(), "(f32[2])")), EndsWith("must be an array, but is (f32[2])"));
  EXPECT_THAT(Refused(check(Any(), "token[]")), EndsWith("must be an array, but is token[]"));
  EXPECT_THAT(Refused(check(TupleOf(kF32), "(token[])")),
              EndsWith("a tuple, each leaf of which is an array, but is (token[])"));
  EXPECT_EQ(check(Of(kF32), "f32[2]", Presence::kDynamic), absl::OkStatus());
  EXPECT_EQ(check(Of(kF32), "(f32[2],f32[3])", Presence::kDynamic), absl::OkStatus());
  EXPECT_THAT(Refused(check(Of(kF32), "(f32[2],f64[])", Presence::kDynamic)),
              EndsWith("each leaf of which is f32, but is (f32[2],f64[])"));
  EXPECT_THAT(Refused(check(Of(kF32), "()", Presence::kDynamic)),
              EndsWith("must be at least one array, but is ()"));
}

TEST(OperatorCheckTest, AResultIsATupleOfResultsOrOneTuple) {
  OperatorInfo two = Binary({{Any(), Any(), Of(kF32), TupleOf(kS32)}});
  two.results = {{"y"}, {"z"}};
  EXPECT_EQ(Check(two, {"f32[]", "f32[]"}, "(f32[],(s32[],s32[]))"), absl::OkStatus());
  EXPECT_THAT(Refused(Check(two, {"f32[]", "f32[]"}, "(f32[],s32[],s32[])")),
              EndsWith("declares 2 results (y, z), but the call has 3"));
  EXPECT_THAT(Refused(Check(two, {"f32[]", "f32[]"}, "f32[]")),
              EndsWith("declares 2 results (y, z), but the call has 1"));
  const OperatorInfo one = Binary({{Any(), Any(), TupleOf(kS32)}});
  EXPECT_EQ(Check(one, {"f32[]", "f32[]"}, "(s32[],s32[])"), absl::OkStatus());
  EXPECT_THAT(Refused(Check(one, {"f32[]", "f32[]"}, "(s32[],f32[])")),
              EndsWith("result 0 (y) must be a tuple, each leaf of which is s32, but is "
                       "(s32[],f32[])"));
  OperatorInfo dynamic = Binary({{Any(), Any(), Of(kS32)}});
  dynamic.results[0].presence = Presence::kDynamic;
  EXPECT_EQ(Check(dynamic, {"f32[]", "f32[]"}, "(s32[],s32[])"), absl::OkStatus());
  EXPECT_EQ(Check(dynamic, {"f32[]", "f32[]"}, "s32[]"), absl::OkStatus());
}

// ---- Counts -------------------------------------------------------------------------------------

TEST(OperatorCheckTest, CountsAreThoseThatAreDeclared) {
  const OperatorInfo info = Binary({{Of(kF32), Of(kF32), Of(kF32)}});
  EXPECT_EQ(Refused(Check(info, {"f32[]"}, "f32[]")),
            absl::StrCat(kSubject, " declares 2 operands (x1, x2), but the call has 1"));
  EXPECT_EQ(Refused(Check(info, {}, "f32[]")),
            absl::StrCat(kSubject, " declares 2 operands (x1, x2), but the call has 0"));
  EXPECT_EQ(Refused(Check(info, {"f32[]", "f32[]"}, "()")),
            absl::StrCat(kSubject, " declares 1 results (y), but the call has 0"));
  OperatorInfo unnamed = info;
  unnamed.name = "";
  unnamed.operands = {{""}, {"x2"}};
  EXPECT_EQ(Refused(Check(unnamed, {}, "f32[]")),
            "custom call \"recording\": its operator information declares 2 operands (number 0, "
            "x2), but the call has 0");
  EXPECT_THAT(Refused(Check(unnamed, {"s32[]", "f32[]"}, "f32[]")),
              AllOf(HasSubstr("allows (f32, x2 f32) -> (y f32)"),
                    EndsWith("; operand 0 must be f32, but is s32[]")));
}

TEST(OperatorCheckTest, TheLastOptionalOnesMayBeMissing) {
  OperatorInfo info = Binary({{Of(kF32), Of(kS32), Of(kF32)}});
  info.operands[1].presence = Presence::kOptional;
  EXPECT_EQ(Check(info, {"f32[]", "s32[]"}, "f32[]"), absl::OkStatus());
  EXPECT_EQ(Check(info, {"f32[]"}, "f32[]"), absl::OkStatus());
  EXPECT_EQ(
      Refused(Check(info, {}, "f32[]")),
      absl::StrCat(kSubject,
                   " declares 2 operands (x1, x2), of which 1 may be missing, but the call has 0"));
  EXPECT_THAT(Refused(Check(info, {"f32[]", "f32[]"}, "f32[]")),
              HasSubstr("operand 1 (x2) must be s32"));
  info.results.push_back({"z", Presence::kOptional});
  info.combinations[0].push_back(Of(kS32));
  EXPECT_EQ(Check(info, {"f32[]"}, "f32[]"), absl::OkStatus());
  EXPECT_EQ(Check(info, {"f32[]"}, "(f32[],s32[])"), absl::OkStatus());
  EXPECT_THAT(Refused(Check(info, {"f32[]"}, "(f32[],f32[])")), HasSubstr("result 1 (z)"));
}

TEST(OperatorCheckTest, NoOperandsAndNoResults) {
  OperatorInfo info = Binary({{}});
  info.operands = {};
  info.results = {};
  EXPECT_EQ(Check(info, {}, "()"), absl::OkStatus());
  EXPECT_EQ(Refused(Check(info, {"f32[]"}, "()")),
            absl::StrCat(kSubject, " declares 0 operands, but the call has 1"));
  EXPECT_EQ(Refused(Check(info, {}, "f32[]")),
            absl::StrCat(kSubject, " declares 0 results, but the call has 1"));
}

TEST(OperatorCheckTest, MessagesOfManyOperandsAndCombinationsStayShort) {
  constexpr size_t kCount = 200;
  OperatorInfo info = Binary({});
  info.operands.clear();
  for (size_t i = 0; i < kCount; ++i) info.operands.push_back({absl::StrCat("x", i)});
  info.combinations.assign(50, std::vector<Form>(kCount + 1, Of(kF32)));
  info.combinations[40][199] = Of(kS32);
  std::vector<std::string> operands(kCount, "f32[2]");
  EXPECT_EQ(Check(info, operands, "f32[]"), absl::OkStatus());
  operands[199] = "s32[2]";
  EXPECT_EQ(Check(info, operands, "f32[]"), absl::OkStatus());
  operands[7] = "f64[2]";
  const std::string one = Refused(Check(info, operands, "f32[]"));
  EXPECT_THAT(one,
              EndsWith("x7 f32, ... (192 more)) -> (y f32): operand 7 (x7) must be f32, but is "
                       "f64[2]"));
  EXPECT_THAT(one, AllOf(HasSubstr("nearest is combination 41 of 50"), HasSubstr("(42 more)")));
  EXPECT_LT(one.size(), 3000U);
  operands.assign(kCount, "f64[2]");
  const std::string all = Refused(Check(info, operands, "f32[]"));
  EXPECT_THAT(all, EndsWith("operand 7 (x7) must be f32, but is f64[2]; ... (192 more)"));
  operands.pop_back();
  EXPECT_THAT(Refused(Check(info, operands, "f32[]")),
              EndsWith("(x0, x1, x2, x3, x4, x5, x6, x7, ... (192 more)), but the call has 199"));
  std::string wide = "(f32[]";
  for (int i = 0; i < 1000; ++i) wide += ",f32[]";
  EXPECT_LT(Refused(Check(Binary({{Any(), Any(), Any()}}), {wide + ")", "f32[]"}, "f32[]")).size(),
            900U);
}

// ---- Platforms ----------------------------------------------------------------------------------

TEST(OperatorCheckTest, PlatformsAreThoseThatAreDeclared) {
  OperatorInfo info = Binary({});
  CallSite site = MakeSite(info, {"f32[]", "f32[]"}, "f32[]");
  site.platform = Platform::kRocm;
  EXPECT_EQ(Refused(CheckOperator(site, Recording())),
            absl::StrCat(kSubject, " is for CPU, but the call is made on ROCM"));
  info.platforms = {Platform::kCuda, Platform::kRocm};
  info.device = "GPU";
  EXPECT_EQ(Refused(Check(info, {"f32[]", "f32[]"}, "f32[]")),
            absl::StrCat(kSubject, " is for GPU, but the call is made on Host"));
  site.operator_info = std::make_shared<const OperatorInfo>(info);
  EXPECT_EQ(CheckOperator(site, Recording()), absl::OkStatus());
  info.platforms = {};
  info.device = "Ascend";
  EXPECT_THAT(Refused(Check(info, {"f32[]", "f32[]"}, "f32[]")), HasSubstr("is for Ascend, but"));
}

TEST(OperatorCheckTest, InformationThatIsNotWholeIsRefused) {
  OperatorInfo info = Binary({{Any()}});
  EXPECT_THAT(Refused(Check(info, {"f32[]", "f32[]"}, "f32[]")),
              AllOf(HasSubstr(kSubject), HasSubstr(": combination 1 has 1 entries")));
}

}  // namespace
}  // namespace callbridge
