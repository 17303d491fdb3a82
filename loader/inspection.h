// Inspection: what a file is, as far as custom calls go, found without running any code of it.
#ifndef CALLBRIDGE_LOADER_INSPECTION_H_
#define CALLBRIDGE_LOADER_INSPECTION_H_

#include <set>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/loader/needed_libraries.h"
#include "callbridge/loader/protobuf_layout.h"
#include "callbridge/loader/string_abi.h"
#include "callbridge/loader/symbol_findings.h"
#include "callbridge/loader/unresolved_symbols.h"

namespace callbridge {

enum class FileKind { kSharedLibrary, kProgram, kObjectFile, kArchive };

// "shared library", "program", "object file", "archive of object files". Static storage.
absl::string_view FileKindName(FileKind kind);

struct Inspection {
  std::string path;
  FileKind kind = FileKind::kSharedLibrary;
  SymbolFindings symbols;

  // What it says it needs (DT_NEEDED), in order.
  std::vector<std::string> needed;
  // What ld.so finds; empty where it was not asked, as for object files and programs.
  LoaderAnswer loader;
  // Why callbridge or ld.so would refuse the file whatever is installed; empty where they would
  // not.
  std::string refusal;
  // What no library that it needs has, by name.
  std::vector<UnresolvedSymbol> unresolved;

  StringAbi string_abi = StringAbi::kNotSeen;
  // Of what is unresolved.
  ProtobufLayout protobuf;
  // Why callbridge's protobuf cannot be opened here, where the file needs it; empty where it can.
  std::string protobuf_error;
  // "sm_90", "compute_90" (PTX): what its CUDA kernels are for.
  std::set<std::string> gpu_architectures;
  bool has_hip_code = false;
  // Holds the name of the capsules in which XLA's Python modules hand out custom calls.
  bool has_capsule_name = false;
  // Shows traces of XLA's FFI, so that functions without a type may be typed handlers.
  bool mentions_typed_ffi = false;
};

// Whether callbridge takes the place of a library that the file needs; not of TensorFlow's
// libraries among themselves.
bool IsReplaced(const Inspection& inspection, absl::string_view needed);

// Functions without a type that may be typed handlers: those of a file that shows traces of XLA's
// FFI and is not XLA itself.
std::vector<UntypedFunction> PossibleHandlers(const Inspection& inspection);

// Reads the file at `path`, and the members of a thin archive, which are files beside it. Errors
// are about a file that is no ELF file for x86-64 nor an archive of such, or cannot be read (nor a
// member, then named); they leave its name to the caller. A damaged file gives what is left.
// Archives in thin archives are refused.
absl::StatusOr<Inspection> Inspect(const std::string& path);

// The bytes of the file at a path.
using FileReader = absl::FunctionRef<absl::StatusOr<std::string>(const std::string&)>;

// The same for a file of those bytes at `path`, without asking ld.so: no library is found, and all
// that it imports is unresolved. `read` reads the members of a thin archive.
absl::StatusOr<Inspection> InspectBytes(std::string bytes, const std::string& path,
                                        FileReader read);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_INSPECTION_H_
