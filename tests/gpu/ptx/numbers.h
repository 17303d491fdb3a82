// Floating-point operands, and what is expected of them.
#pragma once

#include <cfenv>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/gpu/ptx/interpreted.h"

namespace interpreted {

template <typename F>
F Of(uint64_t bits) {
  F value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
template <typename F>
uint64_t BitsOf(F value) {
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof value);
  return bits;
}

// Computes in a rounding mode; what is given and what comes pass through memory.
template <typename F, typename Compute>
F In(int mode, Compute compute, F a, F b = 0, F c = 0) {
  volatile F x = a, y = b, z = c;
  fesetround(mode);
  volatile F result = compute(F(x), F(y), F(z));
  fesetround(FE_TONEAREST);
  return result;
}

// What is no number is equal to what is no number; in f32 it must be the hardware's.
template <typename F>
bool SameNumber(uint64_t expected, uint64_t got) {
  if (!std::isnan(Of<F>(expected))) return expected == got;
  return sizeof(F) == 4 ? got == 0x7fffffff : std::isnan(Of<F>(got));
}

template <typename F>
F Flushed(F value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(F(0), value) : value;
}

template <typename F>
std::vector<uint64_t> Edges() {
  using L = std::numeric_limits<F>;
  std::vector<uint64_t> bits;
  for (const F v : {F(0),
                    F(1),
                    F(0.5),
                    F(1.5),
                    F(2.5),
                    F(3),
                    F(1) / 3,
                    F(1e-3),
                    F(65504),
                    F(1e10),
                    L::min(),
                    L::max(),
                    L::denorm_min(),
                    L::min() / 2,
                    std::nextafter(L::min(), F(0)),
                    L::infinity(),
                    L::epsilon(),
                    F(1) + L::epsilon(),
                    F(16777217),
                    F(2147483648.0),
                    F(4294967295.0),
                    F(9.2233720368547758e18),
                    F(1.8446744073709552e19),
                    F(127.5),
                    F(255.5),
                    F(0x1p126),
                    F(0x1.8p127),
                    F(32767.5)}) {
    bits.push_back(BitsOf(v));
    bits.push_back(BitsOf(-v));
  }
  bits.push_back(BitsOf(L::quiet_NaN()));
  bits.push_back(sizeof(F) == 4 ? 0xffc12345 : 0xfff8000012345678);
  bits.push_back(sizeof(F) == 4 ? 0x7f800001 : 0x7ff0000000000001);
  return bits;
}

// All bits are numbers somewhere; of the random ones in the middle many are near each other.
template <typename F>
std::vector<Operands> Numbers(int operands) {
  std::vector<Operands> all = Combine(Edges<F>(), std::min(operands, 2), 3000);
  std::mt19937_64 random(7);
  for (int i = 0; i < 1500; ++i) {
    const auto number = [&] {
      return BitsOf(static_cast<F>(std::ldexp(static_cast<double>(random() % 2000001) - 1000000,
                                              static_cast<int>(random() % 40) - 30)));
    };
    all.push_back({number(), number(), number()});
  }
  for (Operands& o : all) {
    if (operands == 3 && o.c == 0) o.c = all[random() % all.size()].a;
  }
  return all;
}

struct Mode {
  const char* name;
  int mode;
};
constexpr Mode kModes[] = {
    {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

// A case, and how many operands it has.
struct Made {
  std::string instruction, registers;
  std::function<uint64_t(uint64_t, uint64_t, uint64_t)> expected;
  int operands;
  Case AsCase() const { return {instruction, registers, expected}; }
};

}  // namespace interpreted
