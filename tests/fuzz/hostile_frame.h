// Call frames made of a fuzzer's input. A frame begins as the call that a handler expects, and lies
// wherever the input says so: in sizes, counts, types, ranks, dimensions, names and their order,
// stages and extensions. It does not lie about memory: what it declares is there, and not a byte
// more. So `struct_size` says how much of the frame there is, but for its first 24 bytes, without
// which no error could be made; what is no buffer, or of no known type, has no memory at all.
#ifndef CALLBRIDGE_TESTS_FUZZ_HOSTILE_FRAME_H_
#define CALLBRIDGE_TESTS_FUZZ_HOSTILE_FRAME_H_

#include <string>
#include <vector>

#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/runtime_versions.h"
#include "hostile_memory.h"

namespace callbridge {

struct WantedBuffer {
  XLA_FFI_DataType dtype;
  int64_t rank;
};

// An attribute of `type`. `dtype` is a scalar's and an array's, `elements` a dictionary's; `text`
// is what a string or an array of bytes holds, any where it is empty.
struct WantedAttr {
  std::string name;
  XLA_FFI_AttrType type;
  XLA_FFI_DataType dtype = XLA_FFI_DataType_INVALID;
  std::vector<WantedAttr> elements = {};
  std::string text = {};
};

// The call that a handler expects.
struct WantedCall {
  XLA_FFI_ExecutionStage stage = XLA_FFI_ExecutionStage_EXECUTE;
  std::vector<WantedBuffer> args = {};
  std::vector<WantedBuffer> rets = {};
  std::vector<WantedAttr> attrs = {};
  // The tree of a site descriptor, where the handler reads an attribute with one.
  std::string site_tree = {};
};

class HostileFrame {
 public:
  HostileFrame(Bytes& bytes, Memory& memory, const XLA_FFI_Api* api, XLA_FFI_InvokeContext* ctx,
               const typed_ffi::RuntimeVersion& version, const WantedCall& wanted);

  XLA_FFI_CallFrame* get() const { return frame_; }
  // Null where the runtime's frames have none.
  XLA_FFI_Future* future() const { return has_future_ ? frame_->future : nullptr; }

 private:
  XLA_FFI_CallFrame* frame_;
  bool has_future_;
};

// A dictionary made of the input, with what `wanted` has.
XLA_FFI_Attrs HostileAttrs(Bytes& bytes, Memory& memory, const std::vector<WantedAttr>& wanted,
                           int depth = 0);

}  // namespace callbridge

#endif  // CALLBRIDGE_TESTS_FUZZ_HOSTILE_FRAME_H_
