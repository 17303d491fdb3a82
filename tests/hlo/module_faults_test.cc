// What is said of a module that does not hold together, word for word.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "callbridge/hlo/hlo_text.h"
#include "callbridge/hlo/module_check.h"
#include "tests/hlo/parsed_module.h"

namespace callbridge::hlo {
namespace {

using ::testing::HasSubstr;
using xla::HloModuleProto;

std::string FaultOf(const HloModuleProto& module) { return CheckModule(module).ToString(); }

TEST(ModuleFaults, FaultsAreToldOfWhoHasThem) {
  const HloModuleProto good = Parsed(
      "HloModule m\nf {\n  ROOT p = f32[2] parameter(0)\n}\n"
      "ENTRY e {\n  p = f32[2] parameter(0)\n  q = f32[2] call(p), to_apply=f\n  ROOT r = f32[2] "
      "abs(q), control-predecessors={p}\n}\n");
  ASSERT_EQ(FaultOf(good), "OK");
  const int64_t callee = good.computations(0).id(), entry = good.computations(1).id();
  const auto fault = [&good](void (*change)(HloModuleProto&)) {
    HloModuleProto module = good;
    change(module);
    return FaultOf(module);
  };
  EXPECT_EQ(fault([](HloModuleProto& m) { m.mutable_computations(0)->set_id(-1); }),
            "INVALID_ARGUMENT: computation \"f\": expected an id of 0 or more, got -1");
  EXPECT_EQ(fault([](HloModuleProto& m) {
              m.mutable_computations(0)->mutable_instructions(0)->set_id(-1);
            }),
            "INVALID_ARGUMENT: computation \"f\": instruction \"p\": expected an id of 0 or more, "
            "got -1");
  // Ids may begin with 0.
  EXPECT_EQ(fault([](HloModuleProto& m) {
              m.mutable_computations(0)->mutable_instructions(0)->set_id(0);
              m.mutable_computations(0)->set_root_id(0);
              m.mutable_computations(0)->set_id(0);
              m.mutable_computations(1)->mutable_instructions(1)->set_called_computation_ids(0, 0);
            }),
            "OK");
  EXPECT_EQ(
      fault([](HloModuleProto& m) { m.mutable_computations(1)->set_id(m.computations(0).id()); }),
      absl::StrCat("INVALID_ARGUMENT: computation \"e\": another computation has its id ", callee,
                   " too"));
  EXPECT_EQ(fault([](HloModuleProto& m) { m.set_entry_computation_id(77); }),
            "INVALID_ARGUMENT: entry computation: none of the 2 computations has the id 77");
  EXPECT_EQ(fault([](HloModuleProto& m) { m.mutable_computations(1)->set_root_id(77); }),
            "INVALID_ARGUMENT: computation \"e\": root: none of its 3 instructions has the id 77");
  EXPECT_EQ(fault([](HloModuleProto& m) {
              m.mutable_computations(1)->mutable_instructions(1)->set_called_computation_ids(0, 77);
            }),
            "INVALID_ARGUMENT: computation \"e\": instruction \"q\": it calls computation 77: "
            "expected one before its own, but there is none");
  EXPECT_EQ(fault([](HloModuleProto& m) {
              m.mutable_computations(1)->mutable_instructions(1)->set_called_computation_ids(
                  0, m.computations(1).id());
            }),
            absl::StrCat("INVALID_ARGUMENT: computation \"e\": instruction \"q\": it calls "
                         "computation ",
                         entry, ": expected one before its own, but that is its own"));
  EXPECT_EQ(fault([](HloModuleProto& m) {
              m.mutable_computations(1)->mutable_instructions(2)->set_control_predecessor_ids(0,
                                                                                              77);
            }),
            "INVALID_ARGUMENT: computation \"e\": instruction \"r\": control predecessor 77: "
            "expected an instruction before this one in its computation");
  EXPECT_EQ(fault([](HloModuleProto& m) {
              m.mutable_host_program_shape()->mutable_result()->set_dimensions(0, 3);
            }),
            "INVALID_ARGUMENT: host program shape of \"e\": program shape: result: expected "
            "f32[2]{0}, as the instruction has, got f32[3]{0}");
  EXPECT_EQ(fault([](HloModuleProto& m) {
              m.mutable_host_program_shape()->mutable_parameters(0)->set_dimensions(0, 3);
            }),
            "INVALID_ARGUMENT: host program shape of \"e\": program shape: parameter 0: expected "
            "f32[2]{0}, as the instruction has, got f32[3]{0}");
  EXPECT_EQ(fault([](HloModuleProto& m) { m.mutable_host_program_shape()->add_parameters(); }),
            "INVALID_ARGUMENT: host program shape of \"e\": program shape: expected 1 parameters, "
            "as the computation has, got 2");
  EXPECT_EQ(fault([](HloModuleProto& m) {
              (*m.mutable_schedule()->mutable_sequences())[77].add_instruction_ids(1);
            }),
            "INVALID_ARGUMENT: schedule: no computation has the id 77");
  EXPECT_EQ(
      fault([](HloModuleProto& m) {
        (*m.mutable_schedule()->mutable_sequences())[m.computations(0).id()].add_instruction_ids(
            77);
      }),
      "INVALID_ARGUMENT: schedule of computation \"f\": instruction 77 is not in it, or "
      "occurs twice");
}

TEST(ModuleFaults, SchedulesKeepToControlPredecessors) {
  HloModuleProto module = Parsed(
      "HloModule m, is_scheduled=true\nENTRY e {\n  p = f32[] constant(1)\n"
      "  q = f32[] constant(2), control-predecessors={p}\n}\n");
  auto& ids = *(*module.mutable_schedule()->mutable_sequences())[1].mutable_instruction_ids();
  ids[0] = 2;
  ids[1] = 1;
  EXPECT_EQ(PrintHloText(module).status().ToString(),
            "INVALID_ARGUMENT: schedule of computation \"e\": expected instruction 1 before 2, "
            "which needs it, got it after");
}

// Which have as many elements, none but one another's.
TEST(ModuleFaults, TuplesAreNotReshaped) {
  HloModuleProto module = Parsed(Entry("  p = (f32[2]) parameter(0)\n  a = (f32[2]) copy(p)"));
  module.mutable_computations(0)->mutable_instructions(1)->set_opcode("reshape");
  EXPECT_EQ(FaultOf(module),
            "INVALID_ARGUMENT: computation \"e\": instruction \"a\": Expected array argument for "
            "reshape, but got (f32[2]).");
}

TEST(ModuleFaults, NamesInFaultsHave100CharactersAtMost) {
  HloModuleProto module = Parsed(Entry("  a = f32[] parameter(0)"));
  module.mutable_computations(0)->set_root_id(77);
  for (const size_t length : {size_t{100}, size_t{101}}) {
    module.mutable_computations(0)->set_name(std::string(length, 'n'));
    EXPECT_EQ(FaultOf(module), absl::StrCat("INVALID_ARGUMENT: computation \"",
                                            std::string(100, 'n'), length == 100 ? "" : "...",
                                            "\": root: none of its 1 instructions has the id 77"));
  }
}

TEST(ModuleFaults, FaultsOfLiterals) {
  const std::string at = "INVALID_ARGUMENT: computation \"e\": instruction \"a\": ";
  HloModuleProto module = Parsed(Entry("  a = f32[3] constant({1,2,3})"));
  auto* literal = module.mutable_computations(0)->mutable_instructions(0)->mutable_literal();
  literal->add_f32s(4);
  EXPECT_EQ(FaultOf(module), at + "a literal of shape f32[3]{0}: expected 3 values, got 4");
  module = Parsed(Entry("  a = c64[3] constant({(1,2),(3,4),(5,6)})"));
  literal = module.mutable_computations(0)->mutable_instructions(0)->mutable_literal();
  literal->add_c64s(4);
  EXPECT_EQ(FaultOf(module), at + "a literal of shape c64[3]{0}: expected 6 values, got 7");
  module = Parsed(Entry("  a = c128[1] constant({(1,2)})"));
  literal = module.mutable_computations(0)->mutable_instructions(0)->mutable_literal();
  literal->add_c128s(4);
  EXPECT_EQ(FaultOf(module), at + "a literal of shape c128[1]{0}: expected 2 values, got 3");
  module = Parsed(Entry("  a = s16[3] constant({1,2,3})"));
  literal = module.mutable_computations(0)->mutable_instructions(0)->mutable_literal();
  literal->mutable_s16s()->push_back('x');
  EXPECT_EQ(FaultOf(module), at + "a literal of shape s16[3]{0}: expected 6 bytes, got 7");
  module = Parsed(Entry("  a = (f32[],s8[]) constant((1, 2))"));
  literal = module.mutable_computations(0)->mutable_instructions(0)->mutable_literal();
  literal->mutable_tuple_literals(1)->mutable_shape()->set_element_type(xla::U8);
  EXPECT_THAT(FaultOf(module), HasSubstr("element 1 of a tuple's literal: expected shape s8[]"));
  literal->mutable_tuple_literals()->RemoveLast();
  EXPECT_EQ(FaultOf(module),
            at + "a literal of a tuple of 2 elements: expected as many literals in it, got 1");
  literal->add_tuple_literals();
  literal->add_tuple_literals();
  EXPECT_EQ(FaultOf(module),
            at + "a literal of a tuple of 2 elements: expected as many literals in it, got 3");
}

}  // namespace
}  // namespace callbridge::hlo
