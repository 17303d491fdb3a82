#include "callbridge/loader/elf_header.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "callbridge/loader/archive.h"

namespace callbridge {
namespace {

struct MachineName {
  uint16_t number;
  const char* name;
};

// What people are likely to have at hand.
constexpr MachineName kMachineNames[] = {
    {EM_386, "i386"},        {EM_ARM, "ARM"},       {EM_AARCH64, "AArch64"},
    {EM_PPC64, "PowerPC64"}, {EM_S390, "S/390"},    {EM_RISCV, "RISC-V"},
    {EM_MIPS, "MIPS"},       {EM_SPARCV9, "SPARC"}, {EM_CUDA, "NVIDIA GPU"},
    {EM_AMDGPU, "AMD GPU"},  {EM_X86_64, "x86-64"},
};

std::string NameOfMachine(uint16_t number) {
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

// The ELF identification: what the rest of the file means depends on it.
absl::Status CheckMachine(absl::string_view bytes) {
  const bool is_64_bit = bytes[EI_CLASS] == ELFCLASS64;
  const bool is_big_endian = bytes[EI_DATA] == ELFDATA2MSB;
  constexpr size_t kMachineOffset = offsetof(Elf64_Ehdr, e_machine);
  static_assert(kMachineOffset == offsetof(Elf32_Ehdr, e_machine), "one place in both classes");
  const auto first = static_cast<uint8_t>(bytes[kMachineOffset]);
  const auto second = static_cast<uint8_t>(bytes[kMachineOffset + 1]);
  const auto machine =
      static_cast<uint16_t>(is_big_endian ? first << 8 | second : second << 8 | first);
  if (is_64_bit && !is_big_endian && machine == EM_X86_64) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "was built for ", is_64_bit ? "64" : "32", "-bit ", is_big_endian ? "big" : "little",
      "-endian ", NameOfMachine(machine), "; this process runs 64-bit little-endian x86-64 code"));
}

}  // namespace

absl::Status CheckElfHeader(absl::string_view bytes) {
  if (!absl::StartsWith(bytes, absl::string_view(ELFMAG, SELFMAG))) return NotElf(bytes);
  if (bytes.size() < sizeof(Elf64_Ehdr)) {
    return absl::InvalidArgumentError(absl::StrCat("is truncated: it has ", bytes.size(),
                                                   " bytes, an ELF header ", sizeof(Elf64_Ehdr)));
  }
  return CheckMachine(bytes);
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

}  // namespace callbridge
