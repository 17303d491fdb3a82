// What one would write by hand on XLA_FFI_CallFrame for N arguments and one result, with more and
// more checks: what handlers are measured against.
#include <cstddef>
#include <cstdint>

#include "callbridge/typed_ffi/c_api.h"

extern "C" void measured_function(void* out, const void** in);

namespace {

// The number that jaxlib 0.4.30 has for the stage is another; its size identifies its API table.
bool IsExecuteStage(const XLA_FFI_CallFrame& frame) {
  return frame.stage == XLA_FFI_ExecutionStage_EXECUTE ||
         (frame.api->struct_size == 64 && static_cast<int>(frame.stage) == 2);
}

// Each includes those before it.
enum Checks {
  kNothing,
  kTags,    // the frame's size, that it has no extension, stage, counts, type tags
  kDtypes,  // the element types
  kShapes,  // ranks and dimensions, that there are no attributes, that nothing is thrown
};

// An error is the runtime's to make.
__attribute__((cold, noinline)) XLA_FFI_Error* Refuse(const XLA_FFI_CallFrame* frame) {
  XLA_FFI_Error_Create_Args args = {XLA_FFI_Error_Create_Args_STRUCT_SIZE, nullptr,
                                    "the call is not what was expected",
                                    XLA_FFI_Error_Code_INVALID_ARGUMENT};
  return frame->api->XLA_FFI_Error_Create(&args);
}

// No exception reaches the runtime.
XLA_FFI_Error* CallGuarded(const XLA_FFI_CallFrame* frame, void* out, const void** in) {
  try {
    measured_function(out, in);
  } catch (...) {
    return Refuse(frame);
  }
  return nullptr;
}

template <Checks checks>
bool Matches(const XLA_FFI_Buffer& buffer) {
  if (checks >= kDtypes && buffer.dtype != XLA_FFI_DataType_F32) return false;
  if (checks >= kShapes && (buffer.rank != 1 || buffer.dims[0] != 4)) return false;
  return true;
}

template <int64_t n, Checks checks>
XLA_FFI_Error* Forward(XLA_FFI_CallFrame* frame) {
  if (checks >= kTags) {
    if (frame->struct_size < XLA_FFI_CallFrame_STRUCT_SIZE || frame->extension_start != nullptr ||
        !IsExecuteStage(*frame) || frame->args.size != n || frame->rets.size != 1 ||
        (checks >= kShapes && frame->attrs.size != 0)) {
      return Refuse(frame);
    }
  }
  const void* in[n];
#pragma GCC unroll 16
  for (int64_t i = 0; i < n; ++i) {
    if (checks >= kTags && frame->args.types[i] != XLA_FFI_ArgType_BUFFER) return Refuse(frame);
    const auto* buffer = static_cast<const XLA_FFI_Buffer*>(frame->args.args[i]);
    if (!Matches<checks>(*buffer)) return Refuse(frame);
    in[i] = buffer->data;
  }
  if (checks >= kTags && frame->rets.types[0] != XLA_FFI_RetType_BUFFER) return Refuse(frame);
  const auto* result = static_cast<const XLA_FFI_Buffer*>(frame->rets.rets[0]);
  if (!Matches<checks>(*result)) return Refuse(frame);
  if (checks >= kShapes) return CallGuarded(frame, result->data, in);
  measured_function(result->data, in);
  return nullptr;
}

// For any number of arguments and results, as CALLBRIDGE_EXPORT without shapes is: no counts are
// checked; a token has no data; several results are a list.
XLA_FFI_Error* ForwardAny(XLA_FFI_CallFrame* frame) {
  constexpr int64_t kMax = 256;
  if (frame->struct_size < XLA_FFI_CallFrame_STRUCT_SIZE || frame->extension_start != nullptr ||
      !IsExecuteStage(*frame) || frame->attrs.size != 0 ||
      frame->args.size + frame->rets.size > kMax) {
    return Refuse(frame);
  }
  void* pointers[kMax];
  void** next = pointers;
  const auto data = [](const void* value) {
    const auto* buffer = static_cast<const XLA_FFI_Buffer*>(value);
    return buffer->dtype == XLA_FFI_DataType_TOKEN ? nullptr : buffer->data;
  };
  for (int64_t i = 0; i < frame->args.size; ++i) {
    if (frame->args.types[i] != XLA_FFI_ArgType_BUFFER) return Refuse(frame);
    *next++ = data(frame->args.args[i]);
  }
  void** const results = next;
  for (int64_t i = 0; i < frame->rets.size; ++i) {
    if (frame->rets.types[i] != XLA_FFI_RetType_BUFFER) return Refuse(frame);
    *next++ = data(frame->rets.rets[i]);
  }
  return CallGuarded(frame, frame->rets.size == 1 ? results[0] : results,
                     const_cast<const void**>(pointers));
}

}  // namespace

#define HAND_WRITTEN(name, n, checks)                                    \
  extern "C" __attribute__((visibility("default"))) XLA_FFI_Error* name( \
      XLA_FFI_CallFrame* frame) {                                        \
    return Forward<n, checks>(frame);                                    \
  }
#define HAND_WRITTEN_EACH(name, checks) \
  HAND_WRITTEN(name##_1, 1, checks)     \
  HAND_WRITTEN(name##_4, 4, checks)     \
  HAND_WRITTEN(name##_8, 8, checks)     \
  HAND_WRITTEN(name##_16, 16, checks)

HAND_WRITTEN_EACH(Nothing, kNothing)
HAND_WRITTEN_EACH(Tags, kTags)
HAND_WRITTEN_EACH(Dtypes, kDtypes)
HAND_WRITTEN_EACH(Shapes, kShapes)

extern "C" __attribute__((visibility("default"))) XLA_FFI_Error* AnyNumber(
    XLA_FFI_CallFrame* frame) {
  return ForwardAny(frame);
}

// What the measuring loop takes by itself.
extern "C" __attribute__((visibility("default"))) XLA_FFI_Error* Return(XLA_FFI_CallFrame*) {
  return nullptr;
}
