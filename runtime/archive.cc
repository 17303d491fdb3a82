#include "callbridge/runtime/archive.h"

#include <ar.h>

#include <cstdint>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"

namespace callbridge {

bool IsArchive(absl::string_view bytes) { return absl::StartsWith(bytes, ARMAG); }

void VisitMembers(absl::string_view archive, absl::FunctionRef<void(absl::string_view)> visit) {
  if (!absl::ConsumePrefix(&archive, ARMAG)) return;
  ar_hdr header;
  while (archive.size() >= sizeof(header)) {
    std::memcpy(&header, archive.data(), sizeof(header));
    archive.remove_prefix(sizeof(header));
    uint64_t size = 0;
    const absl::string_view magic(header.ar_fmag, sizeof(header.ar_fmag));
    const absl::string_view digits(header.ar_size, sizeof(header.ar_size));
    if (magic != ARFMAG || !absl::SimpleAtoi(digits, &size) || size > archive.size()) return;
    visit(archive.substr(0, size));
    archive.remove_prefix(size);
    if (size % 2 == 1) absl::ConsumePrefix(&archive, "\n");  // members begin at even offsets
  }
}

}  // namespace callbridge
