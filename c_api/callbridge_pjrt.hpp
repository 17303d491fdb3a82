// callbridge_pjrt.hpp: the C++17 form of callbridge_pjrt.h, which registers targets with an XLA
// behind PJRT's C API. Errors are results, as in callbridge.hpp.
//
// Header-only, standard library alone. Link to libcallbridge.so.
#ifndef CALLBRIDGE_C_API_CALLBRIDGE_PJRT_HPP_
#define CALLBRIDGE_C_API_CALLBRIDGE_PJRT_HPP_

#include <cstddef>
#include <cstdint>
#include <string>

#include "callbridge/c_api/callbridge.hpp"
#include "callbridge/c_api/callbridge_pjrt.h"

namespace callbridge {
inline namespace cpp_v1 {

// How targets are registered: as in callbridge_pjrt_options.
struct PjrtOptions {
  std::string platform;                    // of a library's targets; empty: the plugin's
  int32_t prefer = 0;                      // 4 (typed FFI), 3 (untyped), or 0 for the fastest
  bool command_buffer_compatible = false;  // as in callbridge_pjrt_options

  // Returns the C struct, which refers to this object's text.
  callbridge_pjrt_options ToC() const {
    return {sizeof(callbridge_pjrt_options), platform.empty() ? nullptr : platform.c_str(), prefer,
            command_buffer_compatible ? 1 : 0};
  }
};

// Registers `target` with the plugin, as callbridge_pjrt_register does. Returns the api_version by
// which programs call it: 4 or 3.
inline Result<int32_t> RegisterWithPjrt(const PJRT_Api* api, const Target& target,
                                        const PjrtOptions& options = {}) {
  if (callbridge_error* error = CheckTexts(target)) return Error(error);
  const callbridge_target c_target = ToC(target);
  const callbridge_pjrt_options c_options = options.ToC();
  int32_t api_version = 0;
  if (callbridge_error* error =
          callbridge_pjrt_register(api, &c_target, &c_options, &api_version)) {
    return Error(error);
  }
  return api_version;
}

// Registers the library's targets, as callbridge_pjrt_register_library does. Returns the
// api_version, as above.
inline Result<int32_t> RegisterWithPjrt(const PJRT_Api* api, const Library& library,
                                        const PjrtOptions& options = {}) {
  if (callbridge_error* error = c_form::CheckNoNul("a platform", options.platform)) {
    return Error(error);
  }
  const callbridge_pjrt_options c_options = options.ToC();
  int32_t api_version = 0;
  if (callbridge_error* error =
          callbridge_pjrt_register_library(api, library.get(), &c_options, nullptr, &api_version)) {
    return Error(error);
  }
  return api_version;
}

// Registers a type of user data with the plugin, as callbridge_pjrt_register_type does. Returns its
// id for PJRT_FFI_UserData.
inline Result<int64_t> RegisterTypeWithPjrt(const PJRT_Api* api, const std::string& name,
                                            void (*deleter)(void*) = nullptr) {
  if (callbridge_error* error = c_form::CheckNoNul("a type's name", name)) return Error(error);
  int64_t type_id = 0;
  if (callbridge_error* error =
          callbridge_pjrt_register_type(api, name.c_str(), &type_id, deleter)) {
    return Error(error);
  }
  return type_id;
}

}  // namespace cpp_v1
}  // namespace callbridge

#endif  // CALLBRIDGE_C_API_CALLBRIDGE_PJRT_HPP_
