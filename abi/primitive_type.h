// PrimitiveType: the element types of XLA's arrays, with XLA's numbers, names and widths. The
// numbers are those of `xla.PrimitiveType` in xla_data.proto and of XLA_FFI_DataType, so a number
// of either can be cast to this type if IsPrimitiveType() returns true for it.
#ifndef CALLBRIDGE_ABI_PRIMITIVE_TYPE_H_
#define CALLBRIDGE_ABI_PRIMITIVE_TYPE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace callbridge {

enum class PrimitiveType : uint8_t {
  kInvalid = 0,
  kPred = 1,
  kS8 = 2,
  kS16 = 3,
  kS32 = 4,
  kS64 = 5,
  kU8 = 6,
  kU16 = 7,
  kU32 = 8,
  kU64 = 9,
  kF16 = 10,
  kF32 = 11,
  kF64 = 12,
  kTuple = 13,
  kC64 = 15,
  kBf16 = 16,
  kToken = 17,
  kC128 = 18,
  kF8E5M2 = 19,
  kF8E4M3FN = 20,
  kS4 = 21,
  kU4 = 22,
  kF8E4M3B11FNUZ = 23,
  kF8E5M2FNUZ = 24,
  kF8E4M3FNUZ = 25,
  kS2 = 26,
  kU2 = 27,
  kF8E4M3 = 28,
  kF8E3M4 = 29,
  kS1 = 30,
  kU1 = 31,
  kF4E2M1FN = 32,
  kF8E8M0FNU = 33,
  kBuffer = 34,
  kF6E3M2FN = 35,
  kF6E2M3FN = 36,
};

// Returns true if `value` is the number of a type above other than kInvalid.
bool IsPrimitiveType(int64_t value);

// Returns true if `type` can be the element type of an array: every type but kInvalid, kTuple,
// kToken, kBuffer, and the types of 6 bits, which no XLA passes to custom calls.
bool IsArrayElement(PrimitiveType type);

// Returns XLA's lower-case name ("f32", "bf16", "s4", "f8e4m3fn", "pred", "token", "tuple"), or
// "invalid" for kInvalid. The view is of static storage.
absl::string_view PrimitiveTypeName(PrimitiveType type);

// Returns the type of a name that PrimitiveTypeName() returns. Returns INVALID_ARGUMENT for any
// other.
absl::StatusOr<PrimitiveType> ParsePrimitiveType(absl::string_view name);

// Returns the bits of one element (8 for pred, 4 for s4, 128 for c128), or 0 if `type` is not an
// element type.
int BitWidth(PrimitiveType type);

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_PRIMITIVE_TYPE_H_
