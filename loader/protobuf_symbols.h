// XLA's messages and protobuf, for old binaries that use xla::ShapeProto. They are in
// libcallbridge_client.so and in the libprotobuf.so.32 that it needs. callbridge opens that library
// for the first such binary, so that libcallbridge.so itself is free of protobuf.
#ifndef CALLBRIDGE_LOADER_PROTOBUF_SYMBOLS_H_
#define CALLBRIDGE_LOADER_PROTOBUF_SYMBOLS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "callbridge/adapters/link/old_symbols.h"
#include "callbridge/loader/elf_file.h"

namespace callbridge {

// Returns whether callbridge may serve the symbol, if its library has it. False for messages whose
// layout differs between XLA releases, and for functions that register messages, since protobuf
// ends the process if a name is registered twice.
bool MayServeProtobufSymbol(absl::string_view symbol);

// Returns the addresses of those of `symbols` that callbridge serves, in their order; the names are
// views to `symbols`. Opens the library, which then stays loaded for the life of the process.
// Returns FAILED_PRECONDITION with the reason if the library cannot be opened. Thread-safe.
absl::StatusOr<std::vector<OldSymbol>> FindProtobufSymbols(absl::Span<const std::string> symbols);

// Returns the protobuf symbols (IsProtobufSymbol()) that the file at `path`, read into `file`,
// imports and that no library has which it needs, TensorFlow's aside. Returns none if no symbol of
// a message is among them, since code that uses protobuf alone is not XLA's, and none if the file's
// tables are invalid. Fails as AskLoader(). Runs none of the file's code.
absl::StatusOr<std::vector<std::string>> ProtobufImports(const ElfFile& file,
                                                         const std::string& path);

// Returns the addresses of all of `imports`; the names are views to `imports`. Returns
// FAILED_PRECONDITION if they require a layout other than protobuf 3.21's, or naming those that
// callbridge does not have. Fails as FindProtobufSymbols().
absl::StatusOr<std::vector<OldSymbol>> BindProtobufImports(absl::Span<const std::string> imports);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_PROTOBUF_SYMBOLS_H_
