// The parts of callbridge.h and callbridge_ffi.h that tell what functions and files are.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "callbridge/c_api/callbridge.h"
#include "callbridge/c_api/callbridge_ffi.h"
#include "callbridge/c_api/to_c.h"
#include "callbridge/loader/inspected_file.h"
#include "callbridge/loader/inspection_json.h"
#include "callbridge/loader/typed_probe.h"
#include "callbridge/mindspore_aot/aot_library.h"
#include "callbridge/mindspore_aot/operator_inspection.h"

using callbridge::InspectedFile;
using callbridge::WithoutExceptions;
using callbridge::mindspore_aot::InspectOperator;
using callbridge::mindspore_aot::NamesAotOperator;

namespace {

// Returns the text with its NUL, for callbridge_bytes_free.
char* CopyOf(const std::string& text) {
  const size_t size = text.size() + 1;
  char* copy = new char[size];
  std::copy_n(text.c_str(), size, copy);
  return copy;
}

}  // namespace

callbridge_error* callbridge_probe_typed(const void* address, int32_t* verdict, char** evidence) {
  return WithoutExceptions({{"address", address}, {"verdict", verdict}}, [&] {
    const callbridge::TypedAnswer answer = callbridge::ProbeTyped(address);
    if (evidence != nullptr) *evidence = CopyOf(answer.evidence);
    *verdict = static_cast<int32_t>(answer.verdict);
    return absl::OkStatus();
  });
}

callbridge_error* callbridge_inspect(const char* path, int32_t probes, char** json) {
  return WithoutExceptions({{"path", path}, {"json", json}}, [&] {
    const absl::StatusOr<InspectedFile> file =
        NamesAotOperator(path) ? InspectOperator(path) : callbridge::InspectFile(path, probes != 0);
    if (!file.ok()) {
      return absl::Status(file.status().code(), absl::StrCat(path, ": ", file.status().message()));
    }
    *json = CopyOf(callbridge::JsonOfFile(*file));
    return absl::OkStatus();
  });
}

callbridge_error* callbridge_ffi_runtime_versions(char** json) {
  return WithoutExceptions({{"json", json}}, [&] {
    *json = CopyOf(callbridge::RuntimeVersionsJson());
    return absl::OkStatus();
  });
}

static_assert(static_cast<int>(callbridge::TypedVerdict::kUnverified) ==
                  CALLBRIDGE_PROBE_UNVERIFIED &&
              static_cast<int>(callbridge::TypedVerdict::kTyped) == CALLBRIDGE_PROBE_TYPED &&
              static_cast<int>(callbridge::TypedVerdict::kNotTyped) == CALLBRIDGE_PROBE_NOT_TYPED);
