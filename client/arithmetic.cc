#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/machine.h"
#include "callbridge/client/element_types.h"
#include "callbridge/client/elementwise.h"

namespace callbridge::client {
namespace {

using hlo::Opcode;

// The byte of a pred may have any value, a bool only 0 or 1.
template <typename T>
T Load(const void* array, size_t index) {
  if constexpr (std::is_same_v<T, bool>) {
    return static_cast<const unsigned char*>(array)[index] != 0;
  } else {
    return static_cast<const T*>(array)[index];
  }
}

template <typename Operation, typename T>
void Binary(const void* left, const void* right, void* result, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    static_cast<T*>(result)[i] = Operation::Of(Load<T>(left, i), Load<T>(right, i));
  }
}

template <typename Operation, typename T>
void Unary(const void* operand, const void*, void* result, size_t count) {
  using Result = decltype(Operation::Of(T()));
  for (size_t i = 0; i < count; ++i) {
    static_cast<Result*>(result)[i] = Operation::Of(Load<T>(operand, i));
  }
}

// Integers wrap. Computes in the unsigned type of at least int's width, since narrower types would
// be promoted to int, and overflow there.
template <typename T>
using Wrapping = std::common_type_t<std::make_unsigned_t<T>, unsigned>;

// Computes a * b + c with one rounding where the processor has an instruction for that, as XLA
// does. (Without, libm's function loses digits in a mode in which subnormal numbers are zeros.)
template <typename T>
T MultiplyAdd(T a, T b, T c) {
  return HasFusedMultiplyAdd() ? std::fma(a, b, c) : a * b + c;
}

struct Add {
  static bool Of(bool a, bool b) { return a || b; }
  template <typename T>
  static T Of(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(Wrapping<T>(a) + Wrapping<T>(b));
    } else {
      return a + b;
    }
  }
};

struct Subtract {
  template <typename T>
  static T Of(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(Wrapping<T>(a) - Wrapping<T>(b));
    } else {
      return a - b;
    }
  }
};

struct Multiply {
  static bool Of(bool a, bool b) { return a && b; }
  template <typename T>
  static T Of(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(Wrapping<T>(a) * Wrapping<T>(b));
    } else {
      return a * b;
    }
  }
  template <typename T>
  static std::complex<T> Of(std::complex<T> a, std::complex<T> b) {
    return {MultiplyAdd(a.real(), b.real(), -(a.imag() * b.imag())),
            MultiplyAdd(a.imag(), b.real(), a.real() * b.imag())};
  }
};

// Replaces each infinite part by 1 and each other part by 0, keeping their signs.
template <typename T>
std::complex<T> Infinities(std::complex<T> value) {
  return {std::copysign(std::isinf(value.real()) ? T{1} : T{0}, value.real()),
          std::copysign(std::isinf(value.imag()) ? T{1} : T{0}, value.imag())};
}

template <typename T>
bool IsInfinite(std::complex<T> value) {
  return std::isinf(value.real()) || std::isinf(value.imag());
}

template <typename T>
bool IsFinite(std::complex<T> value) {
  return std::isfinite(value.real()) && std::isfinite(value.imag());
}

struct Divide {
  template <typename T>
  static T Of(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0) return static_cast<T>(-1);
      if constexpr (std::is_signed_v<T>) {
        if (b == -1) return Subtract::Of(T{0}, a);
      }
      return static_cast<T>(a / b);
    } else {
      return a / b;
    }
  }
  template <typename T>
  static std::complex<T> Of(std::complex<T> a, std::complex<T> b) {
    // Smith's method: divides the denominator's smaller part by its larger one, so that no square
    // overflows.
    std::complex<T> result;
    if (std::fabs(b.real()) < std::fabs(b.imag())) {
      const T ratio = b.real() / b.imag();
      const T denominator = MultiplyAdd(b.real(), ratio, b.imag());
      result = {MultiplyAdd(a.real(), ratio, a.imag()) / denominator,
                MultiplyAdd(a.imag(), ratio, -a.real()) / denominator};
    } else {
      const T ratio = b.imag() / b.real();
      const T denominator = MultiplyAdd(b.imag(), ratio, b.real());
      result = {MultiplyAdd(a.imag(), ratio, a.real()) / denominator,
                MultiplyAdd(-a.real(), ratio, a.imag()) / denominator};
    }
    const bool is_nan = result.real() != result.real() && result.imag() != result.imag();
    return is_nan ? WhereDivisionIsNan(a, b, result) : result;
  }

 private:
  // Computes what C's Annex G prescribes for zeros and infinities where plain division yields NaN.
  template <typename T>
  static std::complex<T> WhereDivisionIsNan(std::complex<T> a, std::complex<T> b,
                                            std::complex<T> nan) {
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    if (b.real() == 0 && b.imag() == 0) {
      const T infinity = std::copysign(kInfinity, b.real());
      return {infinity * a.real(), infinity * a.imag()};
    }
    if (IsInfinite(a) && IsFinite(b)) {
      const std::complex<T> unit = Infinities(a);
      return {kInfinity * MultiplyAdd(unit.real(), b.real(), unit.imag() * b.imag()),
              kInfinity * MultiplyAdd(unit.imag(), b.real(), -(unit.real() * b.imag()))};
    }
    if (IsFinite(a) && IsInfinite(b)) {
      const std::complex<T> unit = Infinities(b);
      return {T{0} * MultiplyAdd(a.real(), unit.real(), a.imag() * unit.imag()),
              T{0} * MultiplyAdd(a.imag(), unit.real(), -(a.real() * unit.imag()))};
    }
    return nan;
  }
};

// NaN wins. Of zeros, which include subnormal numbers, the positive one is greater.
struct Maximum {
  template <typename T>
  static T Of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      if (a != a) return a + a;
      if (b != b) return b + b;
      if (a == 0 && b == 0) return std::signbit(a) && std::signbit(b) ? T{-0.0} : T{0.0};
      const T greater = a > b ? a : b;
      return greater == 0 ? std::copysign(T{0}, greater) : greater;
    } else {
      return a > b ? a : b;
    }
  }
};

struct Minimum {
  template <typename T>
  static T Of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return -Maximum::Of(-a, -b);
    } else {
      return a < b ? a : b;
    }
  }
};

struct Negate {
  template <typename T>
  static T Of(T a) {
    if constexpr (std::is_integral_v<T>) {
      return Subtract::Of(T{0}, a);
    } else {
      return -a;
    }
  }
};

struct Abs {
  template <typename T>
  static T Of(T a) {
    if constexpr (std::is_integral_v<T>) {
      return a < 0 ? Subtract::Of(T{0}, a) : a;
    } else {
      return std::fabs(a);
    }
  }
  template <typename T>
  static T Of(std::complex<T> a) {
    const T real = std::fabs(a.real());
    const T imaginary = std::fabs(a.imag());
    const T small = Minimum::Of(real, imaginary);
    const T large = Maximum::Of(real, imaginary);
    const T ratio = small / large;
    const T result = large * std::sqrt(MultiplyAdd(ratio, ratio, T{1}));
    // 0 / 0 or infinity / infinity: both parts are equal.
    return result != result ? small : result;
  }
};

// Computes 16-bit types in float and rounds the result.
template <typename Operation>
struct ByFloat {
  template <typename T>
  static T Of(T a, T b) {
    return T(Operation::Of(static_cast<float>(a), static_cast<float>(b)));
  }
  template <typename T>
  static T Of(T a) {
    return T(Operation::Of(static_cast<float>(a)));
  }
};

template <typename Operation, typename T>
using OnType = std::conditional_t<kIsSmallFloat<T>, ByFloat<Operation>, Operation>;

template <typename T>
ElementwiseKernel Find(Opcode opcode) {
  constexpr bool kIsPred = std::is_same_v<T, bool>;
  switch (opcode) {
    case Opcode::kAdd:
      return Binary<OnType<Add, T>, T>;
    case Opcode::kMultiply:
      return Binary<OnType<Multiply, T>, T>;
    default:
      break;
  }
  if constexpr (!kIsPred) {
    switch (opcode) {
      case Opcode::kSubtract:
        return Binary<OnType<Subtract, T>, T>;
      case Opcode::kDivide:
        return Binary<OnType<Divide, T>, T>;
      case Opcode::kNegate:
        return Unary<OnType<Negate, T>, T>;
      default:
        break;
    }
    if constexpr (!std::is_unsigned_v<T>) {
      if (opcode == Opcode::kAbs) return Unary<OnType<Abs, T>, T>;
    }
  }
  if constexpr (!kIsComplex<T>) {
    if (opcode == Opcode::kMaximum) return Binary<OnType<Maximum, T>, T>;
    if (opcode == Opcode::kMinimum) return Binary<OnType<Minimum, T>, T>;
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<ElementwiseKernel> FindArithmetic(hlo::Opcode opcode, PrimitiveType type) {
  const ElementwiseKernel kernel = VisitElementType(
      type, [&](auto element) { return Find<typename decltype(element)::type>(opcode); },
      []() -> ElementwiseKernel { return nullptr; });
  if (kernel == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("the embedded runtime has no ", hlo::OpcodeName(opcode), " of ",
                     PrimitiveTypeName(type), "; run the module on XLA"));
  }
  return kernel;
}

}  // namespace callbridge::client
