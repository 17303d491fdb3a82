#include "callbridge/loader/inspection.h"

#include <gelf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "callbridge/loader/archive.h"
#include "callbridge/loader/dependencies.h"
#include "callbridge/loader/dynamic_section.h"
#include "callbridge/loader/elf_file.h"
#include "callbridge/loader/elf_sections.h"
#include "callbridge/loader/files.h"
#include "callbridge/loader/protobuf_symbols.h"
#include "callbridge/loader/symbol_findings.h"
#include "callbridge/loader/symbol_table.h"

namespace callbridge {
namespace {

struct KindAndMachine {
  FileKind kind;
  const Machine* machine;  // null for archives
};

// Returns INVALID_ARGUMENT if the file is of a kind that cannot be inspected.
absl::StatusOr<KindAndMachine> KindOf(absl::string_view bytes) {
  if (IsArchive(bytes) || IsThinArchive(bytes)) return KindAndMachine{FileKind::kArchive, nullptr};
  const absl::StatusOr<const Machine*> machine = MachineOf(bytes);
  if (!machine.ok()) return machine.status();
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (header.e_type == ET_REL) return KindAndMachine{FileKind::kObjectFile, *machine};
  if (header.e_type == ET_EXEC) return KindAndMachine{FileKind::kProgram, *machine};
  absl::Status status = CheckIsSharedLibrary(bytes);
  if (!status.ok()) return status;
  return KindAndMachine{FileKind::kSharedLibrary, *machine};
}

// Reads the section .dynamic, only to show it.
void ReadDynamicSection(Elf* elf, Inspection& inspection) {
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_DYNAMIC) continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    GElf_Dyn entry;
    for (int i = 0; data != nullptr && gelf_getdyn(data, i, &entry) != nullptr; ++i) {
      if (entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_PIE) != 0) {
        inspection.kind = FileKind::kProgram;
      }
      if (entry.d_tag != DT_NEEDED) continue;
      const char* name = elf_strptr(elf, header.sh_link, entry.d_un.d_val);
      if (name != nullptr) inspection.needed.emplace_back(name);
    }
  }
}

// Reads one ELF file. Returns true if it has a section of dynamic symbols.
bool ReadSections(Elf* elf, Inspection& inspection) {
  const bool is_object_file =
      inspection.kind == FileKind::kObjectFile || inspection.kind == FileKind::kArchive;
  inspection.gpu_architectures.merge(GpuArchitectures(elf, &inspection.has_hip_code));
  ReadDynamicSection(elf, inspection);
  return VisitSymbols(elf, [&](const FileSymbol& symbol) {
    AddSymbol(symbol, is_object_file, inspection.symbols);
  });
}

bool Holds(absl::string_view bytes, absl::string_view text) {
  return memmem(bytes.data(), bytes.size(), text.data(), text.size()) != nullptr;
}

bool HoldsWhole(absl::string_view bytes, absl::string_view text) {
  constexpr absl::string_view kEnd("\0", 1);
  return Holds(bytes, absl::StrCat(kEnd, text, kEnd));
}

// Returns the row of the headers that leave these texts in each handler, null if they leave none or
// those of several rows. XLA's headers pass the name of a struct to the function that makes an
// error, and checked versions by themselves before there was a metadata query.
const typed_ffi::RuntimeVersion* TypedHeaders(absl::string_view bytes) {
  if (!HoldsWhole(bytes, "XLA_FFI_CallFrame") || Holds(bytes, "XLA_FFI_Metadata")) return nullptr;
  if (HoldsWhole(bytes, ") does not match the framework's API version (")) {
    return &typed_ffi::NewestWithoutMetadata();
  }
  return HoldsWhole(bytes, " size: expected ") ? &typed_ffi::kOldestVersion : nullptr;
}

// Finds signs of custom calls other than symbols. Needs the symbols.
void ReadTexts(absl::string_view bytes, Inspection& inspection) {
  inspection.has_capsule_name =
      inspection.has_capsule_name ||
      (!inspection.symbols.python_modules.empty() && Holds(bytes, "xla._CUSTOM_CALL_TARGET"));
  // XLA's headers name the struct in an error text, in every handler that was built with them.
  inspection.mentions_typed_ffi = inspection.mentions_typed_ffi ||
                                  inspection.symbols.mentions_typed_ffi ||
                                  Holds(bytes, "XLA_FFI_CallFrame");
  // What the registry logs in every release that has one. In parts, so that callbridge does not
  // contain it.
  inspection.contains_xla = inspection.contains_xla ||
                            Holds(bytes, absl::StrCat("Register XLA FFI handler", " for '%s'; "));
  inspection.typed_headers = TypedHeaders(bytes);
}

// Ignores members that are not object files, as linkers do.
void ReadMember(absl::string_view member, Inspection& inspection) {
  const absl::StatusOr<KindAndMachine> found = KindOf(member);
  if (!found.ok() || found->kind != FileKind::kObjectFile) return;
  if (inspection.machine == nullptr) inspection.machine = found->machine;
  const ElfHandle elf = OpenElf(member);
  if (elf == nullptr) return;
  ReadSections(elf.get(), inspection);
  ReadTexts(member, inspection);
}

absl::Status ReadThinArchive(absl::string_view bytes, FileReader read, Inspection& inspection) {
  constexpr uint64_t kMaximumSize = uint64_t{4} << 30;  // as that of one file
  const absl::StatusOr<std::vector<std::string>> members = ThinMembers(bytes);
  if (!members.ok()) return members.status();
  const std::filesystem::path folder = std::filesystem::path(inspection.path).parent_path();
  uint64_t size = 0;
  for (const std::string& name : *members) {
    const auto refusal = [&](absl::StatusCode code, absl::string_view why) {
      return absl::Status(code, absl::StrCat("is a thin archive, and its member ",
                                             absl::Utf8SafeCHexEscape(name), " ", why));
    };
    const absl::StatusOr<std::string> member = read(folder / name);
    if (!member.ok()) return refusal(member.status().code(), member.status().message());
    if (IsArchive(*member) || IsThinArchive(*member)) {
      return refusal(absl::StatusCode::kInvalidArgument,
                     "is an archive itself, which is not followed; inspect that one");
    }
    size += member->size();
    if (size > kMaximumSize) {
      return refusal(absl::StatusCode::kInvalidArgument, "is beyond the 4 GiB that are read");
    }
    ReadMember(*member, inspection);
  }
  return absl::OkStatus();
}

absl::Status ReadArchive(absl::string_view bytes, FileReader read, Inspection& inspection) {
  if (IsThinArchive(bytes)) return ReadThinArchive(bytes, read, inspection);
  VisitMembers(bytes, [&](absl::string_view member) { ReadMember(member, inspection); });
  return absl::OkStatus();
}

void RemoveOwn(SymbolFindings& symbols) {
  for (const std::string& name : symbols.defined) symbols.undefined.erase(name);
}

// Checks what ld.so and callbridge rely on, and lists the dynamic symbols if no section does.
absl::Status ReadLoaderTables(std::string bytes, bool wants_symbols, Inspection& inspection) {
  absl::StatusOr<ElfFile> file = ElfFile::ParseForeign(std::move(bytes));
  if (!file.ok()) return file.status();
  absl::StatusOr<DynamicSection> dynamic = DynamicSection::Parse(*file);
  if (!dynamic.ok()) return dynamic.status();
  inspection.needed.clear();
  for (absl::string_view name : dynamic->NeededLibraries()) inspection.needed.emplace_back(name);
  absl::StatusOr<std::vector<uint32_t>> relocated = RelocatedSymbols(*file, *dynamic);
  if (!relocated.ok()) return relocated.status();
  absl::StatusOr<SymbolTable> table = SymbolTable::Parse(*file, *dynamic, *relocated);
  if (!table.ok()) return table.status();
  if (wants_symbols) {
    VisitSymbols(*table, [&](const FileSymbol& symbol) {
      AddSymbol(symbol, /*is_object_file=*/false, inspection.symbols);
    });
  }
  return SymbolVersions::Parse(*file, *dynamic, table->symbols().size()).status();
}

// ld.so relies on the tables that were checked. If they are bad it does not run.
absl::Status ReadLoader(Inspection& inspection) {
  if (inspection.kind != FileKind::kSharedLibrary || !inspection.refusal.empty() ||
      IsForeign(inspection)) {
    return absl::OkStatus();
  }
  absl::StatusOr<LoaderAnswer> answer = AskLoader(inspection.path);
  if (absl::IsFailedPrecondition(answer.status())) {
    inspection.refusal = std::string(answer.status().message());
    return absl::OkStatus();
  }
  if (!answer.ok()) return answer.status();
  inspection.loader = *std::move(answer);
  return absl::OkStatus();
}

// Returns the libraries that provide symbols when callbridge has loaded the file.
std::vector<std::string> Providers(const Inspection& inspection) {
  std::vector<std::string> paths;
  for (const NeededLibrary& library : inspection.loader.libraries) {
    if (!library.path.empty() && !IsReplaced(inspection, library.name)) {
      paths.push_back(library.path);
    }
  }
  return paths;
}

void ReadProtobufLayout(Inspection& inspection) {
  if (IsTensorFlowLibrary(inspection.path)) return;
  for (const UnresolvedSymbol& symbol : inspection.unresolved) {
    inspection.protobuf.AddImport(symbol.symbol);
  }
}

// Resolves the symbols of XLA's messages and of protobuf that callbridge provides.
void ResolveProtobuf(Inspection& inspection) {
  if (!inspection.protobuf.is_used() || !inspection.protobuf.IsServed()) return;
  std::vector<std::string> symbols;
  for (const UnresolvedSymbol& symbol : inspection.unresolved) symbols.push_back(symbol.symbol);
  absl::StatusOr<std::vector<OldSymbol>> found = FindProtobufSymbols(symbols);
  if (!found.ok()) {
    inspection.protobuf_error = std::string(found.status().message());
    return;
  }
  auto next = found->begin();
  for (UnresolvedSymbol& symbol : inspection.unresolved) {
    if (next == found->end()) break;
    if (next->name != symbol.symbol) continue;
    symbol.provider = Provider::kCallbridge;
    ++next;
  }
}

// Whether a library of another machine has a symbol is not looked for.
void RemoveUnsought(Inspection& inspection) {
  if (!IsForeign(inspection)) return;
  auto& unresolved = inspection.unresolved;
  unresolved.erase(std::remove_if(unresolved.begin(), unresolved.end(),
                                  [](const UnresolvedSymbol& symbol) {
                                    return symbol.provider == Provider::kNone;
                                  }),
                   unresolved.end());
}

// Reads all but what ld.so finds, and what follows from that.
absl::StatusOr<Inspection> ReadBytes(std::string bytes, const std::string& path, FileReader read) {
  const absl::StatusOr<KindAndMachine> found = KindOf(bytes);
  if (!found.ok()) return found.status();
  Inspection inspection;
  inspection.path = path;
  inspection.kind = found->kind;
  inspection.machine = found->machine;
  bool has_dynamic_symbols = false;
  if (found->kind == FileKind::kArchive) {
    absl::Status status = ReadArchive(bytes, read, inspection);
    if (!status.ok()) return status;
  } else if (const ElfHandle elf = OpenElf(bytes); elf != nullptr) {
    has_dynamic_symbols = ReadSections(elf.get(), inspection);
  }
  RemoveOwn(inspection.symbols);
  ReadTexts(bytes, inspection);
  if (inspection.kind == FileKind::kSharedLibrary) {
    const absl::Status checked =
        ReadLoaderTables(std::move(bytes), !has_dynamic_symbols, inspection);
    if (!checked.ok()) inspection.refusal = std::string(checked.message());
  }
  inspection.string_abi = StringAbiOf(inspection.symbols.undefined);
  return inspection;
}

}  // namespace

bool IsForeign(const Inspection& inspection) {
  return inspection.machine != nullptr && inspection.machine != &kThisMachine;
}

bool IsReplaced(const Inspection& inspection, absl::string_view needed) {
  return IsTensorFlowLibrary(needed) && !IsTensorFlowLibrary(inspection.path);
}

std::vector<std::string> GpuTexts(const Inspection& inspection) {
  constexpr absl::string_view kLibraries[] = {"libcuda.so", "libcudart.so",  "libcublas",
                                              "libcudnn",   "libcusolver",   "libcusparse",
                                              "libcufft",   "libamdhip64.so"};
  std::vector<std::string> texts;
  for (const std::string& name : inspection.needed) {
    for (absl::string_view library : kLibraries) {
      if (absl::StartsWith(name, library)) texts.push_back(name);
    }
  }
  if (inspection.symbols.has_static_cuda_runtime) texts.push_back("libcudart, linked statically");
  if (!inspection.gpu_architectures.empty()) {
    texts.push_back(
        absl::StrCat("CUDA kernels for ", absl::StrJoin(inspection.gpu_architectures, ", ")));
  }
  if (inspection.has_hip_code) texts.push_back("HIP kernels");
  return texts;
}

std::vector<UntypedFunction> PossibleHandlers(const Inspection& inspection) {
  std::vector<UntypedFunction> functions;
  if (!inspection.mentions_typed_ffi || IsTensorFlowLibrary(inspection.path)) return functions;
  for (const auto& [name, function] : inspection.symbols.untyped_functions) {
    functions.push_back(function);
  }
  return functions;
}

absl::string_view FileKindName(FileKind kind) {
  switch (kind) {
    case FileKind::kSharedLibrary:
      return "shared library";
    case FileKind::kProgram:
      return "program";
    case FileKind::kObjectFile:
      return "object file";
    case FileKind::kArchive:
      return "archive of object files";
  }
  return "";
}

absl::StatusOr<Inspection> Inspect(const std::string& path) {
  absl::StatusOr<std::string> bytes = ReadRegularFile(path);
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<Inspection> inspection = ReadBytes(*std::move(bytes), path, ReadRegularFile);
  if (!inspection.ok()) return inspection;
  if (absl::Status asked = ReadLoader(*inspection); !asked.ok()) return asked;
  inspection->unresolved = FindUnresolved(inspection->symbols.undefined, Providers(*inspection));
  ReadProtobufLayout(*inspection);
  ResolveProtobuf(*inspection);
  RemoveUnsought(*inspection);
  return inspection;
}

absl::StatusOr<Inspection> InspectBytes(std::string bytes, const std::string& path,
                                        FileReader read) {
  absl::StatusOr<Inspection> inspection = ReadBytes(std::move(bytes), path, read);
  if (!inspection.ok()) return inspection;
  inspection->unresolved = FindUnresolved(inspection->symbols.undefined, {});
  ReadProtobufLayout(*inspection);
  return inspection;
}

}  // namespace callbridge
