#include "callbridge/tools/audit_command.h"

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "callbridge/loader/child_process.h"
#include "callbridge/tools/python_program.h"
#include "callbridge/typed_ffi/runtime_versions.h"
#include "nlohmann/json.hpp"

namespace callbridge {
namespace {

using Json = nlohmann::ordered_json;
using typed_ffi::RuntimeVersion;

constexpr char kAuditDescription[] =
    "Says on which releases of jaxlib the custom calls of a wheel, a folder or a library run, and "
    "where its Requires-Dist admits others";

constexpr char kAuditFooter[] =
    R"(For each shared library: its custom calls, their ABIs, the XLA FFI version of typed handlers, the
releases of jaxlib that they run on natively, and those that they run on through callbridge. These are
compared with what the wheel requires of jax and jaxlib; a folder may be an unpacked wheel.

None of the wheel's code runs. The bytes of a typed handler seldom tell its version: it is "unknown" then.
--probe asks it, in a separate process; that runs the library's constructors, and functions that may do
anything. Python code is not read: a package may also ask for names that JAX has removed.

It runs python3, or CALLBRIDGE_PYTHON; a requirement on jax is read by its library `packaging`.

Examples
  callbridge audit my_package-1.0-cp311-cp311-manylinux_2_28_x86_64.whl
  callbridge audit --strict --probe --table dist/my_package-1.0-cp311-cp311-manylinux_2_28_x86_64.whl
  callbridge audit libmine.so --jax '>=0.6'

Exit status: 0 on success, 1 if PATH could not be audited or, with --strict, if a requirement admits a
release that a custom call does not run on; 2 if the command line is wrong.)";

// Whether a runtime of one row registers handlers with the headers of another.
bool Registers(const RuntimeVersion& row, const RuntimeVersion& headers) {
  if (&headers == &row) return true;
  return row.metadata_size != 0 && headers.metadata_size != 0 &&
         typed_ffi::AcceptsHandlers(row, XLA_FFI_API_MAJOR, headers.minor);
}

// The rows of XLA FFI's versions, for Python.
Json RuntimeVersionsJson() {
  Json rows = Json::array();
  for (const RuntimeVersion& row : typed_ffi::kRuntimeVersions) {
    Json accepts = Json::array();
    Json keeps_state = Json::array();
    for (const RuntimeVersion& headers : typed_ffi::kRuntimeVersions) {
      accepts.push_back(Registers(row, headers));
      keeps_state.push_back(Registers(row, headers) && headers.state == row.state);
    }
    rows.push_back({{"minor", row.minor},
                    {"releases", row.releases},
                    {"has_metadata", row.metadata_size != 0},
                    {"accepts", accepts},
                    {"keeps_state", keeps_state}});
  }
  return rows;
}

}  // namespace

CLI::App* AddAuditCommand(CLI::App* app, AuditOptions* options) {
  CLI::App* audit = app->add_subcommand("audit", kAuditDescription);
  audit->footer(kAuditFooter);
  audit->add_option("PATH", options->path, "A wheel, a folder or a shared library")
      ->type_name("")
      ->required();
  audit
      ->add_option("--jax", options->jax,
                   "The releases of JAX to compare with, as in '>=0.6', "
                   "instead of the wheel's requirements")
      ->type_name("SPECIFIER");
  auto* json = audit->add_flag("--json", options->json, "Print JSON: one object");
  audit->add_flag("--table", options->table, "Print a Markdown table, as for a CI summary")
      ->excludes(json);
  audit->add_flag("--strict", options->strict,
                  "Exit with 1 if a requirement admits a release that "
                  "a custom call does not run on");
  audit->add_flag("--probe", options->probe, "Ask functions whether they are typed FFI handlers");
  return audit;
}

ExitStatus RunAudit(const AuditOptions& options) {
  const absl::StatusOr<std::string> command = FindHelperProgram("callbridge", "CALLBRIDGE_COMMAND");
  if (!command.ok()) return Failure(command.status());
  const Json request = {{"json", options.json},
                        {"table", options.table},
                        {"strict", options.strict},
                        {"probe", options.probe},
                        {"runtime_versions", RuntimeVersionsJson()}};
  return BecomePython("_audit._command", {options.path, *command, options.jax, request.dump()},
                      "callbridge audit is a Python program, but", "Python with packaging");
}

}  // namespace callbridge
