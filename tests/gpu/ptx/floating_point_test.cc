// Instructions on f32 and f64, and conversions, against the host's processor and exact arithmetic.
#include <cfenv>
#include <cmath>
#include <limits>
#include <type_traits>

#include "tests/gpu/ptx/interpreted.h"

namespace {

using interpreted::Case;
using interpreted::Check;
using interpreted::Combine;
using interpreted::Operands;

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

template <typename F>
std::vector<Made> ArithmeticCases() {
  const std::string type = sizeof(F) == 4 ? "f32" : "f64";
  const char r = sizeof(F) == 4 ? 'r' : 'd';
  std::vector<Made> cases;
  const auto add = [&](const std::string& name, int operands, int mode, bool ftz, bool sat,
                       auto compute) {
    static const char* const kNames[] = {"", " d, a", " d, a, b", " d, a, b, c"};
    cases.push_back(
        {name + (ftz ? ".ftz" : "") + (sat ? ".sat" : "") + "." + type + kNames[operands],
         std::string(operands + 1, r),
         [=](uint64_t a, uint64_t b, uint64_t c) {
           const auto flush = [&](F v) { return ftz ? Flushed(v) : v; };
           F d = flush(In<F>(mode, compute, flush(Of<F>(a)), flush(Of<F>(b)), flush(Of<F>(c))));
           if (sat) d = std::isnan(d) ? 0 : std::min(std::max(d, F(0)), F(1));
           return BitsOf(sat && d == 0 ? F(0) : d);
         },
         operands});
  };
  const auto sum = [](F a, F b, F) { return a + b; };
  const auto difference = [](F a, F b, F) { return a - b; };
  const auto product = [](F a, F b, F) { return a * b; };
  const auto fused = [](F a, F b, F c) { return std::fma(a, b, c); };
  const auto quotient = [](F a, F b, F) { return a / b; };
  const auto root = [](F a, F, F) { return std::sqrt(a); };
  const auto reciprocal = [](F a, F, F) { return 1 / a; };
  for (const bool ftz : {false, true}) {
    if (ftz && sizeof(F) == 8) break;
    for (const Mode& mode : kModes) {
      const std::string dot = std::string(".") + mode.name;
      add("add" + dot, 2, mode.mode, ftz, false, sum);
      add("sub" + dot, 2, mode.mode, ftz, false, difference);
      add("mul" + dot, 2, mode.mode, ftz, false, product);
      add("fma" + dot, 3, mode.mode, ftz, false, fused);
      add("mad" + dot, 3, mode.mode, ftz, false, fused);
      add("div" + dot, 2, mode.mode, ftz, false, quotient);
      add("sqrt" + dot, 1, mode.mode, ftz, false, root);
      add("rcp" + dot, 1, mode.mode, ftz, false, reciprocal);
    }
    add("add", 2, FE_TONEAREST, ftz, false, sum);
    add("mul", 2, FE_TONEAREST, ftz, false, product);
    if (sizeof(F) == 4) {
      add("add.rz", 2, FE_TOWARDZERO, ftz, true, sum);
      add("mul", 2, FE_TONEAREST, ftz, true, product);
      add("fma.rn", 3, FE_TONEAREST, ftz, true, fused);
      add("div.full", 2, FE_TONEAREST, ftz, false, quotient);
    }
    const auto extremum = [&](const std::string& name, bool least, bool nan) {
      add(name, 2, FE_TONEAREST, ftz, false, [=](F a, F b, F) {
        if (std::isnan(a) || std::isnan(b))
          return nan || (std::isnan(a) && std::isnan(b)) ? std::numeric_limits<F>::quiet_NaN()
                 : std::isnan(a)                         ? b
                                                         : a;
        const bool a_first = a < b || (a == b && std::signbit(a));
        return a_first == least ? a : b;
      });
    };
    extremum("min", true, false);
    extremum("max", false, false);
    if (sizeof(F) == 4) {
      cases.push_back({ftz ? "min.ftz.NaN.f32 d, a, b" : "min.NaN.f32 d, a, b", "rrr",
                       cases[cases.size() - 2].expected, 2});
      cases.back().expected = [plain = cases[cases.size() - 3].expected](uint64_t a, uint64_t b,
                                                                         uint64_t c) {
        return std::isnan(Of<F>(a)) || std::isnan(Of<F>(b)) ? uint64_t{0x7fffffff} : plain(a, b, c);
      };
    }
    struct Comparison {
      const char* name;
      bool less, equal, greater, unordered;
    };
    for (const Comparison& how :
         std::initializer_list<Comparison>{{"eq", false, true, false, false},
                                           {"ne", true, false, true, false},
                                           {"lt", true, false, false, false},
                                           {"le", true, true, false, false},
                                           {"gt", false, false, true, false},
                                           {"ge", false, true, true, false},
                                           {"equ", false, true, false, true},
                                           {"neu", true, false, true, true},
                                           {"ltu", true, false, false, true},
                                           {"leu", true, true, false, true},
                                           {"gtu", false, false, true, true},
                                           {"geu", false, true, true, true},
                                           {"num", true, true, true, false},
                                           {"nan", false, false, false, true}}) {
      cases.push_back(
          {std::string("setp.") + how.name + (ftz ? ".ftz." : ".") + type + " d|q, a, b",
           std::string("p") + r + r,
           [=](uint64_t x, uint64_t y, uint64_t) {
             const F a = ftz ? Flushed(Of<F>(x)) : Of<F>(x), b = ftz ? Flushed(Of<F>(y)) : Of<F>(y);
             const bool t = a < b    ? how.less
                            : a == b ? how.equal
                            : a > b  ? how.greater
                                     : how.unordered;
             return t ? uint64_t{1} : uint64_t{2};
           },
           2});
    }
  }
  const std::string rr(2, r), pr = std::string("p") + r;
  cases.push_back({"abs." + type + " d, a", rr,
                   [](uint64_t a, uint64_t, uint64_t) { return BitsOf(std::fabs(Of<F>(a))); }, 1});
  cases.push_back({"neg." + type + " d, a", rr,
                   [](uint64_t a, uint64_t, uint64_t) { return BitsOf(-Of<F>(a)); }, 1});
  cases.push_back(
      {"copysign." + type + " d, a, b", rr + r,
       [](uint64_t a, uint64_t b, uint64_t) { return BitsOf(std::copysign(Of<F>(b), Of<F>(a))); },
       2});
  cases.push_back({"selp." + type + " d, a, b, c", rr + r + "p",
                   [](uint64_t a, uint64_t b, uint64_t c) { return BitsOf(Of<F>(c ? a : b)); }, 3});
  cases.push_back(
      {"slct." + type + ".f32 d, a, b, c", rr + r + "r",
       [](uint64_t a, uint64_t b, uint64_t c) { return BitsOf(Of<F>(Of<float>(c) >= 0 ? a : b)); },
       3});
  cases.push_back({"testp.finite." + type + " d, a", pr,
                   [](uint64_t a, uint64_t, uint64_t) { return uint64_t(std::isfinite(Of<F>(a))); },
                   1});
  cases.push_back({"testp.infinite." + type + " d, a", pr,
                   [](uint64_t a, uint64_t, uint64_t) { return uint64_t(std::isinf(Of<F>(a))); },
                   1});
  cases.push_back({"testp.number." + type + " d, a", pr,
                   [](uint64_t a, uint64_t, uint64_t) { return uint64_t(!std::isnan(Of<F>(a))); },
                   1});
  cases.push_back({"testp.notanumber." + type + " d, a", pr,
                   [](uint64_t a, uint64_t, uint64_t) { return uint64_t(std::isnan(Of<F>(a))); },
                   1});
  cases.push_back({"testp.normal." + type + " d, a", pr,
                   [](uint64_t a, uint64_t, uint64_t) { return uint64_t(std::isnormal(Of<F>(a))); },
                   1});
  cases.push_back({"testp.subnormal." + type + " d, a", pr,
                   [](uint64_t a, uint64_t, uint64_t) {
                     return uint64_t(std::fpclassify(Of<F>(a)) == FP_SUBNORMAL);
                   },
                   1});
  return cases;
}

// The sign of what is no number is the operand's own in abs, neg, copysign and where one is
// selected.
bool KeepsBits(const std::string& instruction) {
  for (const char* name : {"abs", "neg", "copysign", "selp", "slct", "setp", "testp"}) {
    if (instruction.rfind(name, 0) == 0) return true;
  }
  return false;
}

template <typename F>
void CheckArithmetic() {
  for (const Made& made : ArithmeticCases<F>()) {
    if (KeepsBits(made.instruction)) {
      Check(made.AsCase(), Numbers<F>(made.operands));
    } else {
      Check(made.AsCase(), Numbers<F>(made.operands), SameNumber<F>);
    }
  }
}

// Rounds an exact number of at most 2 * 64 bits of fraction; `long double` holds every integer of
// 64 bits, f32 and f64.
long double RoundedToInteger(long double value, int mode) {
  fesetround(mode);
  volatile long double v = value;
  const long double rounded = std::nearbyint(static_cast<long double>(v));
  fesetround(FE_TONEAREST);
  return rounded;
}

template <typename F>
const char* FloatName() {
  return sizeof(F) == 4 ? "f32" : "f64";
}
template <typename T>
std::string IntegerName() {
  return (std::is_signed_v<T> ? "s" : "u") + std::to_string(sizeof(T) * 8);
}
template <typename T>
char RegisterOf() {
  return sizeof(T) <= 2 ? 'h' : sizeof(T) == 4 ? 'r' : 'd';
}
// What a register wider than the type holds: an s8 in 16 bits has its sign in them all.
template <typename T>
uint64_t InRegister(T value) {
  const uint64_t wide = static_cast<uint64_t>(static_cast<int64_t>(value));
  return sizeof(T) <= 2 ? wide & 0xffff : sizeof(T) == 4 ? wide & 0xffffffff : wide;
}

template <typename F, typename I>
void AddConversions(std::vector<Made>& cases) {
  for (const Mode& mode : kModes) {
    // The integer modes end in i: rni.
    cases.push_back(
        {absl::StrCat("cvt.", mode.name, "i.", IntegerName<I>(), ".", FloatName<F>(), " d, a"),
         std::string{RegisterOf<I>(), RegisterOf<F>()},
         [m = mode.mode](uint64_t a, uint64_t, uint64_t) {
           const F from = Of<F>(a);
           if (std::isnan(from))
             return sizeof(I) < 4 || (sizeof(F) == 4 && sizeof(I) == 4)
                        ? uint64_t{0}
                        : uint64_t{1} << (sizeof(I) * 8 - 1);
           const long double v = RoundedToInteger(from, m);
           using L = std::numeric_limits<I>;
           return InRegister<I>(v < static_cast<long double>(L::min())   ? L::min()
                                : v > static_cast<long double>(L::max()) ? L::max()
                                                                         : static_cast<I>(v));
         },
         1});
    cases.push_back(
        {absl::StrCat("cvt.", mode.name, ".", FloatName<F>(), ".", IntegerName<I>(), " d, a"),
         std::string{RegisterOf<F>(), RegisterOf<I>()},
         [m = mode.mode](uint64_t a, uint64_t, uint64_t) {
           volatile long double exact = static_cast<long double>(static_cast<I>(a));
           fesetround(m);
           volatile F to = static_cast<F>(static_cast<long double>(exact));
           fesetround(FE_TONEAREST);
           return BitsOf<F>(to);
         },
         1});
  }
}

template <typename To, typename From>
void AddIntegerConversion(std::vector<Made>& cases) {
  cases.push_back({absl::StrCat("cvt.", IntegerName<To>(), ".", IntegerName<From>(), " d, a"),
                   std::string{RegisterOf<To>(), RegisterOf<From>()},
                   [](uint64_t a, uint64_t, uint64_t) {
                     return InRegister<To>(static_cast<To>(static_cast<From>(a)));
                   },
                   1});
  // Only where it matters, which the assembler checks.
  constexpr bool holds_all =
      std::is_signed_v<From>
          ? std::is_signed_v<To> && sizeof(To) >= sizeof(From)
          : sizeof(To) > sizeof(From) || (std::is_unsigned_v<To> && sizeof(To) == sizeof(From));
  if (holds_all) return;
  cases.push_back(
      {absl::StrCat("cvt.sat.", IntegerName<To>(), ".", IntegerName<From>(), " d, a"),
       std::string{RegisterOf<To>(), RegisterOf<From>()},
       [](uint64_t a, uint64_t, uint64_t) {
         __extension__ using Wide = __int128;
         const Wide from = static_cast<From>(a), least = std::numeric_limits<To>::min(),
                    most = std::numeric_limits<To>::max();
         return InRegister<To>(static_cast<To>(from < least ? least : from > most ? most : from));
       },
       1});
}

template <typename From>
void AddIntegerConversions(std::vector<Made>& cases) {
  AddIntegerConversion<int8_t, From>(cases);
  AddIntegerConversion<uint8_t, From>(cases);
  AddIntegerConversion<int16_t, From>(cases);
  AddIntegerConversion<uint16_t, From>(cases);
  AddIntegerConversion<int32_t, From>(cases);
  AddIntegerConversion<uint32_t, From>(cases);
  AddIntegerConversion<int64_t, From>(cases);
  AddIntegerConversion<uint64_t, From>(cases);
}

std::vector<Made> ConversionCases() {
  std::vector<Made> cases;
  AddConversions<float, int8_t>(cases), AddConversions<float, uint8_t>(cases),
      AddConversions<float, int16_t>(cases), AddConversions<float, uint16_t>(cases);
  AddConversions<float, int32_t>(cases), AddConversions<float, uint32_t>(cases),
      AddConversions<float, int64_t>(cases), AddConversions<float, uint64_t>(cases);
  AddConversions<double, int8_t>(cases), AddConversions<double, uint8_t>(cases),
      AddConversions<double, int16_t>(cases), AddConversions<double, uint16_t>(cases);
  AddConversions<double, int32_t>(cases), AddConversions<double, uint32_t>(cases),
      AddConversions<double, int64_t>(cases), AddConversions<double, uint64_t>(cases);
  AddIntegerConversions<int8_t>(cases), AddIntegerConversions<uint8_t>(cases),
      AddIntegerConversions<int16_t>(cases), AddIntegerConversions<uint16_t>(cases);
  AddIntegerConversions<int32_t>(cases), AddIntegerConversions<uint32_t>(cases),
      AddIntegerConversions<int64_t>(cases), AddIntegerConversions<uint64_t>(cases);
  for (const Mode& mode : kModes) {
    cases.push_back({absl::StrCat("cvt.", mode.name, ".f32.f64 d, a"), "rd",
                     [m = mode.mode](uint64_t a, uint64_t, uint64_t) {
                       volatile double from = Of<double>(a);
                       fesetround(m);
                       volatile float to = static_cast<float>(from);
                       fesetround(FE_TONEAREST);
                       return std::isnan(to) ? uint64_t{0x7fffffff} : BitsOf<float>(to);
                     },
                     1});
    cases.push_back({absl::StrCat("cvt.", mode.name, "i.f32.f32 d, a"), "rr",
                     [m = mode.mode](uint64_t a, uint64_t, uint64_t) {
                       const float to = static_cast<float>(RoundedToInteger(Of<float>(a), m));
                       return std::isnan(to) ? uint64_t{0x7fffffff} : BitsOf(to);
                     },
                     1});
    cases.push_back({absl::StrCat("cvt.", mode.name, "i.f64.f64 d, a"), "dd",
                     [m = mode.mode](uint64_t a, uint64_t, uint64_t) {
                       return BitsOf(static_cast<double>(RoundedToInteger(Of<double>(a), m)));
                     },
                     1});
  }
  cases.push_back(
      {"cvt.f64.f32 d, a", "dr",
       [](uint64_t a, uint64_t, uint64_t) { return BitsOf(static_cast<double>(Of<float>(a))); },
       1});
  cases.push_back({"cvt.ftz.f64.f32 d, a", "dr",
                   [](uint64_t a, uint64_t, uint64_t) {
                     return BitsOf(static_cast<double>(Flushed(Of<float>(a))));
                   },
                   1});
  cases.push_back({"cvt.rn.ftz.f32.f64 d, a", "rd",
                   [](uint64_t a, uint64_t, uint64_t) {
                     const float to = Flushed(static_cast<float>(Of<double>(a)));
                     return std::isnan(to) ? uint64_t{0x7fffffff} : BitsOf(to);
                   },
                   1});
  cases.push_back({"cvt.sat.f32.f32 d, a", "rr",
                   [](uint64_t a, uint64_t, uint64_t) {
                     const float v = Of<float>(a);
                     return BitsOf(v > 0 ? std::min(v, 1.0f) : 0.0f);
                   },
                   1});
  cases.push_back({"cvt.rzi.ftz.s32.f32 d, a", "rr",
                   [](uint64_t a, uint64_t, uint64_t) {
                     const float v = Of<float>(a);
                     const double wide = std::isnan(v) ? 0
                                                       : std::min(std::max<double>(v, INT32_MIN),
                                                                  double{INT32_MAX});
                     return uint64_t{static_cast<uint32_t>(static_cast<int32_t>(wide))};
                   },
                   1});
  // A register may be wider than what is converted to, and from.
  cases.push_back({"cvt.s32.s8 d, a", "rr",
                   [](uint64_t a, uint64_t, uint64_t) {
                     return uint64_t{static_cast<uint32_t>(static_cast<int8_t>(a))};
                   },
                   1});
  cases.push_back({"cvt.s8.s32 d, a", "rr",
                   [](uint64_t a, uint64_t, uint64_t) {
                     return uint64_t{static_cast<uint32_t>(static_cast<int8_t>(a))};
                   },
                   1});
  cases.push_back(
      {"cvt.u16.u64 d, a", "rd", [](uint64_t a, uint64_t, uint64_t) { return a & 0xffff; }, 1});
  return cases;
}

TEST(FloatingPointTest, ComputesF32) { CheckArithmetic<float>(); }
TEST(FloatingPointTest, ComputesF64) { CheckArithmetic<double>(); }

TEST(FloatingPointTest, Converts) {
  std::vector<uint64_t> integers = {0,
                                    1,
                                    2,
                                    127,
                                    128,
                                    255,
                                    256,
                                    32767,
                                    32768,
                                    65535,
                                    65536,
                                    16777217,
                                    0x7fffffff,
                                    0x80000000,
                                    0xffffffff,
                                    0x7fffffffffffffff,
                                    0x8000000000000000,
                                    0x8000000000000001,
                                    0x7ffffffffffffc00,
                                    0xfffffffffffffbff,
                                    0xffffff8000000000,
                                    0xffffff7fffffffff,
                                    0x8000008000000001,
                                    ~uint64_t{0}};
  for (const Made& made : ConversionCases()) {
    const bool f32 = made.instruction.find(".f32 ") != made.instruction.npos,
               f64 = made.instruction.find(".f64 ") != made.instruction.npos;
    const std::vector<Operands> operands = f32   ? Numbers<float>(1)
                                           : f64 ? Numbers<double>(1)
                                                 : Combine(integers, 1, 2000);
    const bool to_f64 = made.instruction.find(".f64.f") != made.instruction.npos;
    if (to_f64) {
      Check(made.AsCase(), operands, SameNumber<double>);
    } else {
      Check(made.AsCase(), operands);
    }
  }
}

// What the ISA allows an error for is the correctly rounded result, or for f32 within a unit in the
// last place of it.
TEST(FloatingPointTest, ApproximatesWithinTheIsasErrors) {
  const auto near = [](double relative) {
    return [relative](uint64_t expected, uint64_t got) {
      const double e = Of<float>(expected), g = Of<float>(got);
      return (std::isnan(e) && std::isnan(g)) || e == g ||
             std::fabs(e - g) <= relative * std::fabs(e) + 1e-37 * 1e-8;
    };
  };
  const auto function = [](double (*f)(double)) {
    return
        [f](uint64_t a, uint64_t, uint64_t) { return BitsOf(static_cast<float>(f(Of<float>(a)))); };
  };
  const std::vector<Operands> numbers = Numbers<float>(2);
  Check({"rsqrt.approx.f32 d, a", "rr", function([](double a) { return 1 / std::sqrt(a); })},
        numbers, near(0x1p-22));
  Check({"sqrt.approx.f32 d, a", "rr", function([](double a) { return std::sqrt(a); })}, numbers,
        near(0x1p-22));
  Check({"rcp.approx.f32 d, a", "rr", function([](double a) { return 1 / a; })}, numbers,
        near(0x1p-23));
  Check({"ex2.approx.f32 d, a", "rr", function([](double a) { return std::exp2(a); })}, numbers,
        near(0x1p-22));
  Check({"lg2.approx.f32 d, a", "rr", function([](double a) { return std::log2(a); })}, numbers,
        near(0x1p-22));
  Check({"tanh.approx.f32 d, a", "rr", function([](double a) { return std::tanh(a); })}, numbers,
        near(0x1p-11));
  Check({"sin.approx.f32 d, a", "rr", function([](double a) { return std::sin(a); })}, numbers,
        near(0x1p-20));
  Check({"cos.approx.f32 d, a", "rr", function([](double a) { return std::cos(a); })}, numbers,
        near(0x1p-20));
  Check({"ex2.approx.ftz.f32 d, a", "rr",
         [](uint64_t a, uint64_t, uint64_t) {
           return BitsOf(Flushed(std::exp2(Flushed(Of<float>(a)))));
         }},
        numbers, near(0x1p-22));
  // Divisors above 2^126 are out of the approximation's range.
  Check({"div.approx.f32 d, a, b", "rrr",
         [](uint64_t a, uint64_t b, uint64_t) {
           const float x = Of<float>(a), y = Of<float>(b);
           if (std::isfinite(y) && std::fabs(y) > 0x1p126f)
             return BitsOf(std::isfinite(x) ? std::copysign(0.0f, x * y) : NAN);
           return BitsOf(x / y);
         }},
        numbers, near(0x1p-22));
}

// The high half of an f64, of which libdevice's functions make the rest.
TEST(FloatingPointTest, ApproximatesTheHighHalf) {
  const auto near = [](uint64_t expected, uint64_t got) {
    const double e = Of<double>(expected), g = Of<double>(got);
    if (std::isnan(e) || std::isnan(g)) return std::isnan(e) && std::isnan(g);
    if (static_cast<uint32_t>(got) != 0 || std::signbit(e) != std::signbit(g)) return false;
    return e == g || std::fabs(e - g) <= 0x1p-18 * std::fabs(e);
  };
  const auto flushed = [](uint64_t bits) { return Flushed(Of<double>(bits)); };
  const std::vector<Operands> numbers = Numbers<double>(1);
  Check({"rcp.approx.ftz.f64 d, a", "dd",
         [=](uint64_t a, uint64_t, uint64_t) { return BitsOf(Flushed(1 / flushed(a))); }},
        numbers, near);
  Check({"rsqrt.approx.ftz.f64 d, a", "dd",
         [=](uint64_t a, uint64_t, uint64_t) { return BitsOf(1 / std::sqrt(flushed(a))); }},
        numbers, near);
  interpreted::Assemble({{"rcp.approx.ftz.f64 d, a", "dd", nullptr},
                         {"rsqrt.approx.ftz.f64 d, a", "dd", nullptr},
                         {"rsqrt.approx.f64 d, a", "dd", nullptr},
                         {"div.approx.ftz.f32 d, a, b", "rrr", nullptr},
                         {"tanh.approx.f32 d, a", "rr", nullptr}});
}

TEST(FloatingPointTest, TakesNumbersInEachForm) {
  const auto constant = [](uint64_t bits) {
    return [bits](uint64_t, uint64_t, uint64_t) { return bits; };
  };
  const std::vector<Operands> one = {{0, 0, 0}};
  Check({"mov.f32 d, 0f40490fdb", "rr", constant(0x40490fdb)}, one);
  Check({"mov.f32 d, -0f40490fdb", "rr", constant(0xc0490fdb)}, one);
  Check({"mov.f32 d, 0d3FF8000000000000", "rr", constant(0x3fc00000)}, one);
  Check({"mov.f32 d, 1.5", "rr", constant(0x3fc00000)}, one);
  Check({"mov.f64 d, -1.5e-3", "dd", constant(BitsOf(-1.5e-3))}, one);
  Check({"mov.b32 d, 0f40490fdb", "rr", constant(0x40490fdb)}, one);
  Check({"mov.b64 d, 0d400921FB54442D18", "dd", constant(0x400921FB54442D18)}, one);
  Check({"mov.u32 d, -1", "rr", constant(0xffffffff)}, one);
}

TEST(FloatingPointTest, CasesAreWhatThePtxAssemblerTakes) {
  std::vector<Made> made = ConversionCases();
  for (Made& m : ArithmeticCases<float>()) made.push_back(std::move(m));
  for (Made& m : ArithmeticCases<double>()) made.push_back(std::move(m));
  std::vector<Case> cases;
  for (const Made& m : made) cases.push_back(m.AsCase());
  interpreted::Assemble(cases);
}

}  // namespace
