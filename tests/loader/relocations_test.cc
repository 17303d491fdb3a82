// Where relocations may write, to the byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "callbridge/loader/dynamic_section.h"
#include "callbridge/loader/private_copy.h"
#include "tests/loader/elf_editor.h"

namespace callbridge {
namespace {

using ::testing::HasSubstr;

// What is wrong with a library whose first relocation is that one.
std::string RelocationError(ElfEditor editor, uint64_t address, uint32_t type) {
  auto& relocation = editor.Table<Elf64_Rela>(DT_RELA);
  editor.Dynamic(DT_RELACOUNT).d_tag = DT_DEBUG;
  relocation.r_offset = address;
  relocation.r_info = ELF64_R_INFO(uint64_t{0}, type);
  absl::StatusOr<ElfFile> file = ElfFile::Parse(editor.bytes);
  EXPECT_TRUE(file.ok()) << file.status();
  return std::string(MakePrivateCopy(*std::move(file), {}).status().message());
}

TEST(RelocationsTest, WriteAsManyBytesAsTheirTypeSays) {
#if defined(__x86_64__)
  const std::pair<uint32_t, uint64_t> sizes[] = {{R_X86_64_32, 4},       {R_X86_64_PC32, 4},
                                                 {R_X86_64_SIZE32, 4},   {R_X86_64_64, 8},
                                                 {R_X86_64_GLOB_DAT, 8}, {R_X86_64_RELATIVE, 8},
                                                 {R_X86_64_DTPMOD64, 8}, {R_X86_64_TLSDESC, 16}};
#else
  const std::pair<uint32_t, uint64_t> sizes[] = {
      {R_AARCH64_ABS16, 2},      {R_AARCH64_ABS32, 4},    {R_AARCH64_PREL32, 4},
      {R_AARCH64_ABS64, 8},      {R_AARCH64_GLOB_DAT, 8}, {R_AARCH64_RELATIVE, 8},
      {R_AARCH64_TLS_DTPMOD, 8}, {R_AARCH64_TLSDESC, 16}};
#endif
  ElfEditor editor("original_linked");
  const Elf64_Phdr& data = editor.Segment(PT_LOAD, 3);
  const uint64_t end = data.p_vaddr + data.p_memsz;
  for (const auto& [type, size] : sizes) {
    EXPECT_EQ(RelocationError(editor, end - size, type), "") << type;
    EXPECT_THAT(RelocationError(editor, end - size + 1, type),
                HasSubstr("where no writable segment is"))
        << type;
  }
  EXPECT_EQ(RelocationError(editor, 0x123456789000, kThisMachine.no_relocation), "")
      << "it writes nothing";
}

TEST(RelocationsTest, LeaveTheDynamicSectionAlone) {
  ElfEditor editor("original_linked");
  const Elf64_Phdr& dynamic = editor.Segment(PT_DYNAMIC);
  uint64_t size = sizeof(Elf64_Dyn);  // with its end
  while (editor.At<Elf64_Dyn>(dynamic.p_offset + size - sizeof(Elf64_Dyn)).d_tag != DT_NULL) {
    size += sizeof(Elf64_Dyn);
  }
  const uint64_t begin = dynamic.p_vaddr;
  for (uint64_t good : {begin - 8, begin + size}) {
    EXPECT_EQ(RelocationError(editor, good, kThisMachine.absolute), "") << good;
  }
  for (uint64_t bad : {begin - 7, begin, begin + size - 1}) {
    EXPECT_THAT(RelocationError(editor, bad, kThisMachine.absolute),
                HasSubstr("in the dynamic section"))
        << bad;
  }
}

// Then ld.so makes all segments writable.
TEST(RelocationsTest, MayWriteToCodeWhereTheLibrarySaysSo) {
  const auto error = [](Elf64_Dyn entry) {
    ElfEditor editor("original_linked");
    editor.Dynamic(DT_VERNEEDNUM) = entry;
    return RelocationError(editor, editor.Segment(PT_LOAD, 1).p_vaddr, kThisMachine.absolute);
  };
  EXPECT_EQ(error({DT_TEXTREL, {0}}), "");
  EXPECT_EQ(error({DT_FLAGS, {DF_TEXTREL}}), "");
  EXPECT_THAT(error({DT_FLAGS, {DF_BIND_NOW | DF_SYMBOLIC}}),
              HasSubstr("where no writable segment is"));
}

}  // namespace
}  // namespace callbridge
