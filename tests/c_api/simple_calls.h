// Targets, handlers and call sites as small as they can be, with their struct_size set.
#ifndef CALLBRIDGE_TESTS_C_API_SIMPLE_CALLS_H_
#define CALLBRIDGE_TESTS_C_API_SIMPLE_CALLS_H_

#include <cstddef>
#include <cstdint>

#include "callbridge/callbridge.h"
#include "callbridge/callbridge_ffi.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {

inline void CopyS32(void* out, const void** in) {
  *static_cast<int32_t*>(out) = *static_cast<const int32_t*>(in[0]);
}

// A function of the original ABI on the host, by declaration.
inline callbridge_target OriginalTarget(void (*function)(void*, const void**) = &CopyS32,
                                        const char* name = "copy") {
  callbridge_target target = {};
  target.struct_size = sizeof(target);
  target.name = name;
  target.platform = "Host";
  target.api_version = CALLBRIDGE_API_VERSION_ORIGINAL;
  target.address = reinterpret_cast<void*>(function);
  return target;
}

inline callbridge_site ResultSite(const char* result) {
  callbridge_site site = {};
  site.struct_size = sizeof(site);
  site.result = result;
  return site;
}

// `operands` must outlive it.
template <size_t kCount>
callbridge_site Site(const char* const (&operands)[kCount], const char* result) {
  callbridge_site site = ResultSite(result);
  site.operands = operands;
  site.operand_count = kCount;
  return site;
}

inline constexpr const char* kS32[] = {"s32[]"};
inline callbridge_site CopySite() { return Site(kS32, "s32[]"); }

// A handler that succeeds, for a site of OldSite() only: it does not say what it was built for.
inline XLA_FFI_Error* Succeed(XLA_FFI_CallFrame*) { return nullptr; }

inline callbridge_ffi_handlers Handlers(XLA_FFI_Handler* execute = &Succeed) {
  callbridge_ffi_handlers handlers = {};
  handlers.struct_size = sizeof(handlers);
  handlers.execute = reinterpret_cast<callbridge_ffi_handler*>(execute);
  return handlers;
}

// A typed target on the host.
inline callbridge_target TypedTarget(const callbridge_ffi_handlers& handlers) {
  callbridge_target target = {};
  target.struct_size = sizeof(target);
  target.name = "handler";
  target.platform = "Host";
  target.api_version = CALLBRIDGE_API_VERSION_TYPED_FFI;
  target.address = reinterpret_cast<void*>(handlers.execute);
  target.instantiate = reinterpret_cast<void*>(handlers.instantiate);
  target.prepare = reinterpret_cast<void*>(handlers.prepare);
  target.initialize = reinterpret_cast<void*>(handlers.initialize);
  target.record = reinterpret_cast<void*>(handlers.record);
  return target;
}

// On the release that asks a handler nothing before it calls it.
inline callbridge_site OldSite() {
  callbridge_site site = ResultSite("()");
  site.release = "0.4.30";
  return site;
}

// Refers to `services`.
inline callbridge_execution_context Lending(const callbridge_runtime_services& services) {
  callbridge_execution_context context = {};
  context.struct_size = sizeof(context);
  context.services = &services;
  return context;
}

inline callbridge_runtime_services NoServices() {
  callbridge_runtime_services context = {};
  context.struct_size = sizeof(context);
  return context;
}

}  // namespace callbridge

#endif  // CALLBRIDGE_TESTS_C_API_SIMPLE_CALLS_H_
