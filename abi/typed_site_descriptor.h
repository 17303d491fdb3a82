// The typed site descriptor: the call site of a typed FFI handler as bytes, which reach it as the
// opaque of a version-3 call, through a runtime that has no FFI. Such a call brings pointers alone,
// so unlike the descriptor of an untyped target's site (site_descriptor.h) this one holds all that
// the handler's call frame tells: types, dimensions, attributes.
//
// Format, numbers being u64 and little-endian, version 2 of site descriptors:
//   8 bytes     kTypedSiteDescriptorMagic
//   leaves      of the operands: a count, then each
//   leaves      of the result
//   dictionary  the attributes
// leaf: u8 PrimitiveType, no tuple; behind an array's, a count of dimensions, then each
// dictionary: a count of attributes, then each: name, u8 Attributes::Value::Kind, value. Names are
//   in ascending order of their bytes and differ, so that one site has one descriptor.
// name and string: a count of bytes, then these
// scalar: u8 PrimitiveType, one element; array: u8 PrimitiveType, a count of elements, then these.
//   Elements are as they lie in memory, little-endian, those of less than a byte a byte each.
// Layouts, the tuple layout and the tuples around the leaves are not carried: handlers see none of
// them.
#ifndef CALLBRIDGE_ABI_TYPED_SITE_DESCRIPTOR_H_
#define CALLBRIDGE_ABI_TYPED_SITE_DESCRIPTOR_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/call_site.h"

namespace callbridge {

inline constexpr char kTypedSiteDescriptorMagic[9] = "\xCB\0site\0\2";

// Dictionaries in dictionaries that a descriptor may hold, the attributes themselves being the
// first.
inline constexpr int kMaxDictionaryDepth = 64;

// The descriptor of `site`: its operands, result and attributes. INVALID_ARGUMENT where it has an
// opaque, which typed handlers are not given, or dictionaries deeper than kMaxDictionaryDepth.
absl::StatusOr<std::string> EncodeTypedSiteDescriptor(const CallSite& site);

// True if `bytes` begin as a typed site descriptor does.
bool IsTypedSiteDescriptor(absl::string_view bytes);

// The site that a descriptor describes, of API version kTypedFfi. Its operands are leaves, its
// result is the tuple of leaves, also where that is one. INVALID_ARGUMENT says at which byte behind
// the magic and what was expected there.
absl::StatusOr<CallSite> DecodeTypedSiteDescriptor(absl::string_view bytes);

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_TYPED_SITE_DESCRIPTOR_H_
