#include "callbridge/tools/module_commands.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "callbridge/loader/files.h"
#include "callbridge/tools/module_file.h"
#include "callbridge/tools/output_file.h"
#include "callbridge/tools/python_program.h"
#include "callbridge/tools/standard_files.h"

namespace callbridge {
namespace {

ExitStatus Write(const callbridge_module& module, const ModuleOptions& options) {
  const absl::StatusOr<std::string> bytes = WriteModule(module, options.form);
  if (!bytes.ok()) return Failure(bytes.status());
  const absl::Status written =
      options.output == "-" ? PrintToStandardOutput(*bytes) : WriteFile(options.output, *bytes, "");
  return written.ok() ? kSuccess : Failure(written);
}

// Makes a file with these bytes the standard input.
absl::Status SetStandardInput(absl::string_view bytes) {
  const FileDescriptor file(memfd_create("callbridge", MFD_CLOEXEC));
  if (!file.is_open()) return absl::ErrnoToStatus(errno, "memfd_create");
  while (!bytes.empty()) {
    const ssize_t count = write(file.number(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return absl::ErrnoToStatus(errno, "memory");
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  if (lseek(file.number(), 0, SEEK_SET) != 0 || dup2(file.number(), STDIN_FILENO) < 0) {
    return absl::ErrnoToStatus(errno, "standard input");
  }
  return absl::OkStatus();
}

// Becomes Python, which runs main() of python/callbridge/_command/_upgrade.py on `input`. Returns
// only if it cannot; `reason` says what Python is for.
ExitStatus GiveToPython(absl::string_view input, const char* form, absl::string_view reason,
                        const ModuleOptions& options) {
  absl::Status given = SetStandardInput(input);
  if (!given.ok()) return Failure(given);
  std::vector<std::string> words = {options.file, options.output, form};
  words.insert(words.end(), options.libraries.begin(), options.libraries.end());
  return BecomePython("_command._upgrade", words, absl::StrCat(reason, ", but"), "Python with jax");
}

// `bytes` are the file's. Returns an error for a form that MLIR does not write.
ExitStatus UpgradeByPython(absl::string_view bytes, const ModuleOptions& options) {
  if (options.form == CALLBRIDGE_MODULE_HLO_PROTO) {
    return Failure(absl::UnimplementedError(
        absl::StrCat(options.file,
                     " is StableHLO, which can be written in its own form, or as text with --form "
                     "stablehlo, but not as an HLO proto")));
  }
  const char* form = options.form == CALLBRIDGE_MODULE_STABLEHLO_TEXT ? "text" : "same";
  return GiveToPython(bytes, options.lists ? "list" : form,
                      absl::StrCat(options.file, " is StableHLO, which jaxlib reads"), options);
}

// Lists these calls of an HLO module, and who has their targets.
ExitStatus ListByPython(const std::vector<CustomCall>& calls, const ModuleOptions& options) {
  // The version, the number of the name's bytes, and the name.
  std::string input;
  for (const CustomCall& call : calls) {
    absl::StrAppend(&input, call.api_version, " ", call.target.size(), "\n", call.target);
  }
  return GiveToPython(input, "list of HLO", "--list asks JAX which targets are registered",
                      options);
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
  const absl::StatusOr<std::vector<std::string>> left = CallsLeft(**module);
  if (!left.ok()) return Failure(left.status());
  for (const std::string& line : *left) {
    std::cerr << "callbridge: " << options.file << ": " << line << "\n";
  }
  const absl::StatusOr<ModulePointer> upgraded = UpgradeModule(**module);
  return upgraded.ok() ? Write(**upgraded, options) : Failure(upgraded.status());
}

}  // namespace callbridge
