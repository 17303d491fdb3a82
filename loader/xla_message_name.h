// Names of XLA's protobuf messages in symbols, which are any bytes: files are hostile until proved
// otherwise.
#ifndef CALLBRIDGE_LOADER_XLA_MESSAGE_NAME_H_
#define CALLBRIDGE_LOADER_XLA_MESSAGE_NAME_H_

#include "absl/strings/string_view.h"

namespace callbridge {

// The first name in namespace xla that the mangled `symbol` has, and takes the symbol up to its end
// off it: "ShapeProto" of "_ZN3xla10ShapeProtoD1Ev". Empty where there is none; then nothing is
// taken off.
absl::string_view TakeXlaName(absl::string_view* symbol);

// The message that a symbol belongs to: "ShapeProto" for a member, the vtable, the type, or the
// default instance of xla::ShapeProto. Empty for all others, such as functions that take one.
absl::string_view XlaMessageName(absl::string_view symbol);

// Whether the symbol is a function that protobuf generates for an enum of XLA's:
// xla::PrimitiveType_descriptor().
bool IsXlaEnumFunction(absl::string_view symbol);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_XLA_MESSAGE_NAME_H_
