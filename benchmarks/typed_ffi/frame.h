// A call frame built by hand, as XLA builds it, and a runtime that makes errors of no cost.
#ifndef CALLBRIDGE_BENCHMARKS_TYPED_FFI_FRAME_H_
#define CALLBRIDGE_BENCHMARKS_TYPED_FFI_FRAME_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {

// The API table of version 0.`minor`, `size` bytes of it. All errors are the same object. What no
// measured handler asks for is null.
inline XLA_FFI_Api RuntimeOf(int minor, size_t size) {
  static char error;
  XLA_FFI_Api api = {};
  api.struct_size = size;
  api.api_version = {XLA_FFI_Api_Version_STRUCT_SIZE, nullptr, 0, minor};
  api.XLA_FFI_Error_Create = [](XLA_FFI_Error_Create_Args*) {
    return reinterpret_cast<XLA_FFI_Error*>(&error);
  };
  return api;
}

// With arguments and one result that are f32[4]. Neither copied nor moved, since it points into
// itself.
class Frame {
 public:
  Frame(const XLA_FFI_Api* api, int64_t args) {
    arg_types_.assign(args, XLA_FFI_ArgType_BUFFER);
    args_.assign(args, &buffer_);
    frame_.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
    frame_.api = api;
    frame_.stage = XLA_FFI_ExecutionStage_EXECUTE;
    frame_.args = {XLA_FFI_Args_STRUCT_SIZE, nullptr, args, arg_types_.data(), args_.data()};
    frame_.rets = {XLA_FFI_Rets_STRUCT_SIZE, nullptr, 1, &ret_type_, &ret_};
    frame_.attrs.struct_size = XLA_FFI_Attrs_STRUCT_SIZE;
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  // Names come sorted, as they do from XLA.
  void AddScalars(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      scalars_.push_back({XLA_FFI_DataType_S32, &value_});
      AddAttr(name, XLA_FFI_AttrType_SCALAR, &scalars_.back());
    }
  }
  void AddString(const std::string& name, const std::string& text) {
    AddAttr(name, XLA_FFI_AttrType_STRING, Keep(text));
  }
  // Makes the attributes that there are so far those of one dictionary.
  void WrapAttrs(const std::string& name) {
    inner_ = frame_.attrs;
    std::swap(inner_types_, attr_types_);
    std::swap(inner_names_, names_);
    std::swap(inner_values_, values_);
    AddAttr(name, XLA_FFI_AttrType_DICTIONARY, &inner_);
  }

  XLA_FFI_CallFrame* get() { return &frame_; }

 private:
  void AddAttr(const std::string& name, XLA_FFI_AttrType type, void* value) {
    names_.push_back(Keep(name));
    attr_types_.push_back(type);
    values_.push_back(value);
    frame_.attrs = {XLA_FFI_Attrs_STRUCT_SIZE, nullptr,       static_cast<int64_t>(names_.size()),
                    attr_types_.data(),        names_.data(), values_.data()};
  }
  XLA_FFI_ByteSpan* Keep(const std::string& text) {
    texts_.push_back(text);
    spans_.push_back({texts_.back().data(), texts_.back().size()});
    return &spans_.back();
  }

  float data_[4] = {};
  int64_t dims_[1] = {4};
  XLA_FFI_Buffer buffer_ = {
      XLA_FFI_Buffer_STRUCT_SIZE, nullptr, XLA_FFI_DataType_F32, data_, 1, dims_};
  std::vector<XLA_FFI_ArgType> arg_types_;
  std::vector<void*> args_;
  XLA_FFI_RetType ret_type_ = XLA_FFI_RetType_BUFFER;
  void* ret_ = &buffer_;

  int32_t value_ = 1;
  std::deque<std::string> texts_;
  std::deque<XLA_FFI_ByteSpan> spans_;
  std::deque<XLA_FFI_Scalar> scalars_;
  std::vector<XLA_FFI_AttrType> attr_types_, inner_types_;
  std::vector<XLA_FFI_ByteSpan*> names_, inner_names_;
  std::vector<void*> values_, inner_values_;
  XLA_FFI_Attrs inner_ = {};

  XLA_FFI_CallFrame frame_ = {};
};

}  // namespace callbridge

#endif  // CALLBRIDGE_BENCHMARKS_TYPED_FFI_FRAME_H_
