// Trampolines: functions without a context argument that find their EntryTarget,
// UntypedToTypedEntry or CrossVersionHandler all the same.
#ifndef CALLBRIDGE_ADAPTERS_TRAMPOLINES_H_
#define CALLBRIDGE_ADAPTERS_TRAMPOLINES_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "callbridge/adapters/cross_version/handler.h"
#include "callbridge/adapters/entry_points.h"
#include "callbridge/adapters/entry_target.h"
#include "callbridge/adapters/untyped_to_typed_entry.h"

namespace callbridge {

// Functions that are compiled in; a process that holds more targets gets libffi closures, which
// need memory that is writable and executable.
inline constexpr size_t kCompiledTrampolines = 1024;
inline constexpr size_t kCompiledTypedTargetTrampolines = 256;
inline constexpr size_t kCompiledCrossVersionTrampolines = 256;

// Entry points that call `entry`, which must live as long as the process, as they do. Not
// thread-safe. RESOURCE_EXHAUSTED where the compiled ones are used up and the system allows no
// closures.
absl::StatusOr<EntryPoints> MakeTrampolines(EntryTarget& entry);
// The same for a typed target, with EntryPoints::untyped alone.
absl::StatusOr<EntryPoints> MakeTrampolines(UntypedToTypedEntry& entry);
// The same for CallCrossVersion().
absl::StatusOr<XLA_FFI_Handler*> MakeTrampoline(CrossVersionHandler& handler);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_TRAMPOLINES_H_
