// Executor: the embedded runtime. It runs one call site on arrays in host memory, and checks what
// XLA would have checked while compiling.
#ifndef CALLBRIDGE_ADAPTERS_EXECUTOR_H_
#define CALLBRIDGE_ADAPTERS_EXECUTOR_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "callbridge/abi/call_buffers.h"
#include "callbridge/abi/call_site.h"
#include "callbridge/adapters/bind.h"
#include "callbridge/adapters/execution_context.h"
#include "callbridge/adapters/target.h"

namespace callbridge {

// A leaf's memory; the caller's. Host targets are old code that may use aligned vector
// instructions, so it should be aligned as XLA:CPU aligns buffers: TensorFlow 2.13.1 to 64 bytes,
// jaxlib 0.4.30 to 16 at least.
struct HostArray {
  void* data = nullptr;
  size_t size_bytes = 0;
};

// Calls `target` as `site` says, with one array for each leaf of the operands and of the result, in
// preorder; tokens have an array of 0 bytes. The results' contents are undefined after a failure.
// The target runs on the calling thread, in the floating-point mode that XLA:CPU sets (subnormals
// are zero). Where `context` lends nothing to typed targets, they are lent what XLA:CPU lends:
// threads, device ordinal 0 and a run id of the call's own.
//
// INVALID_ARGUMENT names the operand or result whose array has not the bytes that its shape needs,
// and the counts where they differ. What Bind() refuses, it refuses; what the target reports or
// throws is INTERNAL. Thread-safe as far as the target is.
absl::Status Execute(const CallSite& site, const Target& target,
                     absl::Span<const HostArray> operands, absl::Span<const HostArray> results,
                     const ExecutionContext& context = {});

// What XLA:CPU provides to a run: threads, device ordinal 0 and a run id of the run's own.
host::RuntimeServices ServicesOfXlaCpu();

// Execute() for a call that was bound before, with the leaves' data pointers, whose sizes are not
// checked. No allocation on success up to 256 pointers, no lock, but for the first loan of threads.
absl::Status ExecuteAsXlaCpu(const BoundCall& call, const CallBuffers& buffers,
                             const ExecutionContext& context = {});

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_EXECUTOR_H_
