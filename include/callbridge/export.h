// CALLBRIDGE_EXPORT: one line gives an old custom-call function a typed XLA FFI handler, and one
// line gives a typed handler a function of the untyped ABI.
//
//   void do_custom_call(void* out, const void** in);
//   CALLBRIDGE_EXPORT(DoCustomCall, do_custom_call);
//   CALLBRIDGE_EXPORT(DoCustomCall, do_custom_call,
//                     callbridge::ExportOptions().Shapes("f32[128], f32[2048] -> f32[2048]"));
//
// A function may keep what it makes of its opaque, and take it first:
//
//   std::unique_ptr<Plan> MakePlan(const char* opaque, size_t opaque_len);
//   void apply_plan(const Plan& plan, void* out, const void** in);
//   CALLBRIDGE_EXPORT(ApplyPlan, apply_plan, callbridge::ExportOptions().State<&MakePlan>());
//
// Standard library alone: this header goes into other people's builds, and nothing is to be linked.
#ifndef CALLBRIDGE_EXPORT_H_
#define CALLBRIDGE_EXPORT_H_

#include "callbridge/adapters/exports/export_options.h"
#include "callbridge/adapters/exports/exported_handler.h"
#include "callbridge/adapters/exports/status_functions.h"
#include "callbridge/adapters/exports/untyped_function.h"

// Options are a constant callbridge::ExportOptions. The macros stand at namespace scope.
#define CALLBRIDGE_EXPORT_OPTIONS(name, ...)             \
  namespace {                                            \
  struct name {                                          \
    static constexpr ::callbridge::ExportOptions Get() { \
      return ::callbridge::ExportOptions{__VA_ARGS__};   \
    }                                                    \
  };                                                     \
  }                                                      \
  static_assert(true, "")

// Defines `extern "C" XLA_FFI_Error* handler(XLA_FFI_CallFrame*)`, exported, which calls
// `function`: any function of the untyped ABIs, which is told by its type, and which takes its
// state before all else where the options have State().
#define CALLBRIDGE_EXPORT(handler, function, ...)                           \
  CALLBRIDGE_EXPORT_OPTIONS(callbridge_options_of_##handler, __VA_ARGS__);  \
  extern "C" __attribute__((visibility("default"))) XLA_FFI_Error* handler( \
      XLA_FFI_CallFrame* call_frame) {                                      \
    return ::callbridge::exports::ExportedHandler<                          \
        &function, callbridge_options_of_##handler>::Call(call_frame);      \
  }                                                                         \
  static_assert(true, "")

// Defines `extern "C" void name(void* out, const void** in, const char* opaque, size_t opaque_len,
// XlaCustomCallStatus*)`, exported, a custom call of api_version 3 that calls the typed handler
// `handler`. With ExportOptions().Gpu() its first two parameters are the stream and the buffers,
// and it is of version 2 too. The options must have Shapes() without `?`. The handler gets an
// opaque that is not empty as its attribute OpaqueAttribute(), a string; a future is waited for.
#define CALLBRIDGE_EXPORT_UNTYPED(name, handler, ...)                                         \
  CALLBRIDGE_EXPORT_OPTIONS(callbridge_options_of_##name, __VA_ARGS__);                       \
  extern "C" __attribute__((visibility("default"))) void name(                                \
      void* out_or_stream, const void** in_or_buffers, const char* opaque, size_t opaque_len, \
      XlaCustomCallStatus* status) {                                                          \
    ::callbridge::exports::UntypedFunction<&handler, callbridge_options_of_##name>::Call(     \
        out_or_stream, const_cast<void* const*>(in_or_buffers), opaque, opaque_len, status);  \
  }                                                                                           \
  static_assert(true, "")

#endif  // CALLBRIDGE_EXPORT_H_
