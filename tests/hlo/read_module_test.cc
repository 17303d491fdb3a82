#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "callbridge/hlo/hlo_text.h"

namespace callbridge::hlo {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kText[] =
    "\n// from a file\nHloModule m\nENTRY e {\n  a = f32[2] parameter(0)\n"
    "  ROOT b = f32[2] custom-call(a), custom_call_target=\"t\"\n}\n";

xla::HloModuleProto Module() {
  absl::StatusOr<xla::HloModuleProto> module = ParseHloText(kText);
  EXPECT_TRUE(module.ok()) << module.status();
  return *module;
}

TEST(ReadModule, ReadsAllForms) {
  const std::string expected = Module().SerializeAsString();
  xla::HloProto dump;
  *dump.mutable_hlo_module() = Module();
  // The assignment of buffers behind the module, which is no field here.
  const std::string with_buffers = dump.SerializeAsString() + "\x1a\x04\x08\x01\x10\x02";
  for (const std::string& bytes :
       {std::string(kText), expected, dump.SerializeAsString(), with_buffers}) {
    absl::StatusOr<xla::HloModuleProto> module = ReadModule(bytes);
    ASSERT_TRUE(module.ok()) << module.status();
    EXPECT_EQ(module->SerializeAsString(), expected);
  }
}

TEST(ReadModule, WhatIsNoNameIsNotReported) {
  xla::HloProto dump;
  *dump.mutable_hlo_module() = Module();
  dump.mutable_hlo_module()->set_name(std::string(300, 'n'));  // whose size has bytes beyond ASCII
  testing::internal::CaptureStderr();
  const absl::Status status = ReadModule(dump.SerializeAsString()).status();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_TRUE(status.ok()) << status;
}

TEST(ReadModule, TextBeginsWithBlanksAndComments) {
  const std::string text = "HloModule m\nENTRY e {\n  ROOT a = f32[2] parameter(0)\n}\n";
  for (absl::string_view before :
       {"", " ", "\n\t \r\n", "// x\n", "/* x */", " /* x\n */ // y\n"}) {
    absl::StatusOr<xla::HloModuleProto> module = ReadModule(absl::StrCat(before, text));
    EXPECT_TRUE(module.ok()) << before << module.status();
  }
  // What is wrong in a text is told of the text alone.
  for (absl::string_view bad : {"// only", "/* only */", "HloModule", " HloModule 1"}) {
    const absl::Status status = ReadModule(bad).status();
    EXPECT_THAT(status.message(), HasSubstr("line ")) << bad;
    EXPECT_THAT(status.message(), Not(HasSubstr("As Hlo"))) << bad;
  }
}

TEST(ReadModule, TooManyBytes) {
  // Only the first of them are looked at, so that the others take no memory.
  constexpr size_t kCount = size_t{1} << 31;
  void* const zeros =
      mmap(nullptr, kCount, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(zeros, MAP_FAILED);
  EXPECT_EQ(ReadModule({static_cast<const char*>(zeros), kCount}).status().ToString(),
            "INVALID_ARGUMENT: expected a module of less than 2 GiB, got 2147483648 bytes");
  munmap(zeros, kCount);
}

TEST(ReadModule, TellsOfEachKindOfMessage) {
  const auto error = [](absl::string_view bytes) {
    return std::string(ReadModule(bytes).status().message());
  };
  constexpr char kExpected[] =
      "expected a serialized HloModuleProto, HloProto or HloSnapshot, or HLO text, which begins "
      "with \"HloModule\". ";
  EXPECT_EQ(error("\xff"),
            absl::StrCat(kExpected,
                         "As HloModuleProto: the bytes are not a message of this kind. As "
                         "HloProto: the bytes are not a message of this kind. As HloSnapshot: the "
                         "bytes are not a message of this kind"));
  EXPECT_THAT(error(""), AllOf(HasSubstr(kExpected), HasSubstr(". As HloProto: it has no module")));
  xla::HloModuleProto module = Module();
  module.mutable_computations(0)->mutable_instructions(1)->set_operand_ids(0, 77);
  xla::HloProto dump;
  *dump.mutable_hlo_module() = module;
  // The fault stands at the kind of which the message is.
  const std::string of_module = error(module.SerializeAsString());
  EXPECT_LT(of_module.find("77"), of_module.find(". As HloProto: "));
  const std::string of_dump = error(dump.SerializeAsString());
  EXPECT_NE(of_dump.find("77"), std::string::npos);
  EXPECT_GT(of_dump.find("77"), of_dump.find(". As HloProto: "));
}

TEST(ReadModule, UnknownFieldsSurvive) {
  const std::string bytes = Module().SerializeAsString() + "\xba\x3e\x03xyz";  // field 999
  absl::StatusOr<xla::HloModuleProto> module = ReadModule(bytes);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->SerializeAsString(), bytes);
}

TEST(ReadModule, TellsWhatEachReaderSaid) {
  for (const std::string& bytes : {std::string(), std::string("\0\0\0", 3),
                                   std::string("\x7f"
                                               "ELF"),
                                   std::string(100, '\xff'), std::string("ENTRY e {")}) {
    const absl::Status status = ReadModule(bytes).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), AllOf(HasSubstr("As HloModuleProto: "),
                                        HasSubstr("As HloProto: "), HasSubstr("\"HloModule\"")));
  }
  EXPECT_THAT(ReadModule("HloModule m").status().message(), HasSubstr("line 1, column 12"));
}

TEST(ReadModule, ABadModuleIsRefusedWhateverItsForm) {
  xla::HloModuleProto module = Module();
  module.mutable_computations(0)->mutable_instructions(1)->set_operand_ids(0, 77);
  xla::HloProto dump;
  *dump.mutable_hlo_module() = module;
  for (const std::string& bytes : {module.SerializeAsString(), dump.SerializeAsString()}) {
    EXPECT_THAT(ReadModule(bytes).status().message(), HasSubstr("77"));
  }
}

TEST(ReadModule, WhatNoCustomCallTakesPassesThrough) {
  xla::HloModuleProto module = Module();
  const auto set_dynamic = [](xla::ShapeProto* shape) {
    shape->clear_is_dynamic_dimension();
    for (int i = 0; i < shape->dimensions_size(); ++i) shape->add_is_dynamic_dimension(i == 0);
  };
  xla::HloComputationProto& computation = *module.mutable_computations(0);
  for (xla::HloInstructionProto& instruction : *computation.mutable_instructions()) {
    set_dynamic(instruction.mutable_shape());
    instruction.set_opcode(instruction.opcode() == "parameter" ? "parameter" : "of-tomorrow");
  }
  for (xla::ProgramShapeProto* program :
       {computation.mutable_program_shape(), module.mutable_host_program_shape()}) {
    for (xla::ShapeProto& shape : *program->mutable_parameters()) set_dynamic(&shape);
    set_dynamic(program->mutable_result());
  }
  // A type of tomorrow too, of an instruction that is no parameter or result.
  xla::HloInstructionProto* last = computation.add_instructions();
  last->set_id(99);
  last->set_opcode("typed-tomorrow");
  last->mutable_shape()->set_element_type(static_cast<xla::PrimitiveType>(77));
  const std::string bytes = module.SerializeAsString();

  xla::HloProto dump;
  *dump.mutable_hlo_module() = module;
  xla::HloSnapshot snapshot;
  *snapshot.mutable_hlo() = dump;
  xla::HloModuleProtoWithConfig with_config;
  *with_config.mutable_hlo_module() = module;
  for (const std::string& message : {bytes, dump.SerializeAsString(), snapshot.SerializeAsString(),
                                     with_config.SerializeAsString()}) {
    const absl::StatusOr<xla::HloModuleProto> read = ReadModule(message);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(*SerializeModule(*read), bytes);
  }
}

TEST(ReadModule, FieldsThatHoldTextAreNoMessages) {
  xla::HloModuleProto module = Module();
  module.mutable_computations(0)->mutable_instructions(0)->add_text_attributes()->set_name("a");
  EXPECT_THAT(ReadModule(module.SerializeAsString()).status().message(),
              HasSubstr("field 536870001 or 536870002 is set, which no XLA writes"));
  module = Module();
  module.mutable_computations(0)->mutable_instructions(0)->set_shape_is_left_out(true);
  EXPECT_THAT(ReadModule(module.SerializeAsString()).status().message(), HasSubstr("is set"));
}

// Every beginning of a module, and every module with one bit flipped, is read or refused.
TEST(ReadModule, DamagedProtosAreNoDanger) {
  const std::string bytes = Module().SerializeAsString();
  int read = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    read += ReadModule(bytes.substr(0, i)).ok() ? 1 : 0;
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      read += ReadModule(damaged).ok() ? 1 : 0;
    }
  }
  EXPECT_GT(read, 0);  // a name with another letter
  EXPECT_LT(read, static_cast<int>(bytes.size()) * 8);
}

}  // namespace
}  // namespace callbridge::hlo
