// The form of upgraded modules. That they do the same is tests/genuine/test_upgrade.py's to show.
#include "callbridge/hlo/upgrade.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "callbridge/abi/call_site.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/abi/site_descriptor.h"
#include "callbridge/hlo/hlo_text.h"
#include "callbridge/hlo/module_check.h"
#include "tests/hlo/parsed_module.h"

namespace callbridge::hlo {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string Upgraded(const std::string& text) {
  absl::StatusOr<xla::HloModuleProto> module = Upgrade(Parsed(text));
  if (!module.ok()) return module.status().ToString();
  EXPECT_TRUE(CheckModule(*module).ok()) << CheckModule(*module);
  absl::StatusOr<std::string> printed = PrintHloText(*module);
  return printed.ok() ? *printed : printed.status().ToString();
}

// An attribute with the descriptor of a call of these shapes.
std::string Config(const std::vector<std::string>& operands, const std::string& result,
                   const std::string& opaque) {
  CallSite site;
  for (const std::string& operand : operands) site.operands.push_back(*ParseShape(operand));
  site.result = *ParseShape(result);
  site.opaque = opaque;
  const std::string bytes = EncodeSiteDescriptor(site);
  return absl::StrCat("backend_config={callbridge_site = dense<\"0x", absl::BytesToHexString(bytes),
                      "\"> : tensor<", bytes.size(), "xui8>}");
}

TEST(Upgrade, AnArrayCallOnlyChangesItsVersion) {
  EXPECT_THAT(
      Upgraded("HloModule m\nENTRY e {\n  p = f32[2] parameter(0)\n"
               "  a = (f32[2], s32[]) custom-call(p, p), custom_call_target=\"t\","
               " custom_call_has_side_effect=true, schedule=SCHEDULE_LATEST,"
               " operand_layout_constraints={f32[2]{0}, f32[2]{0}},"
               " output_to_operand_aliasing={{0}: (1, {})}\n"
               "  ROOT b = f32[2] get-tuple-element(a), index=0\n}\n"),
      HasSubstr("  %a = (f32[2]{0}, s32[]) custom-call(%p, %p), custom_call_target=\"t\","
                " operand_layout_constraints={f32[2]{0}, f32[2]{0}},"
                " custom_call_has_side_effect=true, output_to_operand_aliasing={{0}: (1, {})},"
                " schedule=SCHEDULE_LATEST, api_version=API_VERSION_TYPED_FFI,"
                " backend_config={}\n"
                "  ROOT %b = f32[2]{0} get-tuple-element(%a), index=0\n}\n"));
}

TEST(Upgrade, OpaqueGoesIntoTheDescriptor) {
  for (const char* version : {"API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
                              "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_UNSPECIFIED"}) {
    EXPECT_THAT(Upgraded(absl::StrCat(
                    "HloModule m\nENTRY e {\n  p = f32[2] parameter(0)\n"
                    "  ROOT a = f32[2] custom-call(p), custom_call_target=\"t\", api_version=",
                    version, ", backend_config=\"\\000{\\377\"\n}\n")),
                AllOf(HasSubstr(Config({"f32[2]"}, "f32[2]", std::string("\0{\xff", 3))),
                      HasSubstr("API_VERSION_TYPED_FFI")));
  }
}

// A typed call brings flat operands, and a result of one array or of a flat tuple of others than
// one.
TEST(Upgrade, OnlyTreesThatATypedCallDoesNotBringNeedADescriptor) {
  const struct {
    std::string operand, result;
    bool is_told;
  } cases[] = {
      {"f32[2]", "f32[2]", false},       {"f32[2]", "()", false},
      {"f32[2]", "token[]", false},      {"f32[2]", "(s8[],s8[])", false},
      {"f32[2]", "(s8[])", true},        {"f32[2]", "(s8[],(s8[]))", true},
      {"f32[2]", "((s8[],s8[]))", true}, {"f32[2]", "((),s8[],s8[])", true},
      {"(f32[2])", "f32[2]", true},      {"()", "f32[2]", true},
      {"(f32[2])", "(s8[],s8[])", true}, {"(s8[])", "(s8[],(s8[]))", true},
  };
  for (const auto& [operand, result, is_told] : cases) {
    const std::string config =
        is_told ? Config({operand}, result, "") : std::string("backend_config={}\n");
    EXPECT_THAT(Upgraded(absl::StrCat("HloModule m\nENTRY e {\n  p = ", operand,
                                      " parameter(0)\n  ROOT a = ", result,
                                      " custom-call(p), custom_call_target=\"t\"\n}\n")),
                HasSubstr(config))
        << operand << result;
  }
}

TEST(Upgrade, ADescriptorOfCallbridgesIsKept) {
  CallSite site;
  site.tuple_layout = TupleLayout::kFlat;
  site.operands = {*ParseShape("((f32[2]))")};
  site.result = *ParseShape("f32[2]");
  const std::string bytes = EncodeSiteDescriptor(site);
  const std::string text = absl::StrCat(
      "HloModule m\nENTRY e {\n  p = f32[2] parameter(0)\n  ROOT a = f32[2] custom-call(p),"
      " custom_call_target=\"t\", api_version=API_VERSION_STATUS_RETURNING_UNIFIED,"
      " backend_config=\"",
      absl::CHexEscape(bytes), "\"\n}\n");
  EXPECT_THAT(Upgraded(text),
              HasSubstr(absl::StrCat("= dense<\"0x", absl::BytesToHexString(bytes), "\">")));
}

// Only callbridge's own calls, which are of version 3, carry one: elsewhere the bytes are the
// target's.
TEST(Upgrade, WhatLooksLikeADescriptorIsAnOpaqueOfOtherVersions) {
  CallSite site;
  site.operands = {*ParseShape("(f32[2])")};
  site.result = *ParseShape("f32[2]");
  const std::string bytes = EncodeSiteDescriptor(site);
  for (const char* version : {"API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING"}) {
    EXPECT_THAT(
        Upgraded(absl::StrCat("HloModule m\nENTRY e {\n  p = f32[2] parameter(0)\n"
                              "  ROOT a = f32[2] custom-call(p), custom_call_target=\"t\","
                              " api_version=",
                              version, ", backend_config=\"", absl::CHexEscape(bytes), "\"\n}\n")),
        HasSubstr(Config({"f32[2]"}, "f32[2]", bytes)));
  }
}

TEST(Upgrade, TakesTuplesApartAndPutsThemTogether) {
  const std::string text = Upgraded(
      "HloModule m, is_scheduled=true\nENTRY e {\n"
      "  q = (f32[2],(s32[], ())) parameter(0)\n"
      "  a = ((f32[2]),s32[]) custom-call(q), custom_call_target=\"t\","
      " output_to_operand_aliasing={{0,0}: (0, {0}), {1}: (0, {1,0})}\n"
      "  b = s32[] custom-call(a, q), custom_call_target=\"u\", control-predecessors={a}\n"
      "  ROOT c = (s32[],((f32[2]),s32[])) tuple(b, a)\n}\n");
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("  %q = (f32[2]{0}, (s32[], ())) parameter(0)\n"
                      "  %q.1 = f32[2]{0} get-tuple-element(%q), index=0\n"
                      "  %q.2 = (s32[], ()) get-tuple-element(%q), index=1\n"
                      "  %q.3 = s32[] get-tuple-element(%q.2), index=0\n"),
            HasSubstr("  %a = (f32[2]{0}, s32[]) custom-call(%q.1, %q.3), custom_call_target=\"t\","
                      " operand_layout_constraints={f32[2]{0}, s32[]},"
                      " output_to_operand_aliasing={{0}: (0, {}), {1}: (1, {})},"),
            HasSubstr(Config({"(f32[2],(s32[], ()))"}, "((f32[2]),s32[])", "")),
            HasSubstr("  %a.1 = f32[2]{0} get-tuple-element(%a), index=0\n"
                      "  %a.2 = s32[] get-tuple-element(%a), index=1\n"
                      "  %a.3 = (f32[2]{0}) tuple(%a.1)\n"
                      "  %a.4 = ((f32[2]{0}), s32[]) tuple(%a.3, %a.2)\n"),
            HasSubstr("  %b = s32[] custom-call(%a.1, %a.2, %q.1, %q.3),"),
            // The call itself, and not what its results are put together in.
            HasSubstr("control-predecessors={%a},"),
            HasSubstr("  ROOT %c = (s32[], ((f32[2]{0}), s32[])) tuple(%b, %a.4)\n")));
}

// Only those that a call takes; and the results of other calls as they are.
TEST(Upgrade, WhatNoCallTakesIsNotTakenApart) {
  EXPECT_THAT(
      Upgraded("HloModule m\nENTRY e {\n  p = (f32[2]) parameter(0)\n  q = (s32[]) parameter(1)\n"
               "  t = (f32[2],token[]) custom-call(q), custom_call_target=\"u\"\n"
               "  ROOT a = f32[] custom-call(q), custom_call_target=\"t\"\n}\n"),
      AllOf(HasSubstr("  %p = (f32[2]{0}) parameter(0)\n  %q = (s32[]) parameter(1)\n"
                      "  %q.1 = s32[] get-tuple-element(%q), index=0\n  %t = "),
            HasSubstr("}\n  ROOT %a = f32[] custom-call(%q.1), ")));
}

TEST(Upgrade, ACallTakesTheElementsOfAnotherCall) {
  EXPECT_THAT(Upgraded("HloModule m\nENTRY e {\n"
                       "  t = (f32[2],token[]) custom-call(), custom_call_target=\"u\"\n"
                       "  s = ((f32[2],token[]),(f32[2],token[])) tuple(t, t)\n"
                       "  ROOT a = f32[] custom-call(s), custom_call_target=\"t\"\n}\n"),
              AllOf(HasSubstr("\n  %t.1 = f32[2]{0} get-tuple-element(%t), index=0\n"
                              "  %t.2 = token[] get-tuple-element(%t), index=1\n  %s = "),
                    HasSubstr(" custom-call(%t.1, %t.2, %t.1, %t.2), ")));
}

TEST(Upgrade, OnlyComputationsThatAreScheduledGetASchedule) {
  const std::string call = "  ROOT a = f32[] custom-call(), custom_call_target=\"t\"\n}\n";
  const std::string text = "\nf {\n" + call + "ENTRY e {\n" + call;
  absl::StatusOr<xla::HloModuleProto> upgraded = Upgrade(Parsed("HloModule m" + text));
  ASSERT_TRUE(upgraded.ok());
  EXPECT_FALSE(upgraded->has_schedule());
  xla::HloModuleProto scheduled = Parsed("HloModule m, is_scheduled=true" + text);
  ASSERT_EQ(scheduled.mutable_schedule()->mutable_sequences()->erase(1), 1u);
  upgraded = Upgrade(scheduled);
  ASSERT_TRUE(upgraded.ok());
  EXPECT_EQ(upgraded->schedule().sequences_size(), 1);
}

TEST(Upgrade, FaultsOfTheModuleAreTold) {
  xla::HloModuleProto module =
      Parsed("HloModule m\nENTRY e {\n ROOT a = f32[2] custom-call(), custom_call_target=\"t\"\n}");
  module.set_entry_computation_id(99);
  EXPECT_THAT(Upgrade(module).status().ToString(), HasSubstr("has the id 99"));
}

TEST(Upgrade, ATupleOfOneLeafIsThatLeaf) {
  EXPECT_THAT(Upgraded("HloModule m\nENTRY e {\n  p = f32[2] parameter(0)\n"
                       "  ROOT a = (f32[2]) custom-call(p), custom_call_target=\"t\","
                       " sharding={{replicated}}, output_to_operand_aliasing={{0}: (0, {})}\n}\n"),
              AllOf(HasSubstr("  %a = f32[2]{0} custom-call(%p), custom_call_target=\"t\","
                              " operand_layout_constraints={f32[2]{0}},"
                              " output_to_operand_aliasing={{}: (0, {})},"),
                    HasSubstr("sharding={replicated}"),
                    HasSubstr("  ROOT %a.1 = (f32[2]{0}) tuple(%a)\n")));
}

TEST(Upgrade, AnEmptyResultStaysOne) {
  EXPECT_THAT(Upgraded("HloModule m\nENTRY e {\n"
                       "  ROOT a = () custom-call(), custom_call_target=\"t\"\n}\n"),
              HasSubstr("ROOT %a = () custom-call(), custom_call_target=\"t\","
                        " operand_layout_constraints={}, api_version=API_VERSION_TYPED_FFI,"
                        " backend_config={}\n"));
}

TEST(Upgrade, WhereLayoutsWereFreeTheyAreRowMajor) {
  const std::string text =
      "HloModule m\nENTRY e {\n  t = token[] after-all()\n  p = f32[2,3]{0,1} parameter(0)\n"
      "  ROOT a = (f32[],(s8[3,2]{0,1})) custom-call(t, p), custom_call_target=\"t\"";
  EXPECT_THAT(Upgraded(text + "\n}\n"),
              AllOf(HasSubstr("%a = (f32[], s8[3,2]{1,0}) custom-call(%t, %p)"),
                    HasSubstr("operand_layout_constraints={token[], f32[2,3]{1,0}}")));
  EXPECT_THAT(Upgraded(text + ", operand_layout_constraints={token[], f32[2,3]{0,1}}\n}\n"),
              AllOf(HasSubstr("%a = (f32[], s8[3,2]{0,1}) custom-call(%t, %p)"),
                    HasSubstr("operand_layout_constraints={token[], f32[2,3]{0,1}}")));
}

// A token has none.
TEST(Upgrade, TokensGetNoLayout) {
  const absl::StatusOr<xla::HloModuleProto> module = Upgrade(
      Parsed("HloModule m\nENTRY e {\n  t = token[] after-all()\n  ROOT a = (token[],f32[]) "
             "custom-call(t), custom_call_target=\"t\"\n}\n"));
  ASSERT_TRUE(module.ok()) << module.status();
  const auto& call = module->computations(0).instructions(1);
  EXPECT_FALSE(call.operand_shapes_with_layout(0).has_layout());
  EXPECT_FALSE(call.shape().tuple_shapes(0).has_layout());
  EXPECT_TRUE(call.shape().tuple_shapes(1).has_layout());
}

// Ids need not grow from computation to computation.
TEST(Upgrade, NewIdsAreNobodyElses) {
  xla::HloModuleProto module = Parsed(
      "HloModule m\nf {\n  ROOT p = f32[] parameter(0)\n}\n"
      "ENTRY e {\n  p = f32[] parameter(0)\n  q = f32[] call(p), to_apply=f\n"
      "  ROOT a = ((f32[]),f32[]) custom-call(q), custom_call_target=\"t\"\n}\n");
  // The first id that a count from the last instruction would take.
  const int64_t id = module.computations(1).instructions(2).id() + 1;
  module.mutable_computations(0)->mutable_instructions(0)->set_id(id);
  module.mutable_computations(0)->set_root_id(id);
  const absl::StatusOr<xla::HloModuleProto> upgraded = Upgrade(module);
  EXPECT_TRUE(upgraded.ok()) << upgraded.status();
}

// All that another instruction has, beside a call.
TEST(Upgrade, OtherInstructionsAreCopiedWhole) {
  const xla::HloModuleProto module = Parsed(
      "HloModule m\nENTRY e {\n  p = (f32[2]) parameter(0), sharding={{replicated}}, "
      "frontend_attributes={k=\"v\"}, metadata={op_name=\"n\" source_line=3}\n"
      "  ROOT a = f32[] custom-call(p), custom_call_target=\"t\", "
      "frontend_attributes={l=\"w\"}, metadata={op_type=\"o\"}\n}\n");
  const absl::StatusOr<xla::HloModuleProto> upgraded = Upgrade(module);
  ASSERT_TRUE(upgraded.ok()) << upgraded.status();
  const auto& before = module.computations(0).instructions();
  const auto& after = upgraded->computations(0).instructions();
  EXPECT_EQ(after[0].DebugString(), before[0].DebugString());
  EXPECT_EQ(after[2].frontend_attributes().map().at("l"), "w");
  EXPECT_EQ(after[2].metadata().op_type(), "o");
}

TEST(Upgrade, WhatIsNoUntypedCallStays) {
  const std::string text =
      "HloModule m\nENTRY e {\n  p = f32[2] parameter(0)\n"
      "  a = f32[2] custom-call(p), custom_call_target=\"t\", api_version=API_VERSION_TYPED_FFI,"
      " backend_config={a = 1 : i32}\n"
      "  b = f32[2] custom-call(a), custom_call_target=\"Sharding\", sharding={replicated}\n"
      "  c = f32[2] custom-call(b), custom_call_target=\"xla.sdy.ShardingGroup\"\n"
      "  ROOT d = f32[2] abs(c)\n}\n";
  xla::HloModuleProto module = Parsed(text);
  module.GetReflection()->MutableUnknownFields(&module)->AddVarint(999, 7);
  absl::StatusOr<xla::HloModuleProto> upgraded = Upgrade(module);
  ASSERT_TRUE(upgraded.ok());
  EXPECT_EQ(upgraded->SerializeAsString(), module.SerializeAsString());
}

TEST(Upgrade, XlasOwnCallsStay) {
  for (const char* target :
       {"Sharding", "tpu_custom_call", "Eigh", "Qr", "LuDecomposition", "PartialReduce",
        "ProductOfElementaryHouseholderReflectors", "PinToDeviceSram", "__gpu$xla.gpu.triton",
        "__cudnn$convForward", "mhlo.topk", "stablehlo.dynamic_top_k", "tf.call_tf_function"}) {
    const std::string text = absl::StrCat(
        "HloModule m\nENTRY e {\n  p = f32[2] parameter(0)\n"
        "  ROOT a = f32[2] custom-call(p), custom_call_target=\"",
        target, "\"\n}\n");
    const xla::HloModuleProto module = Parsed(text);
    absl::StatusOr<xla::HloModuleProto> upgraded = Upgrade(module);
    ASSERT_TRUE(upgraded.ok()) << target;
    EXPECT_EQ(upgraded->SerializeAsString(), module.SerializeAsString()) << target;
  }
}

TEST(Upgrade, TargetsWithSimilarNamesAreUpgraded) {
  for (const char* target : {"MyQr", "Qr2", "sharding", "xla.sdyX", "__cudnn", "gpu$x", ""}) {
    EXPECT_THAT(Upgraded(absl::StrCat("HloModule m\nENTRY e {\n  p = f32[2] parameter(0)\n"
                                      "  ROOT a = f32[2] custom-call(p), custom_call_target=\"",
                                      target, "\"\n}\n")),
                HasSubstr("API_VERSION_TYPED_FFI"))
        << target;
  }
}

TEST(Upgrade, UnknownFieldsOfACallSurvive) {
  xla::HloModuleProto module =
      Parsed("HloModule m\nENTRY e {\n ROOT a = f32[2] custom-call(), custom_call_target=\"t\"\n}");
  auto* call = module.mutable_computations(0)->mutable_instructions(0);
  call->GetReflection()->MutableUnknownFields(call)->AddVarint(999, 7);
  absl::StatusOr<xla::HloModuleProto> upgraded = Upgrade(module);
  ASSERT_TRUE(upgraded.ok());
  const auto& kept = upgraded->computations(0).instructions(0);
  EXPECT_EQ(kept.custom_call_api_version(), xla::API_VERSION_TYPED_FFI);
  EXPECT_EQ(kept.GetReflection()->GetUnknownFields(kept).field_count(), 1);
}

TEST(Upgrade, UpgradingTwiceIsUpgradingOnce) {
  absl::StatusOr<xla::HloModuleProto> once =
      Upgrade(Parsed("HloModule m\nENTRY e {\n  p = (f32[2]) parameter(0)\n"
                     "  ROOT a = (f32[2]) custom-call(p), custom_call_target=\"t\"\n}\n"));
  ASSERT_TRUE(once.ok());
  absl::StatusOr<xla::HloModuleProto> twice = Upgrade(*once);
  ASSERT_TRUE(twice.ok());
  EXPECT_EQ(twice->SerializeAsString(), once->SerializeAsString());
}

// A large tuple and calls of it, by which a module grows by their product, and a call of an array.
std::string CallsOfATuple(const std::string& element, int elements, int calls, bool and_an_array) {
  std::string shape = absl::StrCat("(", element), lines;
  for (int i = 1; i < elements; ++i) absl::StrAppend(&shape, ",", element);
  for (int i = 0; i < calls; ++i) {
    absl::StrAppend(&lines, "  c", i, " = f32[] custom-call(p), custom_call_target=\"t\"\n");
  }
  if (and_an_array) lines += "  a = f32[] custom-call(q), custom_call_target=\"t\"\n";
  return absl::StrCat("HloModule m\nENTRY e {\n  p = ", shape,
                      ") parameter(0)\n  q = f32[] parameter(1)\n", lines, "}\n");
}

TEST(Upgrade, RefusesToGrowWithoutBound) {
  const char* const refusal =
      "RESOURCE_EXHAUSTED: expected custom calls whose operands have at most 1048576 leaves "
      "and tuples in all, got more; split the module";
  EXPECT_EQ(Upgraded(CallsOfATuple("f32[]", 5'000, 5'000, false)), refusal);
  // The tuple counts too: 1024 times 1024 are as many as may be.
  EXPECT_TRUE(Upgrade(Parsed(CallsOfATuple("()", 1'023, 1'024, false))).ok());
  EXPECT_EQ(Upgraded(CallsOfATuple("()", 1'023, 1'024, true)), refusal);
}

}  // namespace
}  // namespace callbridge::hlo
