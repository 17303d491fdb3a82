// RuntimeServices: what the caller of a typed handler lends to it for one call.
#ifndef CALLBRIDGE_TYPED_FFI_HOST_RUNTIME_SERVICES_H_
#define CALLBRIDGE_TYPED_FFI_HOST_RUNTIME_SERVICES_H_

#include <cstdint>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/host/scratch_memory.h"
#include "callbridge/typed_ffi/host/thread_pool.h"

namespace callbridge {
namespace host {

// An object of the caller's for the handlers that know its type (TypeRegistry has the ids).
struct UserData {
  XLA_FFI_TypeId type;
  void* data;
};

// Each may be missing; a handler that asks for it then gets an error that says so. Nothing is
// owned: all of it must live until the handler is done, an asynchronous one until it completes its
// future. What the API version that is imitated does not have, a handler cannot ask for.
struct RuntimeServices {
  // A CUstream or hipStream_t, as it is; null is that platform's default stream.
  absl::optional<void*> stream;
  absl::optional<int32_t> device_ordinal;
  absl::optional<int64_t> run_id;
  ThreadPool* thread_pool = nullptr;
  ScratchAllocator* scratch = nullptr;
  absl::Span<const UserData> user_data;
  // EncodedAttributes::get(); null is none, which is no error.
  const XLA_FFI_Attrs* custom_options = nullptr;
  // A chain; null is none.
  const XLA_FFI_Extension* extensions = nullptr;
  // Why the caller can never lend what is missing here, for people; in static storage. Then a
  // handler that asks for any of it, options and extensions too, gets UNIMPLEMENTED with this
  // reason, and where it fails, so does the run. Null where it could have been lent.
  const char* why_no_more = nullptr;
};

}  // namespace host
}  // namespace callbridge

#endif  // CALLBRIDGE_TYPED_FFI_HOST_RUNTIME_SERVICES_H_
