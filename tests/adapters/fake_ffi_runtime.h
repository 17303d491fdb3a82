// An XLA FFI runtime of a few lines: builds call frames as XLA does, and keeps the errors it is
// asked for.
#ifndef CALLBRIDGE_TESTS_ADAPTERS_FAKE_FFI_RUNTIME_H_
#define CALLBRIDGE_TESTS_ADAPTERS_FAKE_FFI_RUNTIME_H_

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
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
      const auto& runtime = *reinterpret_cast<FakeFfiRuntime*>(args->ctx);
      if (!runtime.stream_.ok()) return new XLA_FFI_Error{runtime.stream_.status()};
      args->stream = *runtime.stream_;
      return nullptr;
    };
  }

  FakeFfiRuntime& Arg(PrimitiveType type, void* data, std::vector<int64_t> dims = {}) {
    return Add(args_, XLA_FFI_ArgType_BUFFER, type, data, std::move(dims));
  }
  FakeFfiRuntime& Ret(PrimitiveType type, void* data, std::vector<int64_t> dims = {}) {
    return Add(rets_, XLA_FFI_RetType_BUFFER, type, data, std::move(dims));
  }
  // A uint8 array, which is what JAX makes of a NumPy array.
  FakeFfiRuntime& ArrayAttr(const std::string& name, const std::string& bytes,
                            PrimitiveType type = PrimitiveType::kU8) {
    texts_.push_back(bytes);
    arrays_.push_back({static_cast<XLA_FFI_DataType>(type), bytes.size(), texts_.back().data()});
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
  FakeFfiRuntime& Stream(absl::StatusOr<void*> stream) {
    stream_ = std::move(stream);
    return *this;
  }
  // Changes the frame before each call.
  FakeFfiRuntime& With(std::function<void(XLA_FFI_CallFrame& frame)> change) {
    change_ = std::move(change);
    return *this;
  }
  // Makes the first argument something that is no buffer.
  FakeFfiRuntime& NoBuffer() {
    args_.types[0] = static_cast<XLA_FFI_ArgType>(77);
    return *this;
  }

  absl::Status Call(XLA_FFI_Handler* handler) {
    XLA_FFI_CallFrame frame = {};
    frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
    frame.api = &api_;
    frame.ctx = reinterpret_cast<XLA_FFI_InvokeContext*>(this);
    frame.stage = stage_;
    frame.args = {sizeof(frame.args), nullptr, Size(args_), args_.types.data(), Pointers(args_)};
    frame.rets = {sizeof(frame.rets), nullptr, Size(rets_), rets_.types.data(), Pointers(rets_)};
    frame.attrs = {sizeof(frame.attrs), nullptr,       static_cast<int64_t>(names_.size()),
                   attr_types_.data(),  names_.data(), attrs_.data()};
    if (change_) change_(frame);
    std::unique_ptr<XLA_FFI_Error> error(handler(&frame));
    return error == nullptr ? absl::OkStatus() : error->status;
  }

 private:
  template <typename Type>
  struct Buffers {
    std::deque<XLA_FFI_Buffer> buffers;
    std::vector<Type> types;
    std::vector<void*> pointers;
  };

  template <typename Type>
  FakeFfiRuntime& Add(Buffers<Type>& to, Type buffer, PrimitiveType type, void* data,
                      std::vector<int64_t> dims) {
    dims_.push_back(std::move(dims));
    to.buffers.push_back({sizeof(XLA_FFI_Buffer), nullptr, static_cast<XLA_FFI_DataType>(type),
                          data, static_cast<int64_t>(dims_.back().size()), dims_.back().data()});
    to.types.push_back(buffer);
    return *this;
  }
  FakeFfiRuntime& AddAttr(const std::string& name, XLA_FFI_AttrType type, void* value) {
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
  template <typename Type>
  static int64_t Size(const Buffers<Type>& buffers) {
    return static_cast<int64_t>(buffers.types.size());
  }
  template <typename Type>
  static void** Pointers(Buffers<Type>& buffers) {
    buffers.pointers.clear();
    for (XLA_FFI_Buffer& buffer : buffers.buffers) buffers.pointers.push_back(&buffer);
    return buffers.pointers.data();
  }

  XLA_FFI_Api api_ = {};
  XLA_FFI_ExecutionStage stage_ = XLA_FFI_ExecutionStage_EXECUTE;
  absl::StatusOr<void*> stream_ = nullptr;
  std::function<void(XLA_FFI_CallFrame&)> change_;
  Buffers<XLA_FFI_ArgType> args_;
  Buffers<XLA_FFI_RetType> rets_;
  std::deque<std::vector<int64_t>> dims_;
  std::deque<std::string> texts_;
  std::deque<XLA_FFI_ByteSpan> spans_;
  std::deque<XLA_FFI_Array> arrays_;
  std::vector<XLA_FFI_ByteSpan*> names_;
  std::vector<XLA_FFI_AttrType> attr_types_;
  std::vector<void*> attrs_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_TESTS_ADAPTERS_FAKE_FFI_RUNTIME_H_
