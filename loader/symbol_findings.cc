#include "callbridge/loader/symbol_findings.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "callbridge/loader/demangled_name.h"

namespace callbridge {

namespace {

constexpr absl::string_view kRegistryPrefixes[] = {
    "_ZN3xla24CustomCallTargetRegistry",
    "_ZNK3xla24CustomCallTargetRegistry",
    "callbridge_register_target",
    "callbridge_xla_ffi_api",
};

bool IsRegistry(absl::string_view name) {
  for (absl::string_view prefix : kRegistryPrefixes) {
    if (absl::StartsWith(name, prefix)) return true;
  }
  return false;
}

// Returns true if other files can find the symbol by name.
bool IsVisible(const FileSymbol& symbol, bool is_object_file) {
  return symbol.is_defined && (symbol.is_dynamic || is_object_file) && !symbol.is_local &&
         !symbol.is_hidden;
}

Place PlaceOf(const FileSymbol& symbol, bool is_object_file) {
  if (!symbol.is_defined) return Place::kImported;
  return IsVisible(symbol, is_object_file) ? Place::kExported : Place::kPrivateCopy;
}

// An exported function is in both tables; the dynamic one says more.
void AddPlace(const FileSymbol& symbol, bool is_object_file, std::map<std::string, Place>& places) {
  const Place place = PlaceOf(symbol, is_object_file);
  auto [known, is_new] = places.emplace(ReadableName(symbol.name), place);
  if (!is_new && place == Place::kExported) known->second = place;
}

void AddKnownName(const FileSymbol& symbol, bool is_object_file, SymbolFindings& findings) {
  const absl::string_view name = symbol.name;
  if (IsRegistry(name)) AddPlace(symbol, is_object_file, findings.registry);
  if (absl::StartsWith(name, "XlaCustomCallStatusSet"))
    AddPlace(symbol, is_object_file, findings.status);
  if (absl::StrContains(name, "XLA_FFI_") || absl::StartsWith(name, "_ZN3xla3ffi") ||
      absl::StartsWith(name, "_ZNK3xla3ffi") || absl::StartsWith(name, "_ZTVN3xla3ffi")) {
    findings.mentions_typed_ffi = true;
  }
  if (name == "cudaLaunchKernel" && symbol.is_defined) findings.has_static_cuda_runtime = true;
  absl::string_view module = name;
  if (IsVisible(symbol, is_object_file) && absl::ConsumePrefix(&module, "PyInit_")) {
    findings.python_modules.insert(std::string(module));
  }
}

void AddUntypedFunction(const FileSymbol& symbol, SymbolFindings& findings) {
  const absl::string_view name = symbol.name;
  if (!symbol.is_function || absl::StartsWith(name, "_") || absl::StartsWith(name, "PyInit_")) {
    return;
  }
  findings.untyped_functions[std::string(name)] = {std::string(name), symbol.address};
}

}  // namespace

absl::string_view PlaceName(Place place) {
  switch (place) {
    case Place::kImported:
      return "imported";
    case Place::kPrivateCopy:
      return "a private copy";
    case Place::kExported:
      return "exported";
  }
  return "";
}

void AddSymbol(const FileSymbol& symbol, bool is_object_file, SymbolFindings& findings) {
  if (!symbol.is_dynamic) findings.has_static_symbols = true;
  // A linked file's static table repeats what it imports.
  if (!symbol.is_defined && !symbol.is_dynamic && !is_object_file) return;
  AddKnownName(symbol, is_object_file, findings);
  if (!symbol.is_defined) {
    if (symbol.is_local) return;
    auto [known, is_new] = findings.undefined.emplace(symbol.name, symbol.is_weak);
    if (!is_new) known->second = known->second && symbol.is_weak;
    return;
  }
  if (std::optional<CustomCallFunction> function = AsCustomCall(symbol)) {
    auto key = std::make_pair(function->address, function->symbol);
    auto [known, is_new] = findings.functions.emplace(std::move(key), *function);
    if (!is_new && symbol.is_dynamic) known->second = *std::move(function);
  }
  if (!IsVisible(symbol, is_object_file)) return;
  AddUntypedFunction(symbol, findings);
  if (is_object_file) findings.defined.emplace(symbol.name);
}

// ---- String ABI

namespace {

bool HasNewString(absl::string_view symbol) { return absl::StrContains(symbol, "7__cxx11"); }

// "Ss" is the mangled std::string, but may also be a part of another name.
bool HasOldString(absl::string_view symbol) {
  if (!absl::StrContains(symbol, "Ss")) return false;
  const std::string name = Demangled(symbol);
  return absl::StrContains(name, "std::string") ||
         absl::StrContains(name, "std::basic_string<char, std::char_traits<char>");
}

}  // namespace

absl::string_view StringAbiName(StringAbi abi) {
  switch (abi) {
    case StringAbi::kNotSeen:
      return "not_seen";
    case StringAbi::kNew:
      return "new";
    case StringAbi::kOld:
      return "old";
    case StringAbi::kBoth:
      return "both";
  }
  return "";
}

StringAbi StringAbiOf(const absl::flat_hash_map<std::string, bool>& undefined) {
  bool has_new = false;
  bool has_old = false;
  for (const auto& [symbol, is_weak] : undefined) {
    has_new = has_new || HasNewString(symbol);
    has_old = has_old || HasOldString(symbol);
  }
  if (has_new && has_old) return StringAbi::kBoth;
  if (has_new) return StringAbi::kNew;
  return has_old ? StringAbi::kOld : StringAbi::kNotSeen;
}

}  // namespace callbridge
