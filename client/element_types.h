// The C++ types of array elements on which the embedded runtime computes.
#ifndef CALLBRIDGE_CLIENT_ELEMENT_TYPES_H_
#define CALLBRIDGE_CLIENT_ELEMENT_TYPES_H_

#include <complex>
#include <cstdint>
#include <type_traits>

#include "callbridge/abi/primitive_type.h"
#include "callbridge/client/small_floats.h"

namespace callbridge::client {

template <typename T>
inline constexpr bool kIsSmallFloat = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;
template <typename T>
inline constexpr bool kIsComplex =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

template <typename T>
struct ElementType {
  using type = T;
};

// Calls `visit(ElementType<T>())` with the type of `type`'s elements, and returns what it returns;
// `otherwise()` where there is none. pred is bool: any byte but 0 is true.
template <typename Visit, typename Otherwise>
auto VisitElementType(PrimitiveType type, const Visit& visit, const Otherwise& otherwise) {
  switch (type) {
    case PrimitiveType::kPred:
      return visit(ElementType<bool>());
    case PrimitiveType::kS8:
      return visit(ElementType<int8_t>());
    case PrimitiveType::kS16:
      return visit(ElementType<int16_t>());
    case PrimitiveType::kS32:
      return visit(ElementType<int32_t>());
    case PrimitiveType::kS64:
      return visit(ElementType<int64_t>());
    case PrimitiveType::kU8:
      return visit(ElementType<uint8_t>());
    case PrimitiveType::kU16:
      return visit(ElementType<uint16_t>());
    case PrimitiveType::kU32:
      return visit(ElementType<uint32_t>());
    case PrimitiveType::kU64:
      return visit(ElementType<uint64_t>());
    case PrimitiveType::kF16:
      return visit(ElementType<Half>());
    case PrimitiveType::kBf16:
      return visit(ElementType<BFloat16>());
    case PrimitiveType::kF32:
      return visit(ElementType<float>());
    case PrimitiveType::kF64:
      return visit(ElementType<double>());
    case PrimitiveType::kC64:
      return visit(ElementType<std::complex<float>>());
    case PrimitiveType::kC128:
      return visit(ElementType<std::complex<double>>());
    default:
      return otherwise();
  }
}

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_ELEMENT_TYPES_H_
