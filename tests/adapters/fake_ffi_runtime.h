// An XLA FFI runtime of a few lines: builds call frames as XLA does, and keeps the errors it is
// asked for.
#ifndef CALLBRIDGE_TESTS_ADAPTERS_FAKE_FFI_RUNTIME_H_
#define CALLBRIDGE_TESTS_ADAPTERS_FAKE_FFI_RUNTIME_H_

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "callbridge/abi/primitive_type.h"
#include "callbridge/typed_ffi/c_api.h"

struct XLA_FFI_Error {
  absl::Status status;
};

namespace callbridge {

class FakeFfiRuntime {
 public:
  FakeFfiRuntime() {
    api_.struct_size = sizeof(api_);
    api_.api_version = {sizeof(XLA_FFI_Api_Version), nullptr, 0, 3};
    api_.XLA_FFI_Error_Create = [](XLA_FFI_Error_Create_Args* args) {
      return new XLA_FFI_Error{
          absl::Status(static_cast<absl::StatusCode>(args->errc), args->message)};
    };
    api_.XLA_FFI_Stream_Get = [](XLA_FFI_Stream_Get_Args* args) -> XLA_FFI_Error* {
      args->stream = reinterpret_cast<void*>(args->ctx);
      return nullptr;
    };
  }

  FakeFfiRuntime& Arg(PrimitiveType type, void* data) { return Add(args_, type, data); }
  FakeFfiRuntime& Ret(PrimitiveType type, void* data) { return Add(rets_, type, data); }
  // A uint8 array, which is what JAX makes of a NumPy array.
  FakeFfiRuntime& ArrayAttr(const std::string& name, const std::string& bytes,
                            PrimitiveType type = PrimitiveType::kU8) {
    texts_.push_back(bytes);
    arrays_.push_back({static_cast<int32_t>(type), bytes.size(), texts_.back().data()});
    return AddAttr(name, XLA_FFI_AttrType_ARRAY, &arrays_.back());
  }
  FakeFfiRuntime& StringAttr(const std::string& name, const std::string& bytes) {
    return AddAttr(name, XLA_FFI_AttrType_STRING, Keep(bytes));
  }
  FakeFfiRuntime& Stage(XLA_FFI_ExecutionStage stage) {
    stage_ = stage;
    return *this;
  }
  // What Stream_Get answers.
  FakeFfiRuntime& Stream(void* stream) {
    stream_ = stream;
    return *this;
  }
  // Makes the first argument something that is no buffer.
  FakeFfiRuntime& NoBuffer() {
    args_.types[0] = 77;
    return *this;
  }

  absl::Status Call(XLA_FFI_Handler* handler) {
    XLA_FFI_CallFrame frame = {};
    frame.struct_size = sizeof(frame);
    frame.api = &api_;
    frame.ctx = static_cast<XLA_FFI_ExecutionContext*>(stream_);
    frame.stage = stage_;
    frame.args = {sizeof(frame.args), nullptr, Size(args_), args_.types.data(), Pointers(args_)};
    frame.rets = {sizeof(frame.rets), nullptr, Size(rets_), rets_.types.data(), Pointers(rets_)};
    frame.attrs = {sizeof(frame.attrs), nullptr,       static_cast<int64_t>(names_.size()),
                   attr_types_.data(),  names_.data(), attrs_.data()};
    std::unique_ptr<XLA_FFI_Error> error(handler(&frame));
    return error == nullptr ? absl::OkStatus() : error->status;
  }

 private:
  struct Buffers {
    std::deque<XLA_FFI_Buffer> buffers;
    std::vector<int32_t> types;
    std::vector<void*> pointers;
  };

  FakeFfiRuntime& Add(Buffers& to, PrimitiveType type, void* data) {
    to.buffers.push_back(
        {sizeof(XLA_FFI_Buffer), nullptr, static_cast<int32_t>(type), data, 0, nullptr});
    to.types.push_back(XLA_FFI_ArgType_BUFFER);
    return *this;
  }
  FakeFfiRuntime& AddAttr(const std::string& name, int32_t type, void* value) {
    names_.push_back(Keep(name));
    attr_types_.push_back(type);
    attrs_.push_back(value);
    return *this;
  }
  XLA_FFI_ByteSpan* Keep(const std::string& text) {
    texts_.push_back(text);
    spans_.push_back({texts_.back().data(), texts_.back().size()});
    return &spans_.back();
  }
  static int64_t Size(const Buffers& buffers) { return static_cast<int64_t>(buffers.types.size()); }
  static void** Pointers(Buffers& buffers) {
    buffers.pointers.clear();
    for (XLA_FFI_Buffer& buffer : buffers.buffers) buffers.pointers.push_back(&buffer);
    return buffers.pointers.data();
  }

  XLA_FFI_Api api_ = {};
  XLA_FFI_ExecutionStage stage_ = XLA_FFI_ExecutionStage_EXECUTE;
  void* stream_ = nullptr;
  Buffers args_, rets_;
  std::deque<std::string> texts_;
  std::deque<XLA_FFI_ByteSpan> spans_;
  std::deque<XLA_FFI_Array> arrays_;
  std::vector<XLA_FFI_ByteSpan*> names_;
  std::vector<int32_t> attr_types_;
  std::vector<void*> attrs_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_TESTS_ADAPTERS_FAKE_FFI_RUNTIME_H_
