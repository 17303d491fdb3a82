// Whatever bytes a call brings as its site descriptor, reading them must neither crash nor run for
// ever, and what is read is written as it was.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "absl/strings/string_view.h"
#include "callbridge/abi/site_descriptor.h"
#include "callbridge/abi/typed_site_descriptor.h"

namespace {

using callbridge::CallSite;

void ReadTyped(absl::string_view bytes) {
  const absl::StatusOr<CallSite> site = callbridge::DecodeTypedSiteDescriptor(bytes);
  if (site.ok() && *callbridge::EncodeTypedSiteDescriptor(*site) != bytes) std::abort();
}

void ReadUntyped(absl::string_view bytes) {
  const absl::StatusOr<callbridge::SiteDescriptorParts> parts =
      callbridge::SplitSiteDescriptor(bytes);
  if (!parts.ok()) return;
  absl::StatusOr<callbridge::SiteDescriptor> tree = callbridge::DecodeSiteTree(parts->tree);
  if (!tree.ok()) return;
  CallSite site;
  site.tuple_layout = tree->tuple_layout;
  site.operands = tree->operands;
  site.result = tree->result;
  site.opaque = std::string(parts->opaque);
  if (callbridge::EncodeSiteDescriptor(site) != bytes) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  ReadTyped(bytes);
  ReadUntyped(bytes);
  return 0;
}
