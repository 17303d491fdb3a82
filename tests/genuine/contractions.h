// What XLA:CPU may compute for a product or quotient of complex numbers. XLA lets LLVM contract
// a * b + c to one rounding, and which products LLVM contracts depends on the processor that it
// compiles for: all of them with AVX-512, some of c128's with AVX2, none without FMA.
#ifndef CALLBRIDGE_TESTS_GENUINE_CONTRACTIONS_H_
#define CALLBRIDGE_TESTS_GENUINE_CONTRACTIONS_H_

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

namespace contractions {

// Without, nothing can be contracted: libm's fma() is wrong where subnormal numbers are zeros.
inline bool HasFusedMultiplyAdd() { return __builtin_cpu_supports("fma"); }

// Returns what a * b + c * d may be. First the one in which a * b is contracted, which is what
// callbridge computes where the processor has FMA.
template <typename T>
std::vector<T> Sums(T a, T b, T c, T d) {
  // Not constants, so that no compiler contracts or folds what is to be rounded.
  volatile T left = a * b;
  volatile T right = c * d;
  if (!HasFusedMultiplyAdd()) return {left + right};
  return {std::fma(a, b, right), std::fma(c, d, left), left + right};
}

// Returns what a * b + c may be, the contracted one first.
template <typename T>
std::vector<T> Sums(T a, T b, T c) {
  volatile T product = a * b;
  if (!HasFusedMultiplyAdd()) return {product + c};
  return {std::fma(a, b, c), product + c};
}

template <typename T>
std::vector<std::complex<T>> Pairs(const std::vector<T>& real, const std::vector<T>& imaginary) {
  std::vector<std::complex<T>> pairs;
  for (T x : real) {
    for (T y : imaginary) pairs.emplace_back(x, y);
  }
  return pairs;
}

template <typename T>
std::vector<T> Times(T factor, std::vector<T> values) {
  for (T& value : values) value *= factor;
  return values;
}

// Returns what a * b may be, without repetitions being removed. First what callbridge computes. So
// do the others.
template <typename T>
std::vector<std::complex<T>> Products(std::complex<T> a, std::complex<T> b) {
  return Pairs(Sums(a.real(), b.real(), -a.imag(), b.imag()),
               Sums(a.imag(), b.real(), a.real(), b.imag()));
}

template <typename T>
std::complex<T> Infinities(std::complex<T> value) {
  return {std::copysign(std::isinf(value.real()) ? T{1} : T{0}, value.real()),
          std::copysign(std::isinf(value.imag()) ? T{1} : T{0}, value.imag())};
}

// Returns what a / b may be where Smith's method yields NaN twice.
template <typename T>
std::vector<std::complex<T>> QuotientsByNan(std::complex<T> a, std::complex<T> b,
                                            std::complex<T> nan) {
  const auto is_infinite = [](std::complex<T> x) {
    return std::isinf(x.real()) || std::isinf(x.imag());
  };
  const auto is_finite = [](std::complex<T> x) {
    return std::isfinite(x.real()) && std::isfinite(x.imag());
  };
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  if (b.real() == 0 && b.imag() == 0) {
    const T infinity = std::copysign(kInfinity, b.real());
    return {{infinity * a.real(), infinity * a.imag()}};
  }
  T factor;
  if (is_infinite(a) && is_finite(b)) {
    a = Infinities(a);
    factor = kInfinity;
  } else if (is_finite(a) && is_infinite(b)) {
    b = Infinities(b);
    factor = 0;
  } else {
    return {nan};
  }
  return Pairs(Times(factor, Sums(a.real(), b.real(), a.imag(), b.imag())),
               Times(factor, Sums(a.imag(), b.real(), -a.real(), b.imag())));
}

// Returns what a / b may be, by Smith's method.
template <typename T>
std::vector<std::complex<T>> Quotients(std::complex<T> a, std::complex<T> b) {
  const bool by_imaginary = std::fabs(b.real()) < std::fabs(b.imag());
  const T ratio = by_imaginary ? b.real() / b.imag() : b.imag() / b.real();
  std::vector<std::complex<T>> results;
  for (T denominator :
       by_imaginary ? Sums(b.real(), ratio, b.imag()) : Sums(b.imag(), ratio, b.real())) {
    for (T real :
         by_imaginary ? Sums(a.real(), ratio, a.imag()) : Sums(a.imag(), ratio, a.real())) {
      for (T imaginary :
           by_imaginary ? Sums(a.imag(), ratio, -a.real()) : Sums(-a.real(), ratio, a.imag())) {
        const std::complex<T> result(real / denominator, imaginary / denominator);
        if (std::isnan(result.real()) && std::isnan(result.imag())) {
          for (std::complex<T> other : QuotientsByNan(a, b, result)) results.push_back(other);
        } else {
          results.push_back(result);
        }
      }
    }
  }
  return results;
}

}  // namespace contractions

#endif  // CALLBRIDGE_TESTS_GENUINE_CONTRACTIONS_H_
