// NumPy's .npy files, to and from arrays of every XLA element type.
//
// A .npy file cannot name the types that NumPy knows through ml_dtypes only: numpy.save writes
// '<V2' for bfloat16 and '<V1' for the 4-bit and 8-bit ones, float8_e5m2 apart, for which it writes
// '<f1'. Whoever reads a 'V' must be told the type.
//
// Written by hand, since no library in Debian reads these: xtensor refuses bfloat16 and int4 and
// takes truncated files in silence.
#ifndef CALLBRIDGE_TOOLS_NPY_H_
#define CALLBRIDGE_TOOLS_NPY_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/primitive_type.h"
#include "callbridge/tools/array.h"

namespace callbridge {

// Reads a whole file. The array has no layout: Fortran order becomes row-major, big-endian becomes
// little-endian. `declared` names the type where the file cannot, and must agree with it where it
// can.
//
// INVALID_ARGUMENT says what is wrong, without the file's name: the header, a dtype that XLA lacks
// (nothing is ever unpickled), a type that is missing or contradicted, or bytes that are too few or
// too many.
absl::StatusOr<Array> DecodeNpy(absl::string_view file, std::optional<PrimitiveType> declared);

// The bytes before the array's data, as numpy.save writes them for an array of this shape in
// row-major order; its layout is ignored. float8_e5m2 alone differs: it is written as '<V1', since
// numpy.load refuses the '<f1' of numpy.save.
absl::StatusOr<std::string> NpyHeaderFor(const Shape& shape);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_NPY_H_
