// Inspection: what a file is and which custom calls it has, found without running its code.
#ifndef CALLBRIDGE_LOADER_INSPECTION_H_
#define CALLBRIDGE_LOADER_INSPECTION_H_

#include <set>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/machine.h"
#include "callbridge/loader/dependencies.h"
#include "callbridge/loader/protobuf_layout.h"
#include "callbridge/loader/symbol_findings.h"
#include "callbridge/typed_ffi/runtime_versions.h"

namespace callbridge {

enum class FileKind { kSharedLibrary, kProgram, kObjectFile, kArchive };

// Returns "shared library", "program", "object file" or "archive of object files", in static
// storage.
absl::string_view FileKindName(FileKind kind);

struct Inspection {
  std::string path;
  // The machine that the file is for, which need not be this one; of an archive, that of its first
  // object file, and null if it has none.
  const Machine* machine = nullptr;
  FileKind kind = FileKind::kSharedLibrary;
  SymbolFindings symbols;

  // The libraries that the file itself names (DT_NEEDED), in order.
  std::vector<std::string> needed;
  // The libraries that ld.so finds. Empty for object files, archives, programs, and files for
  // another machine, whose libraries are elsewhere.
  LoaderAnswer loader;
  // Why callbridge or ld.so refuses the file, whatever is installed; empty if neither does.
  std::string refusal;
  // The symbols that no needed library has, sorted by symbol; of a file for another machine only
  // those that callbridge or Python provides.
  std::vector<UnresolvedSymbol> unresolved;

  StringAbi string_abi = StringAbi::kNotSeen;
  // The protobuf layout that the unresolved symbols require.
  ProtobufLayout protobuf;
  // Why callbridge's protobuf cannot be opened here; empty if it can or the file does not need it.
  std::string protobuf_error;
  // The architectures of its CUDA kernels: "sm_90" for machine code, "compute_90" for PTX.
  std::set<std::string> gpu_architectures;
  bool has_hip_code = false;
  // The file contains the name of the capsules in which XLA's Python modules return custom calls.
  bool has_capsule_name = false;
  // The file contains names of XLA's FFI, so functions whose names have no type may be typed
  // handlers.
  bool mentions_typed_ffi = false;
  // The file contains XLA's registry of typed handlers, so it has an XLA of its own: handlers in it
  // may be that one's, which no other XLA gets.
  bool contains_xla = false;
  // The XLA whose headers its typed handlers were built with, where the file's bytes tell it: they
  // do for headers without a metadata query. Otherwise null.
  const typed_ffi::RuntimeVersion* typed_headers = nullptr;
};

// Returns whether the file is for another machine than this one, so that it cannot be opened here.
bool IsForeign(const Inspection& inspection);

// Returns whether callbridge replaces `needed`, a library that the inspected file needs. False
// where one of TensorFlow's libraries needs another.
bool IsReplaced(const Inspection& inspection, absl::string_view needed);

// Returns what the file shows of CUDA and HIP: "libcudart.so.12", "libcudart, linked statically",
// "CUDA kernels for compute_90, sm_50".
std::vector<std::string> GpuTexts(const Inspection& inspection);

// Returns the functions whose names have no type and which may be typed handlers; none unless the
// file mentions XLA's FFI, and none for TensorFlow itself.
std::vector<UntypedFunction> PossibleHandlers(const Inspection& inspection);

// Inspects the file at `path`, and the files beside it that are members if it is a thin archive. A
// damaged file gives what can be read.
//
// Returns INVALID_ARGUMENT if the file is neither an ELF file for one of kMachines nor an archive
// of such, or is a thin archive with an archive in it. Fails as ReadRegularFile() if the file or a
// member cannot be read, and as RunChild() if ld.so cannot be run. Messages name the member, and
// omit `path`; the caller puts it in front.
absl::StatusOr<Inspection> Inspect(const std::string& path);

// Returns the bytes of the file at a path.
using FileReader = absl::FunctionRef<absl::StatusOr<std::string>(const std::string&)>;

// Inspects a file with the content `bytes` as if it were at `path`. Does not run ld.so, so no
// library is found and every import is unresolved. Reads the members of a thin archive with `read`.
// Fails as Inspect().
absl::StatusOr<Inspection> InspectBytes(std::string bytes, const std::string& path,
                                        FileReader read);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_INSPECTION_H_
