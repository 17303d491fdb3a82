// The site descriptor: the few bytes that pass what differs per call site (tuple trees, tuple
// layout, the user's opaque) through a runtime that knows nothing of it: in the attribute
// kSiteDescriptorAttribute of a typed call, in the opaque of a version-3 call. A call whose
// operands and results are all arrays, of a target that reads no opaque, needs none.
//
// Format, little-endian, version 1:
// clang-format off
//   8 bytes    kSiteDescriptorMagic
//   u32        size of the tree part in bytes
//   tree part  u8 tuple layout (TupleLayout), u32 operand count, the operands' trees, the result's tree
//   the rest   the opaque, any bytes
//
//   tree       u8 PrimitiveType; after kTuple a u32 element count and the elements' trees
// clang-format on
// Dimensions are left out: XLA checks them, and they change under vmap and shape-polymorphic export
// while the tree does not. So an array leaf decodes to a Shape of rank 0.
#ifndef CALLBRIDGE_ABI_SITE_DESCRIPTOR_H_
#define CALLBRIDGE_ABI_SITE_DESCRIPTOR_H_

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/call_site.h"

namespace callbridge {

inline constexpr char kSiteDescriptorAttribute[] = "callbridge_site";
// Begins with a byte that no UTF-8 text contains, so that no text is mistaken for a descriptor.
inline constexpr char kSiteDescriptorMagic[9] = "\xCB\0site\0\1";
inline constexpr size_t kSiteDescriptorMagicSize = 8;

struct SiteDescriptor {
  TupleLayout tuple_layout = TupleLayout::kNested;
  std::vector<Shape> operands;  // arrays of rank 0, tokens, tuples of those
  Shape result;
};

// Returns the descriptor of `site`: its tuple layout, operands, result and opaque. Leaves out the
// rest.
std::string EncodeSiteDescriptor(const CallSite& site);

// Returns true if `bytes` begin as a descriptor does.
inline bool IsSiteDescriptor(const char* bytes, size_t size) {
  return size >= kSiteDescriptorMagicSize &&
         std::memcmp(bytes, kSiteDescriptorMagic, kSiteDescriptorMagicSize) == 0;
}

// The two parts of a descriptor, views into `bytes`. `tree` identifies everything but the opaque.
struct SiteDescriptorParts {
  absl::string_view tree;
  absl::string_view opaque;
};
// Returns INVALID_ARGUMENT if the magic or the tree's size is wrong. Constant time.
absl::StatusOr<SiteDescriptorParts> SplitSiteDescriptor(absl::string_view bytes);

// Reads SiteDescriptorParts::tree. Returns INVALID_ARGUMENT, which names the byte and what was
// expected there, for an unknown tuple layout or type, a count that reaches past the end, tuples
// deeper than Shape::kMaxTupleDepth, or bytes left over.
absl::StatusOr<SiteDescriptor> DecodeSiteTree(absl::string_view tree);

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_SITE_DESCRIPTOR_H_
