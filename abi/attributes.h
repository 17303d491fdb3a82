// Attributes: the named attributes of a typed custom call.
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

// Returns the bytes of one element in an attribute: elements of less than a byte take one byte.
size_t AttributeElementBytes(PrimitiveType type);

// A dictionary of scalars, arrays, strings and dictionaries. Copies what it is given. Setting a
// name again replaces its value.
class Attributes {
 public:
  struct Value {
    // Site descriptors use these numbers too (typed_site_descriptor.h).
    enum class Kind : uint8_t { kArray = 0, kDictionary = 1, kScalar = 2, kString = 3 };

    Kind kind;
    PrimitiveType type = PrimitiveType::kInvalid;  // of a scalar or an array
    size_t size = 0;                               // of an array: the number of elements
    std::string bytes;                             // of a scalar, an array or a string
    std::shared_ptr<const Attributes> dictionary;
  };

  // `value` points to one element of `type`, which takes at least a byte.
  Attributes& SetScalar(absl::string_view name, PrimitiveType type, const void* value);
  // `data` points to `size` elements; it may be null if `size` is 0. Elements of less than a byte
  // take a byte each.
  Attributes& SetArray(absl::string_view name, PrimitiveType type, const void* data, size_t size);
  // `text` may hold any bytes.
  Attributes& SetString(absl::string_view name, absl::string_view text);
  Attributes& SetDictionary(absl::string_view name, Attributes dictionary);
  // Sets those of `others` whose names are not set here.
  Attributes& SetMissing(const Attributes& others);

  // Sorted by name, as XLA sorts attributes.
  const std::map<std::string, Value>& values() const { return values_; }

 private:
  std::map<std::string, Value> values_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_ATTRIBUTES_H_
