// callbridge_pjrt.h: registers targets with an XLA behind PJRT's C API, for programs in any
// language that open a PJRT plugin. A part of callbridge's stable C ABI, whose rules are those of
// callbridge.h.
//
// A PJRT_Api is what the plugin's GetPjrtApi() returns, from PJRT API 0.54 (jaxlib 0.4.30) on. It
// must live as long as the process. Programs that run on the plugin call a registered target by
// stablehlo.custom_call, with the api_version that these functions write:
//
// clang-format off
//   4  a typed call, whose backend_config is a dictionary: the attributes of a typed target. An
//      untyped target takes none but "callbridge_site", the bytes of callbridge_site_encode, where a
//      call has tuples or an opaque.
//   3  an untyped call, whose backend_config is a string: the opaque of an untyped target, or the
//      bytes of callbridge_site_encode where the call has tuples. Of a typed target, always those.
// clang-format on
//
// Operands and results of such a call are arrays: the leaves of tuples, in preorder.
// docs/pjrt.md shows programs in several languages; examples/pjrt/ is a complete one in C.
//
// C99 or C++; standard library alone. Link to libcallbridge.so.
#ifndef CALLBRIDGE_C_API_CALLBRIDGE_PJRT_H_
#define CALLBRIDGE_C_API_CALLBRIDGE_PJRT_H_

#include <stddef.h>
#include <stdint.h>

#include "callbridge/abi/exported.h"
#include "callbridge/c_api/callbridge.h"

#ifdef __cplusplus
extern "C" {
#endif

struct PJRT_Api;  // of xla/pjrt/c/pjrt_c_api.h

// How targets are registered. A null pointer in place of the struct, and zeros in it, are defaults.
typedef struct callbridge_pjrt_options {
  size_t struct_size;
  // For callbridge_pjrt_register_library: the platform of the targets to register. Null: those for
  // "CUDA" and "ROCM" on a plugin with the extension for GPU custom calls, those for "Host" on
  // another plugin.
  const char* platform;
  // CALLBRIDGE_API_VERSION_TYPED_FFI, CALLBRIDGE_API_VERSION_STATUS_RETURNING_UNIFIED, or 0 for the
  // fastest that the plugin serves: typed FFI on GPU plugins since jaxlib 0.4.34.
  int32_t prefer;
  // Nonzero: all targets are as if callbridge_target.command_buffer_compatible were set.
  int32_t command_buffer_compatible;
} callbridge_pjrt_options;

// Registers `target` with the plugin's XLA under target->name, for as long as the process lives.
// Its functions must stay callable as long, and callbridge_library_close leaves their library open.
// Registers typed handlers as callbridge_ffi_adapt_handlers adapts them, with all stages but
// RECORD, and untyped functions by their entry points (callbridge_target_entry_points). Writes to
// `*api_version` by which api_version programs call the target. `options` and `api_version` may be
// null.
//
// Succeeds again for the same target. A name leads to one target for each api_version, since XLA
// never forgets one. If other code has registered the name with the plugin, XLA ends the process
// for an untyped call; for a typed one it keeps that code's target, and plugins report that since
// jaxlib 0.12.
//
// A plugin with the extension for GPU custom calls takes targets for "CUDA" and "ROCM" alike: those
// of its own platform are meant. Another plugin needs an FFI extension with register_handler, as
// XLA's have since jaxlib 0.7.2, and gets typed handlers of the stage EXECUTE for the target's
// platform.
//
// Returns INVALID_ARGUMENT if `api` or its chain of extensions is invalid; if a GPU plugin gets a
// target for "Host"; if the target's ABI is unknown and a wrong guess could crash; if the name is
// empty; and as callbridge_ffi_adapt_handlers. Returns UNIMPLEMENTED if the plugin has another
// major version or an older API, or lacks the extensions, the path that is preferred, or a stage of
// the handlers; ALREADY_EXISTS if callbridge registered another target under that name, or the same
// one that was not command buffer compatible, or was; and the plugin's own errors.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_pjrt_register(
    const struct PJRT_Api* api, const callbridge_target* target,
    const callbridge_pjrt_options* options, int32_t* api_version);

// Registers the targets of `library`: all of them, or none if one cannot be. Where a typed handler
// and an untyped function have the same name, registers the handler. Writes the number of targets
// to
// `*count`. `options`, `count` and `api_version` may be null.
//
// Returns NOT_FOUND if the library has no target for the platform, and lists what it has;
// INVALID_ARGUMENT if a name is there for "CUDA" and for "ROCM" and the options have no platform;
// otherwise as callbridge_pjrt_register. If the plugin itself refuses a target, those before it, in
// the order of the library, stay registered.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_pjrt_register_library(
    const struct PJRT_Api* api, const callbridge_library* library,
    const callbridge_pjrt_options* options, size_t* count, int32_t* api_version);

// Registers a type of user data with the plugin's XLA, before it is put into a PJRT_ExecuteContext.
// States need no registration here: what handlers keep between stages goes through
// callbridge_ffi_register_type, or their own registration. `type_id` is the address of the variable
// that holds the type's XLA_FFI_TypeId, which may be in the handlers' library. If it is 0, it gets
// the id by which callbridge knows `name`, as it does after a library that registers the type was
// loaded, or else a new one (up to jaxlib 0.4.38: the one that XLA assigns); otherwise the name
// gets that id. Registers the type with callbridge too, as callbridge_ffi_register_type does.
// `deleter` deletes an object of the type, and may be null.
//
// Returns UNIMPLEMENTED if the plugin has no FFI extension, or is older than jaxlib 0.6 and the
// type has an id; INVALID_ARGUMENT as callbridge_pjrt_register and callbridge_ffi_register_type;
// and the plugin's own errors, as it does if the name is registered already.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_pjrt_register_type(const struct PJRT_Api* api,
                                                                    const char* name,
                                                                    int64_t* type_id,
                                                                    void (*deleter)(void*));

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // CALLBRIDGE_C_API_CALLBRIDGE_PJRT_H_
