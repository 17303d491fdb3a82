// CallFrame: the part of a typed call's frame that is known when its program is compiled, built
// once. Each call adds its data pointers.
#ifndef CALLBRIDGE_TYPED_FFI_HOST_CALL_FRAME_H_
#define CALLBRIDGE_TYPED_FFI_HOST_CALL_FRAME_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "callbridge/abi/call_site.h"
#include "callbridge/abi/shape.h"
#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/host/attributes.h"

namespace callbridge {
namespace host {

// Immutable, so thread-safe: each call writes to memory of its own. Movable.
class CallFrame {
 public:
  // The arguments and results are the leaves of the operands and results in preorder, as XLA:CPU
  // passes tuples. A token is a buffer of type TOKEN and rank 0.
  CallFrame(absl::Span<const Shape> operands, absl::Span<const Shape> results,
            const Attributes& attributes);

  size_t argument_count() const { return argument_count_; }
  size_t result_count() const { return buffers_.size() - argument_count_; }

  // Returns the bytes that Write() needs, aligned like a pointer.
  size_t StorageSize() const {
    return sizeof(XLA_FFI_CallFrame) + buffers_.size() * (sizeof(void*) + sizeof(XLA_FFI_Buffer));
  }
  // Writes the structs of one call to `storage`, which must outlive the call. `buffers` must have
  // the counts above. The caller then sets `api`, `ctx` and `stage`; `future` is null. Does not
  // allocate.
  XLA_FFI_CallFrame& Write(void* storage, const CallBuffers& buffers) const;
  // Returns a frame with the attributes alone, as for the INSTANTIATE stage.
  XLA_FFI_CallFrame WithoutBuffers() const;

 private:
  void Add(absl::Span<const Shape* const> leaves);

  size_t argument_count_ = 0;
  std::vector<int64_t> dimensions_;      // of all buffers
  std::vector<XLA_FFI_Buffer> buffers_;  // without data: arguments, then results
  // All elements are equal, so that frames share the arrays, except large ones.
  const XLA_FFI_ArgType* argument_types_;
  const XLA_FFI_RetType* result_types_;
  std::vector<XLA_FFI_ArgType> many_argument_types_;
  std::vector<XLA_FFI_RetType> many_result_types_;
  std::unique_ptr<const EncodedAttributes> attributes_;  // null: none
};

}  // namespace host
}  // namespace callbridge

#endif  // CALLBRIDGE_TYPED_FFI_HOST_CALL_FRAME_H_
