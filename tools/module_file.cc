#include "callbridge/tools/module_file.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "callbridge/client/c_status.h"
#include "callbridge/tools/file_bytes.h"

namespace callbridge {

using client::TakeStatus;

namespace {

// No protobuf message, MLIR bytecode or flatbuffer begins with these bytes.
constexpr absl::string_view kUtf8Mark = "\xEF\xBB\xBF";

struct EncodingMark {
  absl::string_view bytes;
  const char* encoding;
};
// The first match counts.
constexpr EncodingMark kEncodingMarks[] = {
    {absl::string_view("\xFF\xFE\0\0", 4), "UTF-32"},
    {absl::string_view("\0\0\xFE\xFF", 4), "UTF-32"},
    {"\xFF\xFE", "UTF-16"},
    {"\xFE\xFF", "UTF-16"},
};

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

}  // namespace

absl::StatusOr<std::string> ReadModuleBytes(const std::string& path) {
  absl::StatusOr<std::string> bytes = ReadFile(path, /*most=*/INT32_MAX);
  if (!bytes.ok()) return bytes;
  for (const EncodingMark& mark : kEncodingMarks) {
    if (!absl::StartsWith(*bytes, mark.bytes)) continue;
    return absl::InvalidArgumentError(absl::StrCat(path, ": expected UTF-8, found ", mark.encoding,
                                                   ": convert it, as by iconv -f ", mark.encoding,
                                                   " -t UTF-8"));
  }
  if (absl::StartsWith(*bytes, kUtf8Mark)) bytes->erase(0, kUtf8Mark.size());
  return bytes;
}

bool IsStableHlo(absl::string_view bytes) {
  return absl::StartsWith(bytes, "ML\xEFR") || IsMlirText(bytes) || IsFlatbuffer(bytes);
}

absl::StatusOr<ModulePointer> ReadModule(absl::string_view bytes, const std::string& path) {
  callbridge_module* module = nullptr;
  absl::Status read = TakeStatus(callbridge_module_read(bytes.data(), bytes.size(), &module));
  if (!read.ok()) return absl::Status(read.code(), absl::StrCat(path, ": ", read.message()));
  return ModulePointer(module);
}

absl::StatusOr<std::string> WriteModule(const callbridge_module& module, int32_t form) {
  std::string written;
  const auto append = [](void* user, const char* bytes, size_t size) {
    static_cast<std::string*>(user)->append(bytes, size);
  };
  absl::Status status = TakeStatus(callbridge_module_write(&module, form, append, &written));
  if (!status.ok()) return status;
  return written;
}

absl::StatusOr<DevicePointer> OpenDevice(int32_t ordinal) {
  callbridge_device* device = nullptr;
  absl::Status opened = TakeStatus(callbridge_device_open(ordinal, &device));
  if (!opened.ok()) return opened;
  return DevicePointer(device);
}

absl::StatusOr<std::vector<CustomCall>> CustomCalls(const callbridge_module& module) {
  std::vector<CustomCall> calls;
  const auto append = [](void* user, const char* target, size_t size, int32_t api_version) {
    static_cast<std::vector<CustomCall>*>(user)->push_back(
        {std::string(target, size), api_version});
  };
  absl::Status status = TakeStatus(callbridge_module_custom_calls(&module, append, &calls));
  if (!status.ok()) return status;
  return calls;
}

absl::StatusOr<ModulePointer> UpgradeModule(const callbridge_module& module) {
  callbridge_module* upgraded = nullptr;
  absl::Status status = TakeStatus(callbridge_module_upgrade(&module, &upgraded));
  if (!status.ok()) return status;
  return ModulePointer(upgraded);
}

absl::StatusOr<std::vector<std::string>> CallsLeft(const callbridge_module& module) {
  std::vector<std::string> lines;
  const auto append = [](void* user, const char* instruction, const char* target,
                         const char* reason) {
    static_cast<std::vector<std::string>*>(user)->push_back(
        absl::StrCat("left untyped: ", absl::CHexEscape(instruction), ", which calls \"",
                     absl::CHexEscape(target), "\": ", reason));
  };
  absl::Status status = TakeStatus(callbridge_module_calls_left(&module, append, &lines));
  if (!status.ok()) return status;
  return lines;
}

absl::StatusOr<ProgramPointer> CompileModule(const callbridge_module& module,
                                             const std::vector<std::string>& libraries,
                                             bool isolate, const callbridge_device* device,
                                             bool synchronizes) {
  std::vector<const callbridge_library*> loaded;
  for (const std::string& path : libraries) {
    callbridge_library* library = nullptr;
    const auto load = isolate ? callbridge_library_load_isolated : callbridge_library_load;
    absl::Status status = TakeStatus(load(path.c_str(), &library));
    if (!status.ok()) return status;
    loaded.push_back(library);
  }
  callbridge_program* program = nullptr;
  callbridge_error* error = device == nullptr
                                ? callbridge_program_compile(&module, loaded.data(), loaded.size(),
                                                             /*threads=*/1, &program)
                                : callbridge_program_compile_on_device(
                                      &module, loaded.data(), loaded.size(),
                                      /*threads=*/1, device, synchronizes ? 1 : 0, &program);
  absl::Status status = TakeStatus(error);
  if (!status.ok()) return status;
  return ProgramPointer(program);
}

}  // namespace callbridge
