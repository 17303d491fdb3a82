// Plugin: an XLA behind PJRT's C API, and its extensions that register custom calls.
#ifndef CALLBRIDGE_PJRT_PLUGIN_H_
#define CALLBRIDGE_PJRT_PLUGIN_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/pjrt/pjrt_c_api.h"
#include "callbridge/pjrt/plugin_versions.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {
namespace pjrt {

// Thread-safe; copies are of the same plugin.
class Plugin {
 public:
  // Reads the API table and the chain of extensions, which must live as long as the process.
  //
  // Returns INVALID_ARGUMENT if the table or the chain is invalid, and says what is wrong with it;
  // UNIMPLEMENTED if the version of the API is unknown, or the plugin has no extension that
  // registers custom calls.
  static absl::StatusOr<Plugin> Open(const PJRT_Api* api);

  // Whether it has the extension for GPU custom calls, which registers for its own platform.
  bool is_gpu() const { return gpu_ != nullptr; }
  const PluginVersion& version() const { return *VersionOfPlugin(api_->pjrt_api_version); }
  // "0.112"
  std::string version_text() const;

  // Whether RegisterHandlers() serves all stages, which it did not in the oldest plugins. Asks the
  // plugin where its version does not tell.
  absl::StatusOr<bool> TakesHandlers() const;

  // Registers a function of version 3 for GPU. XLA ends the process if another function has the
  // name. Returns UNIMPLEMENTED unless is_gpu(), and the plugin's errors.
  absl::Status RegisterFunction(absl::string_view name, void* function) const;

  // Whether RegisterHandlers() takes traits: version 3 of the extension for GPU custom calls, and
  // the FFI extension where it registers handlers.
  bool takes_traits() const {
    return is_gpu() ? gpu_handles_traits_ : register_handler_ != nullptr;
  }

  // Registers typed handlers: for GPU if is_gpu(), whatever `platform` is, and for `platform`
  // otherwise. Handlers of the stage RECORD are left out: XLA executes instead. `traits` are bits
  // of XLA_FFI_HANDLER_TRAITS_*, to which XLA adds those that the handlers report; ignored unless
  // takes_traits(). Returns UNIMPLEMENTED if the plugin does not take the stages of the handlers,
  // and the plugin's errors; not all plugins report all of XLA's (PluginVersion::reports_refusals).
  absl::Status RegisterHandlers(absl::string_view name, absl::string_view platform,
                                const XLA_FFI_Handler_Bundle& handlers,
                                XLA_FFI_Handler_Traits traits) const;

  // Registers a type of state or user data with the plugin's XLA. If `*type_id` is 0, XLA assigns
  // it; otherwise `name` gets that id. `deleter` may be null.
  //
  // Returns UNIMPLEMENTED if the plugin has no FFI extension, or takes no ids
  // (PluginVersion::takes_type_ids); and the plugin's errors.
  absl::Status RegisterType(absl::string_view name, int64_t* type_id, void (*deleter)(void*)) const;

  // What registers: tells plugins apart.
  const void* registrar() const;

 private:
  explicit Plugin(const PJRT_Api* api) : api_(api) {}

  // Reads and destroys an error; null is OK.
  absl::Status TakeStatus(PJRT_Error* error) const;

  const PJRT_Api* api_;
  // Null if the plugin lacks the extension, or it lacks the function.
  PJRT_Error* (*gpu_)(void*) = nullptr;
  bool gpu_handles_traits_ = false;
  PJRT_Error* (*register_type_)(PJRT_FFI_Type_Register_Args*) = nullptr;
  PJRT_Error* (*register_handler_)(PJRT_FFI_Register_Handler_Args*) = nullptr;
};

}  // namespace pjrt
}  // namespace callbridge

#endif  // CALLBRIDGE_PJRT_PLUGIN_H_
