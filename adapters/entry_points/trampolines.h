// Trampolines: functions without a context argument that each call one EntryTarget,
// UntypedToTypedEntry, CrossVersionHandler or TypedFunction.
#ifndef CALLBRIDGE_ADAPTERS_ENTRY_POINTS_TRAMPOLINES_H_
#define CALLBRIDGE_ADAPTERS_ENTRY_POINTS_TRAMPOLINES_H_

#include <cstddef>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "callbridge/adapters/cross_version/handler.h"
#include "callbridge/adapters/entry_points/entry_points.h"
#include "callbridge/adapters/entry_points/entry_target.h"
#include "callbridge/adapters/entry_points/untyped_to_typed.h"

namespace callbridge {

// The number of compiled trampolines. A process with more targets uses libffi closures, which need
// memory that is writable and executable.
inline constexpr size_t kCompiledTrampolines = 1024;
inline constexpr size_t kCompiledTypedTargetTrampolines = 256;
inline constexpr size_t kCompiledCrossVersionTrampolines = 256;
inline constexpr size_t kCompiledTypedFunctionTrampolines = 64;

// A typed handler that needs to know what it is called for.
struct TypedFunction {
  XLA_FFI_Error* (*call)(const void* user, XLA_FFI_CallFrame* frame);
  const void* user;
};

// Returns entry points that call `entry`, which must live as long as the process, as they do.
// Returns RESOURCE_EXHAUSTED if no compiled trampoline is left and the system allows no closures.
// Not thread-safe.
absl::StatusOr<EntryPoints> MakeTrampolines(EntryTarget& entry);
// Likewise for a typed target: makes only EntryPoints::untyped.
absl::StatusOr<EntryPoints> MakeTrampolines(UntypedToTypedEntry& entry);
// Likewise for a handler that CallCrossVersion() serves.
absl::StatusOr<XLA_FFI_Handler*> MakeTrampoline(CrossVersionHandler& handler);
// Likewise for a handler of ours.
absl::StatusOr<XLA_FFI_Handler*> MakeTrampoline(TypedFunction& function);

// The handler for `entry` of a table of such, which has what its function needs: a struct with a
// TypedFunction `function` and a handler `trampoline`. `make` returns a new one, but for the
// trampoline, where the entry is empty. The table must live as long as the process, and its lock be
// held. Fails as MakeTrampoline(), and the entry stays empty then.
template <typename Kept, typename Make>
absl::StatusOr<XLA_FFI_Handler*> KeptTrampoline(std::unique_ptr<Kept>& entry, Make make) {
  if (entry == nullptr) {
    std::unique_ptr<Kept> made = make();
    absl::StatusOr<XLA_FFI_Handler*> trampoline = MakeTrampoline(made->function);
    if (!trampoline.ok()) return trampoline;
    made->trampoline = *trampoline;
    entry = std::move(made);
  }
  return entry->trampoline;
}

// Returns whether `address` is a handler that MakeTrampoline(TypedFunction&) made.
// Thread-safe.
bool IsTypedFunctionTrampoline(const void* address);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_ENTRY_POINTS_TRAMPOLINES_H_
