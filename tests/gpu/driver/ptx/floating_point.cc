// Instructions on f32 and f64, with the bits that IEEE 754 and the PTX ISA define. The processor
// does the arithmetic, in its four rounding modes.
#include "floating_point.h"

#include <cfenv>
#include <cmath>
#include <cstring>

#include "instruction.h"

namespace standin::ptx {
namespace {

template <typename F>
bool Compared(uint8_t how, F a, F b) {
  const bool unordered = std::isnan(a) || std::isnan(b);
  switch (how) {
    case kEq:
      return a == b;
    case kNe:
      return !unordered && a != b;
    case kLt:
      return a < b;
    case kLe:
      return a <= b;
    case kGt:
      return a > b;
    case kGe:
      return a >= b;
    case kEqu:
      return unordered || a == b;
    case kNeu:
      return unordered || a != b;
    case kLtu:
      return unordered || a < b;
    case kLeu:
      return unordered || a <= b;
    case kGtu:
      return unordered || a > b;
    case kGeu:
      return unordered || a >= b;
    case kNum:
      return !unordered;
    default:
      return unordered;
  }
}

// One operand that is no number gives the other, or with .NaN no number. -0 is less than +0.
template <typename F>
F Extremum(const Instruction& i, F a, F b) {
  if (std::isnan(a) || std::isnan(b)) {
    // Of two f64 that are no numbers the hardware's sequence of instructions keeps the second.
    if (sizeof(F) == 8 && std::isnan(b)) return std::isnan(a) ? b + b : a;
    if (i.Has(Class::kNan) || (std::isnan(a) && std::isnan(b))) return Canonical<F>();
    return std::isnan(a) ? b : a;
  }
  if (a == b) return std::signbit(a) == (i.op == Op::kMin) ? a : b;
  return (a < b) == (i.op == Op::kMin) ? a : b;
}

// rcp and rsqrt.approx.ftz.f64 take and give the high half of an f64 alone, and no subnormal
// number.
uint64_t Coarse(const Instruction& i, uint64_t bits) {
  constexpr uint64_t kHigh = ~uint64_t{0xffffffff};
  const auto flushed = [](double value) {
    return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0, value) : value;
  };
  const double a = flushed(FromBits<double>(bits));
  const double high = std::isnan(a) ? a : FromBits<double>(ToBits(a) & kHigh);
  return ToBits(flushed(1 / (i.op == Op::kRcp ? high : std::sqrt(high)))) & kHigh;
}

template <typename F>
F Approximate(const Instruction& i, F a) {
  const double x = a;
  switch (i.op) {
    case Op::kRsqrt:
      return static_cast<F>(1 / std::sqrt(x));
    case Op::kSin:
      return static_cast<F>(std::sin(x));
    case Op::kCos:
      return static_cast<F>(std::cos(x));
    case Op::kLg2:
      return static_cast<F>(std::log2(x));
    case Op::kEx2:
      return static_cast<F>(std::exp2(x));
    default:
      return static_cast<F>(std::tanh(x));
  }
}

// The volatile variables keep the compiler from computing before the rounding mode is set.
template <typename F>
F Compute(const Instruction& i, F first, F second, F third) {
  volatile F a = first, b = second, c = third;
  const RoundingMode mode(i.Has(Class::kRounding));
  volatile F result = 0;
  switch (i.op) {
    case Op::kAdd:
      result = a + b;
      break;
    case Op::kSub:
      result = a - b;
      break;
    case Op::kMul:
      result = a * b;
      break;
    case Op::kFma:
      result = std::fma(F(a), F(b), F(c));
      break;
    case Op::kDiv:
      // The approximation's range ends where the divisor's reciprocal would be subnormal.
      if (i.Has(Class::kRounding) == kApprox && std::fabs(second) > F(0x1p126) &&
          !std::isinf(second)) {
        result = std::isinf(first) || std::isnan(first) ? Canonical<F>()
                                                        : std::copysign(F(0), first * second);
      } else {
        result = a / b;
      }
      break;
    case Op::kRcp:
      result = F(1) / a;
      break;
    case Op::kSqrt:
      result = std::sqrt(F(a));
      break;
    default:
      result = Approximate(i, F(a));
  }
  return result;
}

template <typename F>
bool Test(uint8_t what, F a) {
  switch (what) {
    case kTestFinite:
      return std::isfinite(a);
    case kTestInfinite:
      return std::isinf(a);
    case kTestNumber:
      return !std::isnan(a);
    case kTestNotANumber:
      return std::isnan(a);
    case kTestNormal:
      return std::isnormal(a);
    default:
      return std::fpclassify(a) == FP_SUBNORMAL;
  }
}

template <typename F>
uint64_t EvaluateFloat(const Instruction& i, Values& v) {
  const bool ftz = i.Has(Class::kFtz);
  const F a = Flush(FromBits<F>(v.in[0]), ftz), b = Flush(FromBits<F>(v.in[1]), ftz);
  constexpr uint64_t sign = uint64_t{1} << (sizeof(F) * 8 - 1);
  switch (i.op) {
    case Op::kAbs:
      return ToBits(a) & ~sign;
    case Op::kNeg:
      return ToBits(a) ^ sign;
    case Op::kCopysign:
      return (ToBits(b) & ~sign) | (ToBits(a) & sign);
    case Op::kMin:
    case Op::kMax:
      return ToBits(Extremum(i, a, b));
    case Op::kTestp:
      return Test(i.Has(Class::kMode), a);
    case Op::kSet:
    case Op::kSetp: {
      // The integers' code has what follows a comparison: compare 1 with the outcome.
      Values compared = v;
      compared.in[0] = 1;
      compared.in[1] = Compared(i.Has(Class::kCompare), a, b);
      Instruction equal = i;
      equal.modifiers[static_cast<size_t>(Class::kCompare)] = kEq;
      const uint64_t result = FindInteger(Type::kU32)(equal, compared);
      v.second = compared.second;
      return result;
    }
    case Op::kSlct:
      return Flush(FromBits<F>(v.in[2]), ftz) >= 0 ? v.in[0] : v.in[1];
    default: {
      if (sizeof(F) == 8 && ftz) return Coarse(i, v.in[0]);
      F result = Flush(Compute(i, a, b, Flush(FromBits<F>(v.in[2]), ftz)), ftz);
      if (i.Has(Class::kSat)) result = SaturateToOne(result);
      return ToBits(std::isnan(result) && sizeof(F) == 4 ? Canonical<F>() : result);
    }
  }
}

}  // namespace

Evaluate FindFloatingPoint(Type type) {
  return type == Type::kF32 ? EvaluateFloat<float> : EvaluateFloat<double>;
}

}  // namespace standin::ptx
