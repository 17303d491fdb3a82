// Reads the attributes of a call of an exported function: the site descriptor and the opaque.
//
// Standard library alone: this header goes into other people's builds.
#ifndef CALLBRIDGE_ADAPTERS_EXPORTS_CALL_ATTRIBUTES_H_
#define CALLBRIDGE_ADAPTERS_EXPORTS_CALL_ATTRIBUTES_H_

#include <stdint.h>
#include <string.h>

#include <string>
#include <string_view>

#include "callbridge/adapters/exports/call_error.h"

#pragma GCC visibility push(hidden)
namespace callbridge {
inline namespace callbridge_v1 {
namespace exports {

// The format of abi/site_descriptor.h, which writes these bytes. A test compares the two.
inline constexpr std::string_view kSiteAttribute = "callbridge_site";
inline constexpr std::string_view kSiteMagic{"\xCB\0site\0\1", 8};

// Views of the call frame. A null `tree` means that the call has no site descriptor.
struct CallAttributes {
  std::string_view tree;  // of a site descriptor
  std::string_view opaque = "";
};

inline uint32_t ReadU32(const char* bytes) {
  uint32_t value;
  memcpy(&value, bytes, sizeof(value));
  return value;
}

// Gets the bytes of a string or of an array of uint8, which JAX makes of Python's bytes and of a
// NumPy array. Returns false for other attributes.
inline bool AttributeBytes(const XLA_FFI_Attrs& attrs, int64_t i, std::string_view& bytes) {
  if (attrs.types[i] == XLA_FFI_AttrType_STRING) {
    const auto& text = *static_cast<const XLA_FFI_ByteSpan*>(attrs.attrs[i]);
    bytes = std::string_view(text.ptr, text.len);
    return true;
  }
  if (attrs.types[i] != XLA_FFI_AttrType_ARRAY) return false;
  const auto& array = *static_cast<const XLA_FFI_Array*>(attrs.attrs[i]);
  if (array.dtype != XLA_FFI_DataType_U8) return false;
  bytes = std::string_view(static_cast<const char*>(array.data), array.size);
  return true;
}

// Reads both attributes into `found`, and ignores all others. Returns null or the error.
[[gnu::noinline]] inline XLA_FFI_Error* ReadAttributes(const XLA_FFI_CallFrame& frame,
                                                       std::string_view opaque_attribute,
                                                       CallAttributes& found) {
  for (int64_t i = 0; i < frame.attrs.size; ++i) {
    const std::string_view name(frame.attrs.names[i]->ptr, frame.attrs.names[i]->len);
    const bool is_site = name == kSiteAttribute;
    if (!is_site && name != opaque_attribute) continue;
    std::string_view bytes;
    if (!AttributeBytes(frame.attrs, i, bytes)) {
      return InvalidArgument(*frame.api, "attribute \"" + std::string(name) +
                                             "\" is neither a string nor an array of uint8");
    }
    if (!is_site) {
      found.opaque = bytes;
      continue;
    }
    constexpr size_t kHeader = kSiteMagic.size() + sizeof(uint32_t);
    if (bytes.size() < kHeader || bytes.substr(0, kSiteMagic.size()) != kSiteMagic ||
        ReadU32(bytes.data() + kSiteMagic.size()) > bytes.size() - kHeader) {
      return InvalidArgument(*frame.api,
                             "attribute \"callbridge_site\" is no site descriptor of version 1");
    }
    const uint32_t tree_size = ReadU32(bytes.data() + kSiteMagic.size());
    found.tree = bytes.substr(kHeader, tree_size);
    found.opaque = bytes.substr(kHeader + tree_size);
  }
  return nullptr;
}

}  // namespace exports
}  // namespace callbridge_v1
}  // namespace callbridge
#pragma GCC visibility pop

#endif  // CALLBRIDGE_ADAPTERS_EXPORTS_CALL_ATTRIBUTES_H_
