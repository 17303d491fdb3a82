#include "callbridge/tools/module_commands.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "callbridge/tools/module_file.h"
#include "callbridge/tools/output_file.h"
#include "callbridge/tools/standard_output.h"
#include "callbridge/tools/upgrade_by_python.h"

namespace callbridge {
namespace {

ExitStatus Write(const callbridge_module& module, const ModuleOptions& options) {
  const absl::StatusOr<std::string> bytes = WriteModule(module, options.form);
  if (!bytes.ok()) return Failure(bytes.status());
  const absl::Status written =
      options.output == "-" ? PrintToStandardOutput(*bytes) : WriteFile(options.output, *bytes, "");
  return written.ok() ? kSuccess : Failure(written);
}

}  // namespace

ExitStatus RunShow(const ModuleOptions& options) {
  const absl::StatusOr<std::string> bytes = ReadModuleBytes(options.file);
  if (!bytes.ok()) return Failure(bytes.status());
  const absl::StatusOr<ModulePointer> module = ReadModule(*bytes, options.file);
  return module.ok() ? Write(**module, options) : Failure(module.status());
}

ExitStatus RunUpgrade(const ModuleOptions& options) {
  const absl::StatusOr<std::string> bytes = ReadModuleBytes(options.file);
  if (!bytes.ok()) return Failure(bytes.status());
  if (IsStableHlo(*bytes)) return UpgradeByPython(*bytes, options);
  const absl::StatusOr<ModulePointer> module = ReadModule(*bytes, options.file);
  if (!module.ok()) return Failure(module.status());
  if (options.lists) {
    const absl::StatusOr<std::vector<CustomCall>> calls = CustomCalls(**module);
    return calls.ok() ? ListByPython(*calls, options) : Failure(calls.status());
  }
  const absl::StatusOr<ModulePointer> upgraded = UpgradeModule(**module);
  return upgraded.ok() ? Write(**upgraded, options) : Failure(upgraded.status());
}

}  // namespace callbridge
