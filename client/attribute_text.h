// Parses the attributes of a typed custom call, which a module holds as the text of an MLIR
// dictionary.
#ifndef CALLBRIDGE_CLIENT_ATTRIBUTE_TEXT_H_
#define CALLBRIDGE_CLIENT_ATTRIBUTE_TEXT_H_

#include <memory>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/c_api/callbridge_ffi.h"

namespace callbridge::client {

struct DestroyAttributes {
  void operator()(callbridge_ffi_attributes* attributes) const {
    callbridge_ffi_attributes_destroy(attributes);
  }
};
using OwnedAttributes = std::unique_ptr<callbridge_ffi_attributes, DestroyAttributes>;

struct ParsedAttributes {
  OwnedAttributes values;
  std::set<std::string> names;  // of the outermost dictionary
};

// Parses `{a = 1 : i32, "b" = [..]}` as MLIR prints it: booleans, integers, floats, strings,
// `array<i32: 1, 2>`, `dense<..> : tensor<..>` (its elements in order, without the dimensions) and
// dictionaries of these. An empty text is an empty dictionary. Returns INVALID_ARGUMENT, which
// names the character, counted from 1, and what was expected there; UNIMPLEMENTED, which names the
// attribute, for any other kind or type.
absl::StatusOr<ParsedAttributes> ParseAttributes(absl::string_view text);

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_ATTRIBUTE_TEXT_H_
