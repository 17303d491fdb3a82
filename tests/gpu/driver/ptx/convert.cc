// cvt.
#include <cmath>
#include <limits>

#include "floating_point.h"
#include "instruction.h"

namespace standin::ptx {
namespace {

// Rounds to the nearest number of F in the processor's rounding mode; the sticky bit keeps what
// halving would lose.
template <typename F>
F FromMagnitude(uint64_t magnitude, bool negative) {
  const bool large = magnitude >> 63 != 0;
  volatile int64_t half = large ? static_cast<int64_t>(magnitude >> 1 | (magnitude & 1))
                                : static_cast<int64_t>(magnitude);
  if (negative) half = -half;
  volatile F value = static_cast<F>(half);
  return large ? value * 2 : value;
}

template <typename To, typename From>
uint64_t Convert(const Instruction& i, Values& v) {
  const uint8_t rounding = i.Has(Class::kRounding);
  const bool ftz = i.Has(Class::kFtz), saturate = i.Has(Class::kSat);
  if constexpr (std::is_integral_v<From>) {
    const From from = static_cast<From>(v.in[0]);
    if constexpr (std::is_integral_v<To>) {
      To to = static_cast<To>(from);  // NOLINT(bugprone-signed-char-misuse): the sign counts
      if (saturate) {
        if (from < 0 &&
            (std::is_unsigned_v<To> ||
             static_cast<int64_t>(from) < static_cast<int64_t>(std::numeric_limits<To>::min()))) {
          to = std::numeric_limits<To>::min();
        } else if (from > 0 && static_cast<uint64_t>(from) >
                                   static_cast<uint64_t>(std::numeric_limits<To>::max())) {
          to = std::numeric_limits<To>::max();
        }
      }
      return static_cast<uint64_t>(static_cast<int64_t>(to));
    } else {
      const RoundingMode mode(rounding);
      const bool negative = from < 0;
      const uint64_t wide = static_cast<uint64_t>(static_cast<int64_t>(from));
      const uint64_t magnitude =
          std::is_signed_v<From> && negative ? 0 - wide : static_cast<uint64_t>(from);
      const To to = FromMagnitude<To>(magnitude, negative);
      return ToBits(saturate ? SaturateToOne(to) : to);
    }
  } else {
    const From from = Flush(FromBits<From>(v.in[0]), ftz);
    const RoundingMode mode(rounding);
    volatile From rounded =
        rounding >= kNearestInteger && rounding <= kUpInteger ? std::nearbyint(from) : from;
    if constexpr (std::is_integral_v<To>) {
      // f64, and all to 64 bits, give the least integer or the highest bit for what is no number;
      // the others 0.
      if (std::isnan(from)) {
        if (sizeof(To) < 4 || (sizeof(From) == 4 && sizeof(To) == 4)) return 0;
        return uint64_t{1} << (sizeof(To) * 8 - 1);
      }
      constexpr To least = std::numeric_limits<To>::min(), most = std::numeric_limits<To>::max();
      To to;
      if (rounded < static_cast<From>(least)) {
        to = least;
      } else if (rounded >= std::ldexp(From(1), std::numeric_limits<To>::digits)) {
        to = most;
      } else {
        to = static_cast<To>(rounded);
      }
      return static_cast<uint64_t>(static_cast<int64_t>(to));
    } else {
      volatile To to = static_cast<To>(rounded);
      To result = Flush(static_cast<To>(to), ftz);
      if (saturate) result = SaturateToOne(result);
      return ToBits(std::isnan(result) && sizeof(To) == 4 ? Canonical<To>() : result);
    }
  }
}

template <typename To>
Evaluate FindFrom(Type from) {
  switch (from) {
    case Type::kU8:
      return Convert<To, uint8_t>;
    case Type::kU16:
      return Convert<To, uint16_t>;
    case Type::kU32:
      return Convert<To, uint32_t>;
    case Type::kU64:
      return Convert<To, uint64_t>;
    case Type::kS8:
      return Convert<To, int8_t>;
    case Type::kS16:
      return Convert<To, int16_t>;
    case Type::kS32:
      return Convert<To, int32_t>;
    case Type::kS64:
      return Convert<To, int64_t>;
    case Type::kF32:
      return Convert<To, float>;
    case Type::kF64:
      return Convert<To, double>;
    default:
      return nullptr;
  }
}

}  // namespace

Evaluate FindConvert(Type to, Type from) {
  switch (to) {
    case Type::kU8:
      return FindFrom<uint8_t>(from);
    case Type::kU16:
      return FindFrom<uint16_t>(from);
    case Type::kU32:
      return FindFrom<uint32_t>(from);
    case Type::kU64:
      return FindFrom<uint64_t>(from);
    case Type::kS8:
      return FindFrom<int8_t>(from);
    case Type::kS16:
      return FindFrom<int16_t>(from);
    case Type::kS32:
      return FindFrom<int32_t>(from);
    case Type::kS64:
      return FindFrom<int64_t>(from);
    case Type::kF32:
      return FindFrom<float>(from);
    case Type::kF64:
      return FindFrom<double>(from);
    default:
      return nullptr;
  }
}

Evaluate FindEvaluate(const Instruction& i) {
  const Type type = i.op == Op::kSet ? i.types[1] : i.types[0];
  switch (i.op) {
    case Op::kCvt:
      return FindConvert(i.types[0], i.types[1]);
    case Op::kSelp:
      return FindInteger(type);
    case Op::kSlct:
      return i.types[1] == Type::kF32 ? FindFloatingPoint(Type::kF32) : FindInteger(type);
    default:
      return type == Type::kF32 || type == Type::kF64 ? FindFloatingPoint(type) : FindInteger(type);
  }
}

}  // namespace standin::ptx
