// The parts of callbridge.h and callbridge_ffi.h for an XLA that exports nothing.
#include "callbridge/loader/loaded_xla.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "callbridge/c_api/callbridge.h"
#include "callbridge/c_api/callbridge_ffi.h"
#include "callbridge/c_api/ffi_handlers.h"
#include "callbridge/c_api/to_c.h"

using callbridge::FromC;
using callbridge::LoadedXla;
using callbridge::WithoutExceptions;

callbridge_error* callbridge_register_with_loaded_xla(const char* path, const char* name,
                                                      const char* platform, void* function) {
  return WithoutExceptions(
      {{"path", path}, {"name", name}, {"platform", platform}, {"function", function}}, [&] {
        const absl::StatusOr<const LoadedXla*> xla = LoadedXla::Find(path);
        return xla.ok() ? (*xla)->RegisterFunction(name, platform, function) : xla.status();
      });
}

callbridge_error* callbridge_ffi_register_with_loaded_xla(const char* path, const char* name,
                                                          const char* platform,
                                                          const callbridge_ffi_handlers* handlers) {
  return WithoutExceptions(
      {{"path", path}, {"name", name}, {"platform", platform}, {"handlers", handlers}}, [&] {
        const absl::StatusOr<XLA_FFI_Handler_Bundle> bundle = FromC(*handlers);
        if (!bundle.ok()) return bundle.status();
        const absl::StatusOr<const LoadedXla*> xla = LoadedXla::Find(path);
        if (!xla.ok()) return xla.status();
        return (*xla)->RegisterHandlers(name, platform, *bundle, callbridge::TraitsOf(*handlers));
      });
}
