#include "callbridge/typed_ffi/host/call_frame.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace callbridge {
namespace host {
namespace {

constexpr XLA_FFI_Args NoArguments() {
  return {XLA_FFI_Args_STRUCT_SIZE, nullptr, 0, nullptr, nullptr};
}
constexpr XLA_FFI_Rets NoResults() {
  return {XLA_FFI_Rets_STRUCT_SIZE, nullptr, 0, nullptr, nullptr};
}

std::vector<const Shape*> LeavesOf(absl::Span<const Shape> shapes) {
  std::vector<const Shape*> leaves;
  for (const Shape& shape : shapes) {
    for (const Shape* leaf : shape.Leaves()) leaves.push_back(leaf);
  }
  return leaves;
}

// Returns an array of `count` times `kBuffer`; stores it in `own` if it is large.
template <typename Type, Type kBuffer>
const Type* BufferTypes(size_t count, std::vector<Type>& own) {
  static constexpr Type kShared[] = {kBuffer, kBuffer, kBuffer, kBuffer, kBuffer, kBuffer,
                                     kBuffer, kBuffer, kBuffer, kBuffer, kBuffer, kBuffer,
                                     kBuffer, kBuffer, kBuffer, kBuffer};
  if (count <= std::size(kShared)) return kShared;
  own.assign(count, kBuffer);
  return own.data();
}

}  // namespace

CallFrame::CallFrame(absl::Span<const Shape> operands, absl::Span<const Shape> results,
                     const Attributes& attributes) {
  const std::vector<const Shape*> arguments = LeavesOf(operands);
  const std::vector<const Shape*> written = LeavesOf(results);
  argument_count_ = arguments.size();
  size_t dimensions = 0;
  for (const Shape* leaf : arguments) dimensions += leaf->dimensions().size();
  for (const Shape* leaf : written) dimensions += leaf->dimensions().size();
  dimensions_.reserve(dimensions + 1);  // so that scalars have an address too
  buffers_.reserve(arguments.size() + written.size());
  Add(arguments);
  Add(written);
  argument_types_ =
      BufferTypes<XLA_FFI_ArgType, XLA_FFI_ArgType_BUFFER>(argument_count(), many_argument_types_);
  result_types_ =
      BufferTypes<XLA_FFI_RetType, XLA_FFI_RetType_BUFFER>(result_count(), many_result_types_);
  if (!attributes.values().empty()) {
    attributes_ = std::make_unique<const EncodedAttributes>(attributes);
  }
}

void CallFrame::Add(absl::Span<const Shape* const> leaves) {
  for (const Shape* leaf : leaves) {
    const absl::Span<const int64_t> dimensions = leaf->dimensions();
    int64_t* const own = dimensions_.data() + dimensions_.size();  // there is room for all
    dimensions_.insert(dimensions_.end(), dimensions.begin(), dimensions.end());
    buffers_.push_back({XLA_FFI_Buffer_STRUCT_SIZE, nullptr,
                        static_cast<XLA_FFI_DataType>(leaf->element_type()), nullptr,
                        static_cast<int64_t>(dimensions.size()), own});
  }
}

XLA_FFI_CallFrame& CallFrame::Write(void* storage, const CallBuffers& buffers) const {
  auto& frame = *static_cast<XLA_FFI_CallFrame*>(storage);
  auto** pointers = reinterpret_cast<void**>(&frame + 1);
  auto* next = reinterpret_cast<XLA_FFI_Buffer*>(pointers + buffers_.size());
  frame = WithoutBuffers();
  frame.args.size = static_cast<int64_t>(argument_count());
  frame.args.types = const_cast<XLA_FFI_ArgType*>(argument_types_);
  frame.args.args = pointers;
  frame.rets.size = static_cast<int64_t>(result_count());
  frame.rets.types = const_cast<XLA_FFI_RetType*>(result_types_);
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
  frame.attrs = attributes_ != nullptr ? attributes_->get() : EncodedAttributes::None();
  return frame;
}

}  // namespace host
}  // namespace callbridge
