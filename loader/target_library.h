// TargetLibrary: opens a shared library that was built to register custom calls with some XLA,
// without that XLA, and lists the targets that it registered.
#ifndef CALLBRIDGE_LOADER_TARGET_LIBRARY_H_
#define CALLBRIDGE_LOADER_TARGET_LIBRARY_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "callbridge/abi/api_version.h"
#include "callbridge/abi/platform.h"
#include "callbridge/adapters/target.h"
#include "callbridge/loader/library_target.h"
#include "callbridge/typed_ffi/host/registration_scope.h"

namespace callbridge {

struct LoadOptions {
  // Whether another process (callbridge-load, a helper program) loads the file first: then a
  // constructor that crashes, exits or does not return is an error. It runs twice, though.
  bool isolate = false;
  absl::Duration isolation_limit = absl::Seconds(60);
};

class GenuineBinding;
class LoadedCopy;

// Share it by pointer. Whatever leads into the library keeps it loaded: a Target that Find()
// returned, a BoundCall, entry points (these for good). Thread-safe: loads run one at a time.
class TargetLibrary : public std::enable_shared_from_this<TargetLibrary> {
 public:
  // Opens a private copy of the file at `path` in which the undefined symbols that callbridge
  // serves (adapters/link/old_symbols.h) lead here and the TensorFlow libraries are no longer
  // needed, runs its constructors, and gathers what they register. Nothing enters the process's
  // global symbol scope.
  //
  // NOT_FOUND: no such file. INVALID_ARGUMENT: not an ELF shared library for x86-64, or one whose
  // tables contradict each other; the message says which. FAILED_PRECONDITION: the loader refused
  // the copy; the message is the loader's, and names what is missing. PERMISSION_DENIED:
  // unreadable, or no place for the copy from which code may run.
  //
  // Where this process opened the file itself and bound it to a genuine XLA, nothing is loaded or
  // run: the library's targets are those that are registered there; see bound_to().
  //
  // The file's constructors are foreign code and run in this process: one that throws gives
  // INTERNAL, and the library is closed; one that crashes or exits takes the process along, unless
  // it was isolated: then that is INTERNAL, too, and DEADLINE_EXCEEDED where it did not return.
  // They may load other libraries. Loaded twice, a file has two copies of its variables and
  // registers twice.
  static absl::StatusOr<std::shared_ptr<TargetLibrary>> Load(const std::string& path,
                                                             const LoadOptions& options = {});

  // The library that holds the code or data at `address`; null if none does that Load() opened.
  static std::shared_ptr<const TargetLibrary> Holding(const void* address);

  // Unloads the library, and resets the pointer. FAILED_PRECONDITION where something else leads
  // into it: then nothing happens. Addresses that were taken by themselves are the caller's
  // concern.
  static absl::Status Unload(std::shared_ptr<TargetLibrary>& library);

  // Forgets what it registered and closes it.
  ~TargetLibrary();
  TargetLibrary(const TargetLibrary&) = delete;
  TargetLibrary& operator=(const TargetLibrary&) = delete;

  const std::string& path() const { return path_; }

  // The file of the genuine XLA that the library was already bound to; empty where callbridge
  // loaded it. Its registry cannot be listed: targets() then has the names that the file shows, and
  // Find() knows all.
  const std::string& bound_to() const;

  // By name, then platform; those that were registered as typed FFI handlers, with
  // callbridge_xla_ffi_api(), among them. A name that was registered twice is here once: the last
  // one counts. One that is both an untyped function's and a handler's is here twice, the handler
  // first.
  absl::Span<const LibraryTarget> targets() const { return targets_; }

  // The first target of that name on that platform. Where it is both a typed handler's and an
  // untyped function's, and `declared` is an untyped ABI, the function. NOT_FOUND names the target
  // and lists what is registered. The result keeps the library loaded.
  absl::StatusOr<Target> Find(absl::string_view name, Platform platform,
                              ApiVersion declared = ApiVersion::kUnspecified) const;

 private:
  TargetLibrary(std::string path, std::unique_ptr<LoadedCopy> copy);
  TargetLibrary(std::string path, std::unique_ptr<GenuineBinding> binding, FunctionNames names);

  static std::shared_ptr<TargetLibrary> OfBinding(const std::string& path, const ElfFile& file,
                                                  std::unique_ptr<GenuineBinding> binding);
  LibraryTarget WithBinding(const RegisteredTarget& registered) const;
  // What the genuine registry has under that name.
  std::optional<LibraryTarget> FindBound(const std::string& name, Platform platform) const;
  Target ToTarget(const LibraryTarget& target, Platform platform) const;

  std::string path_;
  // One of the two.
  std::unique_ptr<LoadedCopy> copy_;
  std::unique_ptr<GenuineBinding> binding_;
  std::optional<FunctionNames> names_;  // with a binding
  std::vector<LibraryTarget> targets_;
  host::Registrations registrations_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_TARGET_LIBRARY_H_
