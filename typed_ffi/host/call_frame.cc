#include "callbridge/typed_ffi/host/call_frame.h"

#include <algorithm>
#include <cstdint>

namespace callbridge {
namespace host {
namespace {

constexpr XLA_FFI_Args NoArguments() {
  return {XLA_FFI_Args_STRUCT_SIZE, nullptr, 0, nullptr, nullptr};
}
constexpr XLA_FFI_Rets NoResults() {
  return {XLA_FFI_Rets_STRUCT_SIZE, nullptr, 0, nullptr, nullptr};
}

}  // namespace

CallFrame::CallFrame(absl::Span<const Shape> operands, absl::Span<const Shape> results,
                     const Attributes& attributes)
    : attributes_(std::make_unique<const EncodedAttributes>(attributes)) {
  Add(operands);
  argument_count_ = buffers_.size();
  Add(results);
  argument_types_.assign(argument_count(), XLA_FFI_ArgType_BUFFER);
  result_types_.assign(result_count(), XLA_FFI_RetType_BUFFER);
}

void CallFrame::Add(absl::Span<const Shape> shapes) {
  for (const Shape& shape : shapes) {
    for (const Shape* leaf : shape.Leaves()) {
      const absl::Span<const int64_t> dimensions = leaf->dimensions();
      dimensions_.push_back(std::make_unique<int64_t[]>(dimensions.size()));
      std::copy(dimensions.begin(), dimensions.end(), dimensions_.back().get());
      buffers_.push_back({XLA_FFI_Buffer_STRUCT_SIZE, nullptr,
                          static_cast<XLA_FFI_DataType>(leaf->element_type()), nullptr,
                          static_cast<int64_t>(dimensions.size()), dimensions_.back().get()});
    }
  }
}

XLA_FFI_CallFrame& CallFrame::Write(void* storage, const CallBuffers& buffers) const {
  auto& frame = *static_cast<XLA_FFI_CallFrame*>(storage);
  auto** pointers = reinterpret_cast<void**>(&frame + 1);
  auto* next = reinterpret_cast<XLA_FFI_Buffer*>(pointers + buffers_.size());
  frame = WithoutBuffers();
  frame.args.size = static_cast<int64_t>(argument_count());
  frame.args.types = const_cast<XLA_FFI_ArgType*>(argument_types_.data());
  frame.args.args = pointers;
  frame.rets.size = static_cast<int64_t>(result_count());
  frame.rets.types = const_cast<XLA_FFI_RetType*>(result_types_.data());
  frame.rets.rets = pointers + argument_count();
  const XLA_FFI_Buffer* planned = buffers_.data();
  const auto write = [&](void* data) {
    *next = *planned++;
    next->data = data;
    *pointers++ = next++;
  };
  for (void* data : buffers.operands) write(data);
  for (void* data : buffers.results) write(data);
  return frame;
}

XLA_FFI_CallFrame CallFrame::WithoutBuffers() const {
  XLA_FFI_CallFrame frame = {};
  frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
  frame.args = NoArguments();
  frame.rets = NoResults();
  frame.attrs = attributes_->get();
  return frame;
}

}  // namespace host
}  // namespace callbridge
