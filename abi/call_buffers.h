// CallBuffers: the pointers of one call.
#ifndef CALLBRIDGE_ABI_CALL_BUFFERS_H_
#define CALLBRIDGE_ABI_CALL_BUFFERS_H_

#include "absl/types/span.h"

namespace callbridge {

// Both lists are borrowed for the call. The target may get them as they are, and an untyped target
// may write into the list that it gets, so their contents are undefined after the call. The buffers
// stay the caller's. A leaf without a buffer (a token) has a null pointer.
struct CallBuffers {
  // The data pointers of all operands' leaves, in preorder.
  absl::Span<void*> operands;
  // The data pointers of the result's leaves, in preorder.
  absl::Span<void*> results;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_CALL_BUFFERS_H_
