#include "callbridge/loader/loaded_copy.h"

#include <dlfcn.h>
#include <elf.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/caught_exception.h"
#include "callbridge/abi/machine.h"
#include "callbridge/adapters/link/old_symbols.h"
#include "callbridge/loader/dependencies.h"
#include "callbridge/loader/dynamic_section.h"
#include "callbridge/loader/elf_file.h"
#include "callbridge/loader/files.h"
#include "callbridge/loader/origin.h"

namespace callbridge {

namespace {

using Constructor = void (*)(int argc, char** argv, char** envp);

// The number of copies that are loaded now.
std::atomic<uint64_t> loaded_copies{0};

// A quarter of the files that the process may open; the program needs the rest.
uint64_t MaximumFilesKept() {
  rlimit files = {};
  return getrlimit(RLIMIT_NOFILE, &files) == 0 ? files.rlim_cur / 4 : 0;
}

// Returns a name that no other copy has had. ld.so identifies libraries by name, also those that it
// keeps after dlclose(), such as those with STB_GNU_UNIQUE symbols, and the number of a closed file
// is reused. "/." and "/" between the parts mean nothing to the kernel and make different names to
// ld.so.
std::string UniqueName(const FileDescriptor& file) {
  static std::atomic<uint64_t> copies{0};
  // The process's number rather than "self", so that a debugger can follow it.
  std::string name = absl::StrCat("/proc/", getpid(), "/fd");
  for (uint64_t left = ++copies; left != 0; left >>= 1) name += left % 2 == 1 ? "/." : "/";
  return absl::StrCat(name, "/", file.number());
}

// ld.so passes the program's arguments to constructors; here they get only its name.
void Call(Constructor constructor) {
  char* argv[] = {program_invocation_name, nullptr};
  constructor(1, argv, environ);
}

// Returns true if ld.so would search the copy's folder for libraries, but the copy has none.
bool SearchesOrigin(const ElfFile& file) {
  absl::StatusOr<DynamicSection> dynamic = DynamicSection::Parse(file);
  if (!dynamic.ok()) return false;
  for (const Elf64_Dyn& entry : dynamic->entries()) {
    if (entry.d_tag != DT_RUNPATH && entry.d_tag != DT_RPATH && entry.d_tag != DT_NEEDED) continue;
    absl::StatusOr<absl::string_view> text = dynamic->String(entry.d_un.d_val, "path");
    if (text.ok() && HasOrigin(*text)) return true;
  }
  return false;
}

// Returns all that is missing, or else what dlopen() reported first.
std::string DescribeLoadFailure(const std::string& name) {
  const char* text = dlerror();
  std::string message = text != nullptr ? text : "dlopen failed";
  absl::StatusOr<MissingParts> missing = FindMissingParts(name);
  if (!missing.ok()) return message;
  const std::string all = DescribeMissingParts(*missing);
  return all.empty() ? message : all;
}

absl::Status LoaderError(const PrivateCopy& copy, const std::string& name,
                         const std::string& path) {
  std::string message = absl::StrReplaceAll(DescribeLoadFailure(name), {{name, path}});
  if (!absl::StartsWith(message, path)) message = absl::StrCat(path, ": ", message);
  if (!copy.dropped_libraries.empty()) {
    absl::StrAppend(
        &message, " (it was linked with ", absl::StrJoin(copy.dropped_libraries, ", "),
        ", of which callbridge serves the custom-call functions and xla::ShapeProto only)");
  }
  if (SearchesOrigin(copy.file)) {
    absl::StrAppend(
        &message,
        " (its $ORIGIN is not searched, since its folder's name has a ':' or '$' in it: add "
        "the folder to LD_LIBRARY_PATH)");
  }
  return absl::FailedPreconditionError(message);
}

}  // namespace

LoadedCopy::LoadedCopy(FileDescriptor file, void* handle, uint64_t load_address,
                       const PrivateCopy& copy)
    : file_(std::move(file)),
      keeps_file_(++loaded_copies <= MaximumFilesKept()),
      handle_(handle),
      load_address_(load_address),
      constructors_(copy.constructors) {
  for (const Elf64_Phdr& segment : copy.file.segments()) {
    if (segment.p_type != PT_LOAD) continue;
    begin_ = std::min(begin_, load_address + segment.p_vaddr);
    end_ = std::max(end_, load_address + segment.p_vaddr + segment.p_memsz);
  }
}

absl::StatusOr<std::unique_ptr<LoadedCopy>> LoadedCopy::Open(const PrivateCopy& copy,
                                                             FileDescriptor file,
                                                             const std::string& path) {
  const std::string name = UniqueName(file);
  if (access(name.c_str(), R_OK) != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(path,
                     ": expected /proc, through which the dynamic loader opens callbridge's "
                     "private copy of the file, but ",
                     name, ": ", std::strerror(errno), "; mount /proc (mount -t proc proc /proc)"));
  }
  void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return LoaderError(copy, name, path);
  link_map* map = nullptr;
  dlinfo(handle, RTLD_DI_LINKMAP, &map);
  return absl::WrapUnique(new LoadedCopy(std::move(file), handle, map->l_addr, copy));
}

LoadedCopy::~LoadedCopy() {
  dlclose(handle_);
  --loaded_copies;
}

void* LoadedCopy::Exported(const std::string& symbol) const {
  // Looks in the libraries that it needs too.
  void* found = dlsym(handle_, symbol.c_str());
  const auto address = reinterpret_cast<uintptr_t>(found);
  return address >= begin_ && address < end_ ? found : nullptr;
}

void* LoadedCopy::Memory(uint64_t address) const {
  return reinterpret_cast<void*>(load_address_ + address);  // NOLINT(performance-no-int-to-ptr)
}

absl::Status LoadedCopy::RunConstructors() {
  absl::Status constructed = CallConstructors();
  if (!keeps_file_) file_ = FileDescriptor(-1);
  return constructed;
}

absl::Status LoadedCopy::CallConstructors() const {
  try {
    if (constructors_.init_function != 0) {
      Call(reinterpret_cast<Constructor>(Memory(constructors_.init_function)));
    }
    const auto* array = static_cast<const Constructor*>(Memory(constructors_.init_array));
    for (uint64_t i = 0; i < constructors_.init_array_count; ++i) Call(array[i]);
  } catch (...) {
    return absl::InternalError(absl::StrCat("a constructor threw ", DescribeCaughtException()));
  }
  return absl::OkStatus();
}

// ---- Self-test

namespace {

constexpr char kName[] = "callbridge_self_test";
constexpr char kTellingPath[] = "the self-test's library";
constexpr uint64_t kAddend = 24;

// The object that the symbol is bound to.
char bound_object;

// A shared library with only two pointers to one undefined symbol. It is mapped as it is here, from
// address 0 on.
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
  header.e_machine = kThisMachine.elf_number;
  header.e_version = EV_CURRENT;
  header.e_phoff = offsetof(TinyLibrary, segments);
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 3;
  library.segments[0] = {PT_LOAD, PF_R | PF_W, 0, 0, 0, kSize, kSize, PageSizeOf(kThisMachine)};
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
  library.relocations[0] = {offsetof(TinyLibrary, pointer),
                            ELF64_R_INFO(1, kThisMachine.global_pointer), 0};
  library.relocations[1] = {offsetof(TinyLibrary, pointer_behind),
                            ELF64_R_INFO(1, kThisMachine.absolute), kAddend};
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
