#include "callbridge/runtime/inspection.h"

#include <gelf.h>
#include <libelf.h>

#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "callbridge/runtime/archive.h"
#include "callbridge/runtime/dynamic_section.h"
#include "callbridge/runtime/elf_file.h"
#include "callbridge/runtime/elf_header.h"
#include "callbridge/runtime/gpu_code.h"
#include "callbridge/runtime/regular_file.h"
#include "callbridge/runtime/relocations.h"
#include "callbridge/runtime/string_abi.h"
#include "callbridge/runtime/symbol_table.h"
#include "callbridge/runtime/symbol_versions.h"
#include "callbridge/runtime/tensorflow_library.h"

namespace callbridge {
namespace {

using ElfHandle = std::unique_ptr<Elf, int (*)(Elf*)>;

// libelf reads through this pointer; it writes where it was asked to update a file.
ElfHandle OpenMemory(absl::string_view bytes) {
  elf_version(EV_CURRENT);
  return {elf_memory(const_cast<char*>(bytes.data()), bytes.size()), &elf_end};
}

// INVALID_ARGUMENT where it is none that can be inspected.
absl::StatusOr<FileKind> KindOf(absl::string_view bytes) {
  if (IsArchive(bytes)) return FileKind::kArchive;
  absl::Status status = CheckElfHeader(bytes);
  if (!status.ok()) return status;
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (header.e_type == ET_REL) return FileKind::kObjectFile;
  if (header.e_type == ET_EXEC) return FileKind::kProgram;
  status = CheckIsSharedLibrary(bytes);
  if (!status.ok()) return status;
  return FileKind::kSharedLibrary;
}

// What the section .dynamic says; only for what people read.
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

// Reads one ELF file. Returns whether it has a section of dynamic symbols.
bool ReadSections(Elf* elf, Inspection& inspection) {
  const bool is_object_file =
      inspection.kind == FileKind::kObjectFile || inspection.kind == FileKind::kArchive;
  inspection.gpu_architectures.merge(GpuArchitectures(elf, &inspection.has_hip_code));
  ReadDynamicSection(elf, inspection);
  return VisitSymbols(elf, [&](const FileSymbol& symbol) {
    AddSymbol(symbol, is_object_file, inspection.symbols);
  });
}

void ReadArchive(absl::string_view bytes, Inspection& inspection) {
  VisitMembers(bytes, [&](absl::string_view member) {
    const absl::StatusOr<FileKind> kind = KindOf(member);
    const ElfHandle elf = OpenMemory(member);
    if (elf != nullptr && kind.ok() && *kind == FileKind::kObjectFile) {
      ReadSections(elf.get(), inspection);
    }
  });
}

bool Holds(absl::string_view bytes, absl::string_view text) {
  return memmem(bytes.data(), bytes.size(), text.data(), text.size()) != nullptr;
}

void RemoveOwn(SymbolFindings& symbols) {
  for (const std::string& name : symbols.defined) symbols.undefined.erase(name);
}

// Checks what ld.so and callbridge will trust, and lists the dynamic symbols where no section does.
absl::Status ReadLoaderTables(std::string bytes, bool wants_symbols, Inspection& inspection) {
  absl::StatusOr<ElfFile> file = ElfFile::Parse(std::move(bytes));
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

void InspectLibrary(std::string bytes, bool wants_symbols, Inspection& inspection) {
  absl::Status checked = ReadLoaderTables(std::move(bytes), wants_symbols, inspection);
  if (!checked.ok()) {  // ld.so would trust the same tables, so it is not asked
    inspection.refusal = std::string(checked.message());
    return;
  }
  absl::StatusOr<LoaderAnswer> answer = AskLoader(inspection.path);
  if (!answer.ok()) {
    inspection.refusal = std::string(answer.status().message());
    return;
  }
  inspection.loader = *std::move(answer);
}

// The libraries that will be there when callbridge has opened the file.
std::vector<std::string> Providers(const Inspection& inspection) {
  std::vector<std::string> paths;
  for (const NeededLibrary& library : inspection.loader.libraries) {
    if (!library.path.empty() && !IsReplaced(inspection, library.name)) {
      paths.push_back(library.path);
    }
  }
  return paths;
}

}  // namespace

bool IsReplaced(const Inspection& inspection, absl::string_view needed) {
  return IsTensorFlowLibrary(needed) && !IsTensorFlowLibrary(inspection.path);
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
  absl::StatusOr<FileKind> kind = KindOf(*bytes);
  if (!kind.ok()) return kind.status();
  Inspection inspection;
  inspection.path = path;
  inspection.kind = *kind;
  bool has_dynamic_symbols = false;
  if (*kind == FileKind::kArchive) {
    ReadArchive(*bytes, inspection);
  } else if (const ElfHandle elf = OpenMemory(*bytes); elf != nullptr) {
    has_dynamic_symbols = ReadSections(elf.get(), inspection);
  }
  RemoveOwn(inspection.symbols);
  inspection.has_capsule_name =
      !inspection.symbols.python_modules.empty() && Holds(*bytes, "xla._CUSTOM_CALL_TARGET");
  // What XLA's headers call the struct in an error, in every handler that was built with them.
  inspection.mentions_typed_ffi =
      inspection.symbols.mentions_typed_ffi || Holds(*bytes, "XLA_FFI_CallFrame");
  if (inspection.kind == FileKind::kSharedLibrary) {
    InspectLibrary(*std::move(bytes), !has_dynamic_symbols, inspection);
  }
  inspection.string_abi = StringAbiOf(inspection.symbols.undefined);
  inspection.unresolved = FindUnresolved(inspection.symbols.undefined, Providers(inspection));
  return inspection;
}

}  // namespace callbridge
