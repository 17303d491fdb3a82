// The entry point by which a runtime with FFI calls an untyped target: a typed handler.
#ifndef CALLBRIDGE_ADAPTERS_ENTRY_POINTS_TYPED_TO_UNTYPED_H_
#define CALLBRIDGE_ADAPTERS_ENTRY_POINTS_TYPED_TO_UNTYPED_H_

#include <cstddef>
#include <cstdint>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "callbridge/abi/ended_thread.h"
#include "callbridge/adapters/entry_points/entry_target.h"
#include "callbridge/adapters/pointer_block.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {

// Returns the function that serves EntryPoints::typed for `target`, an untyped one of `abi`: that
// of the ABI, or one that also checks captured calls (recorded_call.h).
UntypedAbi::TypedEntry TypedEntryFor(const Target& target, const UntypedAbi& abi);

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

// Likewise for results: `lone` takes the pointer of a lone one, which is the rule and needs no
// loop, `list` those of others.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool GatherResults(const XLA_FFI_Rets& rets, void** lone,
                                                       void** list) {
  if (ABSL_PREDICT_TRUE(rets.size == 1)) {
    return GatherArrays(1, rets.types, XLA_FFI_RetType_BUFFER, rets.rets, lone);
  }
  return GatherArrays(rets.size, rets.types, XLA_FFI_RetType_BUFFER, rets.rets, list);
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

// The first argument of a target.
enum class FirstArgument {
  kOut,     // on Host: the lone result, or the list of the results; the operands have one of theirs
  kStream,  // on GPU; one list has the operands, then the results
};

// Serves one call of EntryPoints::typed for a target that Calls::Call() calls. Does what
// CallUntypedTargetFromTypedInFull() does, and is faster for a call of arrays without attributes.
template <typename Calls, FirstArgument kFirst>
XLA_FFI_Error* CallTyped(XLA_FFI_CallFrame* frame, EntryTarget& entry) {
  const XLA_FFI_Args& args = frame->args;
  const XLA_FFI_Rets& rets = frame->rets;
  if (!IsPlainExecute(*frame)) return CallUntypedTargetFromTypedInFull(frame, entry);
  void* pointers[kStackPointers];
  const auto gather_operands = [&] {
    return GatherArrays(args.size, args.types, XLA_FFI_ArgType_BUFFER, args.args, pointers);
  };
  const auto call = [&](void* first) {
    const absl::Status status =
        RequiringThread([&] { return Calls::Call(entry.function, first, pointers, {}); });
    return ABSL_PREDICT_TRUE(status.ok()) ? nullptr : MakeError(*frame->api, status);
  };
  // Each platform's order takes fewer instructions there; on GPU so do two conditions, and the list
  // without a variable of its own.
  if constexpr (kFirst == FirstArgument::kOut) {
    if (ABSL_PREDICT_FALSE(!gather_operands())) {
      return CallUntypedTargetFromTypedInFull(frame, entry);
    }
    void* out = pointers + args.size;
    if (ABSL_PREDICT_FALSE(!GatherResults(rets, &out, pointers + args.size))) {
      return CallUntypedTargetFromTypedInFull(frame, entry);
    }
    return call(out);
  } else {
    if (ABSL_PREDICT_FALSE(!GatherResults(rets, &pointers[args.size], &pointers[args.size]))) {
      return CallUntypedTargetFromTypedInFull(frame, entry);
    }
    if (ABSL_PREDICT_FALSE(!gather_operands())) {
      return CallUntypedTargetFromTypedInFull(frame, entry);
    }
    XLA_FFI_Stream_Get_Args stream = {sizeof(stream), nullptr, frame->ctx, nullptr};
    XLA_FFI_Error* const error = frame->api->XLA_FFI_Stream_Get(&stream);
    if (ABSL_PREDICT_FALSE(error != nullptr)) return error;
    return call(stream.stream);
  }
}

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_ENTRY_POINTS_TYPED_TO_UNTYPED_H_
