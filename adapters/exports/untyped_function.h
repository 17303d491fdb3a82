// UntypedFunction: a custom call of api_version 3 that calls a typed FFI handler, for runtimes
// without FFI. An untyped call has pointers alone, so that its shapes must be declared.
//
// Standard library alone: this header goes into other people's builds.
#ifndef CALLBRIDGE_ADAPTERS_EXPORTS_UNTYPED_FUNCTION_H_
#define CALLBRIDGE_ADAPTERS_EXPORTS_UNTYPED_FUNCTION_H_

#include <stddef.h>
#include <stdint.h>

#include <memory>
#include <string>
#include <utility>

#include "callbridge/adapters/exports/declared_handler.h"
#include "callbridge/adapters/exports/export_options.h"
#include "callbridge/adapters/exports/untyped_call_api.h"
#include "callbridge/status_returning/custom_call_status.h"

#pragma GCC visibility push(hidden)
namespace callbridge {
inline namespace callbridge_v1 {
namespace exports {

template <typename Options>
struct UntypedCallShapes : Declared<Options, Options::Get().gpu> {
  static_assert(Options::Get().shapes != nullptr,
                "CALLBRIDGE_EXPORT_UNTYPED needs ExportOptions().Shapes(\"...\"): an untyped call "
                "brings no shapes");
  static_assert(!Options::Get().has_state,
                "CALLBRIDGE_EXPORT_UNTYPED takes no State(): an untyped call has no instantiate "
                "stage that could make one");
};

template <XLA_FFI_Handler* handler, typename Options>
class UntypedFunction {
 public:
  // On Host, `first` is `out` and `list` is `in`; on GPU, the stream and all buffers.
  static void Call(void* first, void* const* list, const char* opaque, size_t opaque_size,
                   XlaCustomCallStatus* status) {
    void* data[kLeafRoom];
    void* const* results = kGpu ? list + D::kOperands.slot_count : &first;
    ReadLeaves<D::kOperands>(list, data, EachLeaf<D::kOperands>());
    ReadLeaves<kResult>(results, data + kArguments, EachLeaf<kResult>());
    const std::unique_ptr<CallError> error = CallHandler(data, first, opaque, opaque_size);
    if (error == nullptr) return;
    XlaCustomCallStatusSetFailure(status, error->message.data(), error->message.size());
  }

 private:
  using D = UntypedCallShapes<Options>;
  static_assert(!D::kCall.any_size,
                "CALLBRIDGE_EXPORT_UNTYPED needs every dimension: an untyped call brings none that "
                "could stand for `?`");
  static constexpr ExportOptions kOptions = Options::Get();
  static constexpr bool kGpu = kOptions.gpu;
  // XLA passes a tuple result as one table of its leaves in either layout; no release nests them.
  static constexpr auto kResult = kGpu ? D::kResult : LayOutResult(D::kCall, TupleLayout::kFlat);
  static constexpr int kArguments = D::kOperands.leaf_count;
  static constexpr int kResults = kResult.leaf_count;
  // Sizes of arrays, with room for one more, since there may be none.
  static constexpr size_t kArgumentRoom = size_t{kArguments} + 1;
  static constexpr size_t kResultRoom = size_t{kResults} + 1;
  static constexpr size_t kLeafRoom = size_t{kArguments} + kResults + 1;
  template <const auto& layout>
  using EachLeaf = std::make_integer_sequence<int, layout.leaf_count>;

  // The analyzer does not read D's constants, and takes tables for empty and arrays for unset.
  // NOLINTBEGIN(clang-analyzer-core.CallAndMessage,clang-analyzer-core.NullDereference)

  // Reads the pointers of the leaves of `layout` from the list and its tables.
  template <const auto& layout, int... leaf>
  static void ReadLeaves([[maybe_unused]] void* const* list, [[maybe_unused]] void** data,
                         std::integer_sequence<int, leaf...>) {
    ((data[leaf] = ReadSlot<layout, layout.leaf_slots[leaf]>(list)), ...);
  }
  template <const auto& layout, int slot>
  static void* ReadSlot(void* const* list) {
    constexpr int kParent = layout.slots[slot].parent;
    if constexpr (kParent == kNoSlot) {
      return list[slot];
    } else {
      void* table = ReadSlot<layout, kParent>(list);
      return static_cast<void**>(table)[slot - layout.slots[kParent].index];
    }
  }

  static XLA_FFI_Buffer MakeBuffer(int node, void* data) {
    const ShapeNode& shape = D::kCall.nodes[node];
    XLA_FFI_Buffer buffer = {};
    buffer.struct_size = XLA_FFI_Buffer_STRUCT_SIZE;
    buffer.dtype = static_cast<XLA_FFI_DataType>(shape.type);
    buffer.data = data;
    buffer.rank = shape.count;
    buffer.dims = const_cast<int64_t*>(D::kCall.dims + shape.first_dim);  // handlers only read
    return buffer;
  }

  static std::unique_ptr<CallError> CallHandler(void** data, void* stream, const char* opaque,
                                                size_t opaque_size) {
    XLA_FFI_Buffer buffers[kLeafRoom];
    void* pointers[kLeafRoom];
    XLA_FFI_ArgType argument_types[kArgumentRoom];
    XLA_FFI_RetType result_types[kResultRoom];
    for (int i = 0; i < kArguments; ++i) {
      buffers[i] = MakeBuffer(D::kOperands.leaf_nodes[i], data[i]);
      argument_types[i] = XLA_FFI_ArgType_BUFFER;
    }
    for (int i = 0; i < kResults; ++i) {
      buffers[kArguments + i] = MakeBuffer(kResult.leaf_nodes[i], data[kArguments + i]);
      result_types[i] = XLA_FFI_RetType_BUFFER;
    }
    for (int i = 0; i < kArguments + kResults; ++i) pointers[i] = &buffers[i];
    // NOLINTEND(clang-analyzer-core.CallAndMessage,clang-analyzer-core.NullDereference)

    const char* name = kOptions.opaque_attribute;
    XLA_FFI_ByteSpan name_span = {name, TextSize(name)};
    XLA_FFI_ByteSpan opaque_span = {opaque, opaque_size};
    XLA_FFI_ByteSpan* names[] = {&name_span};
    void* attributes[] = {&opaque_span};
    XLA_FFI_AttrType attribute_types[] = {XLA_FFI_AttrType_STRING};

    UntypedCallContext context = {kGpu, stream};
    XLA_FFI_CallFrame frame = {};
    frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
    frame.api = &UntypedCallApi();
    frame.ctx = reinterpret_cast<XLA_FFI_InvokeContext*>(&context);
    frame.stage = XLA_FFI_ExecutionStage_EXECUTE;
    frame.args = {XLA_FFI_Args_STRUCT_SIZE, nullptr, kArguments, argument_types, pointers};
    frame.rets = {XLA_FFI_Rets_STRUCT_SIZE, nullptr, kResults, result_types, pointers + kArguments};
    // Handlers built with XLA's headers before jaxlib 0.8 refuse attributes that they do not
    // read.
    const int64_t attribute_count = opaque_size > 0 ? 1 : 0;
    frame.attrs = {XLA_FFI_Attrs_STRUCT_SIZE, nullptr, attribute_count,
                   attribute_types,           names,   attributes};
    std::unique_ptr<CallError> error = TakeCallError(handler(&frame));
    if (error == nullptr && frame.future != nullptr) error = AwaitCallFuture(frame.future);
    return error;
  }
};

}  // namespace exports
}  // namespace callbridge_v1
}  // namespace callbridge
#pragma GCC visibility pop

#endif  // CALLBRIDGE_ADAPTERS_EXPORTS_UNTYPED_FUNCTION_H_
