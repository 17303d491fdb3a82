// CallSite: what is known of a custom call when the program around it is compiled; CallBuffers: the
// pointers of one call.
#ifndef CALLBRIDGE_ABI_CALL_SITE_H_
#define CALLBRIDGE_ABI_CALL_SITE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "callbridge/abi/api_version.h"
#include "callbridge/abi/attributes.h"
#include "callbridge/abi/platform.h"
#include "callbridge/abi/shape.h"
#include "callbridge/abi/tuple_layout.h"

namespace callbridge {

struct OperatorInfo;

struct CallSite {
  // The name that the program calls; only errors use it.
  std::string target_name;
  Platform platform = Platform::kHost;
  // The caller's claim. kUnspecified: the ABI that is known of the target is used.
  ApiVersion api_version = ApiVersion::kUnspecified;
  TupleLayout tuple_layout = TupleLayout::kNested;
  std::vector<Shape> operands;
  Shape result;
  // Any bytes. Only for untyped targets.
  std::string opaque;
  // Only for typed targets.
  Attributes attributes;
  // Bytes of scratch memory that the runtime's program gives a typed target that is called by
  // version 3, as one result more (typed_site_descriptor.h). Only descriptors have it: elsewhere
  // the target gets scratch memory from whoever calls it.
  uint64_t scratch_bytes = 0;
  // The release of jaxlib whose XLA calls a typed target, or "newest". Empty: one that the
  // handler's headers were made for.
  std::string release;
  // What the call is checked against (operator_info.h); null: nothing is declared. Only Bind()
  // reads it.
  std::shared_ptr<const OperatorInfo> operator_info = nullptr;
};

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

#endif  // CALLBRIDGE_ABI_CALL_SITE_H_
