// Attributes: a call's attributes, and EncodedAttributes, what a handler sees of them.
#ifndef CALLBRIDGE_TYPED_FFI_HOST_ATTRIBUTES_H_
#define CALLBRIDGE_TYPED_FFI_HOST_ATTRIBUTES_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "callbridge/abi/primitive_type.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {
namespace host {

// A dictionary of scalars, arrays, strings and dictionaries. Everything is copied into it. A name
// that is set again gets the new value.
class Attributes {
 public:
  // `value` is one element of `type`, of at least a byte.
  Attributes& SetScalar(absl::string_view name, PrimitiveType type, const void* value);
  // `data` is `size` elements, which may be null where `size` is 0. Elements of less than a byte
  // take a byte each.
  Attributes& SetArray(absl::string_view name, PrimitiveType type, const void* data, size_t size);
  // Any bytes.
  Attributes& SetString(absl::string_view name, absl::string_view text);
  Attributes& SetDictionary(absl::string_view name, Attributes dictionary);

 private:
  friend class EncodedAttributes;

  struct Value {
    XLA_FFI_AttrType kind;
    XLA_FFI_DataType type = XLA_FFI_DataType_INVALID;
    size_t size = 0;    // of an array, in elements
    std::string bytes;  // of scalar, array, string
    std::shared_ptr<const Attributes> dictionary;
  };

  std::map<std::string, Value> values_;
};

// The structs that handlers read, sorted by name as XLA has them. Immutable, so thread-safe.
class EncodedAttributes {
 public:
  explicit EncodedAttributes(const Attributes& attributes);
  EncodedAttributes(const EncodedAttributes&) = delete;
  EncodedAttributes& operator=(const EncodedAttributes&) = delete;

  // Lives as long as this object.
  const XLA_FFI_Attrs& get() const { return attrs_; }

  // Without any; lives as long as the process.
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
