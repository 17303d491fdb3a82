// Conversions among integers, f32 and f64, against the host's processor and exact arithmetic.
#include <type_traits>

#include "tests/gpu/ptx/numbers.h"

namespace {

using interpreted::BitsOf;
using interpreted::Case;
using interpreted::Check;
using interpreted::Combine;
using interpreted::Flushed;
using interpreted::kModes;
using interpreted::Made;
using interpreted::Mode;
using interpreted::Numbers;
using interpreted::Of;
using interpreted::Operands;
using interpreted::SameNumber;

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
         // NOLINTBEGIN(bugprone-signed-char-misuse): the sign counts.
         const Wide from = static_cast<From>(a);
         const Wide least = std::numeric_limits<To>::min();
         const Wide most = std::numeric_limits<To>::max();
         // NOLINTEND(bugprone-signed-char-misuse)
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

TEST(ConversionTest, Converts) {
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

TEST(ConversionTest, CasesAreWhatThePtxAssemblerTakes) {
  std::vector<Case> cases;
  for (const Made& made : ConversionCases()) cases.push_back(made.AsCase());
  interpreted::Assemble(cases);
}

}  // namespace
