#include "callbridge/runtime/elf_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tests/runtime/elf_editor.h"

namespace callbridge {
namespace {

using ::testing::HasSubstr;

void ExpectRefused(std::string bytes, const std::string& message) {
  absl::StatusOr<ElfFile> file = ElfFile::Parse(std::move(bytes));
  ASSERT_FALSE(file.ok()) << message;
  EXPECT_EQ(file.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(file.status().message()), HasSubstr(message));
}

void ExpectRefused(const std::function<void(ElfEditor&)>& edit, const std::string& message) {
  ElfEditor editor("original_linked");
  edit(editor);
  ExpectRefused(editor.bytes, message);
}

TEST(ElfFileTest, FindsWhatIsMapped) {
  ElfEditor editor("original_linked");
  absl::StatusOr<ElfFile> file = ElfFile::Parse(editor.bytes);
  ASSERT_TRUE(file.ok()) << file.status();
  const Elf64_Phdr dynamic = editor.Segment(PT_DYNAMIC);
  EXPECT_EQ(*file->FileOffset(dynamic.p_vaddr, dynamic.p_filesz, "PT_DYNAMIC"), dynamic.p_offset);
  EXPECT_TRUE(file->IsMapped(dynamic.p_vaddr, dynamic.p_filesz, PF_W));
  EXPECT_FALSE(file->IsMapped(dynamic.p_vaddr, dynamic.p_filesz, PF_X));

  const Elf64_Phdr data = editor.Segment(PT_LOAD, 3);
  ASSERT_GT(data.p_memsz, data.p_filesz) << "the test wants a .bss";
  EXPECT_TRUE(file->IsMapped(data.p_vaddr, data.p_memsz, PF_R | PF_W));
  EXPECT_FALSE(file->IsMapped(data.p_vaddr, data.p_memsz + 1, PF_R | PF_W));
  EXPECT_TRUE(file->FileOffset(data.p_vaddr, data.p_filesz, "data").ok());
  EXPECT_FALSE(file->FileOffset(data.p_vaddr, data.p_filesz + 1, "data").ok());
  EXPECT_FALSE(file->FileOffset(UINT64_MAX, 1, "data").ok());
  EXPECT_FALSE(file->FileOffset(data.p_vaddr, UINT64_MAX, "data").ok());
}

TEST(ElfFileTest, SaysWhatElseItIs) {
  ExpectRefused("", "is empty");
  ExpectRefused("#!/bin/sh\necho no library\n", "is text: it begins with \"#!/bin/sh\\necho n\"");
  ExpectRefused("INPUT(libfoo.so.1)", "is text: it begins with \"INPUT(libfoo.so.\"");
  ExpectRefused(std::string("PK\3\4\0\0\0\0", 8),
                "is not an ELF file: it begins with \"PK\\x03\\x04");
  ExpectRefused("!<arch>\nfoo.o/", "is a static archive; link it");
  ExpectRefused("\177ELF", "is truncated: it has 4 bytes, an ELF header 64");
}

TEST(ElfFileTest, NamesTheMachine) {
  ExpectRefused([](ElfEditor& e) { e.header().e_machine = EM_AARCH64; },
                "was built for 64-bit little-endian AArch64; this process runs 64-bit");
  ExpectRefused([](ElfEditor& e) { e.header().e_machine = 4711; }, "ELF machine number 4711");
  ExpectRefused(
      [](ElfEditor& e) {
        e.header().e_ident[EI_CLASS] = ELFCLASS32;
        e.header().e_machine = EM_386;
      },
      "was built for 32-bit little-endian i386");
  ExpectRefused([](ElfEditor& e) { e.header().e_ident[EI_CLASS] = ELFCLASS32; },
                "was built for 32-bit little-endian x86-64");
  ExpectRefused(
      [](ElfEditor& e) {
        e.header().e_ident[EI_DATA] = ELFDATA2MSB;
        e.header().e_machine = EM_S390 << 8;  // read with the other byte order
      },
      "was built for 64-bit big-endian S/390");
}

TEST(ElfFileTest, NamesTheKindOfFile) {
  ExpectRefused([](ElfEditor& e) { e.header().e_type = ET_REL; }, "is an object file; link it");
  ExpectRefused([](ElfEditor& e) { e.header().e_type = ET_EXEC; }, "is an executable");
  ExpectRefused([](ElfEditor& e) { e.header().e_type = ET_CORE; }, "is a core dump");
  ExpectRefused([](ElfEditor& e) { e.header().e_type = 17; }, "has the ELF type 17");
}

TEST(ElfFileTest, ChecksProgramHeaders) {
  ExpectRefused([](ElfEditor& e) { e.header().e_phentsize = 32; }, "program headers of 32 bytes");
  ExpectRefused([](ElfEditor& e) { e.header().e_phnum = 0; }, "has 0 program headers");
  ExpectRefused([](ElfEditor& e) { e.header().e_phnum = 0xffff; }, "has 65535 program headers");
  ExpectRefused([](ElfEditor& e) { e.header().e_phoff = e.bytes.size() - 1; }, "is it truncated?");
  ExpectRefused([](ElfEditor& e) { e.header().e_phoff = UINT64_MAX - 8; }, "is it truncated?");
}

TEST(ElfFileTest, ChecksSegments) {
  ExpectRefused([](ElfEditor& e) { e.bytes.resize(e.Segment(PT_LOAD, 3).p_offset + 8); },
                "is it truncated?");
  ExpectRefused([](ElfEditor& e) { e.Segment(PT_LOAD).p_offset = UINT64_MAX - 1; },
                "has a bad segment 0");
  ExpectRefused([](ElfEditor& e) { e.Segment(PT_LOAD).p_memsz = 1; }, "for 1 bytes of memory");
  ExpectRefused([](ElfEditor& e) { e.Segment(PT_LOAD, 3).p_memsz = UINT64_MAX; },
                "outside of user space");
  ExpectRefused([](ElfEditor& e) { e.Segment(PT_LOAD).p_align = 0x1001; }, "no power of two");
  ExpectRefused([](ElfEditor& e) { e.Segment(PT_LOAD, 2).p_vaddr = 0; }, "and the one before ends");
  ExpectRefused(
      [](ElfEditor& e) {
        for (int i = 0; i < 4; ++i) e.Segment(PT_LOAD).p_type = PT_NULL;
      },
      "has no loadable segment");
  ExpectRefused(
      [](ElfEditor& e) {
        Elf64_Phdr& segment = e.Segment(PT_GNU_STACK);
        segment.p_type = PT_TLS;
        segment.p_vaddr = 0x123456789;
        segment.p_filesz = segment.p_memsz = 8;
      },
      "has a bad PT_TLS");
  ExpectRefused(
      [](ElfEditor& e) {
        Elf64_Phdr& segment = e.Segment(PT_GNU_STACK);
        segment.p_type = PT_TLS;
        segment.p_vaddr = 0;
        segment.p_filesz = 9;
        segment.p_memsz = 8;
      },
      "PT_TLS has more bytes in the file than in memory");
  for (uint64_t address : {uint64_t{0}, uint64_t{0x123456789}}) {
    ExpectRefused(
        [address](ElfEditor& e) {
          e.Segment(PT_GNU_STACK).p_type = PT_PHDR;
          e.Segment(PT_PHDR).p_vaddr = address;
        },
        "has a bad PT_PHDR");
  }
  ExpectRefused([](ElfEditor& e) { e.Segment(PT_GNU_RELRO).p_memsz += 0x2000; },
                "PT_GNU_RELRO is not within a loadable segment");
}

}  // namespace
}  // namespace callbridge
