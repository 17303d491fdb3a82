// What callbridge has of XLA's messages and of protobuf, for old binaries that use xla::ShapeProto:
// in libcallbridge_client.so and the libprotobuf.so.32 that it needs, which are opened when the
// first such binary comes. libcallbridge.so itself is free of protobuf.
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

// Whether callbridge would serve the symbol, if its library has it. Not what belongs to messages
// whose layout differs between XLAs, nor what registers messages: protobuf ends the process where
// one name is registered twice.
bool MayServeProtobufSymbol(absl::string_view symbol);

// The addresses of those of `symbols` that callbridge has; views to `symbols`. Opens the library,
// for good. FAILED_PRECONDITION where that cannot be: it says why. Thread-safe.
absl::StatusOr<std::vector<OldSymbol>> FindProtobufSymbols(absl::Span<const std::string> symbols);

// The symbols of protobuf and of XLA's messages that the file at `path`, read into `file`, imports
// and that no library has that it needs, TensorFlow's aside. Empty where none is of a message: code
// that uses protobuf alone is not XLA's. Runs nothing. Of a file whose tables are bad it says
// nothing.
absl::StatusOr<std::vector<std::string>> ProtobufImports(const ElfFile& file,
                                                         const std::string& path);

// Those with their addresses; views to `imports`. FAILED_PRECONDITION where they are of another
// layout than protobuf 3.21's, or callbridge has not all of them: the message names them.
absl::StatusOr<std::vector<OldSymbol>> BindProtobufImports(absl::Span<const std::string> imports);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_PROTOBUF_SYMBOLS_H_
