// Whatever a file holds, to inspect it must neither crash nor run for ever. ld.so is not asked.
#include <cstddef>
#include <cstdint>
#include <string>

#include "callbridge/loader/demangled_name.h"
#include "callbridge/loader/inspection.h"
#include "callbridge/loader/verdict.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  // In a file names are where tables say; here a name is the whole input too.
  callbridge::ReadableName(bytes);
  // Every member of a thin archive is what stands behind the first ELF magic.
  const auto member = [&](const std::string& path) -> absl::StatusOr<std::string> {
    const size_t begin = bytes.find(
        "\x7f"
        "ELF");
    if (begin == std::string::npos) return path;
    return bytes.substr(begin);
  };
  absl::StatusOr<callbridge::Inspection> inspection =
      callbridge::InspectBytes(bytes, "folder/file", member);
  if (inspection.ok()) callbridge::Judge(*inspection);
  return 0;
}
