// PrivateCopy: an old binary, rewritten so that this process can load it without the XLA that it
// was built for.
//
// Each undefined symbol that callbridge serves becomes a local, hidden, absolute symbol with our
// function's address as its value. ld.so binds it without a lookup, for lazy PLT, GOT and data
// relocations alike. The TensorFlow libraries are removed from the libraries that it needs. So
// there is no stand-in library, and nothing of callbridge in the global symbol scope.
//
// The addresses are this process's: a copy must not outlive it.
#ifndef CALLBRIDGE_LOADER_PRIVATE_COPY_H_
#define CALLBRIDGE_LOADER_PRIVATE_COPY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "callbridge/adapters/link/old_symbols.h"
#include "callbridge/loader/elf_file.h"

namespace callbridge {

// The library's own constructors, at addresses relative to its load address. The copy hides them
// from ld.so; see LoadedCopy.
struct Constructors {
  uint64_t init_function = 0;  // DT_INIT; 0 if none
  uint64_t init_array = 0;     // DT_INIT_ARRAY: function pointers, which ld.so relocates
  uint64_t init_array_count = 0;
};

struct PrivateCopy {
  ElfFile file;
  Constructors constructors;
  // The libraries that were removed: "libtensorflow_cc.so.2".
  std::vector<std::string> dropped_libraries;
};

// Checks everything in `file` that ld.so reads, and rewrites it, binding `symbols`, and without the
// libraries that it needs by the names `unneeded`. Runs none of its code. Returns INVALID_ARGUMENT,
// naming the table, if one is invalid.
absl::StatusOr<PrivateCopy> MakePrivateCopy(ElfFile file, absl::Span<const OldSymbol> symbols,
                                            absl::Span<const std::string> unneeded = {});

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_PRIVATE_COPY_H_
