// TargetLibrary: opens a shared library that registers custom calls with some XLA, without that
// XLA, and lists the targets that it registered.
#ifndef CALLBRIDGE_LOADER_TARGET_LIBRARY_H_
#define CALLBRIDGE_LOADER_TARGET_LIBRARY_H_

#include <memory>
#include <mutex>
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
#include "callbridge/loader/loaded_file.h"
#include "callbridge/loader/registered_targets.h"
#include "callbridge/typed_ffi/host/registration_scope.h"

namespace callbridge {

// The file descriptor on which the helper program callbridge-load reports that Load() returned,
// apart from what the library prints.
constexpr int kLoadedDescriptor = 3;

struct LoadOptions {
  // Whether another process (callbridge-load) loads the file first, so that a constructor that
  // crashes, exits or hangs becomes an error. The constructors run twice then.
  bool isolate = false;
  absl::Duration isolation_limit = absl::Seconds(60);
};

class LoadedCopy;

// Held while libraries are loaded: as in ld.so, constructors run one at a time, and may themselves
// load libraries. Hold it around what must not be loaded twice at once. A forked process does not
// wait for its parent's threads.
class LoadingLock {
 public:
  LoadingLock();

 private:
  const std::lock_guard<std::recursive_mutex> lock_;
};

// Share it by pointer. A Target that Find() returned, a BoundCall and entry points (forever) keep
// the library loaded. Thread-safe: loads run one at a time.
class TargetLibrary : public std::enable_shared_from_this<TargetLibrary> {
 public:
  // Opens a private copy of the file at `path`, runs its constructors, and collects what they
  // register. In the copy, the undefined symbols that callbridge serves
  // (adapters/link/old_symbols.h) are bound to callbridge, and the TensorFlow libraries are no
  // longer needed. Adds nothing to the process's global symbol scope. If this process already
  // opened the file and bound it to a genuine XLA, loads and runs nothing: the targets are those
  // registered there (bound_to()).
  //
  // Returns:
  // clang-format off
  //   NOT_FOUND            There is no such file.
  //   PERMISSION_DENIED    The file is unreadable, or no place allows a copy that may run.
  //   INVALID_ARGUMENT     It is not an ELF shared library for this machine; or a table in it is invalid,
  //                        and the message names the table.
  //   FAILED_PRECONDITION  ld.so refuses the copy; the message quotes it and names what is missing.
  //                        Or the file needs a protobuf or a helper program that is not there.
  //   UNAVAILABLE          A process to ask or isolate in cannot be started.
  //   CANCELLED            This thread handled a SIGINT while it waited for such a process.
  //   INTERNAL             A constructor threw, and the library is closed. Isolated: or it crashed
  //                        or exited.
  //   DEADLINE_EXCEEDED    Isolated: a constructor did not return within the limit.
  // clang-format on
  //
  // Constructors are foreign code and run in this process: without `isolate`, one that crashes or
  // exits ends the process. Constructors may load other libraries. A file that is loaded twice has
  // two copies of its variables and registers twice.
  static absl::StatusOr<std::shared_ptr<TargetLibrary>> Load(const std::string& path,
                                                             const LoadOptions& options = {});

  // Same as Load(), for a file whose `bytes` are read already. Isolated, the other process reads it
  // again.
  static absl::StatusOr<std::shared_ptr<TargetLibrary>> LoadBytes(const std::string& path,
                                                                  std::string bytes,
                                                                  const LoadOptions& options = {});

  // Returns the library that contains the code or data at `address`; null if Load() opened none
  // that does.
  static std::shared_ptr<const TargetLibrary> Holding(const void* address);

  // Unloads the library and resets the pointer. Returns FAILED_PRECONDITION, and does nothing, if
  // something else keeps the library loaded. Does not know of addresses that were copied out of a
  // Target; they become invalid.
  static absl::Status Unload(std::shared_ptr<TargetLibrary>& library);

  // Unregisters what the library registered, and closes it.
  ~TargetLibrary();
  TargetLibrary(const TargetLibrary&) = delete;
  TargetLibrary& operator=(const TargetLibrary&) = delete;

  const std::string& path() const { return path_; }

  // Returns the absolute path of the file that was loaded; none if it was removed, replaced or
  // written to since.
  std::optional<std::string> UnchangedFile() const;

  // Returns the file of the genuine XLA that the library was already bound to; empty if callbridge
  // loaded the library. A genuine registry cannot be listed: then targets() has only the names that
  // occur in the file, and Find() finds all.
  const std::string& bound_to() const;

  // Returns the function or variable that the library exports under that name, as linkers know it;
  // null if it has none, or is bound_to() a genuine XLA. Valid as long as the library is loaded.
  void* Exported(const std::string& symbol) const;

  // Returns the function that the library exports as `symbol`, as linkers know it: a target of that
  // name on `platform`, whether or not the library registers it. Its ABI is the one that the symbol
  // proves; kUnspecified if it proves none, which the caller may declare.
  //
  // Returns NOT_FOUND, naming what is like it, if the library exports no such function;
  // INVALID_ARGUMENT if it is a variable; FAILED_PRECONDITION if the library is bound_to() a
  // genuine XLA.
  absl::StatusOr<LibraryTarget> Function(const std::string& symbol, Platform platform) const;

  // Returns the end of an error about a function `name` that the library does not export: "; did
  // you mean scale?", the symbol of a C++ function of that name or else what is most like it, or
  // "".
  std::string FunctionLike(const std::string& name) const;

  // Returns `target`, one of this library's, as a call on `platform` takes it. It keeps the library
  // loaded.
  Target ToTarget(const LibraryTarget& target, Platform platform) const;

  // The targets by name, then platform, with the typed FFI handlers that were registered through
  // callbridge_xla_ffi_api(). Of a name that was registered twice, the last. A name of both an
  // untyped function and a handler is here twice, the handler first.
  absl::Span<const LibraryTarget> targets() const { return targets_; }

  // Returns the first target of that name on that platform. If the name is both a typed handler's
  // and an untyped function's, returns the function if `declared` is an untyped ABI. Returns
  // NOT_FOUND, naming the target, listing what is registered and the name that is most like it, if
  // there is none. The result keeps the library loaded.
  absl::StatusOr<Target> Find(absl::string_view name, Platform platform,
                              ApiVersion declared = ApiVersion::kUnspecified) const;

 private:
  TargetLibrary(std::string path, std::unique_ptr<LoadedCopy> copy);
  TargetLibrary(std::string path, std::unique_ptr<GenuineBinding> binding, FunctionNames names);

  static std::shared_ptr<TargetLibrary> OfBinding(const std::string& path, const ElfFile& file,
                                                  std::unique_ptr<GenuineBinding> binding);
  LibraryTarget WithBinding(const RegisteredTarget& registered) const;
  // Returns what the genuine registry has under that name.
  std::optional<LibraryTarget> FindBound(const std::string& name, Platform platform) const;

  std::string path_;
  std::string absolute_path_;
  std::optional<FileState> file_;  // when it was loaded; none if it was not there
  // Either the copy or the binding is null.
  std::unique_ptr<LoadedCopy> copy_;
  std::unique_ptr<GenuineBinding> binding_;
  std::optional<FunctionNames> names_;  // the library's, if it has a binding
  std::vector<LibraryTarget> targets_;
  host::Registrations registrations_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_TARGET_LIBRARY_H_
