#include "callbridge/loader/elf_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/loader/elf_editor.h"
#include "tests/refused.h"

namespace callbridge {
namespace {

using ::testing::HasSubstr;

void ExpectRefused(std::string bytes, const std::string& message) {
  EXPECT_THAT(Refused(ElfFile::Parse(std::move(bytes)).status()), HasSubstr(message));
}

void ExpectRefused(const std::function<void(ElfEditor&)>& edit, const std::string& message) {
  ElfEditor editor("original_linked");
  edit(editor);
  ExpectRefused(editor.bytes, message);
}

void ExpectAccepted(const std::function<void(ElfEditor&)>& edit) {
  ElfEditor editor("original_linked");
  edit(editor);
  EXPECT_EQ(ElfFile::Parse(editor.bytes).status(), absl::OkStatus());
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
  const std::string whole = ElfEditor("original_linked").bytes;
  ExpectRefused(whole.substr(0, 63), "is truncated: it has 63 bytes, an ELF header 64");
  ExpectRefused(whole.substr(0, 64), "has its program headers at offset 64, and the file has 64");
  ExpectRefused("\177EL", "is not an ELF file: it begins with \"\\x7f\\x45L\"");
  ExpectRefused("0123456789abcde\n\1", "is text: it begins with \"0123456789abcde\\n\"");
  ExpectRefused("0123456789abcde\1", "is not an ELF file");
}

TEST(ElfFileTest, NamesTheMachine) {
  for (const Machine& machine : kMachines) {
    if (&machine == &kThisMachine) continue;
    ExpectRefused(
        [&](ElfEditor& e) { e.header().e_machine = machine.elf_number; },
        absl::StrCat("was built for 64-bit little-endian ", machine.name,
                     "; this process runs 64-bit little-endian ", kThisMachine.name, " code"));
  }
  ExpectRefused([](ElfEditor& e) { e.header().e_machine = 4711; }, "ELF machine number 4711");
  ExpectRefused(
      [](ElfEditor& e) {
        e.header().e_ident[EI_CLASS] = ELFCLASS32;
        e.header().e_machine = EM_386;
      },
      "was built for 32-bit little-endian i386");
  ExpectRefused([](ElfEditor& e) { e.header().e_ident[EI_CLASS] = ELFCLASS32; },
                absl::StrCat("was built for 32-bit little-endian ", kThisMachine.name));
  ExpectRefused(
      [](ElfEditor& e) {
        e.header().e_ident[EI_DATA] = ELFDATA2MSB;
        e.header().e_machine = EM_S390 << 8;  // read with the other byte order
      },
      "was built for 64-bit big-endian S/390");
  const std::pair<uint16_t, const char*> machines[] = {
      {EM_386, "i386"},      {EM_ARM, "ARM"},         {EM_PPC64, "PowerPC64"},
      {EM_S390, "S/390"},    {EM_RISCV, "RISC-V"},    {EM_MIPS, "MIPS"},
      {EM_SPARCV9, "SPARC"}, {EM_CUDA, "NVIDIA GPU"}, {EM_AMDGPU, "AMD GPU"}};
  for (const auto& [number, name] : machines) {
    ExpectRefused([number = number](ElfEditor& e) { e.header().e_machine = number; },
                  std::string("was built for 64-bit little-endian ") + name + "; this process");
  }
}

TEST(ElfFileTest, FilesOfAnotherMachineAreReadAndNotLoaded) {
  const std::string bytes = BytesOf(OldBinary("other_machine"));
  const absl::StatusOr<ElfFile> file = ElfFile::ParseForeign(bytes);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_STRNE(file->machine().name, kThisMachine.name);
  for (const absl::StatusOr<ElfFile>& loaded :
       {ElfFile::Parse(bytes), ElfFile::ParseLoaded(bytes)}) {
    EXPECT_EQ(
        loaded.status().message(),
        absl::StrCat("was built for 64-bit little-endian ", file->machine().name,
                     "; this process runs 64-bit little-endian ", kThisMachine.name, " code"));
  }
  // A file for this machine is read in either way.
  EXPECT_EQ(ElfFile::ParseForeign(BytesOf(OldBinary("original_linked")))->machine().name,
            kThisMachine.name);
}

// ld.so would make read-only what follows the library, page by page: of this system's size here,
// of up to 64 KiB on aarch64.
TEST(ElfFileTest, ReadOnlySegmentsEndInThePagesOfTheirMachine) {
  EXPECT_EQ(PageSizeOf(kThisMachine), static_cast<uint64_t>(sysconf(_SC_PAGESIZE)));
  ElfEditor editor("other_machine");
  Elf64_Phdr& relro = editor.Segment(PT_GNU_RELRO);
  const uint64_t page = PageSizeOf(*FindMachine(editor.header().e_machine));
  uint64_t end = 0;
  for (int i = 0; i < editor.header().e_phnum; ++i) {
    const auto& load = editor.At<Elf64_Phdr>(editor.header().e_phoff + i * sizeof(Elf64_Phdr));
    if (load.p_type != PT_LOAD || load.p_vaddr > relro.p_vaddr) continue;
    end = std::max(end, load.p_vaddr + load.p_memsz);
  }
  relro.p_memsz = (end + page - 1) / page * page - relro.p_vaddr;
  EXPECT_EQ(ElfFile::ParseForeign(editor.bytes).status(), absl::OkStatus());
  ++relro.p_memsz;
  EXPECT_THAT(std::string(ElfFile::ParseForeign(editor.bytes).status().message()),
              HasSubstr("PT_GNU_RELRO is not within a loadable segment"));
}

// A program that runs in this process may be of fixed addresses.
TEST(ElfFileTest, ProgramsOfFixedAddressesAreReadWhereTheyRun) {
  ElfEditor editor("original_linked");
  editor.header().e_type = ET_EXEC;
  EXPECT_EQ(ElfFile::ParseLoaded(editor.bytes).status(), absl::OkStatus());
  EXPECT_FALSE(ElfFile::Parse(editor.bytes).ok());
  editor.header().e_machine = EM_RISCV;
  EXPECT_FALSE(ElfFile::ParseLoaded(editor.bytes).ok());
}

// Puts `count` program headers at the file's end, those that it has and others that say nothing.
void MoveHeaders(ElfEditor& editor, uint16_t count) {
  const Elf64_Ehdr header = editor.header();
  std::string headers = editor.bytes.substr(header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr));
  headers.resize(count * sizeof(Elf64_Phdr));
  editor.header().e_phoff = editor.bytes.size();
  editor.header().e_phnum = count;
  editor.bytes += headers;
}

TEST(ElfFileTest, HasAtMostAThousandProgramHeaders) {
  ExpectAccepted([](ElfEditor& e) { MoveHeaders(e, 1024); });
  ExpectRefused([](ElfEditor& e) { MoveHeaders(e, 1025); },
                "has 1025 program headers of 56 bytes; 1 to 1024 of 56 bytes were expected");
  ExpectRefused(
      [](ElfEditor& e) {
        MoveHeaders(e, 1024);
        e.bytes.pop_back();
      },
      "is it truncated?");
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
  ExpectRefused([](ElfEditor& e) { e.Segment(PT_LOAD).p_align = 0x1001; }, "not a power of two");
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
  ExpectRefused([](ElfEditor& e) { e.Segment(PT_GNU_RELRO).p_vaddr = uint64_t{1} << 46; },
                "PT_GNU_RELRO is not within a loadable segment");
  ExpectRefused(
      [](ElfEditor& e) {
        e.Segment(PT_GNU_STACK) = {PT_GNU_PROPERTY, PF_R, 0, 0x123456789, 0, 8, 8, 8};
      },
      "has a bad PT_GNU_PROPERTY");
  ExpectRefused(
      [](ElfEditor& e) {
        Elf64_Phdr& segment = e.Segment(PT_GNU_STACK);
        segment = {PT_TLS, PF_R, 0, 0, 0, 8, 8, 3};
      },
      "the alignment of PT_TLS is not a power of two");
}

// The last value that is good, and the first that is not.
TEST(ElfFileTest, ChecksSegmentsToTheByte) {
  const auto gap = [](ElfEditor& e) { return e.Segment(PT_LOAD, 1).p_vaddr; };
  ExpectAccepted([&](ElfEditor& e) { e.Segment(PT_LOAD).p_memsz = gap(e); });
  ExpectRefused([&](ElfEditor& e) { e.Segment(PT_LOAD).p_memsz = gap(e) + 1; },
                "has a bad segment 1: it is mapped at 0x");

  const auto to_end_of_user_space = [](ElfEditor& e) {
    Elf64_Phdr& last = e.Segment(PT_LOAD, 3);
    last.p_memsz = kThisMachine.address_limit - last.p_vaddr;
    return &last;
  };
  ExpectAccepted([&](ElfEditor& e) { to_end_of_user_space(e); });
  ExpectRefused([&](ElfEditor& e) { ++to_end_of_user_space(e)->p_memsz; },
                "are outside of user space");

  ExpectAccepted([](ElfEditor& e) {
    Elf64_Phdr& segment = e.Segment(PT_LOAD);
    segment.p_memsz = segment.p_filesz;
  });
  ExpectRefused(
      [](ElfEditor& e) {
        Elf64_Phdr& segment = e.Segment(PT_LOAD);
        segment.p_memsz = segment.p_filesz - 1;
      },
      "bytes of memory");
  for (uint64_t alignment : {0, 1, 2, 4096}) {
    ExpectAccepted([&](ElfEditor& e) { e.Segment(PT_LOAD).p_align = alignment; });
  }
  ExpectRefused([](ElfEditor& e) { e.Segment(PT_LOAD).p_align = 3; },
                "its alignment 0x3 is not a power of two");

  // ld.so protects whole pages.
  const auto to_end_of_page = [](ElfEditor& e) {
    const Elf64_Phdr& data = e.Segment(PT_LOAD, 3);
    Elf64_Phdr& relro = e.Segment(PT_GNU_RELRO);
    relro.p_memsz = ((data.p_vaddr + data.p_memsz + 4095) & ~uint64_t{4095}) - relro.p_vaddr;
    return &relro;
  };
  ExpectAccepted([&](ElfEditor& e) { to_end_of_page(e); });
  ExpectRefused([&](ElfEditor& e) { ++to_end_of_page(e)->p_memsz; },
                "PT_GNU_RELRO is not within a loadable segment");

  const auto truncated = [](size_t less) {
    ElfEditor editor("original_linked");
    const Elf64_Phdr& last = editor.Segment(PT_LOAD, 3);
    return editor.bytes.substr(0, last.p_offset + last.p_filesz - less);
  };
  EXPECT_EQ(ElfFile::Parse(truncated(0)).status(), absl::OkStatus());
  ExpectRefused(truncated(1), "is it truncated?");
}

}  // namespace
}  // namespace callbridge
