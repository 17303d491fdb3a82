// Arithmetic on f32 and f64 against the host's processor.
#include "tests/gpu/ptx/numbers.h"

namespace {

using interpreted::BitsOf;
using interpreted::Case;
using interpreted::Check;
using interpreted::Flushed;
using interpreted::In;
using interpreted::kModes;
using interpreted::Made;
using interpreted::Mode;
using interpreted::Numbers;
using interpreted::Of;
using interpreted::Operands;
using interpreted::SameNumber;

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

TEST(FloatingPointTest, ComputesF32) { CheckArithmetic<float>(); }
TEST(FloatingPointTest, ComputesF64) { CheckArithmetic<double>(); }

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
  std::vector<Made> made = ArithmeticCases<float>();
  for (Made& m : ArithmeticCases<double>()) made.push_back(std::move(m));
  std::vector<Case> cases;
  for (const Made& m : made) cases.push_back(m.AsCase());
  interpreted::Assemble(cases);
}

}  // namespace
