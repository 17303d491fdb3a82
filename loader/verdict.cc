#include "callbridge/loader/verdict.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "callbridge/adapters/target_abis.h"
#include "callbridge/loader/dependencies.h"
#include "callbridge/loader/next_steps.h"

namespace callbridge {
namespace {

size_t CountOf(const Inspection& inspection, Provider provider) {
  return std::count_if(inspection.unresolved.begin(), inspection.unresolved.end(),
                       [&](const UnresolvedSymbol& s) { return s.provider == provider; });
}

bool Registers(const Inspection& inspection) {
  for (const auto& [name, place] : inspection.symbols.registry) {
    if (place == Place::kImported && absl::StrContains(name, "egister")) return true;
  }
  return false;
}

// Returns what prevents loading it; empty if nothing does.
std::string Obstacle(const Inspection& inspection) {
  if (!inspection.refusal.empty()) return absl::StrCat("it ", inspection.refusal);
  if (IsForeign(inspection)) {
    return absl::StrCat("it is for ", inspection.machine->name, ", and this machine is ",
                        kThisMachine.name, "; load it on ", inspection.machine->name);
  }
  std::vector<std::string> missing;
  for (const NeededLibrary& library : inspection.loader.libraries) {
    if (library.path.empty() && !IsReplaced(inspection, library.name))
      missing.push_back(library.name);
  }
  if (!missing.empty()) {
    return absl::StrCat("ld.so does not find ", absl::StrJoin(missing, ", "),
                        ": add their folders to LD_LIBRARY_PATH");
  }
  if (!inspection.loader.missing_versions.empty()) {
    return absl::StrCat("it was built for newer libraries: ",
                        inspection.loader.missing_versions.front());
  }
  if (inspection.protobuf.is_used() && !inspection.protobuf.IsServed()) {
    return absl::StrCat("it ", inspection.protobuf.Refusal());
  }
  if (!inspection.protobuf_error.empty()) return inspection.protobuf_error;
  const size_t unresolved = CountOf(inspection, Provider::kNone);
  if (unresolved == 0) return "";
  return absl::StrCat(unresolved,
                      unresolved == 1 ? " symbol that it needs is" : " symbols that it needs are",
                      " not found");
}

Verdict NothingSeen(const Inspection& inspection) {
  const std::string text = "no custom call found in it";
  if (inspection.symbols.untyped_functions.empty()) return {Outcome::kNoCustomCalls, text, {}};
  if (PossibleHandlers(inspection).empty()) {
    return {Outcome::kNoCustomCalls,
            absl::StrCat(text, ", but functions without a type may be custom calls"),
            NextForUntypedFunctions(inspection)};
  }
  return {Outcome::kNoCustomCalls,
          absl::StrCat(text, ", but functions without a type may be typed handlers"),
          NextForPossibleHandlers(inspection)};
}

Verdict JudgeLibrary(const Inspection& inspection, const std::vector<std::string>& typed) {
  const SymbolFindings& symbols = inspection.symbols;
  if (IsTensorFlowLibrary(inspection.path)) {
    return {Outcome::kNoCustomCalls, "it is TensorFlow itself, which callbridge replaces", {}};
  }
  const std::string obstacle = Obstacle(inspection);
  if (!symbols.python_modules.empty()) {
    if (symbols.functions.empty() && !inspection.has_capsule_name) {
      return {Outcome::kNoCustomCalls, "a Python module without visible custom calls", {}};
    }
    return {Outcome::kPythonModule,
            absl::StrCat("a Python module, which passes its functions to Python in capsules",
                         obstacle.empty() ? "" : "; but ", obstacle),
            NextForModule(inspection)};
  }
  if (!obstacle.empty()) {
    return {Outcome::kDoesNotLoad, absl::StrCat("callbridge cannot load it: ", obstacle), {}};
  }
  if (Registers(inspection)) {
    return {Outcome::kLoads, "callbridge can load it; it registers its own targets",
            NextForLibrary(inspection)};
  }
  if (!symbols.functions.empty() || !typed.empty()) {
    return {Outcome::kLoadsOnly,
            "callbridge can load it, but it registers no targets: register its functions by name",
            NextForFunctions(inspection, typed)};
  }
  return NothingSeen(inspection);
}

}  // namespace

absl::string_view OutcomeName(Outcome outcome) {
  switch (outcome) {
    case Outcome::kLoads:
      return "loads";
    case Outcome::kLoadsOnly:
      return "loads_only";
    case Outcome::kPythonModule:
      return "python_module";
    case Outcome::kMustBeLinked:
      return "must_be_linked";
    case Outcome::kAotOperators:
      return "aot_operators";
    case Outcome::kDoesNotLoad:
      return "does_not_load";
    case Outcome::kNoCustomCalls:
      return "no_custom_calls";
  }
  return "";
}

Verdict Judge(const Inspection& inspection, const std::vector<std::string>& typed) {
  switch (inspection.kind) {
    case FileKind::kSharedLibrary:
      return JudgeLibrary(inspection, typed);
    case FileKind::kObjectFile:
    case FileKind::kArchive:
      if (inspection.symbols.functions.empty() && inspection.symbols.registry.empty()) {
        return {Outcome::kNoCustomCalls, "no custom call found in it", {}};
      }
      return {Outcome::kMustBeLinked,
              absl::StrCat("it must be linked into a shared library first",
                           IsForeign(inspection) ? ", on " : "",
                           IsForeign(inspection) ? inspection.machine->name : ""),
              NextForObjects(inspection)};
    case FileKind::kProgram:
      break;
  }
  if (inspection.symbols.functions.empty()) {
    return {Outcome::kNoCustomCalls, "no custom call found in it", {}};
  }
  return {Outcome::kDoesNotLoad,
          "callbridge loads shared libraries, not programs: link its object files with "
          "`g++ -shared`",
          {}};
}

std::string AbiText(const CustomCallFunction& function) {
  if (function.on_host == function.on_gpu) {
    return absl::StrCat(ApiVersionName(function.on_host), " on every platform");
  }
  std::vector<std::string> texts;
  if (function.on_host != ApiVersion::kUnspecified) {
    texts.push_back(absl::StrCat(ApiVersionName(function.on_host), " on Host"));
  }
  if (function.on_gpu != ApiVersion::kUnspecified) {
    texts.push_back(absl::StrCat(ApiVersionName(function.on_gpu), " on CUDA and ROCM"));
  }
  return absl::StrJoin(texts, ", or ");
}

}  // namespace callbridge
