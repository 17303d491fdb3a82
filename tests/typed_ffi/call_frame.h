// A call frame made by hand, for handlers that are called without XLA:
//
//   CallFrame frame;
//   frame.Arg(XLA_FFI_DataType_F32, {2, 3}, data).Ret(...).Attr("lo", int64_t{1});
//   XLA_FFI_Error* error = handler(frame.ForCall(runtime));
#ifndef CALLBRIDGE_TESTS_TYPED_FFI_CALL_FRAME_H_
#define CALLBRIDGE_TESTS_TYPED_FFI_CALL_FRAME_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "callbridge/typed_ffi/c_api.h"
#include "tests/typed_ffi/fake_runtime.h"

namespace callbridge::typed_ffi::testing {

// Attributes under their names, sorted as XLA sorts them. Everything lives as long as this.
class AttributeList {
 public:
  AttributeList& Scalar(const std::string& name, XLA_FFI_DataType dtype, const void* value,
                        size_t size) {
    void* copy = Keep(value, size);
    scalars_.push_back({dtype, copy});
    return Put(name, XLA_FFI_AttrType_SCALAR, &scalars_.back());
  }
  AttributeList& Array(const std::string& name, XLA_FFI_DataType dtype, size_t count,
                       const void* data, size_t size) {
    void* copy = Keep(data, size);
    arrays_.push_back({dtype, count, copy});
    return Put(name, XLA_FFI_AttrType_ARRAY, &arrays_.back());
  }
  AttributeList& String(const std::string& name, const std::string& text) {
    spans_.push_back({static_cast<char*>(Keep(text.data(), text.size())), text.size()});
    return Put(name, XLA_FFI_AttrType_STRING, &spans_.back());
  }
  AttributeList& Nested(const std::string& name, AttributeList& list) {
    return Put(name, XLA_FFI_AttrType_DICTIONARY, const_cast<XLA_FFI_Attrs*>(list.Get()));
  }
  AttributeList& S32(const std::string& name, int32_t value) {
    return Scalar(name, XLA_FFI_DataType_S32, &value, sizeof(value));
  }
  AttributeList& S64(const std::string& name, int64_t value) {
    return Scalar(name, XLA_FFI_DataType_S64, &value, sizeof(value));
  }
  AttributeList& F32(const std::string& name, float value) {
    return Scalar(name, XLA_FFI_DataType_F32, &value, sizeof(value));
  }

  const XLA_FFI_Attrs* Get() {
    types_.clear();
    names_.clear();
    values_.clear();
    for (auto& [name, attribute] : by_name_) {
      attribute.span = {name.data(), name.size()};
      types_.push_back(attribute.type);
      names_.push_back(&attribute.span);
      values_.push_back(attribute.value);
    }
    const bool empty = by_name_.empty();
    attrs_ = {XLA_FFI_Attrs_STRUCT_SIZE,
              nullptr,
              static_cast<int64_t>(by_name_.size()),
              empty ? nullptr : types_.data(),
              empty ? nullptr : names_.data(),
              empty ? nullptr : values_.data()};
    return &attrs_;
  }

 private:
  struct Attribute {
    XLA_FFI_AttrType type;
    void* value;
    XLA_FFI_ByteSpan span;
  };

  void* Keep(const void* data, size_t size) {
    kept_.push_back(std::make_unique<char[]>(size + 1));
    memcpy(kept_.back().get(), data, size);
    return kept_.back().get();
  }
  AttributeList& Put(const std::string& name, XLA_FFI_AttrType type, void* value) {
    by_name_[name] = {type, value, {}};
    return *this;
  }

  std::map<std::string, Attribute> by_name_;
  std::deque<XLA_FFI_Scalar> scalars_;
  std::deque<XLA_FFI_Array> arrays_;
  std::deque<XLA_FFI_ByteSpan> spans_;
  std::deque<std::unique_ptr<char[]>> kept_;
  std::vector<XLA_FFI_AttrType> types_;
  std::vector<XLA_FFI_ByteSpan*> names_;
  std::vector<void*> values_;
  XLA_FFI_Attrs attrs_ = {};
};

class CallFrame {
 public:
  CallFrame() = default;
  CallFrame(const CallFrame&) = delete;
  CallFrame& operator=(const CallFrame&) = delete;
  ~CallFrame() { free(frame_); }

  CallFrame& Arg(XLA_FFI_DataType dtype, std::vector<int64_t> dimensions, void* data,
                 int type = XLA_FFI_ArgType_BUFFER) {
    arg_types_.push_back(static_cast<XLA_FFI_ArgType>(type));
    args_.push_back(Buffer(dtype, std::move(dimensions), data));
    return *this;
  }
  CallFrame& Ret(XLA_FFI_DataType dtype, std::vector<int64_t> dimensions, void* data,
                 int type = XLA_FFI_RetType_BUFFER) {
    ret_types_.push_back(static_cast<XLA_FFI_RetType>(type));
    rets_.push_back(Buffer(dtype, std::move(dimensions), data));
    return *this;
  }
  AttributeList& attributes() { return attributes_; }

  // `stage` by the runtime's numbers. The frame is as large as that runtime makes it, so that
  // sanitizers see what goes beyond.
  XLA_FFI_CallFrame* ForCall(FakeRuntime& runtime, int stage) {
    free(frame_);
    const size_t size = runtime.version().frame_has_future ? sizeof(XLA_FFI_CallFrame)
                                                           : offsetof(XLA_FFI_CallFrame, future);
    frame_ = static_cast<XLA_FFI_CallFrame*>(calloc(1, size));
    frame_->struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
    frame_->api = runtime.api();
    frame_->ctx = runtime.ctx();
    frame_->stage = static_cast<XLA_FFI_ExecutionStage>(stage);
    frame_->args = {XLA_FFI_Args_STRUCT_SIZE, nullptr, static_cast<int64_t>(args_.size()),
                    arg_types_.data(), args_.data()};
    frame_->rets = {XLA_FFI_Rets_STRUCT_SIZE, nullptr, static_cast<int64_t>(rets_.size()),
                    ret_types_.data(), rets_.data()};
    frame_->attrs = *attributes_.Get();
    return frame_;
  }
  XLA_FFI_CallFrame* ForCall(FakeRuntime& runtime) {
    return ForCall(runtime, runtime.version().execute);
  }

 private:
  XLA_FFI_Buffer* Buffer(XLA_FFI_DataType dtype, std::vector<int64_t> dimensions, void* data) {
    dimensions_.push_back(std::move(dimensions));
    buffers_.push_back({XLA_FFI_Buffer_STRUCT_SIZE, nullptr, dtype, data,
                        static_cast<int64_t>(dimensions_.back().size()),
                        dimensions_.back().data()});
    return &buffers_.back();
  }

  std::deque<XLA_FFI_Buffer> buffers_;
  std::deque<std::vector<int64_t>> dimensions_;
  std::vector<XLA_FFI_ArgType> arg_types_;
  std::vector<void*> args_;
  std::vector<XLA_FFI_RetType> ret_types_;
  std::vector<void*> rets_;
  AttributeList attributes_;
  XLA_FFI_CallFrame* frame_ = nullptr;
};

// What a handler answered, and the end of its error.
struct Answer {
  int code = 0;
  std::string message;
};
inline Answer Take(XLA_FFI_Error* error) {
  if (error == nullptr) return {};
  Answer answer = {error->code, error->message};
  DeleteError(error);
  return answer;
}

}  // namespace callbridge::typed_ffi::testing

#endif  // CALLBRIDGE_TESTS_TYPED_FFI_CALL_FRAME_H_
