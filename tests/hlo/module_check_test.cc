#include "callbridge/hlo/module_check.h"

#include <google/protobuf/arena.h>
#include <google/protobuf/text_format.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/processor_time.h"

namespace callbridge::hlo {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using xla::HloInstructionProto;
using xla::HloModuleProto;

constexpr char kF32s[] = "shape { element_type: F32 dimensions: 2 layout { minor_to_major: 0 } }";

// A computation that adds and calls it, and a custom call of its sum with all that one may have.
HloModuleProto ValidModule() {
  const std::string shape = kF32s;
  const std::string tuple = "shape { element_type: TUPLE tuple_" + shape.substr(0, 5) + "s" +
                            shape.substr(5) + " tuple_shapes { element_type: TOKEN } }";
  const std::string text =
      "name: 'm' entry_computation_id: 20 id: 20"
      " computations { name: 'sum' id: 10 root_id: 3"
      "  instructions { name: 'x' opcode: 'parameter' id: 1 " +
      shape +
      " }"
      "  instructions { name: 'y' opcode: 'parameter' parameter_number: 1 id: 2 " +
      shape +
      " }"
      "  instructions { name: 'add' opcode: 'add' operand_ids: [1, 2] id: 3 " +
      shape +
      " }"
      "  program_shape { parameters { element_type: F32 dimensions: 2 }"
      "    parameters { element_type: F32 dimensions: 2 }"
      "    result { element_type: F32 dimensions: 2 } } }"
      " computations { name: 'entry' id: 20 root_id: 15"
      "  instructions { name: 'p' opcode: 'parameter' id: 11 " +
      shape +
      " }"
      "  instructions { name: 'c' opcode: 'constant' id: 12 " +
      shape + "    literal { " + shape +
      " f32s: [1, 2] } }"
      "  instructions { name: 'call' opcode: 'call' operand_ids: [11, 12]"
      "    called_computation_ids: 10 id: 13 " +
      shape +
      " }"
      "  instructions { name: 'f' opcode: 'custom-call' operand_ids: [13, 11] id: 14 " +
      tuple +
      "    custom_call_target: 'f' custom_call_api_version: API_VERSION_STATUS_RETURNING"
      "    constrain_layout: true operand_" +
      shape.substr(0, 5) + "s_with_layout" + shape.substr(5) + " operand_" + shape.substr(0, 5) +
      "s_with_layout" + shape.substr(5) + "    literal { " + shape +
      " f32s: [1, 2] }"
      "    output_operand_aliasing { output_shape_index: 0 operand_index: 1 } }"
      "  instructions { name: 'gte' opcode: 'get-tuple-element' operand_ids: 14 id: 15 " +
      shape +
      "    control_predecessor_ids: 12 } }"
      " host_program_shape { parameters { element_type: F32 dimensions: 2 }"
      "   result { element_type: F32 dimensions: 2 } }"
      " schedule { sequences { key: 20 value { instruction_ids: [11, 12, 13, 14, 15] } } }"
      " input_output_alias { entries { parameter_number: 0 kind: MAY_ALIAS } }";
  HloModuleProto module;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &module)) << text;
  return module;
}

// The number is the instruction's place in the entry computation.
HloInstructionProto& Entry(HloModuleProto& module, int i) {
  return *module.mutable_computations(1)->mutable_instructions(i);
}
HloInstructionProto& CustomCall(HloModuleProto& module) { return Entry(module, 3); }

HloInstructionProto* Append(HloModuleProto& module, const std::string& text) {
  HloInstructionProto* added = module.mutable_computations(1)->add_instructions();
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, added)) << text;
  return added;
}

TEST(ModuleCheckTest, AcceptsWhatIsWellFormed) {
  EXPECT_EQ(CheckModule(ValidModule()).ToString(), "OK");
}

TEST(ModuleCheckTest, LeavesUnknownInstructionsAlone) {
  HloModuleProto module = ValidModule();
  Append(module,
         "name: 'w' opcode: 'while' id: 30 shape { element_type: S32 } operand_ids: 11 "
         "called_computation_ids: [10, 10]");
  EXPECT_EQ(CheckModule(module).ToString(), "OK");
}

TEST(ModuleCheckTest, EveryUnknownEnumValueAndFieldSurvives) {
  HloModuleProto module = ValidModule();
  const std::string bytes = module.SerializeAsString() + std::string("\xaa\x1f\x01\x78", 4);
  ASSERT_TRUE(module.ParseFromString(bytes));
  EXPECT_EQ(CheckModule(module).ToString(), "OK");
}

struct Fault {
  std::function<void(HloModuleProto&)> make;
  // In the message.
  std::string says;
};

TEST(ModuleCheckTest, RefusesAndNamesEveryFault) {
  const std::string f32s = kF32s;
  const std::vector<Fault> faults = {
      // Ids.
      {[](auto& m) { m.clear_computations(); }, "none of the 0 computations has the id 20"},
      {[](auto& m) { m.set_entry_computation_id(21); }, "has the id 21"},
      {[](auto& m) { m.mutable_computations(0)->set_id(20); },
       "another computation has its id 20 too"},
      {[](auto& m) { m.mutable_computations(1)->set_id(7); }, "has the id 20"},
      {[](auto& m) { m.mutable_computations(0)->set_id(-1); }, "expected an id of 0 or more"},
      {[](auto& m) { m.mutable_computations(1)->set_root_id(3); }, "instructions has the id 3"},
      {[](auto& m) { m.mutable_computations(1)->clear_instructions(); }, "its 0 instructions"},
      {[](auto& m) { Entry(m, 1).set_id(11); }, "another instruction has its id 11 too"},
      {[](auto& m) { Entry(m, 1).set_id(1); }, "another instruction has its id 1 too"},
      {[](auto& m) { Entry(m, 1).set_id(-12); }, "got -12"},
      {[](auto& m) { Entry(m, 4).set_operand_ids(0, 99); }, "operand 99"},
      {[](auto& m) { Entry(m, 4).set_operand_ids(0, 3); }, "operand 3: expected an instruction"},
      {[](auto& m) { Entry(m, 4).set_operand_ids(0, 15); }, "operand 15"},
      {[](auto& m) { Entry(m, 2).set_operand_ids(0, 14); }, "operand 14"},
      {[](auto& m) { Entry(m, 4).set_control_predecessor_ids(0, 15); }, "control predecessor 15"},
      {[](auto& m) { Entry(m, 4).set_control_predecessor_ids(0, 1); }, "control predecessor 1"},
      {[](auto& m) { Entry(m, 2).set_called_computation_ids(0, 20); }, "but that is its own"},
      {[](auto& m) { Entry(m, 2).set_called_computation_ids(0, 9); }, "but there is none"},
      {[](auto& m) { m.mutable_computations()->SwapElements(0, 1); },
       "expected one before its own"},
      {[](auto& m) {
         m.mutable_computations(0)->mutable_instructions(2)->add_called_computation_ids(20);
       },
       "calls computation 20"},
      // Parameters and program shapes.
      {[](auto& m) { Entry(m, 0).set_parameter_number(1); }, "expected 0 to 0, each once"},
      {[](auto& m) { Entry(m, 0).set_parameter_number(-1); }, "parameter number -1"},
      {[](auto& m) { Entry(m, 0).set_parameter_number(int64_t{1} << 62); }, "with 1 parameters"},
      {[](auto& m) { m.mutable_computations(0)->mutable_instructions(1)->set_parameter_number(0); },
       "parameter number 0 occurs twice"},
      {[](auto& m) { m.mutable_host_program_shape()->add_parameters(); }, "expected 1 parameters"},
      {[](auto& m) { m.mutable_host_program_shape()->mutable_parameters(0)->set_dimensions(0, 3); },
       "parameter 0: expected f32[2]{0}, as the instruction has, got f32[3]"},
      {[](auto& m) { m.mutable_host_program_shape()->clear_result(); }, "result: "},
      {[](auto& m) {
         m.mutable_computations(0)->mutable_program_shape()->mutable_result()->set_element_type(
             xla::S32);
       },
       "result: expected f32[2]{0}, as the instruction has, got s32[2]"},
      // Operands and shapes.
      {[](auto& m) { Entry(m, 4).clear_operand_ids(); }, "expected 1 operand, got 0"},
      {[](auto& m) { Entry(m, 1).add_operand_ids(11); }, "expected 0 operands, got 1"},
      {[](auto& m) { Entry(m, 4).set_tuple_index(1); }, "expected shape token[], got f32[2]{0}"},
      {[](auto& m) { Entry(m, 4).set_tuple_index(2); }, "index (2) out of range"},
      {[](auto& m) { Entry(m, 4).mutable_shape()->set_dimensions(0, 3); }, "got f32[3]{0}"},
      {[](auto& m) { Entry(m, 2).mutable_shape()->set_dimensions(0, 3); }, "got f32[3]{0}"},
      {[](auto& m) { Entry(m, 2).add_operand_ids(11); }, "expected 2 operands, as the called"},
      {[](auto& m) { Entry(m, 2).clear_called_computation_ids(); }, "expected one called"},
      {[](auto& m) { Entry(m, 1).mutable_shape()->set_dimensions(0, int64_t{1} << 62); }, "c"},
      {[](auto& m) { Entry(m, 1).mutable_shape()->set_dimensions(0, -1); }, "-1"},
      {[](auto& m) {
         m.mutable_computations(0)->mutable_instructions(2)->set_opcode("subtract");
         for (auto& i : *m.mutable_computations(0)->mutable_instructions()) {
           i.mutable_shape()->set_element_type(xla::PRED);
         }
       },
       "got PRED"},
      {[&](auto& m) {
         Append(m,
                "opcode: 'reshape' id: 30 operand_ids: 11 shape { element_type: "
                "F32 dimensions: 3 }");
       },
       "from=2 (f32[2]) to=3 (f32[3])"},
      {[&](auto& m) {
         Append(m,
                "opcode: 'reshape' id: 30 operand_ids: 11 shape { element_type: "
                "S32 dimensions: 2 }");
       },
       "expected shape f32[2], got s32[2]"},
      {[&](auto& m) {
         Append(m,
                "opcode: 'reshape' id: 30 operand_ids: 14 shape { element_type: "
                "S32 }");
       },
       "for reshape, but got (f32[2],token[])"},
      {[&](auto& m) {
         Append(m,
                "opcode: 'broadcast' id: 30 operand_ids: 11 dimensions: 1 shape { "
                "element_type: F32 dimensions: [3, 4] }");
       },
       "has size 4 in the result"},
      {[&](auto& m) {
         Append(m,
                "opcode: 'convert' id: 30 operand_ids: 11 shape { element_type: "
                "TOKEN }");
       },
       "Convert does not allow non-arrays"},
      {[&](auto& m) {
         Append(m,
                "opcode: 'copy' id: 30 operand_ids: 11 shape { element_type: "
                "F32 }");
       },
       "expected shape f32[2]{0}, got f32[]"},
      {[&](auto& m) {
         Append(m, "opcode: 'abs' id: 30 operand_ids: 14 shape { element_type: F32 }");
       },
       "unary operation, but got (f32[2],token[])"},
      {[&](auto& m) {
         Append(m,
                "opcode: 'after-all' id: 30 operand_ids: 11 shape { element_type: "
                "TOKEN }");
       },
       "expected tokens as operands, got f32[2]{0} as operand 0"},
      {[&](auto& m) { Append(m, "opcode: 'after-all' id: 30 " + f32s); }, "expected shape token[]"},
      {[&](auto& m) { Append(m, "opcode: 'add-dependency' id: 30 operand_ids: [11, 12] " + f32s); },
       "expected a token as operand 1"},
      {[&](auto& m) { Append(m, "opcode: 'tuple' id: 30 operand_ids: [11, 12] " + f32s); },
       "expected a tuple of 2 elements"},
      {[&](auto& m) {
         Append(m,
                "opcode: 'tuple' id: 30 operand_ids: 11 shape { element_type: TUPLE "
                "tuple_shapes { element_type: F32 } }");
       },
       "expected shape f32[2]{0} as element 0"},
      // Literals.
      {[](auto& m) { Entry(m, 1).mutable_literal()->clear_shape(); }, "instruction \"c\": "},
      {[](auto& m) { Entry(m, 1).mutable_literal()->mutable_shape()->set_dimensions(0, 3); },
       "expected shape f32[3]{0}, got f32[2]{0}"},
      {[](auto& m) { Entry(m, 1).mutable_literal()->add_f32s(1); }, "expected 2 values, got 3"},
      {[](auto& m) { Entry(m, 1).mutable_literal()->clear_f32s(); }, "expected 2 values, got 0"},
      {[](auto& m) { CustomCall(m).mutable_literal()->clear_f32s(); }, "expected 2 values, got 0"},
      {[](auto& m) {
         auto* shape = CustomCall(m).mutable_literal()->mutable_shape();
         shape->set_element_type(xla::U8);
         shape->set_dimensions(0, int64_t{1} << 62);
       },
       "expected 4611686018427387904 bytes, got 0"},
      {[](auto& m) {
         auto* literal = CustomCall(m).mutable_literal();
         literal->clear_shape();
         literal->mutable_shape()->set_element_type(xla::TUPLE);
         literal->mutable_shape()->add_tuple_shapes()->set_element_type(xla::F32);
       },
       "expected as many literals in it, got 0"},
      {[](auto& m) {
         auto* literal = CustomCall(m).mutable_literal();
         literal->clear_shape();
         literal->mutable_shape()->set_element_type(xla::TUPLE);
         literal->mutable_shape()->add_tuple_shapes()->set_element_type(xla::F32);
         literal->add_tuple_literals()->mutable_shape()->set_element_type(xla::S32);
       },
       "element 0 of a tuple's literal: expected shape f32[], as the tuple says, got s32[]"},
      // Custom calls.
      {[](auto& m) { CustomCall(m).set_custom_call_api_version(xla::CustomCallApiVersion(5)); },
       "expected an api version from 0 to 4, got 5"},
      {[](auto& m) { CustomCall(m).set_custom_call_schedule(xla::CustomCallSchedule(-1)); },
       "expected a schedule from 0 to 2, got -1"},
      {[](auto& m) { CustomCall(m).mutable_operand_shapes_with_layout()->RemoveLast(); },
       "expected 2 operand shapes with layout"},
      {[](auto& m) { CustomCall(m).mutable_operand_shapes_with_layout(1)->clear_layout(); },
       "operand shape with layout 1: expected layouts"},
      {[](auto& m) { CustomCall(m).mutable_operand_shapes_with_layout(1)->set_dimensions(0, 1); },
       "operand shape with layout 1: expected f32[2]{0}"},
      {[](auto& m) { CustomCall(m).mutable_shape()->mutable_tuple_shapes(0)->clear_layout(); },
       "expected layouts in the result"},
      {[](auto& m) {
         CustomCall(m).mutable_output_operand_aliasing(0)->set_output_shape_index(0, 2);
       },
       "alias of output {2}: expected a leaf"},
      {[](auto& m) { CustomCall(m).mutable_output_operand_aliasing(0)->add_output_shape_index(0); },
       "alias of output {0,0}: expected a leaf"},
      {[](auto& m) {
         CustomCall(m).mutable_output_operand_aliasing(0)->clear_output_shape_index();
       },
       "alias of output {}: expected a leaf"},
      {[](auto& m) {
         CustomCall(m).mutable_output_operand_aliasing(0)->set_output_shape_index(0, 1);
       },
       "expected the shape of operand 1's leaf, f32[2]{0}, got token[]"},
      {[](auto& m) { CustomCall(m).mutable_output_operand_aliasing(0)->set_operand_index(2); },
       "there are 2 operands"},
      {[](auto& m) { CustomCall(m).mutable_output_operand_aliasing(0)->set_operand_index(-1); },
       "operand -1"},
      {[](auto& m) {
         CustomCall(m).mutable_output_operand_aliasing(0)->add_operand_shape_index(0);
       },
       "operand 1 {0}: expected a leaf"},
      {[](auto& m) {
         *CustomCall(m).add_output_operand_aliasing() = CustomCall(m).output_operand_aliasing(0);
       },
       "alias of output {0}: it is aliased twice"},
      // The module's.
      {[](auto& m) { m.mutable_input_output_alias()->mutable_entries(0)->set_parameter_number(1); },
       "there are 1 parameters"},
      {[](auto& m) {
         m.mutable_input_output_alias()->mutable_entries(0)->add_output_shape_index(0);
       },
       "alias of output {0}: expected a leaf of f32[2]{0}"},
      {[](auto& m) {
         m.mutable_input_output_alias()->mutable_entries(0)->add_parameter_shape_index(-1);
       },
       "parameter 0 {-1}: expected a leaf"},
      {[](auto& m) { m.mutable_input_output_alias()->mutable_entries(0)->set_kind(xla::Kind(3)); },
       "expected a kind from 0 to 2, got 3"},
      {[](auto& m) {
         auto* alias = m.mutable_input_output_alias();
         *alias->add_entries() = alias->entries(0);
       },
       "aliased twice"},
      {[](auto& m) { (*m.mutable_schedule()->mutable_sequences())[7]; },
       "schedule: no computation has the id 7"},
      {[](auto& m) { (*m.mutable_schedule()->mutable_sequences())[20].add_instruction_ids(3); },
       "instruction 3 is not in it"},
      {[](auto& m) { (*m.mutable_schedule()->mutable_sequences())[20].add_instruction_ids(15); },
       "instruction 15 is not in it, or occurs twice"},
  };
  for (size_t i = 0; i < faults.size(); ++i) {
    HloModuleProto module = ValidModule();
    faults[i].make(module);
    const absl::Status status = CheckModule(module);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << i;
    EXPECT_THAT(std::string(status.message()), HasSubstr(faults[i].says)) << i;
  }
}

TEST(ModuleCheckTest, NamesComputationAndInstructionHoweverTheyAreCalled) {
  HloModuleProto module = ValidModule();
  module.mutable_computations(1)->set_name(std::string("\x01\xff", 2));
  Entry(module, 4).set_name(std::string(100'000, 'n'));
  Entry(module, 4).set_tuple_index(7);
  const std::string message(CheckModule(module).message());
  EXPECT_THAT(message, AllOf(HasSubstr("computation \"\\x01\\xff\": instruction \"nnn"),
                             HasSubstr("nnn...\": GetTupleElement")));
  EXPECT_LT(message.size(), 400u);
}

// On an arena, since the destructors of messages recurse.
TEST(ModuleCheckTest, NestingThatIsTooDeepIsAnError) {
  google::protobuf::Arena arena;
  auto* module = google::protobuf::Arena::CreateMessage<HloModuleProto>(&arena);
  *module = ValidModule();
  xla::LiteralProto* literal = CustomCall(*module).mutable_literal();
  literal->mutable_shape()->set_element_type(xla::TUPLE);
  literal->mutable_shape()->clear_dimensions();
  literal->mutable_shape()->clear_layout();
  literal->mutable_shape()->add_tuple_shapes()->set_element_type(xla::F32);
  for (int depth = 0; depth < 100'000; ++depth) {
    literal->mutable_shape()->set_element_type(xla::TUPLE);
    literal = literal->add_tuple_literals();
    literal->mutable_shape()->set_element_type(xla::F32);
  }
  EXPECT_THAT(std::string(CheckModule(*module).message()), HasSubstr("element 0 of a tuple's"));

  xla::ShapeProto* shape = Entry(*module, 0).mutable_shape();
  for (int depth = 0; depth < 100'000; ++depth) {
    shape->set_element_type(xla::TUPLE);
    shape->clear_dimensions();
    shape->clear_layout();
    shape = shape->add_tuple_shapes();
  }
  shape->set_element_type(xla::F32);
  const absl::Status status = CheckModule(*module);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("instruction \"p\": "));
}

// ---- Time ---------------------------------------------------------------------------------------

// Far more than it takes, and far less than anything that is quadratic.
constexpr std::chrono::seconds kLong(10);

void CheckSoon(const HloModuleProto& module) {
  const auto start = ProcessorTime();
  const absl::Status status = CheckModule(module);
  EXPECT_LT(ProcessorTime() - start, kLong);
  EXPECT_EQ(status.ToString(), "OK");
}

TEST(ModuleCheckTest, ALongChainOfCallsAndOfInstructions) {
  HloModuleProto module;
  for (int i = 0; i < 25'000; ++i) {
    auto* computation = module.add_computations();
    computation->set_id(i);
    computation->set_root_id(int64_t{2} * i + 1);
    HloInstructionProto* parameter = computation->add_instructions();
    parameter->set_opcode("parameter");
    parameter->set_id(int64_t{2} * i);
    parameter->mutable_shape()->set_element_type(xla::F32);
    HloInstructionProto* call = computation->add_instructions();
    call->set_opcode(i == 0 ? "negate" : "call");
    call->set_id(int64_t{2} * i + 1);
    call->add_operand_ids(int64_t{2} * i);
    if (i > 0) call->add_called_computation_ids(i - 1);
    call->mutable_shape()->set_element_type(xla::F32);
  }
  module.set_entry_computation_id(24'999);
  CheckSoon(module);
}

TEST(ModuleCheckTest, ManyCallsThatTakeOneLargeTuple) {
  constexpr int kMany = 50'000;
  HloModuleProto module;
  for (int id : {0, 1}) {
    auto* computation = module.add_computations();
    computation->set_id(id);
    HloInstructionProto* parameter = computation->add_instructions();
    parameter->set_id(10 + id);
    parameter->set_opcode("parameter");
    parameter->mutable_shape()->set_element_type(xla::TUPLE);
    for (int i = 0; i < kMany; ++i) {
      parameter->mutable_shape()->add_tuple_shapes()->set_element_type(xla::F32);
    }
    HloInstructionProto* element = computation->add_instructions();
    element->set_id(20 + id);
    element->set_opcode("get-tuple-element");
    element->add_operand_ids(10 + id);
    element->mutable_shape()->set_element_type(xla::F32);
    computation->set_root_id(20 + id);
  }
  module.set_entry_computation_id(1);
  for (int i = 0; i < kMany; ++i) {
    HloInstructionProto* call = module.mutable_computations(1)->add_instructions();
    call->set_id(100 + i);
    call->set_opcode("call");
    call->add_operand_ids(11);
    call->add_called_computation_ids(0);
    call->mutable_shape()->set_element_type(xla::F32);
  }
  CheckSoon(module);
}

TEST(ModuleCheckTest, ManyReshapesOfOneArrayOfManyDimensions) {
  constexpr int kMany = 50'000;
  HloModuleProto module;
  auto* computation = module.add_computations();
  HloInstructionProto* parameter = computation->add_instructions();
  parameter->set_id(1);
  parameter->set_opcode("parameter");
  parameter->mutable_shape()->set_element_type(xla::F32);
  for (int i = 0; i < kMany; ++i) parameter->mutable_shape()->add_dimensions(1);
  for (int i = 0; i < kMany; ++i) {
    HloInstructionProto* reshape = computation->add_instructions();
    reshape->set_id(2 + i);
    reshape->set_opcode("reshape");
    reshape->add_operand_ids(1);
    reshape->mutable_shape()->set_element_type(xla::F32);
  }
  computation->set_root_id(1);
  CheckSoon(module);
}

}  // namespace
}  // namespace callbridge::hlo
