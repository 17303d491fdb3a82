#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/packed_elements.h"
#include "callbridge/client/element_types.h"
#include "callbridge/client/elementwise.h"

namespace callbridge::client {
namespace {

// Returns the integer of type To that is nearest to `value`, towards zero.
template <typename To, typename From>
To Saturated(From value) {
  using Limits = std::numeric_limits<To>;
  if (value != value) return 0;
  // The largest plus one: a power of two, which every float type has.
  const From beyond = std::ldexp(From{1}, Limits::digits);
  if (value >= beyond) return Limits::max();
  if (value < static_cast<From>(Limits::min())) return Limits::min();
  return static_cast<To>(value);
}

template <typename To, typename From>
To Converted(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (kIsComplex<From>) {
    return To(static_cast<typename To::value_type>(value.real()),
              static_cast<typename To::value_type>(value.imag()));
  } else if constexpr (std::is_same_v<From, xla::bfloat16> && std::is_same_v<To, bool>) {
    // XLA:CPU compares the bits, so subnormal numbers are not zeros.
    return (value.x & 0x7fff) != 0;
  } else if constexpr (kIsSmallFloat<From>) {
    return Converted<To>(static_cast<float>(value));
  } else if constexpr (kIsComplex<To>) {
    return To(Converted<typename To::value_type>(value));
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != 0;
  } else if constexpr (kIsSmallFloat<To>) {
    // Also for a double, which XLA:CPU rounds twice.
    return To(static_cast<float>(value));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return Saturated<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

template <typename To, typename From>
void Convert(const void* operand, const void*, void* result, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    From value;
    if constexpr (std::is_same_v<From, bool>) {
      value = static_cast<const unsigned char*>(operand)[i] != 0;
    } else {
      value = static_cast<const From*>(operand)[i];
    }
    static_cast<To*>(result)[i] = Converted<To>(value);
  }
}

template <typename From>
ElementwiseKernel FindTo(PrimitiveType to) {
  return VisitElementType(
      to,
      [](auto element) -> ElementwiseKernel {
        using To = typename decltype(element)::type;
        // XLA takes the real part by a separate instruction.
        if constexpr (kIsComplex<From> && !kIsComplex<To>)
          return nullptr;
        else
          return Convert<To, From>;
      },
      []() -> ElementwiseKernel { return nullptr; });
}

template <int kBits>
void Pack(const void* operand, const void*, void* result, size_t count) {
  PackElements(operand, kBits, count, result);
}

template <int kBits, bool kSigned>
void Unpack(const void* operand, const void*, void* result, size_t count) {
  UnpackElements(operand, kBits, count, result);
  if constexpr (kSigned) {
    for (size_t i = 0; i < count; ++i) {
      auto& element = static_cast<int8_t*>(result)[i];
      if (element >> (kBits - 1) != 0) element = static_cast<int8_t>(element - (1 << kBits));
    }
  }
}

}  // namespace

ElementwiseKernel FindPacking(PrimitiveType type) {
  switch (BitWidth(type)) {
    case 1:
      return Pack<1>;
    case 2:
      return Pack<2>;
    case 4:
      return Pack<4>;
    default:
      return nullptr;
  }
}

ElementwiseKernel FindUnpacking(PrimitiveType type) {
  const bool is_signed =
      xla::primitive_util::IsSignedIntegralType(static_cast<xla::PrimitiveType>(type));
  switch (BitWidth(type)) {
    case 1:
      return is_signed ? Unpack<1, true> : Unpack<1, false>;
    case 2:
      return is_signed ? Unpack<2, true> : Unpack<2, false>;
    case 4:
      return is_signed ? Unpack<4, true> : Unpack<4, false>;
    default:
      return nullptr;
  }
}

absl::StatusOr<ElementwiseKernel> FindConversion(PrimitiveType from, PrimitiveType to) {
  const ElementwiseKernel kernel = VisitElementType(
      from, [&](auto element) { return FindTo<typename decltype(element)::type>(to); },
      []() -> ElementwiseKernel { return nullptr; });
  if (kernel == nullptr) {
    return absl::UnimplementedError(absl::StrCat("the embedded runtime does not convert ",
                                                 PrimitiveTypeName(from), " to ",
                                                 PrimitiveTypeName(to), "; run the module on XLA"));
  }
  return kernel;
}

}  // namespace callbridge::client
