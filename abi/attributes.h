// Attributes: what a program says to a typed custom call besides its operands, by name.
#ifndef CALLBRIDGE_ABI_ATTRIBUTES_H_
#define CALLBRIDGE_ABI_ATTRIBUTES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "callbridge/abi/primitive_type.h"

namespace callbridge {

// Bytes of one element as attributes hold it: elements of less than a byte take one.
size_t AttributeElementBytes(PrimitiveType type);

// A dictionary of scalars, arrays, strings and dictionaries. Everything is copied into it. A name
// that is set again gets the new value.
class Attributes {
 public:
  struct Value {
    // Numbers that site descriptors hold too (typed_site_descriptor.h).
    enum class Kind : uint8_t { kArray = 0, kDictionary = 1, kScalar = 2, kString = 3 };

    Kind kind;
    PrimitiveType type = PrimitiveType::kInvalid;  // of scalar, array
    size_t size = 0;                               // of an array, in elements
    std::string bytes;                             // of scalar, array, string
    std::shared_ptr<const Attributes> dictionary;
  };

  // `value` is one element of `type`, of at least a byte.
  Attributes& SetScalar(absl::string_view name, PrimitiveType type, const void* value);
  // `data` is `size` elements, which may be null where `size` is 0. Elements of less than a byte
  // take a byte each.
  Attributes& SetArray(absl::string_view name, PrimitiveType type, const void* data, size_t size);
  // Any bytes.
  Attributes& SetString(absl::string_view name, absl::string_view text);
  Attributes& SetDictionary(absl::string_view name, Attributes dictionary);

  // By name, as XLA sorts them.
  const std::map<std::string, Value>& values() const { return values_; }

 private:
  std::map<std::string, Value> values_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_ATTRIBUTES_H_
