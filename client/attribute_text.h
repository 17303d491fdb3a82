// The attributes of a typed custom call, which a module has as the text of an MLIR dictionary.
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

// `{a = 1 : i32, "b" = [..]}` as MLIR prints it: booleans, integers and floats, strings,
// `array<i32: 1, 2>`, `dense<..> : tensor<..>` (its elements in order, whatever its dimensions) and
// dictionaries of them. An empty text is an empty dictionary. INVALID_ARGUMENT tells at which
// character, counted from 1, what was expected; UNIMPLEMENTED names the attribute whose kind or
// type is another.
absl::StatusOr<ParsedAttributes> ParseAttributes(absl::string_view text);

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_ATTRIBUTE_TEXT_H_
