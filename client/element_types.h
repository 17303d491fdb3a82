// The C++ types of the array elements with which the embedded runtime computes.
#ifndef CALLBRIDGE_CLIENT_ELEMENT_TYPES_H_
#define CALLBRIDGE_CLIENT_ELEMENT_TYPES_H_

#include <complex>
#include <cstdint>
#include <type_traits>

#include "callbridge/abi/primitive_type.h"
#include "callbridge/hlo/primitive_util.h"

namespace callbridge::client {

template <typename T>
inline constexpr bool kIsSmallFloat =
    std::is_same_v<T, xla::half> || std::is_same_v<T, xla::bfloat16>;
template <typename T>
inline constexpr bool kIsComplex =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

template <typename T>
struct ElementType {
  using type = T;
};
template <xla::PrimitiveType kType>
using ElementTypeOf = ElementType<typename xla::primitive_util::PrimitiveTypeToNative<kType>::type>;

// Calls `visit(ElementType<T>())` with the C++ type of `type`'s elements. Calls `otherwise()` for
// types with which the embedded runtime does not compute: those of fewer than 8 bits, floats of 8.
// pred is bool: any byte but 0 is true. Returns what it called returned.
template <typename Visit, typename Otherwise>
auto VisitElementType(PrimitiveType type, const Visit& visit, const Otherwise& otherwise) {
  switch (type) {
    case PrimitiveType::kPred:
      return visit(ElementTypeOf<xla::PRED>());
    case PrimitiveType::kS8:
      return visit(ElementTypeOf<xla::S8>());
    case PrimitiveType::kS16:
      return visit(ElementTypeOf<xla::S16>());
    case PrimitiveType::kS32:
      return visit(ElementTypeOf<xla::S32>());
    case PrimitiveType::kS64:
      return visit(ElementTypeOf<xla::S64>());
    case PrimitiveType::kU8:
      return visit(ElementTypeOf<xla::U8>());
    case PrimitiveType::kU16:
      return visit(ElementTypeOf<xla::U16>());
    case PrimitiveType::kU32:
      return visit(ElementTypeOf<xla::U32>());
    case PrimitiveType::kU64:
      return visit(ElementTypeOf<xla::U64>());
    case PrimitiveType::kF16:
      return visit(ElementTypeOf<xla::F16>());
    case PrimitiveType::kBf16:
      return visit(ElementTypeOf<xla::BF16>());
    case PrimitiveType::kF32:
      return visit(ElementTypeOf<xla::F32>());
    case PrimitiveType::kF64:
      return visit(ElementTypeOf<xla::F64>());
    case PrimitiveType::kC64:
      return visit(ElementTypeOf<xla::C64>());
    case PrimitiveType::kC128:
      return visit(ElementTypeOf<xla::C128>());
    default:
      return otherwise();
  }
}

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_ELEMENT_TYPES_H_
