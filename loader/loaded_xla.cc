#include "callbridge/loader/loaded_xla.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "callbridge/abi/per_process.h"
#include "callbridge/abi/table_lock.h"
#include "callbridge/adapters/link/upstream_names.h"
#include "callbridge/loader/elf_file.h"
#include "callbridge/loader/elf_sections.h"
#include "callbridge/loader/files.h"
#include "callbridge/status_returning/old_string.h"
#include "callbridge/typed_ffi/binding/registration.h"
#include "callbridge/typed_ffi/runtime_versions.h"

namespace callbridge {
namespace {

constexpr char kFfiApi[] = "_ZN3xla3ffi12GetXlaFfiApiEv";

absl::Status InFile(const std::string& path, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
}

// ---- Whether the file is what was loaded --------------------------------------------------------

struct LoadedSegments {
  const link_map* library;
  std::vector<Elf64_Phdr> segments;
};

int CopySegments(dl_phdr_info* info, size_t /*size*/, void* copied) {
  auto* found = static_cast<LoadedSegments*>(copied);
  if (info->dlpi_addr != found->library->l_addr || info->dlpi_name == nullptr ||
      std::strcmp(info->dlpi_name, found->library->l_name) != 0) {
    return 0;
  }
  found->segments.assign(info->dlpi_phdr, info->dlpi_phdr + info->dlpi_phnum);
  return 1;
}

// Compares the program headers and the notes, which have the build's ID, with those in memory.
absl::Status CheckIsLoaded(const ElfFile& file, const link_map& library) {
  LoadedSegments loaded = {&library, {}};
  dl_iterate_phdr(&CopySegments, &loaded);
  const std::vector<Elf64_Phdr>& segments = file.segments();
  bool same = loaded.segments.size() == segments.size() &&
              std::memcmp(loaded.segments.data(), segments.data(),
                          segments.size() * sizeof(Elf64_Phdr)) == 0;
  for (const Elf64_Phdr& segment : segments) {
    if (!same) break;
    if (segment.p_type != PT_NOTE) continue;
    const absl::StatusOr<uint64_t> offset =
        file.FileOffset(segment.p_vaddr, segment.p_filesz, "PT_NOTE");
    if (!offset.ok()) return offset.status();
    // ld.so has mapped what the same program headers say.
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address in link_map is a number
    const auto* mapped = reinterpret_cast<const void*>(library.l_addr + segment.p_vaddr);
    same = std::memcmp(file.bytes().data() + *offset, mapped, segment.p_filesz) == 0;
  }
  if (same) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "the file is not the one that this process has loaded; start the process again");
}

// ---- Functions by their symbols -----------------------------------------------------------------

using Addresses = absl::flat_hash_map<absl::string_view, std::set<uint64_t>>;

void FindFunctions(const ElfFile& file, Addresses& addresses) {
  const ElfHandle elf = OpenElf(file.bytes());
  if (elf == nullptr) return;
  VisitSymbols(elf.get(), [&](const FileSymbol& symbol) {
    const auto wanted = addresses.find(symbol.name);
    if (wanted == addresses.end() || !symbol.is_defined || !symbol.is_function) return;
    if (symbol.size == 0 || !file.IsMapped(symbol.address, symbol.size, PF_X)) return;
    wanted->second.insert(symbol.address);
  });
}

}  // namespace

absl::StatusOr<LoadedXla::Functions> LoadedXla::Search(const std::string& path,
                                                       const link_map& library) {
  absl::StatusOr<std::string> bytes = ReadRegularFile(path);
  if (!bytes.ok()) return bytes.status();
  const absl::StatusOr<ElfFile> file = ElfFile::ParseLoaded(*std::move(bytes));
  if (!file.ok()) return file.status();
  absl::Status loaded = CheckIsLoaded(*file, library);
  if (!loaded.ok()) return loaded;

  Addresses addresses = {{CALLBRIDGE_UPSTREAM_GLOBAL, {}},
                         {CALLBRIDGE_UPSTREAM_REGISTER, {}},
                         {CALLBRIDGE_UPSTREAM_LOOKUP, {}},
                         {CALLBRIDGE_UPSTREAM_REGISTER_OLD_STRINGS, {}},
                         {kFfiApi, {}}};
  FindFunctions(*file, addresses);
  // Of two local functions of one name neither is certain to be XLA's.
  const auto only = [&](absl::string_view symbol) -> void* {
    const std::set<uint64_t>& found = addresses[symbol];
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address in link_map is a number
    return found.size() != 1 ? nullptr : reinterpret_cast<void*>(library.l_addr + *found.begin());
  };
  Functions functions;
  functions.global = only(CALLBRIDGE_UPSTREAM_GLOBAL);
  functions.register_function = only(CALLBRIDGE_UPSTREAM_REGISTER);
  functions.lookup = only(CALLBRIDGE_UPSTREAM_LOOKUP);
  functions.has_old_strings = !addresses[CALLBRIDGE_UPSTREAM_REGISTER_OLD_STRINGS].empty();
  functions.ffi_api = only(kFfiApi);
  return functions;
}

absl::StatusOr<const LoadedXla*> LoadedXla::Find(const std::string& path) {
  std::error_code error;
  const std::string absolute = std::filesystem::absolute(path, error);
  void* library =
      error ? nullptr : dlopen(absolute.c_str(), RTLD_NOLOAD | RTLD_LAZY | RTLD_NODELETE);
  link_map* map = nullptr;
  if (library == nullptr || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) {
    return absl::NotFoundError(absl::StrCat(path, " is not loaded in this process"));
  }
  std::unique_ptr<const LoadedXla> made;
  while (true) {
    {
      const TableLock lock;
      // By load address. Never destroyed.
      static auto& found = *new std::map<uint64_t, std::unique_ptr<const LoadedXla>>;
      std::unique_ptr<const LoadedXla>& known = found[map->l_addr];
      if (known == nullptr) known = std::move(made);
      if (known != nullptr) return known.get();
    }
    const absl::StatusOr<Functions> functions = Search(absolute, *map);
    if (!functions.ok()) return InFile(path, functions.status());
    made.reset(new LoadedXla(path, *functions));
  }
}

// ---- Registering --------------------------------------------------------------------------------

namespace {

using GlobalFunction = void*();
using RegisterFunctionType = void(void* registry, const std::string& name, void* function,
                                  const std::string& platform);
using LookupFunction = void*(const void* registry, const std::string& name,
                             const std::string& platform);

struct RegistrationLock;

}  // namespace

absl::Status LoadedXla::Missing(absl::string_view function, absl::string_view symbol) const {
  return absl::FailedPreconditionError(
      absl::StrCat("the symbol tables of ", path_, " do not list ", function, " (", symbol,
                   ") once: the file was stripped, or its XLA is of another release"));
}

absl::Status LoadedXla::RegisterFunction(const std::string& name, const std::string& platform,
                                         void* function) const {
  if (functions_.global == nullptr) {
    return Missing("xla::CustomCallTargetRegistry::Global", CALLBRIDGE_UPSTREAM_GLOBAL);
  }
  if (functions_.register_function == nullptr && functions_.has_old_strings) {
    return absl::UnimplementedError(
        absl::StrCat("the XLA in ", path_, " is compiled with std::string of the old ABI ",
                     "(_GLIBCXX_USE_CXX11_ABI=0), in which callbridge's functions do not report ",
                     "errors to XLA"));
  }
  if (functions_.register_function == nullptr) {
    return Missing("xla::CustomCallTargetRegistry::Register", CALLBRIDGE_UPSTREAM_REGISTER);
  }
  if (functions_.lookup == nullptr) {
    return Missing("xla::CustomCallTargetRegistry::Lookup", CALLBRIDGE_UPSTREAM_LOOKUP);
  }
  // XLA ends the process where a name comes with another address.
  const std::lock_guard<std::mutex> locked(PerProcess<std::mutex, RegistrationLock>::Get());
  void* const registry = reinterpret_cast<GlobalFunction*>(functions_.global)();
  const void* known =
      reinterpret_cast<LookupFunction*>(functions_.lookup)(registry, name, platform);
  if (known == nullptr) {
    reinterpret_cast<RegisterFunctionType*>(functions_.register_function)(registry, name, function,
                                                                          platform);
  } else if (known != function) {
    return absl::AlreadyExistsError(absl::StrFormat(
        "the XLA in %s has another function named %s on %s, at %p", path_, name, platform, known));
  }
  return absl::OkStatus();
}

absl::Status LoadedXla::RegisterHandlers(const std::string& name, const std::string& platform,
                                         const XLA_FFI_Handler_Bundle& handlers,
                                         XLA_FFI_Handler_Traits traits) const {
  if (functions_.ffi_api == nullptr) return Missing("xla::ffi::GetXlaFfiApi", kFfiApi);
  const auto* api = reinterpret_cast<const XLA_FFI_Api* (*)()>(functions_.ffi_api)();
  const typed_ffi::RuntimeVersion& version = typed_ffi::VersionOf(*api);
  if (handlers.instantiate != nullptr && version.instantiate == typed_ffi::kNoStage) {
    return absl::UnimplementedError(absl::StrCat("the XLA in ", path_, " has the FFI of ",
                                                 version.releases,
                                                 ", without the stage INSTANTIATE"));
  }
  XLA_FFI_Error* error =
      ::xla::ffi::internal::RegisterStaticHandler(api, name, platform, handlers, traits);
  if (error == nullptr) return absl::OkStatus();
  const ::xla::ffi::Error refused = ::xla::ffi::internal::TakeError(api, error);
  return absl::InternalError(
      absl::StrCat("the XLA in ", path_, " refuses it: ", refused.message()));
}

}  // namespace callbridge
