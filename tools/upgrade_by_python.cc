#include "callbridge/tools/upgrade_by_python.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "callbridge/client/callbridge_module.h"
#include "callbridge/loader/files.h"
#include "callbridge/tools/python_program.h"

namespace callbridge {
namespace {

template <typename Integer>
Integer ReadLittleEndian(absl::string_view bytes, size_t at) {
  Integer value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// jax.export's flatbuffers have no identifier, but a root table that points to its own vtable. The
// first byte of a protobuf, the tag of a name or a module, cannot be an offset aligned to four
// bytes.
bool IsFlatbuffer(absl::string_view bytes) {
  if (bytes.size() < 16) return false;
  const int64_t root = ReadLittleEndian<uint32_t>(bytes, 0);
  if (root < 4 || root % 4 != 0 || root + 4 > static_cast<int64_t>(bytes.size())) return false;
  const int64_t layout = root - ReadLittleEndian<int32_t>(bytes, static_cast<size_t>(root));
  if (layout < 4 || layout % 2 != 0 || layout + 4 > static_cast<int64_t>(bytes.size()))
    return false;
  const int64_t size = ReadLittleEndian<uint16_t>(bytes, static_cast<size_t>(layout));
  return size >= 4 && size % 2 == 0 && layout + size <= static_cast<int64_t>(bytes.size());
}

// Returns true if `bytes` begin as MLIR's printer begins a module: with aliases and locations, or
// the operation.
bool IsMlirText(absl::string_view bytes) {
  absl::string_view text = absl::StripLeadingAsciiWhitespace(bytes);
  // HLO text may also begin with a comment.
  while (absl::StartsWith(text, "//")) {
    text.remove_prefix(std::min(text.find('\n'), text.size()));
    text = absl::StripLeadingAsciiWhitespace(text);
  }
  for (absl::string_view beginning :
       {"module", "builtin.module", "\"builtin.module\"", "func.func", "\"func.func\"", "#", "!"}) {
    if (absl::StartsWith(text, beginning)) return true;
  }
  return false;
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

}  // namespace

bool IsStableHlo(absl::string_view bytes) {
  return absl::StartsWith(bytes, "ML\xEFR") || IsMlirText(bytes) || IsFlatbuffer(bytes);
}

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

ExitStatus ListByPython(const std::vector<CustomCall>& calls, const ModuleOptions& options) {
  // The version, the number of the name's bytes, and the name.
  std::string input;
  for (const CustomCall& call : calls) {
    absl::StrAppend(&input, call.api_version, " ", call.target.size(), "\n", call.target);
  }
  return GiveToPython(input, "list of HLO", "--list asks JAX which targets are registered",
                      options);
}

}  // namespace callbridge
