// Functions of a file that has no symbols for them, found by their unwind tables.
#ifndef CALLBRIDGE_LOADER_UNNAMED_FUNCTIONS_H_
#define CALLBRIDGE_LOADER_UNNAMED_FUNCTIONS_H_

#include <cstdint>
#include <vector>

#include "callbridge/loader/elf_file.h"

namespace callbridge {

// Returns the addresses, sorted, of the functions whose address the file's code or data takes, as
// they must to pass a function to JAX: the beginnings in the unwind table (.eh_frame_hdr, which
// stripping leaves) to which a `lea` of x86-64 or a word of data refers. Bytes that only look like
// that add functions. Returns nothing if the file has no such table, or one in another encoding
// than GNU's and LLVM's linkers write.
std::vector<uint64_t> AddressTakenFunctions(const ElfFile& file);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_UNNAMED_FUNCTIONS_H_
