// CallBuffers: the pointers of one call.
#ifndef CALLBRIDGE_ABI_CALL_BUFFERS_H_
#define CALLBRIDGE_ABI_CALL_BUFFERS_H_

#include "absl/types/span.h"

namespace callbridge {

// Both lists are lent for the call, and the target may be handed them as they are, so their
// contents are undefined afterwards: a target of the untyped ABIs may write into the list it is
// given. The buffers stay the caller's. A leaf without a buffer (a token) has a null pointer.
struct CallBuffers {
  // The data pointers of all operands' leaves, in preorder.
  absl::Span<void*> operands;
  // The data pointers of the result's leaves, in preorder.
  absl::Span<void*> results;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_CALL_BUFFERS_H_
