// ProtobufLayout: the protobuf release that a binary was compiled for, if it imports XLA's messages
// (xla::ShapeProto) instead of containing them.
//
// protobuf's headers compile the layout of its objects into their users, and the generated
// accessors the layout of the messages. Releases differ, and nothing checks the layout when such a
// binary is loaded; only the symbols that it imports show it.
#ifndef CALLBRIDGE_LOADER_PROTOBUF_LAYOUT_H_
#define CALLBRIDGE_LOADER_PROTOBUF_LAYOUT_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace callbridge {

// ---- Names in symbols. A symbol may be any bytes, since files may be hostile.

// Returns the first name in namespace xla of the mangled `symbol`, and removes the symbol up to the
// end of that name: "ShapeProto" for "_ZN3xla10ShapeProtoD1Ev". Returns an empty string, and
// removes nothing, if there is none.
absl::string_view TakeXlaName(absl::string_view* symbol);

// Returns the message that a symbol belongs to: "ShapeProto" for a member, the vtable, the type or
// the default instance of xla::ShapeProto. Returns an empty string for all other symbols, such as
// functions that take a message.
absl::string_view XlaMessageName(absl::string_view symbol);

// Returns whether the symbol is a function that protobuf generates for an enum of XLA:
// xla::PrimitiveType_descriptor().
bool IsXlaEnumFunction(absl::string_view symbol);

// Returns whether the symbol belongs to one of XLA's messages: xla::ShapeProto::Clear(), the vtable
// of xla::HloModuleProto. Code that imports one depends on the layout of XLA's protobuf.
bool IsXlaMessageSymbol(absl::string_view symbol);

// Returns whether the symbol belongs to one of XLA's messages, is a function of one of XLA's
// protobuf enums, or names a class of google::protobuf. All such symbols of a binary must come from
// one library.
bool IsProtobufSymbol(absl::string_view symbol);

// ---- The layout

class ProtobufLayout {
 public:
  // Adds a symbol that the binary imports. Ignores symbols that do not show the layout.
  void AddImport(absl::string_view symbol);

  // Returns whether the binary uses XLA's messages.
  bool is_used() const { return is_used_; }
  // Returns whether the layout is the one that callbridge has, that of protobuf 3.21.
  bool IsServed() const;

  // Returns "protobuf 3.21" or "protobuf 3.11 or older"; "an unknown protobuf" if no import shows
  // it. In static storage.
  absl::string_view protobuf() const;

  // Returns why callbridge cannot serve the layout, and what to do: "was compiled for ... (it
  // imports ...) ...".
  std::string Refusal() const;

 private:
  bool is_used_ = false;
  size_t sign_ = SIZE_MAX;  // the first row of kSigns that was seen
  std::string evidence_;    // the symbol that showed it
};

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_PROTOBUF_LAYOUT_H_
