// Reads and writes NumPy's .npy files, as arrays of every XLA element type.
//
// A .npy file cannot name the types that NumPy knows only through ml_dtypes: numpy.save writes
// '<V2' for bfloat16 and '<V1' for types of 8 bits and fewer, but '<f1' for float8_e5m2. The reader
// of a 'V' must know the type.
//
// Written by hand, since no library in Debian reads these: xtensor refuses bfloat16 and int4 and
// silently accepts truncated files.
#ifndef CALLBRIDGE_TOOLS_NPY_H_
#define CALLBRIDGE_TOOLS_NPY_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/primitive_type.h"
#include "callbridge/tools/array.h"

namespace callbridge {

// Decodes a whole file. The array has no layout: Fortran order becomes row-major, big-endian
// becomes little-endian. `declared` is the type if the file cannot name it, and must match if the
// file does.
//
// Returns INVALID_ARGUMENT, without the file's name, if the header is malformed, XLA lacks the
// dtype (nothing is ever unpickled), the type is missing or contradicted, or there are too few or
// too many bytes.
absl::StatusOr<Array> DecodeNpy(absl::string_view file, std::optional<PrimitiveType> declared);

// Returns the bytes before the array's data, as numpy.save writes them for a row-major array of
// this shape; ignores its layout. Differs for float8_e5m2 only: writes '<V1', since numpy.load
// refuses the '<f1' of numpy.save.
absl::StatusOr<std::string> NpyHeaderFor(const Shape& shape);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_NPY_H_
