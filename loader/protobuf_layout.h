// ProtobufLayout: for which protobuf code was compiled that uses XLA's messages, such as
// xla::ShapeProto, without having them in it.
//
// protobuf's headers bake the layout of its objects into whoever includes them, and the generated
// accessors that of the messages. Releases differ, and nothing checks it when such code is loaded:
// what it imports has to tell.
#ifndef CALLBRIDGE_LOADER_PROTOBUF_LAYOUT_H_
#define CALLBRIDGE_LOADER_PROTOBUF_LAYOUT_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace callbridge {

// Whether a symbol belongs to one of XLA's messages: xla::ShapeProto::Clear(), the vtable of
// xla::HloModuleProto. Such code has XLA's protobuf baked in.
bool IsXlaMessageSymbol(absl::string_view symbol);

// Whether it is that, or a function of one of XLA's protobuf enums, or has a class of
// google::protobuf in it. All of them have to come from one library.
bool IsProtobufSymbol(absl::string_view symbol);

class ProtobufLayout {
 public:
  // Takes note of a symbol that the code imports.
  void AddImport(absl::string_view symbol);

  // Whether it uses XLA's messages.
  bool is_used() const { return is_used_; }
  // Whether the layout is the one that callbridge has, that of protobuf 3.21.
  bool IsServed() const;

  // "protobuf 3.21", "protobuf 3.12 or older"; "an unknown protobuf" where no import tells.
  // Static storage.
  absl::string_view protobuf() const;

  // Why callbridge cannot serve it, and what to do: "was compiled for ..., since it imports ...".
  std::string Refusal() const;

 private:
  bool is_used_ = false;
  size_t sign_ = SIZE_MAX;  // of the table in the .cc, the first that was seen
  std::string evidence_;    // the symbol that showed it
};

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_PROTOBUF_LAYOUT_H_
