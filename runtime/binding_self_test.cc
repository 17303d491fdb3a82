#include "callbridge/runtime/binding_self_test.h"

#include <elf.h>
#include <gnu/libc-version.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "callbridge/adapters/link/old_symbols.h"
#include "callbridge/runtime/code_file.h"
#include "callbridge/runtime/elf_file.h"
#include "callbridge/runtime/loaded_copy.h"

namespace callbridge {
namespace {

constexpr char kName[] = "callbridge_self_test";
constexpr char kTellingPath[] = "the self-test's library";
constexpr uint64_t kAddend = 24;

// What the symbol is bound to.
char bound_object;

// A shared library with nothing but two pointers to one undefined symbol. It is mapped as it lies
// here, from address 0 on.
struct TinyLibrary {
  Elf64_Ehdr header;
  Elf64_Phdr segments[3];
  Elf64_Dyn dynamic[9];
  Elf64_Sym symbols[2];
  Elf64_Rela relocations[2];
  uint32_t hash[5];  // one bucket, two chains of a symbol each
  char strings[1 + sizeof(kName)];
  uint64_t pointer;
  uint64_t pointer_behind;  // by kAddend
};

TinyLibrary MakeTinyLibrary() {
  constexpr uint64_t kSize = sizeof(TinyLibrary);
  constexpr uint64_t kDynamic = offsetof(TinyLibrary, dynamic);
  TinyLibrary library = {};
  Elf64_Ehdr& header = library.header;
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_phoff = offsetof(TinyLibrary, segments);
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 3;
  library.segments[0] = {PT_LOAD, PF_R | PF_W, 0, 0, 0, kSize, kSize, 4096};
  library.segments[1] = {PT_DYNAMIC,
                         PF_R | PF_W,
                         kDynamic,
                         kDynamic,
                         kDynamic,
                         sizeof(library.dynamic),
                         sizeof(library.dynamic),
                         8};
  // Without this one, ld.so would make all stacks executable.
  library.segments[2] = {PT_GNU_STACK, PF_R | PF_W, 0, 0, 0, 0, 0, 16};
  const Elf64_Dyn dynamic[] = {
      {DT_HASH, {offsetof(TinyLibrary, hash)}},
      {DT_SYMTAB, {offsetof(TinyLibrary, symbols)}},
      {DT_SYMENT, {sizeof(Elf64_Sym)}},
      {DT_STRTAB, {offsetof(TinyLibrary, strings)}},
      {DT_STRSZ, {sizeof(library.strings)}},
      {DT_RELA, {offsetof(TinyLibrary, relocations)}},
      {DT_RELASZ, {sizeof(library.relocations)}},
      {DT_RELAENT, {sizeof(Elf64_Rela)}},
      {DT_NULL, {0}},
  };
  static_assert(sizeof(dynamic) == sizeof(library.dynamic), "");
  std::memcpy(library.dynamic, dynamic, sizeof(dynamic));
  library.symbols[1] = {1, ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE), STV_DEFAULT, SHN_UNDEF, 0, 0};
  library.relocations[0] = {offsetof(TinyLibrary, pointer), ELF64_R_INFO(1, R_X86_64_GLOB_DAT), 0};
  library.relocations[1] = {offsetof(TinyLibrary, pointer_behind), ELF64_R_INFO(1, R_X86_64_64),
                            kAddend};
  const uint32_t hash[] = {1, 2, 1, 0, 0};
  std::memcpy(library.hash, hash, sizeof(hash));
  std::memcpy(library.strings + 1, kName, sizeof(kName));
  return library;
}

absl::Status RunSelfTest() {
  absl::StatusOr<PrivateCopy> copy = MakeSelfTestCopy();
  if (!copy.ok()) return copy.status();
  absl::StatusOr<FileDescriptor> file = WriteCodeFile(copy->file.bytes());
  if (!file.ok()) return file.status();
  return TestBinding(*copy, *std::move(file));
}

}  // namespace

absl::StatusOr<PrivateCopy> MakeSelfTestCopy() {
  const TinyLibrary library = MakeTinyLibrary();
  absl::StatusOr<ElfFile> file =
      ElfFile::Parse(std::string(reinterpret_cast<const char*>(&library), sizeof(library)));
  if (!file.ok()) return file.status();
  const OldSymbol symbols[] = {{kName, &bound_object}};
  return MakePrivateCopy(*std::move(file), symbols);
}

absl::Status TestBinding(const PrivateCopy& copy, FileDescriptor file) {
  absl::StatusOr<std::unique_ptr<LoadedCopy>> loaded =
      LoadedCopy::Open(copy, std::move(file), kTellingPath);
  if (!loaded.ok()) return loaded.status();
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  const auto* library = reinterpret_cast<const TinyLibrary*>((*loaded)->load_address());
  const auto expected = reinterpret_cast<uint64_t>(&bound_object);
  absl::Status status = CheckBoundAddress(expected, library->pointer);
  if (status.ok()) status = CheckBoundAddress(expected + kAddend, library->pointer_behind);
  return status;
}

absl::Status CheckBoundAddress(uint64_t expected, uint64_t bound) {
  if (bound == expected) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrFormat(
      "this system's dynamic loader (glibc %s) does not bind as callbridge needs it: an absolute "
      "symbol with the value %#x was bound to %#x. Old binaries cannot be loaded here; glibc 2.36 "
      "and 2.41 are known to work",
      gnu_get_libc_version(), expected, bound));
}

absl::Status BindingSelfTest() {
  static std::atomic<bool> has_passed{false};
  if (has_passed.load(std::memory_order_relaxed)) return absl::OkStatus();
  absl::Status status = RunSelfTest();
  has_passed.store(status.ok(), std::memory_order_relaxed);
  return status;
}

}  // namespace callbridge
