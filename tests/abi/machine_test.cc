#include "callbridge/abi/machine.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

namespace callbridge {
namespace {

TEST(MachineTest, EachIsFoundByItsNumber) {
  for (const Machine& machine : kMachines) EXPECT_EQ(FindMachine(machine.elf_number), &machine);
  EXPECT_EQ(FindMachine(EM_NONE), nullptr);
  EXPECT_EQ(FindMachine(EM_RISCV), nullptr);
}

// What the linker wrote into this program.
TEST(MachineTest, ThisOneIsTheOneOfThisProgram) {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  const std::string program(std::istreambuf_iterator<char>(file), {});
  Elf64_Ehdr header;
  ASSERT_GE(program.size(), sizeof(header));
  std::memcpy(&header, program.data(), sizeof(header));
  EXPECT_EQ(header.e_machine, kThisMachine.elf_number);
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, program.data() + header.e_phoff + i * sizeof(segment), sizeof(segment));
    if (segment.p_type != PT_INTERP) continue;
    EXPECT_STREQ(program.data() + segment.p_offset, kThisMachine.loader_path);
    return;
  }
  FAIL() << "the program has no PT_INTERP";
}

TEST(MachineTest, SubnormalsAreZerosIfTheyAreFlushed) {
  const uint32_t before = FloatingPointControl();
  volatile float smallest = 0x1p-126f;
  SetFloatingPointControl(before | kThisMachine.flushed_subnormals);
  const float flushed = smallest * 0.5f;
  SetFloatingPointControl(before);
  EXPECT_EQ(flushed, 0.0f);
  EXPECT_EQ(smallest * 0.5f, 0x1p-127f);
}

}  // namespace
}  // namespace callbridge
