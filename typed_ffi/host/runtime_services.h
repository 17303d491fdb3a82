// RuntimeServices: what the caller of a typed handler provides for one call.
#ifndef CALLBRIDGE_TYPED_FFI_HOST_RUNTIME_SERVICES_H_
#define CALLBRIDGE_TYPED_FFI_HOST_RUNTIME_SERVICES_H_

#include <atomic>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/host/scratch_memory.h"
#include "callbridge/typed_ffi/host/thread_pool.h"

namespace callbridge {
namespace host {

// An object for handlers that know its type. TypeRegistry has the ids.
struct UserData {
  XLA_FFI_TypeId type;
  void* data;
};

// What a caller that can never provide more than it does says of what is missing.
struct NoMore {
  // Why, as a text for users in static storage.
  const char* why;
  // Finds the ordinal of the device of a stream, if the caller does not say it; may be null.
  absl::StatusOr<int32_t> (*find_device_ordinal)(void* stream) = nullptr;
};

// Each service may be missing; a handler that asks for it then gets an error that says so. Borrows
// everything: it must live until the handler is done, for an asynchronous one until its future is
// completed. Handlers can ask only for what the emulated API version has.
struct RuntimeServices {
  // A CUstream or hipStream_t; null is the platform's default stream.
  absl::optional<void*> stream;
  absl::optional<int32_t> device_ordinal;
  absl::optional<int64_t> run_id;
  ThreadPool* thread_pool = nullptr;
  ScratchAllocator* scratch = nullptr;
  absl::Span<const UserData> user_data;
  // EncodedAttributes::get(); null means no options and is no error.
  const XLA_FFI_Attrs* custom_options = nullptr;
  // A chain; null means no extensions.
  const XLA_FFI_Extension* extensions = nullptr;
  // Not null if the caller can never provide what is missing. A handler that asks for anything
  // missing, options and extensions included, then gets UNIMPLEMENTED with NoMore::why, and so does
  // the run if the handler then fails. Must be in static storage.
  const NoMore* no_more = nullptr;
};

// Returns a run id, as XLA:CPU passes them: 1, 2 and so on, unique within the process. Thread-safe.
inline int64_t NewRunId() {
  static std::atomic<int64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace host
}  // namespace callbridge

#endif  // CALLBRIDGE_TYPED_FFI_HOST_RUNTIME_SERVICES_H_
