// ExecutionContext: what the caller of a custom call provides for one call.
#ifndef CALLBRIDGE_ADAPTERS_EXECUTION_CONTEXT_H_
#define CALLBRIDGE_ADAPTERS_EXECUTION_CONTEXT_H_

#include "callbridge/typed_ffi/host/runtime_services.h"

namespace callbridge {

// Borrows all that it points to, for the duration of the call.
struct ExecutionContext {
  // The GPU stream on which a GPU target enqueues its work (a CUstream or hipStream_t). Null is the
  // platform's default stream. Host targets never see it.
  void* stream = nullptr;
  // What typed targets may ask for besides the stream: a thread pool, scratch memory, the run id
  // and so on. Null provides none of it. Untyped targets never see it.
  const host::RuntimeServices* services = nullptr;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_EXECUTION_CONTEXT_H_
