// CALLBRIDGE_EXPORT: gives an old custom-call function a typed XLA FFI handler, in one line.
// CALLBRIDGE_EXPORT_UNTYPED: gives a typed handler a function of the untyped ABI.
//
//   void do_custom_call(void* out, const void** in);
//   CALLBRIDGE_EXPORT(DoCustomCall, do_custom_call);
//   CALLBRIDGE_EXPORT(DoCustomCall, do_custom_call,
//                     callbridge::ExportOptions().Shapes("f32[128], f32[2048] -> f32[2048]"));
//
// A function may keep what it computes from its opaque. It takes that state as its first parameter:
//
//   std::unique_ptr<Plan> MakePlan(const char* opaque, size_t opaque_len);
//   void apply_plan(const Plan& plan, void* out, const void** in);
//   CALLBRIDGE_EXPORT(ApplyPlan, apply_plan, callbridge::ExportOptions().State<&MakePlan>());
//
// Uses the standard library only, and needs no library at link time: this header is included in
// other people's builds.
#ifndef CALLBRIDGE_EXPORT_H_
#define CALLBRIDGE_EXPORT_H_

#include "callbridge/adapters/exports/export_options.h"
#include "callbridge/adapters/exports/exported_handler.h"
#include "callbridge/adapters/exports/status_functions.h"
#include "callbridge/adapters/exports/untyped_function.h"

// The options are a constant callbridge::ExportOptions. Use the macros at namespace scope.
#define CALLBRIDGE_EXPORT_OPTIONS(name, ...)             \
  namespace {                                            \
  struct name {                                          \
    static constexpr ::callbridge::ExportOptions Get() { \
      return ::callbridge::ExportOptions{__VA_ARGS__};   \
    }                                                    \
  };                                                     \
  }                                                      \
  static_assert(true, "")

// Defines and exports `extern "C" XLA_FFI_Error* handler(XLA_FFI_CallFrame*)`, which calls
// `function`. The function may have any untyped ABI; its type tells which. With
// ExportOptions().State() it takes its state as its first parameter.
//
// CALLBRIDGE_EXPORT(handler, function)
// CALLBRIDGE_EXPORT(handler, function, options)
#define CALLBRIDGE_EXPORT(handler, ...) CALLBRIDGE_EXPORT_WITH(handler, __VA_ARGS__, )

// Its options end in a comma, so that there is an argument for them in any case, as C++17 demands.
#define CALLBRIDGE_EXPORT_WITH(handler, function, ...)                                          \
  CALLBRIDGE_EXPORT_OPTIONS(callbridge_options_of_##handler, __VA_ARGS__);                      \
  extern "C" __attribute__((visibility("default"))) XLA_FFI_Error* handler(XLA_FFI_CallFrame*); \
  extern "C" XLA_FFI_Error* handler(XLA_FFI_CallFrame* call_frame) {                            \
    return ::callbridge::exports::ExportedHandler<                                              \
        &function, callbridge_options_of_##handler>::Call(call_frame);                          \
  }                                                                                             \
  static_assert(true, "")

// Defines and exports `extern "C" void name(void* out, const void** in, const char* opaque, size_t
// opaque_len, XlaCustomCallStatus*)`, a custom call of api_version 3, which calls the typed handler
// `handler`. With ExportOptions().Gpu() the first two parameters are the stream and the buffers,
// and the function also serves api_version 2. The options must have Shapes() without `?`. An opaque
// that is not empty is passed as the string attribute OpaqueAttribute(). Waits for a future that
// the handler returns.
#define CALLBRIDGE_EXPORT_UNTYPED(name, handler, ...)                                           \
  CALLBRIDGE_EXPORT_OPTIONS(callbridge_options_of_##name, __VA_ARGS__);                         \
  extern "C" __attribute__((visibility("default"))) void name(void*, const void**, const char*, \
                                                              size_t, XlaCustomCallStatus*);    \
  extern "C" void name(void* out_or_stream, const void** in_or_buffers, const char* opaque,     \
                       size_t opaque_len, XlaCustomCallStatus* status) {                        \
    ::callbridge::exports::UntypedFunction<&handler, callbridge_options_of_##name>::Call(       \
        out_or_stream, const_cast<void* const*>(in_or_buffers), opaque, opaque_len, status);    \
  }                                                                                             \
  static_assert(true, "")

#endif  // CALLBRIDGE_EXPORT_H_
