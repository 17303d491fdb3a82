// Instructions on integers and bits, against C++ that says the same otherwise.
#include <limits>
#include <type_traits>

#include "tests/gpu/ptx/interpreted.h"

namespace {

using interpreted::Case;
using interpreted::Check;
using interpreted::Combine;
__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;

const std::vector<uint64_t> kEdges = {0,
                                      1,
                                      2,
                                      3,
                                      7,
                                      8,
                                      15,
                                      16,
                                      17,
                                      31,
                                      32,
                                      33,
                                      63,
                                      64,
                                      65,
                                      127,
                                      128,
                                      255,
                                      256,
                                      0x7fff,
                                      0x8000,
                                      0xffff,
                                      0x10000,
                                      0x7fffffff,
                                      0x80000000,
                                      0xffffffff,
                                      0x100000000,
                                      0x7fffffffffffffff,
                                      0x8000000000000000,
                                      0xffffffff80000000,
                                      0xffffffffffff8000,
                                      ~uint64_t{0},
                                      0x5a5a5a5a5a5a5a5a};

// Names an instruction of one type, on registers of its width.
template <typename T>
class Cases {
 public:
  explicit Cases(std::vector<Case>& cases) : cases_(cases) {}

  static constexpr char kRegister = sizeof(T) == 2 ? 'h' : sizeof(T) == 4 ? 'r' : 'd';
  static std::string Type() {
    return (std::is_signed_v<T> ? "s" : "u") + std::to_string(sizeof(T) * 8);
  }

  // `operation` says what follows the type: "add" is "add.s32 d, a, b".
  template <typename F>
  void Add(const std::string& operation, int operands, F expected, bool bits = false,
           char result = kRegister) {
    const std::string type = bits ? "b" + std::to_string(sizeof(T) * 8) : Type();
    static const char* const kNames[] = {"", " d, a", " d, a, b", " d, a, b, c"};
    cases_.push_back({operation + "." + type + kNames[operands],
                      std::string(1, result) + std::string(operands, kRegister),
                      [expected](uint64_t a, uint64_t b, uint64_t c) {
                        using R = std::invoke_result_t<F, T, T, T>;
                        return static_cast<uint64_t>(static_cast<std::make_unsigned_t<R>>(
                            expected(static_cast<T>(a), static_cast<T>(b), static_cast<T>(c))));
                      }});
  }

 private:
  std::vector<Case>& cases_;
};

template <typename T>
T Wrap(Int128 value) {
  return static_cast<T>(value);
}

// The low half of a product, which of two unsigned numbers may exceed an Int128.
template <typename T>
T LowProduct(T a, T b) {
  return static_cast<T>(static_cast<Uint128>(a) * static_cast<Uint128>(b));
}

template <typename T>
void AddArithmetic(std::vector<Case>& cases) {
  Cases<T> all(cases);
  constexpr int bits = sizeof(T) * 8;
  all.Add("add", 2, [](T a, T b, T) { return Wrap<T>(Int128(a) + b); });
  all.Add("sub", 2, [](T a, T b, T) { return Wrap<T>(Int128(a) - b); });
  all.Add("mul.lo", 2, [](T a, T b, T) { return LowProduct(a, b); });
  all.Add("mul.hi", 2, [](T a, T b, T) {
    return static_cast<T>(std::is_signed_v<T>
                              ? static_cast<T>((Int128(a) * b) >> bits)
                              : static_cast<T>((static_cast<Uint128>(a) * b) >> bits));
  });
  all.Add("mad.lo", 3, [](T a, T b, T c) { return Wrap<T>(Int128(LowProduct(a, b)) + c); });
  all.Add("sad", 3,
          [](T a, T b, T c) { return Wrap<T>((a < b ? Int128(b) - a : Int128(a) - b) + c); });
  all.Add("div", 2,
          [](T a, T b, T) { return b == 0 ? static_cast<T>(-1) : Wrap<T>(Int128(a) / b); });
  all.Add("rem", 2,
          [](T a, T b, T) { return b == 0 ? static_cast<T>(-1) : Wrap<T>(Int128(a) % b); });
  all.Add("min", 2, [](T a, T b, T) { return std::min(a, b); });
  all.Add("max", 2, [](T a, T b, T) { return std::max(a, b); });
  all.Add(
      "setp.lt", 2, [](T a, T b, T) { return static_cast<uint8_t>(a < b); }, false, 'p');
  all.Add(
      "setp.le", 2, [](T a, T b, T) { return static_cast<uint8_t>(a <= b); }, false, 'p');
  all.Add(
      "setp.gt", 2, [](T a, T b, T) { return static_cast<uint8_t>(a > b); }, false, 'p');
  all.Add(
      "setp.ge", 2, [](T a, T b, T) { return static_cast<uint8_t>(a >= b); }, false, 'p');
  all.Add(
      "setp.eq", 2, [](T a, T b, T) { return static_cast<uint8_t>(a == b); }, true, 'p');
  all.Add(
      "setp.ne", 2, [](T a, T b, T) { return static_cast<uint8_t>(a != b); }, false, 'p');
  if (!std::is_signed_v<T>) {
    all.Add(
        "setp.lo", 2, [](T a, T b, T) { return static_cast<uint8_t>(a < b); }, false, 'p');
    all.Add(
        "setp.hs", 2, [](T a, T b, T) { return static_cast<uint8_t>(a >= b); }, false, 'p');
    all.Add(
        "and", 2, [](T a, T b, T) { return static_cast<T>(a & b); }, true);
    all.Add(
        "or", 2, [](T a, T b, T) { return static_cast<T>(a | b); }, true);
    all.Add(
        "xor", 2, [](T a, T b, T) { return static_cast<T>(a ^ b); }, true);
    all.Add(
        "not", 1, [](T a, T, T) { return static_cast<T>(~a); }, true);
    all.Add(
        "cnot", 1, [](T a, T, T) { return static_cast<T>(a == 0); }, true);
    all.Add(
        "mov", 1, [](T a, T, T) { return a; }, true);
  } else {
    all.Add("abs", 1, [](T a, T, T) { return Wrap<T>(a < 0 ? -Int128(a) : Int128(a)); });
    all.Add("neg", 1, [](T a, T, T) { return Wrap<T>(-Int128(a)); });
  }
  all.Add(
      "set.gt.u32", 2, [](T a, T b, T) { return a > b ? 0xffffffffu : 0u; }, false, 'r');
  if constexpr (sizeof(T) < 8) {
    using Wide = std::conditional_t<std::is_signed_v<T>,
                                    std::conditional_t<sizeof(T) == 2, int32_t, int64_t>,
                                    std::conditional_t<sizeof(T) == 2, uint32_t, uint64_t>>;
    all.Add(
        "mul.wide", 2, [](T a, T b, T) { return static_cast<Wide>(Int128(a) * b); }, false,
        sizeof(T) == 2 ? 'r' : 'd');
  }
}

const std::vector<Case>& ArithmeticCases() {
  static const std::vector<Case>* const made = [] {
    auto* cases = new std::vector<Case>;
    AddArithmetic<int16_t>(*cases);
    AddArithmetic<uint16_t>(*cases);
    AddArithmetic<int32_t>(*cases);
    AddArithmetic<uint32_t>(*cases);
    AddArithmetic<int64_t>(*cases);
    AddArithmetic<uint64_t>(*cases);
    return cases;
  }();
  return *made;
}

uint32_t Low(uint64_t value) { return static_cast<uint32_t>(value); }
int32_t SignedLow(uint64_t value) { return static_cast<int32_t>(value); }

uint64_t Shifted(uint64_t value, uint64_t amount, int bits, bool left, bool is_signed) {
  Int128 wide = is_signed ? Int128(static_cast<int64_t>(value << (64 - bits)) >> (64 - bits))
                          : Int128(bits == 64 ? value : value & ((uint64_t{1} << bits) - 1));
  for (uint64_t i = 0; i < std::min<uint64_t>(Low(amount), 64); ++i)
    wide = left ? Int128(static_cast<Uint128>(wide) << 1) : wide >> 1;
  const uint64_t low = static_cast<uint64_t>(wide);
  return bits == 64 ? low : low & ((uint64_t{1} << bits) - 1);
}

// Bit by bit, as the ISA's own text has it.
uint64_t BitField(uint64_t a, uint64_t position, uint64_t length, int bits, bool is_signed) {
  position &= 0xff, length &= 0xff;
  const int msb = bits - 1;
  const auto bit = [&](uint64_t at) { return (a >> at) & 1; };
  const uint64_t sign =
      !is_signed || length == 0 ? 0 : bit(std::min<uint64_t>(position + length - 1, msb));
  uint64_t d = 0;
  for (int i = 0; i <= msb; ++i) {
    const uint64_t from =
        static_cast<uint64_t>(i) < length && position + i <= static_cast<uint64_t>(msb)
            ? bit(position + i)
            : sign;
    d |= from << i;
  }
  return d;
}

uint64_t Inserted(uint64_t f, uint64_t into, uint64_t position, uint64_t length, int bits) {
  position &= 0xff, length &= 0xff;
  for (uint64_t i = 0; i < length && position + i < static_cast<uint64_t>(bits); ++i) {
    const uint64_t at = uint64_t{1} << (position + i);
    into = (f >> i & 1) != 0 ? into | at : into & ~at;
  }
  return bits == 64 ? into : Low(into);
}

uint32_t Selected(uint64_t a, uint64_t b, uint64_t c) {
  uint32_t d = 0;
  for (int k = 0; k < 4; ++k) {
    const uint32_t select = c >> (4 * k) & 0xf;
    uint8_t byte = (select & 4 ? b : a) >> (8 * (select & 3));
    if (select & 8) byte = static_cast<int8_t>(byte) < 0 ? 0xff : 0;
    d |= uint32_t{byte} << (8 * k);
  }
  return d;
}

template <typename T>
T Clamped(int64_t value) {
  return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : static_cast<T>(value);
}

// clang-format off
const std::vector<Case>& BitCases() {
  static const auto* const cases = new std::vector<Case>{
      {"shl.b16 d, a, b", "hhr", [](auto a, auto b, auto) { return Shifted(a, b, 16, true, false); }},
      {"shl.b32 d, a, b", "rrr", [](auto a, auto b, auto) { return Shifted(a, b, 32, true, false); }},
      {"shl.b64 d, a, b", "ddr", [](auto a, auto b, auto) { return Shifted(a, b, 64, true, false); }},
      {"shr.u16 d, a, b", "hhr", [](auto a, auto b, auto) { return Shifted(a, b, 16, false, false); }},
      {"shr.b32 d, a, b", "rrr", [](auto a, auto b, auto) { return Shifted(a, b, 32, false, false); }},
      {"shr.u64 d, a, b", "ddr", [](auto a, auto b, auto) { return Shifted(a, b, 64, false, false); }},
      {"shr.s16 d, a, b", "hhr", [](auto a, auto b, auto) { return Shifted(a, b, 16, false, true); }},
      {"shr.s32 d, a, b", "rrr", [](auto a, auto b, auto) { return Shifted(a, b, 32, false, true); }},
      {"shr.s64 d, a, b", "ddr", [](auto a, auto b, auto) { return Shifted(a, b, 64, false, true); }},
      {"shr.s32 d, a, 33", "rr", [](auto a, auto, auto) { return Shifted(a, 33, 32, false, true); }},
      {"shf.l.wrap.b32 d, a, b, c", "rrrr", [](auto a, auto b, auto c) { return Low(((Low(b) * (uint64_t{1} << 32) + Low(a)) << (c & 31)) >> 32); }},
      {"shf.r.wrap.b32 d, a, b, c", "rrrr", [](auto a, auto b, auto c) { return Low((Low(b) * (uint64_t{1} << 32) + Low(a)) >> (c & 31)); }},
      {"shf.l.clamp.b32 d, a, b, c", "rrrr", [](auto a, auto b, auto c) { return Low(((Low(b) * (uint64_t{1} << 32) + Low(a)) << std::min(Low(c), 32u)) >> 32); }},
      {"shf.r.clamp.b32 d, a, b, c", "rrrr", [](auto a, auto b, auto c) { return Low((Low(b) * (uint64_t{1} << 32) + Low(a)) >> std::min(Low(c), 32u)); }},
      {"lop3.b32 d, a, b, c, 0x96", "rrrr", [](auto a, auto b, auto c) { return Low(a ^ b ^ c); }},
      {"lop3.b32 d, a, b, c, 0xe8", "rrrr", [](auto a, auto b, auto c) { return Low((a & b) | (b & c) | (a & c)); }},
      {"lop3.b32 d, a, b, c, 0x1a", "rrrr", [](auto a, auto b, auto c) { return Low((~a & ~b & c) | (~a & b & c) | (a & ~b & ~c)); }},
      {"popc.b32 d, a", "rr", [](auto a, auto, auto) { uint64_t n = 0; for (int i = 0; i < 32; ++i) n += a >> i & 1; return n; }},
      {"popc.b64 d, a", "rd", [](auto a, auto, auto) { uint64_t n = 0; for (int i = 0; i < 64; ++i) n += a >> i & 1; return n; }},
      {"clz.b32 d, a", "rr", [](auto a, auto, auto) { uint64_t n = 0; while (n < 32 && (a >> (31 - n) & 1) == 0) ++n; return n; }},
      {"clz.b64 d, a", "rd", [](auto a, auto, auto) { uint64_t n = 0; while (n < 64 && (a >> (63 - n) & 1) == 0) ++n; return n; }},
      {"brev.b32 d, a", "rr", [](auto a, auto, auto) { uint64_t d = 0; for (int i = 0; i < 32; ++i) d |= (a >> i & 1) << (31 - i); return d; }},
      {"brev.b64 d, a", "dd", [](auto a, auto, auto) { uint64_t d = 0; for (int i = 0; i < 64; ++i) d |= (a >> i & 1) << (63 - i); return d; }},
      {"bfind.u32 d, a", "rr", [](auto a, auto, auto) { for (int i = 31; i >= 0; --i) { if (a >> i & 1) return uint64_t(i); } return uint64_t{0xffffffff}; }},
      {"bfind.s32 d, a", "rr", [](auto a, auto, auto) { const uint32_t v = SignedLow(a) < 0 ? ~Low(a) : Low(a); for (int i = 31; i >= 0; --i) { if (v >> i & 1) return uint64_t(i); } return uint64_t{0xffffffff}; }},
      {"bfind.shiftamt.u64 d, a", "rd", [](auto a, auto, auto) { for (int i = 63; i >= 0; --i) { if (a >> i & 1) return uint64_t(63 - i); } return uint64_t{0xffffffff}; }},
      {"bfe.u32 d, a, b, c", "rrrr", [](auto a, auto b, auto c) { return BitField(a, b, c, 32, false); }},
      {"bfe.s32 d, a, b, c", "rrrr", [](auto a, auto b, auto c) { return BitField(a, b, c, 32, true); }},
      {"bfe.u64 d, a, b, c", "ddrr", [](auto a, auto b, auto c) { return BitField(a, b, c, 64, false); }},
      {"bfe.s64 d, a, b, c", "ddrr", [](auto a, auto b, auto c) { return BitField(a, b, c, 64, true); }},
      {"bfi.b32 d, a, b, c, 5", "rrrr", [](auto a, auto b, auto c) { return Inserted(a, b, c, 5, 32); }},
      {"bfi.b32 d, a, b, 3, c", "rrrr", [](auto a, auto b, auto c) { return Inserted(a, b, 3, c, 32); }},
      {"bfi.b64 d, a, b, 30, c", "dddr", [](auto a, auto b, auto c) { return Inserted(a, b, 30, c, 64); }},
      {"prmt.b32 d, a, b, c", "rrrr", [](auto a, auto b, auto c) { return Selected(a, b, c); }},
      {"prmt.b32.f4e d, a, b, c", "rrrr", [](auto a, auto b, auto c) { const uint32_t s[] = {0x3210, 0x4321, 0x5432, 0x6543}; return Selected(a, b, s[c & 3]); }},
      {"prmt.b32.b4e d, a, b, c", "rrrr", [](auto a, auto b, auto c) { const uint32_t s[] = {0x5670, 0x6701, 0x7012, 0x0123}; return Selected(a, b, s[c & 3]); }},
      {"prmt.b32.rc8 d, a, b, c", "rrrr", [](auto a, auto b, auto c) { const uint32_t s[] = {0x0000, 0x1111, 0x2222, 0x3333}; return Selected(a, b, s[c & 3]); }},
      {"prmt.b32.ecl d, a, b, c", "rrrr", [](auto a, auto b, auto c) { const uint32_t s[] = {0x3210, 0x3211, 0x3222, 0x3333}; return Selected(a, b, s[c & 3]); }},
      {"prmt.b32.ecr d, a, b, c", "rrrr", [](auto a, auto b, auto c) { const uint32_t s[] = {0x0000, 0x1110, 0x2210, 0x3210}; return Selected(a, b, s[c & 3]); }},
      {"prmt.b32.rc16 d, a, b, c", "rrrr", [](auto a, auto b, auto c) { const uint32_t s[] = {0x1010, 0x3232, 0x1010, 0x3232}; return Selected(a, b, s[c & 3]); }},
      {"add.sat.s32 d, a, b", "rrr", [](auto a, auto b, auto) { return Low(Clamped<int32_t>(int64_t{SignedLow(a)} + SignedLow(b))); }},
      {"sub.sat.s32 d, a, b", "rrr", [](auto a, auto b, auto) { return Low(Clamped<int32_t>(int64_t{SignedLow(a)} - SignedLow(b))); }},
      {"mad.wide.s32 d, a, b, c", "drrd", [](auto a, auto b, auto c) { return uint64_t(int64_t{SignedLow(a)} * SignedLow(b)) + c; }},
      {"mad.wide.u16 d, a, b, c", "rhhr", [](auto a, auto b, auto c) { return Low(uint64_t{uint16_t(a)} * uint16_t(b) + c); }},
      {"mad.hi.u32 d, a, b, c", "rrrr", [](auto a, auto b, auto c) { return Low((uint64_t{Low(a)} * Low(b) >> 32) + c); }},
      {"selp.b32 d, a, b, c", "rrrp", [](auto a, auto b, auto c) { return Low(c ? a : b); }},
      {"selp.b64 d, a, -1, b", "ddp", [](auto a, auto b, auto) { return b ? a : ~uint64_t{0}; }},
      {"selp.b16 d, a, b, !c", "hhhp", [](auto a, auto b, auto c) { return uint64_t(uint16_t(c ? b : a)); }},
      {"slct.b64.s32 d, a, b, c", "dddr", [](auto a, auto b, auto c) { return SignedLow(c) >= 0 ? a : b; }},
      {"and.pred d, a, b", "ppp", [](auto a, auto b, auto) { return uint64_t(a && b); }},
      {"or.pred d, a, !b", "ppp", [](auto a, auto b, auto) { return uint64_t(a || !b); }},
      {"xor.pred d, a, b", "ppp", [](auto a, auto b, auto) { return uint64_t(!a != !b); }},
      {"not.pred d, a", "pp", [](auto a, auto, auto) { return uint64_t(!a); }},
      {"mov.pred d, a", "pp", [](auto a, auto, auto) { return uint64_t(a != 0); }},
      {"setp.lt.and.s32 d|q, a, b, c", "prrp", [](auto a, auto b, auto c) { const bool t = SignedLow(a) < SignedLow(b); return uint64_t(t && c) | uint64_t(!t && c) << 1; }},
      {"setp.hi.or.u32 d|q, a, b, c", "prrp", [](auto a, auto b, auto c) { const bool t = Low(a) > Low(b); return uint64_t(t || c) | uint64_t(!t || c) << 1; }},
      {"setp.eq.xor.b64 d|q, a, b, !c", "pddp", [](auto a, auto b, auto c) { const bool t = a == b; return uint64_t(t != !c) | uint64_t(!t != !c) << 1; }},
      {"setp.ne.s64 d|q, a, b", "pdd", [](auto a, auto b, auto) { return a != b ? uint64_t{1} : uint64_t{2}; }},
      {"set.lt.f32.s32 d, a, b", "rrr", [](auto a, auto b, auto) { return SignedLow(a) < SignedLow(b) ? uint64_t{0x3f800000} : 0; }},
      {"set.ge.and.s32.u64 d, a, b, c", "rddp", [](auto a, auto b, auto c) { return a >= b && c ? uint64_t{0xffffffff} : 0; }},
      {"mov.b32 d, {a, b}", "rhh", [](auto a, auto b, auto) { return uint64_t{uint16_t(a)} | uint64_t{uint16_t(b)} << 16; }},
      {"mov.b64 d, {a, b}", "drr", [](auto a, auto b, auto) { return uint64_t{Low(a)} | b << 32; }},
      {"mov.b64 d, {a, b, c, a}", "dhhh", [](auto a, auto b, auto c) { return uint64_t{uint16_t(a)} | uint64_t{uint16_t(b)} << 16 | uint64_t{uint16_t(c)} << 32 | uint64_t{uint16_t(a)} << 48; }},
      {"mov.b64 {_, d}, a", "rd", [](auto a, auto, auto) { return a >> 32; }},
      {"mov.b64 {d, _}, a", "rd", [](auto a, auto, auto) { return Low(a); }},
      {"mov.b64 {_, _, d, _}, a", "hd", [](auto a, auto, auto) { return a >> 32 & 0xffff; }},
      {"mov.b32 {_, d}, a", "hr", [](auto a, auto, auto) { return a >> 16 & 0xffff; }},
      {"add.s32 d, a, -5", "rr", [](auto a, auto, auto) { return Low(a - 5); }},
      {"and.b64 d, a, 0xfFfFU", "dd", [](auto a, auto, auto) { return a & 0xffff; }},
      {"or.b32 d, a, 0b101", "rr", [](auto a, auto, auto) { return Low(a | 5); }},
      {"xor.b32 d, a, 017", "rr", [](auto a, auto, auto) { return Low(a ^ 15); }},
      {"add.s32 d, a, WARP_SZ", "rr", [](auto a, auto, auto) { return Low(a + 32); }},
  };
  return *cases;
}
// clang-format on

TEST(IntegerTest, ComputesArithmetic) {
  for (const Case& c : ArithmeticCases()) Check(c, Combine(kEdges, 2, 1000));
}

TEST(IntegerTest, ComputesBits) {
  for (const Case& c : BitCases()) {
    Check(c, Combine(kEdges, 2, 1500));
    Check(c, Combine({0, 1, 5, 31, 32, 64, 0x80000000, 0x8123456789abcdef, ~uint64_t{0}}, 3, 0));
  }
}

TEST(IntegerTest, CasesAreWhatThePtxAssemblerTakes) {
  std::vector<Case> cases = ArithmeticCases();
  cases.insert(cases.end(), BitCases().begin(), BitCases().end());
  interpreted::Assemble(cases);
}

// 128 bits in pieces of 32: the carry passes from one instruction to the next.
TEST(IntegerTest, CarriesFromOneInstructionToTheNext) {
  const std::string text = interpreted::ModuleText(R"(
.visible .entry kernel(.param .u64 p) {
  .reg .b64 %p; .reg .b32 %a<4>, %b<4>, %s<4>, %d<4>, %m<4>;
  ld.param.u64 %p, [p];
  ld.global.v4.u32 {%a0, %a1, %a2, %a3}, [%p];
  ld.global.v4.u32 {%b0, %b1, %b2, %b3}, [%p+16];
  add.cc.u32 %s0, %a0, %b0; addc.cc.u32 %s1, %a1, %b1; addc.cc.u32 %s2, %a2, %b2; addc.u32 %s3, %a3, %b3;
  sub.cc.u32 %d0, %a0, %b0; subc.cc.u32 %d1, %a1, %b1; subc.cc.u32 %d2, %a2, %b2; subc.u32 %d3, %a3, %b3;
  mul.lo.u32 %m0, %a0, %b0; mul.hi.u32 %m1, %a0, %b0;
  mad.lo.cc.u32 %m1, %a1, %b0, %m1; madc.hi.u32 %m2, %a1, %b0, 0;
  mad.lo.cc.u32 %m1, %a0, %b1, %m1; madc.hi.cc.u32 %m2, %a0, %b1, %m2; addc.u32 %m3, 0, 0;
  mad.lo.cc.u32 %m2, %a1, %b1, %m2; madc.hi.u32 %m3, %a1, %b1, %m3;
  st.global.v4.u32 [%p+32], {%s0, %s1, %s2, %s3};
  st.global.v4.u32 [%p+48], {%d0, %d1, %d2, %d3};
  st.global.v4.u32 [%p+64], {%m0, %m1, %m2, %m3};
})");
  std::mt19937_64 bits(1);
  for (int i = 0; i < 300; ++i) {
    std::vector<Uint128> values(5);
    for (int k = 0; k < 2; ++k) {
      for (int word = 0; word < 4; ++word) {
        const uint64_t edge[] = {0, 1, 0xffffffff, 0x80000000, bits() & 0xffffffff};
        values[k] = values[k] << 32 | edge[bits() % 5];
      }
    }
    interpreted::DeviceMemory memory;
    const uint64_t address = memory.Copy(values);
    ASSERT_EQ(interpreted::RunKernel(text, memory, {address}), absl::OkStatus());
    const std::vector<Uint128> got = memory.Read<Uint128>(address);
    EXPECT_TRUE(got[2] == values[0] + values[1]);
    EXPECT_TRUE(got[3] == values[0] - values[1]);
    EXPECT_TRUE(got[4] == static_cast<Uint128>(static_cast<uint64_t>(values[0])) *
                              static_cast<uint64_t>(values[1]));
  }
}

}  // namespace
