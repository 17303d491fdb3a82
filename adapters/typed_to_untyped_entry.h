// The entry point by which a runtime with FFI calls an untyped target: a typed handler.
#ifndef CALLBRIDGE_ADAPTERS_TYPED_TO_UNTYPED_ENTRY_H_
#define CALLBRIDGE_ADAPTERS_TYPED_TO_UNTYPED_ENTRY_H_

#include <cstddef>
#include <cstdint>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "callbridge/abi/ended_thread.h"
#include "callbridge/adapters/entry_target.h"
#include "callbridge/adapters/pointer_block.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {

// Serves every call of EntryPoints::typed: answers the metadata query, and calls the target on the
// execute stage. Returns null on success, else an error of the frame's runtime.
XLA_FFI_Error* CallUntypedTargetFromTypedInFull(XLA_FFI_CallFrame* frame, EntryTarget& entry);

// Returns an error of the frame's runtime for `status`, which must not be OK.
XLA_FFI_Error* MakeError(const XLA_FFI_Api& api, const absl::Status& status);

// Writes the data pointers of `size` arguments or results. Returns false if one of them is not an
// array.
template <typename Type>
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool GatherArrays(int64_t size, const Type* types,
                                                      Type buffer_type, void* const* buffers,
                                                      void** pointers) {
  for (int64_t i = 0; i < size; ++i) {
    if (ABSL_PREDICT_FALSE(types[i] != buffer_type)) return false;
    const auto& buffer = *static_cast<const XLA_FFI_Buffer*>(buffers[i]);
    if (ABSL_PREDICT_FALSE(buffer.dtype == XLA_FFI_DataType_TOKEN)) return false;
    pointers[i] = buffer.data;
  }
  return true;
}

// Returns whether the frame is of the execute stage, without extensions and attributes, and of
// buffers whose pointers fit on the stack. False for jaxlib 0.4.30, which numbers stages otherwise.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool IsPlainExecute(const XLA_FFI_CallFrame& frame) {
  // Compares two numbers at once; both must be 0.
  const uint64_t more =
      reinterpret_cast<uintptr_t>(frame.extension_start) | static_cast<uint64_t>(frame.attrs.size);
  return ABSL_PREDICT_TRUE(more == 0 && frame.stage == XLA_FFI_ExecutionStage_EXECUTE &&
                           static_cast<size_t>(frame.args.size + frame.rets.size) <=
                               kStackPointers);
}

// Serves one call of EntryPoints::typed for a target on Host that Calls::Call() calls. Does what
// CallUntypedTargetFromTypedInFull() does, and is faster for a call of arrays without attributes.
template <typename Calls>
XLA_FFI_Error* CallTyped(XLA_FFI_CallFrame* frame, EntryTarget& entry) {
  const XLA_FFI_Args& args = frame->args;
  const XLA_FFI_Rets& rets = frame->rets;
  if (!IsPlainExecute(*frame)) return CallUntypedTargetFromTypedInFull(frame, entry);
  void* pointers[kStackPointers];
  if (ABSL_PREDICT_FALSE(
          !GatherArrays(args.size, args.types, XLA_FFI_ArgType_BUFFER, args.args, pointers))) {
    return CallUntypedTargetFromTypedInFull(frame, entry);
  }
  void* out;
  if (ABSL_PREDICT_TRUE(rets.size == 1)) {
    if (ABSL_PREDICT_FALSE(!GatherArrays(1, rets.types, XLA_FFI_RetType_BUFFER, rets.rets, &out))) {
      return CallUntypedTargetFromTypedInFull(frame, entry);
    }
  } else {
    out = pointers + args.size;
    if (ABSL_PREDICT_FALSE(!GatherArrays(rets.size, rets.types, XLA_FFI_RetType_BUFFER, rets.rets,
                                         static_cast<void**>(out)))) {
      return CallUntypedTargetFromTypedInFull(frame, entry);
    }
  }
  const absl::Status status =
      RequiringThread([&] { return Calls::Call(entry.function, out, pointers, {}); });
  return ABSL_PREDICT_TRUE(status.ok()) ? nullptr : MakeError(*frame->api, status);
}

// Likewise for a target on GPU: one list of the operands, then the results, and the stream.
template <typename Calls>
XLA_FFI_Error* CallTypedWithStream(XLA_FFI_CallFrame* frame, EntryTarget& entry) {
  const XLA_FFI_Args& args = frame->args;
  const XLA_FFI_Rets& rets = frame->rets;
  if (!IsPlainExecute(*frame)) return CallUntypedTargetFromTypedInFull(frame, entry);
  void* pointers[kStackPointers];
  // Without a loop for one result, which is the rule.
  if (ABSL_PREDICT_TRUE(rets.size == 1)) {
    if (ABSL_PREDICT_FALSE(!GatherArrays(1, rets.types, XLA_FFI_RetType_BUFFER, rets.rets,
                                         &pointers[args.size]))) {
      return CallUntypedTargetFromTypedInFull(frame, entry);
    }
  } else if (ABSL_PREDICT_FALSE(!GatherArrays(rets.size, rets.types, XLA_FFI_RetType_BUFFER,
                                              rets.rets, &pointers[args.size]))) {
    return CallUntypedTargetFromTypedInFull(frame, entry);
  }
  if (ABSL_PREDICT_FALSE(
          !GatherArrays(args.size, args.types, XLA_FFI_ArgType_BUFFER, args.args, pointers))) {
    return CallUntypedTargetFromTypedInFull(frame, entry);
  }
  XLA_FFI_Stream_Get_Args stream = {sizeof(stream), nullptr, frame->ctx, nullptr};
  XLA_FFI_Error* const error = frame->api->XLA_FFI_Stream_Get(&stream);
  if (ABSL_PREDICT_FALSE(error != nullptr)) return error;
  const absl::Status status =
      RequiringThread([&] { return Calls::Call(entry.function, stream.stream, pointers, {}); });
  return ABSL_PREDICT_TRUE(status.ok()) ? nullptr : MakeError(*frame->api, status);
}

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_TYPED_TO_UNTYPED_ENTRY_H_
