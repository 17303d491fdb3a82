#include "callbridge/loader/elf_file.h"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "absl/numeric/bits.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "callbridge/loader/archive.h"

namespace callbridge {

// ---- The header

namespace {

struct MachineName {
  uint16_t number;
  const char* name;
};

// Of machines that callbridge does not run on, those that users are likely to have.
constexpr MachineName kMachineNames[] = {
    {EM_386, "i386"},      {EM_ARM, "ARM"},         {EM_PPC64, "PowerPC64"},
    {EM_S390, "S/390"},    {EM_RISCV, "RISC-V"},    {EM_MIPS, "MIPS"},
    {EM_SPARCV9, "SPARC"}, {EM_CUDA, "NVIDIA GPU"}, {EM_AMDGPU, "AMD GPU"},
};

std::string NameOfMachine(uint16_t number) {
  if (const Machine* machine = FindMachine(number); machine != nullptr) return machine->name;
  for (const MachineName& machine : kMachineNames) {
    if (machine.number == number) return machine.name;
  }
  return absl::StrCat("ELF machine number ", number);
}

bool IsText(absl::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) {
    return absl::ascii_isprint(static_cast<unsigned char>(c)) ||
           absl::ascii_isspace(static_cast<unsigned char>(c));
  });
}

absl::Status NotElf(absl::string_view bytes) {
  if (bytes.empty()) return absl::InvalidArgumentError("is empty");
  if (IsArchive(bytes) || IsThinArchive(bytes)) {
    return absl::InvalidArgumentError(
        "is a static archive; link it into a shared library with `g++ -shared "
        "-Wl,--whole-archive`");
  }
  absl::string_view beginning = bytes.substr(0, 16);
  return absl::InvalidArgumentError(
      absl::StrCat(IsText(beginning) ? "is text" : "is not an ELF file", ": it begins with \"",
                   absl::CHexEscape(beginning), "\"; a shared library (.so) is needed"));
}

// What the ELF identification says, which determines the meaning of the rest.
struct Identification {
  std::string text;
  const Machine* machine;  // null if it is not known
};

Identification Identify(absl::string_view bytes) {
  const bool is_64_bit = bytes[EI_CLASS] == ELFCLASS64;
  const bool is_big_endian = bytes[EI_DATA] == ELFDATA2MSB;
  constexpr size_t kMachineOffset = offsetof(Elf64_Ehdr, e_machine);
  static_assert(kMachineOffset == offsetof(Elf32_Ehdr, e_machine), "one place in both classes");
  const auto first = static_cast<uint8_t>(bytes[kMachineOffset]);
  const auto second = static_cast<uint8_t>(bytes[kMachineOffset + 1]);
  const auto machine =
      static_cast<uint16_t>(is_big_endian ? first << 8 | second : second << 8 | first);
  return {absl::StrCat(is_64_bit ? "64" : "32", "-bit ", is_big_endian ? "big" : "little",
                       "-endian ", NameOfMachine(machine)),
          is_64_bit && !is_big_endian ? FindMachine(machine) : nullptr};
}

absl::Status CheckHeaderIsWhole(absl::string_view bytes) {
  if (!absl::StartsWith(bytes, absl::string_view(ELFMAG, SELFMAG))) return NotElf(bytes);
  if (bytes.size() < sizeof(Elf64_Ehdr)) {
    return absl::InvalidArgumentError(absl::StrCat("is truncated: it has ", bytes.size(),
                                                   " bytes, an ELF header ", sizeof(Elf64_Ehdr)));
  }
  return absl::OkStatus();
}

absl::Status CheckRunsHere(absl::string_view bytes) {
  absl::Status whole = CheckHeaderIsWhole(bytes);
  if (!whole.ok()) return whole;
  const Identification file = Identify(bytes);
  if (file.machine == &kThisMachine) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("was built for ", file.text,
                                                 "; this process runs 64-bit little-endian ",
                                                 kThisMachine.name, " code"));
}

}  // namespace

absl::StatusOr<const Machine*> MachineOf(absl::string_view bytes) {
  absl::Status whole = CheckHeaderIsWhole(bytes);
  if (!whole.ok()) return whole;
  const Identification file = Identify(bytes);
  if (file.machine != nullptr) return file.machine;
  return absl::InvalidArgumentError(
      absl::StrCat("was built for ", file.text, "; callbridge reads 64-bit little-endian code for ",
                   absl::StrJoin(kMachines, " and ", [](std::string* text, const Machine& machine) {
                     absl::StrAppend(text, machine.name);
                   })));
}

absl::Status CheckIsSharedLibrary(absl::string_view bytes) {
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  switch (header.e_type) {
    case ET_DYN:
      return absl::OkStatus();
    case ET_REL:
      return absl::InvalidArgumentError(
          "is an object file; link it into a shared library with `g++ -shared`");
    case ET_EXEC:
      return absl::InvalidArgumentError("is an executable; a shared library (.so) is needed");
    case ET_CORE:
      return absl::InvalidArgumentError("is a core dump; a shared library (.so) is needed");
    default:
      return absl::InvalidArgumentError(
          absl::StrCat("has the ELF type ", header.e_type, "; a shared library has ", ET_DYN));
  }
}

// ---- Segments

namespace {

// ld.so keeps the program headers on the stack. Linkers write about a dozen.
constexpr size_t kMaximumSegments = 1024;

// Returns true if `size` bytes from `offset` on are within the first `limit` bytes.
bool Fits(uint64_t offset, uint64_t size, uint64_t limit) {
  return offset <= limit && size <= limit - offset;
}

absl::Status SegmentError(size_t index, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("has a bad segment ", index, ": ", what));
}

absl::Status CheckLoadSegment(size_t index, const Elf64_Phdr& segment, size_t file_size,
                              uint64_t address_limit) {
  if (!Fits(segment.p_offset, segment.p_filesz, file_size)) {
    return SegmentError(
        index, absl::StrFormat("it is said to be the %d bytes from offset %d on, and the file has "
                               "%d bytes; is it truncated?",
                               segment.p_filesz, segment.p_offset, file_size));
  }
  if (segment.p_filesz > segment.p_memsz) {
    return SegmentError(index, absl::StrFormat("%d bytes of the file for %d bytes of memory",
                                               segment.p_filesz, segment.p_memsz));
  }
  if (!Fits(segment.p_vaddr, segment.p_memsz, address_limit)) {
    return SegmentError(index, absl::StrFormat("%#x bytes at %#x are outside of user space",
                                               segment.p_memsz, segment.p_vaddr));
  }
  if (segment.p_align > 1 && !absl::has_single_bit(segment.p_align)) {
    return SegmentError(
        index, absl::StrFormat("its alignment %#x is not a power of two", segment.p_align));
  }
  return absl::OkStatus();
}

}  // namespace

uint64_t PageSizeOf(const Machine& machine) {
  return &machine == &kThisMachine ? static_cast<uint64_t>(sysconf(_SC_PAGESIZE))
                                   : machine.largest_page;
}

absl::StatusOr<ElfFile> ElfFile::Parse(std::string bytes) {
  absl::Status header = CheckRunsHere(bytes);
  if (header.ok()) header = CheckIsSharedLibrary(bytes);
  if (!header.ok()) return header;
  return ParseFor(kThisMachine, std::move(bytes));
}

absl::StatusOr<ElfFile> ElfFile::ParseForeign(std::string bytes) {
  const absl::StatusOr<const Machine*> machine = MachineOf(bytes);
  if (!machine.ok()) return machine.status();
  absl::Status header = CheckIsSharedLibrary(bytes);
  if (!header.ok()) return header;
  return ParseFor(**machine, std::move(bytes));
}

absl::StatusOr<ElfFile> ElfFile::ParseLoaded(std::string bytes) {
  absl::Status header = CheckRunsHere(bytes);
  if (!header.ok()) return header;
  return ParseFor(kThisMachine, std::move(bytes));
}

absl::StatusOr<ElfFile> ElfFile::ParseFor(const Machine& machine, std::string bytes) {
  ElfFile file(std::move(bytes), machine);
  absl::Status status = file.ReadSegments();
  if (status.ok()) status = file.CheckLoadSegments();
  if (status.ok()) status = file.CheckInnerSegments();
  if (!status.ok()) return status;
  return file;
}

absl::Status ElfFile::ReadSegments() {
  const auto header = Read<Elf64_Ehdr>(0);
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum == 0 ||
      header.e_phnum > kMaximumSegments) {
    return absl::InvalidArgumentError(absl::StrCat(
        "has ", header.e_phnum, " program headers of ", header.e_phentsize, " bytes; 1 to ",
        kMaximumSegments, " of ", sizeof(Elf64_Phdr), " bytes were expected"));
  }
  if (!Fits(header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr), bytes_.size())) {
    return absl::InvalidArgumentError(absl::StrCat("has its program headers at offset ",
                                                   header.e_phoff, ", and the file has ",
                                                   bytes_.size(), " bytes; is it truncated?"));
  }
  for (size_t i = 0; i < header.e_phnum; ++i) {
    segments_.push_back(Read<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr)));
  }
  return absl::OkStatus();
}

absl::Status ElfFile::CheckLoadSegments() const {
  uint64_t end = 0;  // of the memory of the segments so far; ld.so expects them in order
  for (size_t i = 0; i < segments_.size(); ++i) {
    const Elf64_Phdr& segment = segments_[i];
    if (segment.p_type != PT_LOAD) continue;
    absl::Status status = CheckLoadSegment(i, segment, bytes_.size(), machine_->address_limit);
    if (!status.ok()) return status;
    if (segment.p_vaddr < end) {
      return SegmentError(i, absl::StrFormat("it is mapped at %#x, and the one before ends at %#x",
                                             segment.p_vaddr, end));
    }
    end = segment.p_vaddr + segment.p_memsz;
  }
  if (end == 0) return absl::InvalidArgumentError("has no loadable segment");
  return absl::OkStatus();
}

// Checks the segments inside loadable ones that ld.so reads or protects. dynamic_section.h checks
// PT_DYNAMIC.
absl::Status ElfFile::CheckInnerSegments() const {
  for (size_t i = 0; i < segments_.size(); ++i) {
    const Elf64_Phdr& segment = segments_[i];
    absl::Status status;
    switch (segment.p_type) {
      case PT_PHDR:
        status = CheckProgramHeaderAddress(segment.p_vaddr);
        break;
      case PT_TLS:
        status = CheckThreadLocals(i);
        break;
      case PT_GNU_PROPERTY:
        status = FileOffset(segment.p_vaddr, segment.p_memsz, "PT_GNU_PROPERTY").status();
        break;
      case PT_GNU_RELRO:
        status = CheckReadOnlyAfterRelocation(i);
        break;
      default:
        break;
    }
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status ElfFile::CheckProgramHeaderAddress(uint64_t address) const {
  const uint64_t size = segments_.size() * sizeof(Elf64_Phdr);
  absl::StatusOr<uint64_t> offset = FileOffset(address, size, "PT_PHDR");
  if (!offset.ok()) return offset.status();
  if (*offset == Read<Elf64_Ehdr>(0).e_phoff) return absl::OkStatus();
  return absl::InvalidArgumentError("has a bad PT_PHDR: the program headers are elsewhere");
}

absl::Status ElfFile::CheckThreadLocals(size_t index) const {
  const Elf64_Phdr& segment = segments_[index];
  if (segment.p_filesz > segment.p_memsz) {
    return SegmentError(index, "PT_TLS has more bytes in the file than in memory");
  }
  if (segment.p_align > 1 && !absl::has_single_bit(segment.p_align)) {
    return SegmentError(index, "the alignment of PT_TLS is not a power of two");
  }
  return FileOffset(segment.p_vaddr, segment.p_filesz, "PT_TLS").status();
}

// ld.so would make read-only whatever follows the library.
absl::Status ElfFile::CheckReadOnlyAfterRelocation(size_t index) const {
  const Elf64_Phdr& relro = segments_[index];
  const uint64_t page = PageSizeOf(*machine_);
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_LOAD || relro.p_vaddr < segment.p_vaddr) continue;
    const uint64_t end = (segment.p_vaddr + segment.p_memsz + page - 1) & ~(page - 1);
    if (Fits(relro.p_vaddr, relro.p_memsz, end)) return absl::OkStatus();
  }
  return SegmentError(index, "PT_GNU_RELRO is not within a loadable segment");
}

absl::StatusOr<uint64_t> ElfFile::FileOffset(uint64_t address, uint64_t size,
                                             absl::string_view what) const {
  if (size == 0) return 0;
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
    const uint64_t offset = address - segment.p_vaddr;
    if (Fits(offset, size, segment.p_filesz)) return segment.p_offset + offset;
  }
  return absl::InvalidArgumentError(
      absl::StrFormat("has a bad %s: %d bytes at address %#x do not lie within a loadable segment",
                      what, size, address));
}

bool ElfFile::IsMapped(uint64_t address, uint64_t size, Elf64_Word flags) const {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
    if ((segment.p_flags & flags) != flags) continue;
    if (Fits(address - segment.p_vaddr, size, segment.p_memsz)) return true;
  }
  return false;
}

}  // namespace callbridge
