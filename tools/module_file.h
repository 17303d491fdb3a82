// HLO modules in files, through the C API of libcallbridge_client.so.
#ifndef CALLBRIDGE_TOOLS_MODULE_FILE_H_
#define CALLBRIDGE_TOOLS_MODULE_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/c_api/callbridge.h"
#include "callbridge/c_api/callbridge_device.h"
#include "callbridge/client/callbridge_module.h"

namespace callbridge {

struct DestroyModule {
  void operator()(callbridge_module* module) const { callbridge_module_destroy(module); }
};
struct DestroyProgram {
  void operator()(callbridge_program* program) const { callbridge_program_destroy(program); }
};
struct CloseDevice {
  void operator()(callbridge_device* device) const { callbridge_device_close(device); }
};
using ModulePointer = std::unique_ptr<callbridge_module, DestroyModule>;
using ProgramPointer = std::unique_ptr<callbridge_program, DestroyProgram>;
using DevicePointer = std::unique_ptr<callbridge_device, CloseDevice>;

// Returns the contents of a file that holds a module of any kind, without the byte order mark of
// UTF-8. Errors name the path. Returns INVALID_ARGUMENT for more bytes than protobuf reads, and for
// text in UTF-16 or UTF-32.
absl::StatusOr<std::string> ReadModuleBytes(const std::string& path);

// Returns true if `bytes` begin as StableHLO text, as MLIR's bytecode or as what jax.export
// serializes. No HLO module begins so.
bool IsStableHlo(absl::string_view bytes);

// Parses what ReadModuleBytes() returned. Errors name the path.
absl::StatusOr<ModulePointer> ReadModule(absl::string_view bytes, const std::string& path);

// Returns the module in one of the forms CALLBRIDGE_MODULE_*.
absl::StatusOr<std::string> WriteModule(const callbridge_module& module, int32_t form);

// Opens the CUDA device `ordinal`.
absl::StatusOr<DevicePointer> OpenDevice(int32_t ordinal);

struct CustomCall {
  std::string target;
  int32_t api_version = 0;  // 0, which none says, to 4
};
// Returns the module's custom calls, XLA's own ones too.
absl::StatusOr<std::vector<CustomCall>> CustomCalls(const callbridge_module& module);

absl::StatusOr<ModulePointer> UpgradeModule(const callbridge_module& module);
// Returns a line for each untyped call that UpgradeModule() leaves alone, with the reason.
absl::StatusOr<std::vector<std::string>> CallsLeft(const callbridge_module& module);

// Compiles the module with the targets of these library files, which stay loaded. If `device` is
// not null, custom calls run there, and `synchronizes` is as in callbridge_execution_context.
absl::StatusOr<ProgramPointer> CompileModule(const callbridge_module& module,
                                             const std::vector<std::string>& libraries,
                                             bool isolate, const callbridge_device* device,
                                             bool synchronizes);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_MODULE_FILE_H_
