// CallFrame: what is known of a typed call when its program is compiled (its arguments', results'
// and attributes' structs), built once; each call adds its data pointers.
#ifndef CALLBRIDGE_TYPED_FFI_HOST_CALL_FRAME_H_
#define CALLBRIDGE_TYPED_FFI_HOST_CALL_FRAME_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "callbridge/abi/call_buffers.h"
#include "callbridge/abi/shape.h"
#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/host/attributes.h"

namespace callbridge {
namespace host {

// Immutable, so thread-safe: each call writes its structs into memory of its own. Movable.
class CallFrame {
 public:
  // The leaves of the operands and of the results, in preorder, are the arguments and results, as
  // XLA:CPU passes tuples. A token is a buffer of type TOKEN and rank 0.
  CallFrame(absl::Span<const Shape> operands, absl::Span<const Shape> results,
            const Attributes& attributes);

  size_t argument_count() const { return argument_count_; }
  size_t result_count() const { return buffers_.size() - argument_count_; }

  // Bytes that Write() needs for the structs of one call, aligned like a pointer.
  size_t StorageSize() const {
    return sizeof(XLA_FFI_CallFrame) + buffers_.size() * (sizeof(void*) + sizeof(XLA_FFI_Buffer));
  }
  // The structs of one call, in `storage`, which must live as long as the call. `buffers` has the
  // counts above. What is left to set is `api`, `ctx` and `stage`; `future` is null. Allocates
  // nothing.
  XLA_FFI_CallFrame& Write(void* storage, const CallBuffers& buffers) const;
  // A frame with the attributes alone, as the INSTANTIATE stage gets it.
  XLA_FFI_CallFrame WithoutBuffers() const;

 private:
  void Add(absl::Span<const Shape* const> leaves);

  size_t argument_count_ = 0;
  std::vector<int64_t> dimensions_;      // of all buffers
  std::vector<XLA_FFI_Buffer> buffers_;  // without data: arguments, then results
  // All are the same, so frames share them, but for large ones.
  const XLA_FFI_ArgType* argument_types_;
  const XLA_FFI_RetType* result_types_;
  std::vector<XLA_FFI_ArgType> many_argument_types_;
  std::vector<XLA_FFI_RetType> many_result_types_;
  std::unique_ptr<const EncodedAttributes> attributes_;  // null: none
};

}  // namespace host
}  // namespace callbridge

#endif  // CALLBRIDGE_TYPED_FFI_HOST_CALL_FRAME_H_
