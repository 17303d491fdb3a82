// ExecutionContext: what the caller of a custom call lends to it for one call.
#ifndef CALLBRIDGE_ABI_EXECUTION_CONTEXT_H_
#define CALLBRIDGE_ABI_EXECUTION_CONTEXT_H_

namespace callbridge {

namespace host {
struct RuntimeServices;  // typed_ffi/host/runtime_services.h
}

// Each may be missing.
struct ExecutionContext {
  // The GPU stream on which a GPU target enqueues its work (a CUstream or hipStream_t, as it is);
  // null is that platform's default stream. Host targets never see it.
  void* stream = nullptr;
  // What typed targets may ask for besides: threads, scratch memory, the run's id and so on. Null
  // lends nothing of it. Untyped targets never see it.
  const host::RuntimeServices* services = nullptr;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_EXECUTION_CONTEXT_H_
