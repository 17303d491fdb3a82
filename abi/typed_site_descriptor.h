// The typed site descriptor: the call site of a typed FFI handler as bytes. It reaches the handler
// as the opaque of a version-3 call, through a runtime without FFI. Such a call passes pointers
// only, so unlike the descriptor of an untyped target's site (site_descriptor.h) this one holds all
// that the handler's call frame must say: types, dimensions, attributes.
//
// Format, version 2 of site descriptors; numbers are u64 and little-endian:
// clang-format off
//   8 bytes     kTypedSiteDescriptorMagic
//   leaves      of the operands: a count, then each leaf
//   leaves      of the result
//   dictionary  the attributes
//
//   leaf        u8 PrimitiveType, not kTuple; for an array, a count of dimensions, then each
//   dictionary  a count of attributes, then each: name, u8 Attributes::Value::Kind, value
//   name        a count of bytes, then these; names are distinct and in ascending order of their bytes
//   string      a count of bytes, then these
//   scalar      u8 PrimitiveType, one element
//   array       u8 PrimitiveType, a count of elements, then these
//   element     as in memory, little-endian; elements of less than a byte take a byte each
// clang-format on
// Layouts, the tuple layout and the tuples around the leaves are left out: handlers do not see
// them. The same site always has the same descriptor.
//
// Version 3, of a call that also gives its target scratch memory: version 3 provides none, so the
// caller adds a result, which is the memory. No leaf describes it.
// clang-format off
//   8 bytes     kScratchSiteDescriptorMagic
//   size        u64, of the call's last result, an array of so many bytes; not 0
//   the rest    as of version 2, behind its magic
// clang-format on
#ifndef CALLBRIDGE_ABI_TYPED_SITE_DESCRIPTOR_H_
#define CALLBRIDGE_ABI_TYPED_SITE_DESCRIPTOR_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/call_site.h"

namespace callbridge {

inline constexpr char kTypedSiteDescriptorMagic[9] = "\xCB\0site\0\2";
inline constexpr char kScratchSiteDescriptorMagic[9] = "\xCB\0site\0\3";

// The deepest nesting of dictionaries in a descriptor; the attributes themselves are the first
// level.
inline constexpr int kMaxDictionaryDepth = 64;

// Returns the descriptor of `site`: its operands, result, attributes and scratch_bytes. Returns
// INVALID_ARGUMENT if it has an opaque, which typed handlers do not get, or dictionaries nested
// deeper than kMaxDictionaryDepth.
absl::StatusOr<std::string> EncodeTypedSiteDescriptor(const CallSite& site);

// Returns true if `bytes` begin as a typed site descriptor does.
bool IsTypedSiteDescriptor(absl::string_view bytes);

// Returns the site that a descriptor describes, with API version kTypedFfi. Its operands are
// leaves; its result is a tuple of leaves, also of a single one. Returns INVALID_ARGUMENT, which
// names the byte after the magic and what was expected there.
absl::StatusOr<CallSite> DecodeTypedSiteDescriptor(absl::string_view bytes);

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_TYPED_SITE_DESCRIPTOR_H_
