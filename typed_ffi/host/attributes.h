// EncodedAttributes: a call's attributes as the structs that handlers read.
#ifndef CALLBRIDGE_TYPED_FFI_HOST_ATTRIBUTES_H_
#define CALLBRIDGE_TYPED_FFI_HOST_ATTRIBUTES_H_

#include <memory>
#include <string>
#include <vector>

#include "callbridge/abi/attributes.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {
namespace host {

// Sorted by name, as XLA passes them. Immutable, so thread-safe.
class EncodedAttributes {
 public:
  explicit EncodedAttributes(const Attributes& attributes);
  EncodedAttributes(const EncodedAttributes&) = delete;
  EncodedAttributes& operator=(const EncodedAttributes&) = delete;

  // Valid as long as this object.
  const XLA_FFI_Attrs& get() const { return attrs_; }

  // No attributes. Valid as long as the process.
  static const XLA_FFI_Attrs& None();

 private:
  struct Entry {
    std::string name;
    std::unique_ptr<char[]> bytes;
    XLA_FFI_ByteSpan name_span;
    union {
      XLA_FFI_Scalar scalar;
      XLA_FFI_Array array;
      XLA_FFI_ByteSpan string;
    };
    std::unique_ptr<const EncodedAttributes> dictionary;
  };

  void Encode(Entry& entry, const std::string& name, const Attributes::Value& value);

  std::unique_ptr<Entry[]> entries_;
  std::vector<XLA_FFI_AttrType> types_;
  std::vector<XLA_FFI_ByteSpan*> names_;
  std::vector<void*> values_;
  XLA_FFI_Attrs attrs_;
};

}  // namespace host
}  // namespace callbridge

#endif  // CALLBRIDGE_TYPED_FFI_HOST_ATTRIBUTES_H_
