// Registered targets: those that are registered with callbridge in this process, and those that a
// genuine XLA in this process has.
#ifndef CALLBRIDGE_LOADER_REGISTERED_TARGETS_H_
#define CALLBRIDGE_LOADER_REGISTERED_TARGETS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "callbridge/abi/api_version.h"
#include "callbridge/legacy/target_registry.h"
#include "callbridge/loader/elf_file.h"
#include "callbridge/loader/elf_sections.h"
#include "callbridge/typed_ffi/host/handler_registry.h"

namespace callbridge {

// ---- Targets

// A registered target, and the evidence for its ABI.
struct LibraryTarget {
  // As it was registered. Its platform may be one that callbridge does not know.
  RegisteredTarget registered;
  // The ABI that the function's type proves; kUnspecified if none.
  ApiVersion api_version = ApiVersion::kUnspecified;
  // One line to display: "symbol do_custom_call(void*, void const**)".
  std::string evidence;
  // The other stages of a typed handler, as in Target. `execute` is the registered address.
  XLA_FFI_Handler_Bundle stages = {};
  // As in Target.
  XLA_FFI_Handler_Traits traits = 0;
  // Of what the target was made, if that is known: a text that is another one for another content,
  // in each process.
  std::string content = {};
};

// Returns whether the registering code has shown the function's type, and there is such an ABI.
bool HasItsType(const RegisteredTarget& target);

// Returns a target that was registered with its type.
LibraryTarget WithItsType(const RegisteredTarget& target);

// Returns a typed FFI handler that was registered with callbridge as the runtime.
LibraryTarget OfHandler(const host::RegisteredHandler& handler);

// Returns `targets` and `handlers` in one list, sorted by name, then platform; a handler stands
// before a target of the same name and platform.
std::vector<LibraryTarget> WithHandlers(std::vector<LibraryTarget> targets,
                                        const std::vector<host::RegisteredHandler>& handlers);

// Returns a target with its type if it was registered with it, or else with what the symbols at its
// address prove. `names` are of the file that contains it, which is loaded at `load_address`.
LibraryTarget WithEvidence(const RegisteredTarget& target, const FunctionNames& names,
                           uint64_t load_address);

// Returns the targets that are registered with callbridge in this process, sorted by name, then
// platform: those of the program, of the libraries linked to it, and of libraries that
// TargetLibrary opened. Reads a target's evidence from the file that it was loaded from, if that
// still exists. Thread-safe.
std::vector<LibraryTarget> ProcessTargets();

// ---- Targets of a genuine XLA

// A library that this process opened without callbridge and that is bound to a genuine XLA, so its
// targets are registered there.
class GenuineBinding {
 public:
  // Returns null if the file at `path` is not loaded, or if no xla::CustomCallTargetRegistry other
  // than callbridge's is in its scope.
  static std::unique_ptr<GenuineBinding> Find(const std::string& path);

  // Releases the library.
  ~GenuineBinding();
  GenuineBinding(const GenuineBinding&) = delete;
  GenuineBinding& operator=(const GenuineBinding&) = delete;

  // The file that contains the registry: ".../libtensorflow_cc.so.2".
  const std::string& registry_file() const { return registry_file_; }
  uint64_t load_address() const { return load_address_; }

  // Returns this library's function that is registered under `name`; null if there is none. The
  // registry compares `platform` exactly.
  void* Lookup(const std::string& name, const std::string& platform) const;

  // Returns the targets whose names occur in `file`, the library's, among its strings and its
  // function names. A genuine registry cannot be listed.
  std::vector<RegisteredTarget> TargetsNamedIn(const ElfFile& file) const;

 private:
  using LookupFunction = void* (*)(const void* registry, const std::string& name,
                                   const std::string& platform);

  GenuineBinding(void* library, void* registry, LookupFunction lookup);

  void* library_;  // of dlopen
  void* registry_;
  LookupFunction lookup_;
  std::string registry_file_;
  uint64_t load_address_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_REGISTERED_TARGETS_H_
