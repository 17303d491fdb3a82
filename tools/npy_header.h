// The header of NumPy's .npy files: magic, version, and a Python dictionary in text.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#ifndef CALLBRIDGE_TOOLS_NPY_HEADER_H_
#define CALLBRIDGE_TOOLS_NPY_HEADER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace callbridge {

struct NpyHeader {
  // NumPy's name of the element type: "<f4".
  std::string descr;
  bool fortran_order = false;
  // Not negative; their product may overflow.
  std::vector<int64_t> dimensions;
};

struct NpyParts {
  NpyHeader header;
  // The bytes after the header; a view into the file.
  absl::string_view data;
};

// What each file begins with.
inline constexpr absl::string_view kNpyMagic("\x93NUMPY", 6);

// Splits a file of version 1.0, 2.0 or 3.0. Returns INVALID_ARGUMENT, which names the character for
// an error in the dictionary. Refuses structured dtypes.
absl::StatusOr<NpyParts> SplitNpy(absl::string_view file);

// Returns the bytes before the data of a row-major array, as numpy.save writes them (version 1.0).
// Returns INVALID_ARGUMENT for more dimensions than NumPy has.
absl::StatusOr<std::string> EncodeNpyHeader(absl::string_view descr,
                                            const std::vector<int64_t>& dimensions);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_NPY_HEADER_H_
