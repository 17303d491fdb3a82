// Registers handlers and types with a runtime from C++, through that runtime's C API or
// GetXlaFfiApi(). From Python use jax.ffi instead.
//
//   XLA_FFI_REGISTER_HANDLER(GetXlaFfiApi(), "name", "Host", kHandler);
//   XLA_FFI_REGISTER_TYPE(GetXlaFfiApi(), "name", &MyState::id, &kMyTypeInfo);
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_REGISTRATION_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_REGISTRATION_H_

#include <cstdio>
#include <string>
#include <string_view>

#include "callbridge/typed_ffi/binding/api_functions.h"
#include "callbridge/typed_ffi/binding/hints.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/binding/runtime_errors.h"
#include "callbridge/typed_ffi/binding/user_types.h"
#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/state_calls.h"

// Exported by libcallbridge.so (typed_ffi/host/api_table.h): link it to call GetXlaFfiApi().
extern "C" __attribute__((visibility("default"))) const XLA_FFI_Api* callbridge_xla_ffi_api(void);

CALLBRIDGE_FFI_NAMESPACE_BEGIN

// Returns the API of callbridge's own registry. Never null; lives as long as the process.
inline const XLA_FFI_Api* GetXlaFfiApi() { return callbridge_xla_ffi_api(); }

// What a runtime must know of T to own states of that type.
template <typename T>
constexpr XLA_FFI_TypeInfo MakeTypeInfo() {
  return XLA_FFI_TypeInfo{XLA_FFI_TypeInfo_STRUCT_SIZE, nullptr,
                          [](void* object) { delete static_cast<T*>(object); }};
}

namespace internal {

// ---- Handlers -----------------------------------------------------------------------------------

template <typename Args>
Args MakeRegistration(std::string_view name, std::string_view platform,
                      XLA_FFI_Handler_Traits traits) {
  auto args = MakeArgs<Args>(offsetof(Args, traits) + sizeof(XLA_FFI_Handler_Traits));
  args.name = {name.data(), name.size()};
  args.platform = {platform.data(), platform.size()};
  args.traits = traits;
  return args;
}

// Registers the handlers of all stages; all but `execute` may be null. The caller owns the error. A
// runtime without the record stage executes instead. A runtime without the instantiate stage
// refuses a handler that has one: it would run without what that stage makes or checks.
CALLBRIDGE_FFI_HIDDEN inline XLA_FFI_Error* RegisterStaticHandler(
    const XLA_FFI_Api* api, std::string_view name, std::string_view platform,
    XLA_FFI_Handler_Bundle bundle, XLA_FFI_Handler_Traits traits = 0) {
  const RuntimeVersion& version = VersionOf(*api);
  constexpr auto kSlot = ApiFunction::kHandlerRegister;
  if (version.bundle_size == sizeof(XLA_FFI_Handler_Bundle)) {
    auto args = MakeRegistration<XLA_FFI_Handler_Register_Args>(name, platform, traits);
    args.bundle = bundle;
    return FunctionAt<XLA_FFI_Handler_Register>(*api, version, kSlot)(&args);
  }
  if (version.bundle_size == sizeof(old::XLA_FFI_Handler_Bundle_0_4_31)) {
    auto args = MakeRegistration<old::XLA_FFI_Handler_Register_Args_0_4_31>(name, platform, traits);
    args.bundle = {bundle.instantiate, bundle.prepare, bundle.initialize, bundle.execute};
    return FunctionAt<old::XLA_FFI_Handler_Register_0_4_31>(*api, version, kSlot)(&args);
  }
  if (bundle.instantiate != nullptr) {
    return CreateError(
        api, ErrorCode::kUnimplemented,
        DescribeMissing(*api, "the instantiate stage",
                        ::callbridge::typed_ffi::FirstWithStage(&RuntimeVersion::instantiate))
            .c_str());
  }
  auto args = MakeRegistration<old::XLA_FFI_Handler_Register_Args_0_4_30>(name, platform, traits);
  args.bundle = {bundle.prepare, bundle.initialize, bundle.execute};
  return FunctionAt<old::XLA_FFI_Handler_Register_0_4_30>(*api, version, kSlot)(&args);
}

CALLBRIDGE_FFI_HIDDEN inline XLA_FFI_Error* RegisterStaticHandler(
    const XLA_FFI_Api* api, std::string_view name, std::string_view platform,
    XLA_FFI_Handler* execute, XLA_FFI_Handler_Traits traits = 0) {
  return RegisterStaticHandler(api, name, platform,
                               XLA_FFI_Handler_Bundle{nullptr, nullptr, nullptr, execute, nullptr},
                               traits);
}

// ---- Types --------------------------------------------------------------------------------------

// Registers a type under `name`, which must be unique. The runtime writes `*type_id` if it is 0.
// The caller owns the error. `type_info` may be null if no handler returns a state of that type;
// without the last argument states work too.
CALLBRIDGE_FFI_HIDDEN inline XLA_FFI_Error* RegisterTypeId(const XLA_FFI_Api* api,
                                                           std::string_view name,
                                                           XLA_FFI_TypeId* type_id,
                                                           const XLA_FFI_TypeInfo* type_info) {
  const auto answer = ::callbridge::typed_ffi::RegisterType(
      *api, VersionOf(*api), {name.data(), name.size()}, type_id, type_info);
  if (answer.has_value()) return *answer;
  return CreateError(
      api, ErrorCode::kUnimplemented,
      DescribeMissing(*api, "a type of its own", ApiFunction::kTypeIdRegister).c_str());
}

CALLBRIDGE_FFI_HIDDEN inline XLA_FFI_Error* RegisterTypeId(const XLA_FFI_Api* api,
                                                           std::string_view name,
                                                           XLA_FFI_TypeId* type_id,
                                                           XLA_FFI_TypeInfo type_info) {
  return RegisterTypeId(api, name, type_id, &type_info);
}

CALLBRIDGE_FFI_HIDDEN inline XLA_FFI_Error* RegisterTypeId(const XLA_FFI_Api* api,
                                                           std::string_view name,
                                                           XLA_FFI_TypeId* type_id) {
  return RegisterTypeId(
      api, name, type_id,
      XLA_FFI_TypeInfo{XLA_FFI_TypeInfo_STRUCT_SIZE, nullptr, LateDeleterOf(type_id)});
}

// ---- For the macros -----------------------------------------------------------------------------

// Prints the error of a static registration, which no caller gets. The program goes on: using what
// is missing is an error later.
inline CALLBRIDGE_FFI_COLD bool ReportRegistration(const XLA_FFI_Api* api, const char* what,
                                                   std::string_view name, XLA_FFI_Error* error) {
  if (error == nullptr) return true;
  fprintf(stderr, "xla::ffi: failed to register %s '%.*s': %s\n", what,
          static_cast<int>(name.size()), name.data(), GetErrorMessage(api, error));
  DestroyError(api, error);
  return false;
}

template <typename... Handler>
bool RegisterHandlerAtStart(const XLA_FFI_Api* api, std::string_view name,
                            std::string_view platform, Handler... handler) {
  return ReportRegistration(api, "handler", name,
                            RegisterStaticHandler(api, name, platform, handler...));
}
CALLBRIDGE_FFI_HIDDEN inline bool RegisterHandlerAtStart(const XLA_FFI_Api* api,
                                                         std::string_view name,
                                                         std::string_view platform,
                                                         XLA_FFI_Handler_Bundle bundle,
                                                         XLA_FFI_Handler_Traits traits = 0) {
  return ReportRegistration(api, "handler", name,
                            RegisterStaticHandler(api, name, platform, bundle, traits));
}

template <typename... Info>
bool RegisterTypeAtStart(const XLA_FFI_Api* api, std::string_view name, XLA_FFI_TypeId* type_id,
                         Info... info) {
  return ReportRegistration(api, "type", name, RegisterTypeId(api, name, type_id, info...));
}

}  // namespace internal

CALLBRIDGE_FFI_NAMESPACE_END

// Calls a function of internal:: when the library is loaded. For the macros below.
#define CALLBRIDGE_FFI_AT_START(function, ...) \
  CALLBRIDGE_FFI_AT_START_AT(function, __COUNTER__, __VA_ARGS__)
#define CALLBRIDGE_FFI_AT_START_AT(function, number, ...) \
  CALLBRIDGE_FFI_AT_START_NUMBERED(function, number, __VA_ARGS__)
#define CALLBRIDGE_FFI_AT_START_NUMBERED(function, number, ...)                \
  [[maybe_unused]] static const bool xla_ffi_registered_##number##_at_start_ = \
      ::xla::ffi::internal::function(__VA_ARGS__)

// XLA_FFI_REGISTER_HANDLER(api, name, platform, handler or bundle[, traits])
#define XLA_FFI_REGISTER_HANDLER(API, NAME, PLATFORM, ...) \
  CALLBRIDGE_FFI_AT_START(RegisterHandlerAtStart, API, NAME, PLATFORM, __VA_ARGS__)

// XLA_FFI_REGISTER_TYPE(api, name, &T::id[, type info, or its address])
#define XLA_FFI_REGISTER_TYPE(API, NAME, ...) \
  CALLBRIDGE_FFI_AT_START(RegisterTypeAtStart, API, NAME, __VA_ARGS__)

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_REGISTRATION_H_
