// Executor: the embedded runtime. It runs one call site on arrays in host memory, and checks what
// XLA checks when it compiles.
#ifndef CALLBRIDGE_ADAPTERS_EXECUTOR_H_
#define CALLBRIDGE_ADAPTERS_EXECUTOR_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "callbridge/abi/call_site.h"
#include "callbridge/adapters/bind.h"
#include "callbridge/adapters/execution_context.h"
#include "callbridge/adapters/target.h"

namespace callbridge {

// The memory of a leaf, owned by the caller. Align it as XLA:CPU does (TensorFlow 2.13.1 to 64
// bytes, jaxlib 0.4.30 to at least 16), since old code may use aligned vector instructions.
struct HostArray {
  void* data = nullptr;
  size_t size_bytes = 0;
};

// Returns INVALID_ARGUMENT if these are not the arrays of the site's leaves, as Execute() says.
absl::Status CheckArraysOfSite(const CallSite& site, absl::Span<const HostArray> operands,
                               absl::Span<const HostArray> results);

// Calls `target` as `site` describes, with one array for each leaf of the operands and of the
// result, in preorder; a token has an array of 0 bytes. The results' contents are undefined after a
// failure. The target runs on the calling thread, in the floating-point mode that XLA:CPU sets
// (subnormals are zero). If `context` has no services, typed targets get those of XLA:CPU: threads,
// device ordinal 0 and a run id of the call's own.
//
// Returns INVALID_ARGUMENT, which names the operand or result, if an array has not the bytes that
// its shape needs, or, with both numbers, if the counts differ. Returns Bind()'s errors. Returns
// INTERNAL for a failure that the target reports or throws. Thread-safe as far as the target is.
absl::Status Execute(const CallSite& site, const Target& target,
                     absl::Span<const HostArray> operands, absl::Span<const HostArray> results,
                     const ExecutionContext& context = {});

// Returns `context`, which provides what XLA:CPU does if it has no services: threads, device
// ordinal 0 and a run id of the run's own, which `services` then holds. Refers to what `context`
// refers to and to `services`.
ExecutionContext WithServicesOfXlaCpu(const ExecutionContext& context,
                                      host::RuntimeServices& services);

// Like Execute(), for a call that is bound already, with the leaves' data pointers, whose sizes are
// not checked. On success, does not allocate for up to 256 pointers and takes no lock, except for
// the first use of threads.
absl::Status ExecuteAsXlaCpu(const BoundCall& call, const CallBuffers& buffers,
                             const ExecutionContext& context = {});

// Like ExecuteAsXlaCpu(), but in the caller's floating-point mode, in which tasks run too.
absl::Status ExecuteWithServicesOfXlaCpu(const BoundCall& call, const CallBuffers& buffers,
                                         const ExecutionContext& context = {});

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_EXECUTOR_H_
