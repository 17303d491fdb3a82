#include "callbridge/loader/protobuf_symbols.h"

#include <dlfcn.h>

#include <mutex>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "callbridge/abi/per_process.h"
#include "callbridge/loader/child_process.h"
#include "callbridge/loader/dependencies.h"
#include "callbridge/loader/dynamic_section.h"
#include "callbridge/loader/protobuf_layout.h"
#include "callbridge/loader/symbol_table.h"

namespace callbridge {

// ---- The library

namespace {

constexpr char kClientLibrary[] = CALLBRIDGE_CLIENT_LIBRARY;  // its SONAME
constexpr char kProtobuf[] = "libprotobuf.so.32";
// Whether the library has a protobuf of its own in it, as in the wheel.
#ifdef CALLBRIDGE_OWN_PROTOBUF
constexpr bool kIsLinkedIn = true;
#else
constexpr bool kIsLinkedIn = false;
#endif

// Classes that this code has no headers of; a member is a function of its object.
constexpr char kGeneratedPool[] = "_ZN6google8protobuf14DescriptorPool14generated_poolEv";
constexpr char kFindMessage[] =
    "_ZNK6google8protobuf14DescriptorPool21FindMessageTypeByNameERKNSt7__cxx1112basic_stringIcSt11"
    "char_traitsIcESaIcEEE";
using GeneratedPool = const void* (*)();
using FindMessage = const void* (*)(const void* pool, const std::string& name);

constexpr int kMode = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
// A genuine TensorFlow in the global scope has another version of protobuf under the same names.
// The address sanitizer refuses the flag; there is no TensorFlow beside it.
#ifdef CALLBRIDGE_ADDRESS_SANITIZER
constexpr int kOwnSymbolsFirst = 0;
#else
constexpr int kOwnSymbolsFirst = RTLD_DEEPBIND;
#endif

// protobuf ends the process if a second library registers a message of the same name. Returns such
// a name that the process's libprotobuf already has, or an empty one.
std::string AlreadyRegistered() {
  void* protobuf = dlopen(kProtobuf, RTLD_NOLOAD | RTLD_LAZY);
  if (protobuf == nullptr) return "";
  auto generated_pool = reinterpret_cast<GeneratedPool>(dlsym(protobuf, kGeneratedPool));
  auto find_message = reinterpret_cast<FindMessage>(dlsym(protobuf, kFindMessage));
  std::string registered;
  if (generated_pool != nullptr && find_message != nullptr) {
    for (const char* message : {"xla.ShapeProto", "xla.HloModuleProto"}) {
      if (find_message(generated_pool(), message) != nullptr) registered = message;
    }
  }
  dlclose(protobuf);
  return registered;
}

absl::StatusOr<void*> OpenHandle() {
  if (void* loaded = dlopen(kClientLibrary, kMode | RTLD_NOLOAD)) return loaded;
  if (const std::string message = kIsLinkedIn ? "" : AlreadyRegistered(); !message.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "another library in this process has registered the protobuf message ", message, " with ",
        kProtobuf, ", which takes each message once: link the program to ", kClientLibrary,
        " instead of that library, or load the binary in another process"));
  }
  absl::StatusOr<std::string> path = FindHelperLibrary(kClientLibrary, "CALLBRIDGE_CLIENT");
  if (!path.ok()) return path.status();
  if (void* handle = dlopen(path->c_str(), kMode | kOwnSymbolsFirst)) return handle;
  const char* error = dlerror();
  return absl::FailedPreconditionError(absl::StrCat(
      "callbridge's library of XLA's messages cannot be opened: ", error != nullptr ? error : *path,
      "; install what it needs, or callbridge again"));
}

// Returns the handle of the library, for dlsym(): the one that the process has loaded, or else the
// one that FindHelperLibrary() finds. It stays loaded for the life of the process. It adds nothing
// to the global symbol scope, and does not bind to a protobuf that is there. Returns
// FAILED_PRECONDITION with the reason if it cannot be opened. Thread-safe.
absl::StatusOr<void*> OpenProtobufLibrary() {
  struct Opening;
  static void* opened = nullptr;
  std::lock_guard<std::mutex> lock(PerProcess<std::mutex, Opening>::Get());
  if (opened == nullptr) {
    absl::StatusOr<void*> handle = OpenHandle();
    if (!handle.ok()) return handle.status();
    opened = *handle;
  }
  return opened;
}

}  // namespace

// ---- The symbols

namespace {

// The names of namespace xla that have the same layout in every XLA with protobuf 3.21.
constexpr absl::string_view kServedNames[] = {
    "ShapeProto",
    "LayoutProto",
    "TileProto",
    "ProgramShapeProto",
    "_ShapeProto_default_instance_",
    "_LayoutProto_default_instance_",
    "_TileProto_default_instance_",
    "_ProgramShapeProto_default_instance_",
    "PrimitiveType_descriptor",
    "PrimitiveType_IsValid",
    "DimLevelType_descriptor",
    "DimLevelType_IsValid",
};

// Parts of the names by which code that protobuf generated registers messages of its own.
constexpr absl::string_view kRegistering[] = {
    "AddDescriptors",  // AddDescriptorsRunner, too
    "InternalAddGenerated",  "InternalRegisterGenerated", "RegisterAllTypes",
    "ExtensionSet8Register", "13VerifyVersion",
};

// Thread-local, so it has no fixed address.
constexpr absl::string_view kThreadLocal = "13thread_cache_E";

bool IsServedName(absl::string_view name) {
  for (absl::string_view served : kServedNames) {
    if (name == served) return true;
  }
  return false;
}

bool Registers(absl::string_view symbol) {
  for (absl::string_view name : kRegistering) {
    if (absl::StrContains(symbol, name)) return true;
  }
  return false;
}

// Each with false, even if weak: a weak symbol that stays undefined could be bound to another
// protobuf.
using Undefined = absl::flat_hash_map<std::string, bool>;

// Returns nothing if the tables are bad or name no message.
Undefined UndefinedProtobufSymbols(const ElfFile& file) {
  absl::StatusOr<DynamicSection> dynamic = DynamicSection::Parse(file);
  if (!dynamic.ok()) return {};
  absl::StatusOr<std::vector<uint32_t>> relocated = RelocatedSymbols(file, *dynamic);
  if (!relocated.ok()) return {};
  absl::StatusOr<SymbolTable> table = SymbolTable::Parse(file, *dynamic, *relocated);
  if (!table.ok()) return {};
  if (!SymbolVersions::Parse(file, *dynamic, table->symbols().size()).ok()) return {};
  Undefined undefined;
  bool uses_messages = false;
  for (const DynamicSymbol& symbol : table->symbols()) {
    if (symbol.entry.st_shndx != SHN_UNDEF || !IsProtobufSymbol(symbol.name)) continue;
    uses_messages = uses_messages || IsXlaMessageSymbol(symbol.name);
    undefined.emplace(symbol.name, false);
  }
  return uses_messages ? std::move(undefined) : Undefined();
}

std::string Registering(absl::Span<const std::string> imports) {
  for (const std::string& symbol : imports) {
    if (Registers(symbol)) return symbol;
  }
  return "";
}

}  // namespace

bool MayServeProtobufSymbol(absl::string_view symbol) {
  if (!IsProtobufSymbol(symbol) || Registers(symbol)) return false;
  if (absl::EndsWith(symbol, kThreadLocal)) return false;
  absl::string_view rest = symbol;
  for (absl::string_view name; !(name = TakeXlaName(&rest)).empty();) {
    if (!IsServedName(name)) return false;
  }
  return true;
}

absl::StatusOr<std::vector<OldSymbol>> FindProtobufSymbols(absl::Span<const std::string> symbols) {
  absl::StatusOr<void*> library = OpenProtobufLibrary();
  if (!library.ok()) return library.status();
  std::vector<OldSymbol> found;
  found.reserve(symbols.size());
  for (const std::string& symbol : symbols) {
    if (!MayServeProtobufSymbol(symbol)) continue;
    void* address = dlsym(*library, symbol.c_str());
    if (address != nullptr) found.push_back({symbol, address});
  }
  return found;
}

absl::StatusOr<std::vector<std::string>> ProtobufImports(const ElfFile& file,
                                                         const std::string& path) {
  // Code that imports a message contains its name; the check is skipped for all others.
  if (!absl::StrContains(file.bytes(), "Proto")) return std::vector<std::string>();
  const Undefined undefined = UndefinedProtobufSymbols(file);
  if (undefined.empty()) return std::vector<std::string>();
  absl::StatusOr<LoaderAnswer> answer = AskLoader(path);
  if (!answer.ok()) return answer.status();
  std::vector<std::string> providers;
  for (const NeededLibrary& library : answer->libraries) {
    if (!IsTensorFlowLibrary(library.name)) providers.push_back(library.path);
  }
  std::vector<std::string> imports;
  bool uses_messages = false;
  for (UnresolvedSymbol& symbol : FindUnresolved(undefined, providers)) {
    uses_messages = uses_messages || IsXlaMessageSymbol(symbol.symbol);
    imports.push_back(std::move(symbol.symbol));
  }
  if (!uses_messages) imports.clear();
  return imports;
}

absl::StatusOr<std::vector<OldSymbol>> BindProtobufImports(absl::Span<const std::string> imports) {
  if (imports.empty()) return std::vector<OldSymbol>();
  ProtobufLayout layout;
  for (const std::string& symbol : imports) layout.AddImport(symbol);
  if (!layout.IsServed()) return absl::FailedPreconditionError(layout.Refusal());
  if (const std::string symbol = Registering(imports); !symbol.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "has protobuf messages of its own (it imports ", symbol,
        "), but callbridge provides only the part of protobuf that reads xla::ShapeProto: link "
        "it with protobuf 3.21 itself"));
  }
  absl::StatusOr<std::vector<OldSymbol>> found = FindProtobufSymbols(imports);
  if (!found.ok() || found->size() == imports.size()) return found;
  MissingParts missing;
  auto next = found->begin();
  for (const std::string& symbol : imports) {
    if (next != found->end() && next->name == symbol) {
      ++next;
    } else {
      missing.symbols.push_back(symbol);
    }
  }
  return absl::FailedPreconditionError(
      absl::StrCat(DescribeMissingParts(missing),
                   " (callbridge provides XLA's messages ShapeProto, LayoutProto, TileProto and "
                   "ProgramShapeProto, with protobuf 3.21)"));
}

}  // namespace callbridge
