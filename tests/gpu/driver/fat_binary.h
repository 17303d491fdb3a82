// What nvcc puts into an object for its kernels: machine code and PTX of several architectures, one
// behind the other. The layout is measured from what nvcc 12 and 13 write; crt/fatbinary_section.h
// of the toolkit has the wrapper.
#ifndef CALLBRIDGE_TESTS_GPU_DRIVER_FAT_BINARY_H_
#define CALLBRIDGE_TESTS_GPU_DRIVER_FAT_BINARY_H_

#include <string>

#include "absl/status/statusor.h"

namespace standin {

// Whether `image` starts as a fat binary.
bool IsFatBinary(const void* image);

// The PTX of the newest architecture up to `compute_capability` (90 is 9.0), decompressed. Returns
// NOT_FOUND, which says what the fat binary has, if there is none: machine code cannot run here.
// Returns INVALID_ARGUMENT if the fat binary is malformed.
absl::StatusOr<std::string> PtxOf(const void* fat_binary, int compute_capability);

}  // namespace standin

#endif  // CALLBRIDGE_TESTS_GPU_DRIVER_FAT_BINARY_H_
