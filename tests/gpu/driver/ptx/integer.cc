// Instructions on integers and bits.
#include <limits>
#include <type_traits>

#include "instruction.h"

namespace standin::ptx {
namespace {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;

template <typename T>
uint64_t Widen(T value) {
  return static_cast<uint64_t>(static_cast<int64_t>(value));
}

template <typename T>
int CountLeadingZeros(T value) {
  constexpr int bits = std::numeric_limits<T>::digits;
  return value == 0 ? bits : __builtin_clzll(value) - (64 - bits);
}

template <typename U>
U Reverse(U value) {
  U reversed = 0;
  for (int i = 0; i < std::numeric_limits<U>::digits; ++i, value >>= 1)
    reversed = (reversed << 1) | (value & 1);
  return reversed;
}

template <typename T, typename U>
T ShiftRight(T value, uint32_t amount) {
  constexpr uint32_t bits = std::numeric_limits<U>::digits;
  if (amount < bits) return value >> amount;
  return value < 0 ? T(-1) : T(0);
}

// Takes `length` bits from `position`; the sign is the field's last bit, or the value's if the
// field ends above it.
template <typename T, typename U>
T ExtractField(T value, uint32_t position, uint32_t length) {
  constexpr uint32_t bits = std::numeric_limits<U>::digits;
  if (length == 0) return 0;
  const uint32_t last = position + length - 1 < bits ? position + length - 1 : bits - 1;
  const bool negative = std::is_signed_v<T> && (static_cast<U>(value) >> last & 1) != 0;
  U field = position < bits ? static_cast<U>(value) >> position : U(0);
  // How many bits of the field are the value's own.
  const uint32_t own = position < bits ? (length < bits - position ? length : bits - position) : 0;
  if (own < bits) {
    const U mask = (U(1) << own) - 1;
    field = negative ? field | ~mask : field & mask;
  }
  return static_cast<T>(field);
}

template <typename U>
U InsertField(U field, U into, uint32_t position, uint32_t length) {
  constexpr uint32_t bits = std::numeric_limits<U>::digits;
  if (length == 0 || position >= bits) return into;
  const U mask = (length >= bits ? ~U(0) : (U(1) << length) - 1) << position;
  return (into & ~mask) | ((field << position) & mask);
}

template <typename T>
bool CompareIntegers(uint8_t how, T a, T b) {
  switch (how) {
    case kEq:
      return a == b;
    case kNe:
      return a != b;
    case kLt:
      return a < b;
    case kLe:
      return a <= b;
    case kGt:
      return a > b;
    default:
      return a >= b;
  }
}

template <typename T>
uint64_t Divide(Op op, T a, T b) {
  // Not defined by the ISA; what the hardware's sequences of instructions leave.
  if (b == 0) return Widen(static_cast<T>(-1));
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) {
    return op == Op::kDiv ? Widen(static_cast<T>(0 - static_cast<uint64_t>(a))) : 0;
  }
  return Widen(static_cast<T>(op == Op::kDiv ? a / b : a % b));
}

template <typename T, typename U>
uint64_t Multiply(const Instruction& i, T a, T b) {
  using Wide = std::conditional_t<std::is_signed_v<T>, Int128, Uint128>;
  const Wide product = Wide(a) * Wide(b);
  switch (i.Has(Class::kHalf)) {
    case kHigh:
      return Widen(static_cast<T>(product >> std::numeric_limits<U>::digits));
    case kWide:
      return static_cast<uint64_t>(product);
    default:
      return Widen(static_cast<T>(product));
  }
}

template <typename T>
T Saturate32(int64_t value) {
  if (value > INT32_MAX) return static_cast<T>(INT32_MAX);
  return value < INT32_MIN ? static_cast<T>(INT32_MIN) : static_cast<T>(value);
}

// Returns a + b + carry, and leaves the carry.
template <typename T, typename U>
uint64_t AddCarry(U a, U b, bool carry, Values& v) {
  const Uint128 sum = Uint128(a) + b + (carry ? 1 : 0);
  v.carry = (sum >> std::numeric_limits<U>::digits) != 0;
  return Widen(static_cast<T>(sum));
}

uint32_t Permute(uint8_t mode, uint32_t a, uint32_t b, uint32_t c) {
  const uint64_t bytes = uint64_t{b} << 32 | a;
  const uint32_t n = c & 3;
  uint32_t result = 0;
  for (uint32_t k = 0; k < 4; ++k) {
    uint32_t select = c >> (4 * k) & 0xf;
    switch (mode) {
      case kPrmtF4e:
        select = n + k;
        break;
      case kPrmtB4e:
        select = (n - k) & 7;
        break;
      case kPrmtRc8:
        select = n;
        break;
      case kPrmtEcl:
        select = k > n ? k : n;
        break;
      case kPrmtEcr:
        select = k < n ? k : n;
        break;
      case kPrmtRc16:
        select = (n & 1) * 2 + (k & 1);
        break;
    }
    uint32_t byte = bytes >> (8 * (select & 7)) & 0xff;
    if ((select & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
    result |= byte << (8 * k);
  }
  return result;
}

uint64_t FunnelShift(const Instruction& i, uint32_t a, uint32_t b, uint32_t amount) {
  const uint32_t n = i.Has(Class::kWrap) == 1 ? amount & 31 : (amount < 32 ? amount : 32);
  const uint64_t both = uint64_t{b} << 32 | a;
  return static_cast<uint32_t>(i.Has(Class::kSide) == 1 ? (both << n) >> 32 : both >> n);
}

// `a` for the bits that are set in 0xf0 of the table, `b` 0xcc, `c` 0xaa.
uint32_t LookUp(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t result = 0;
  for (uint32_t row = 0; row < 8; ++row) {
    if ((table >> row & 1) == 0) continue;
    result |= ((row & 4) != 0 ? a : ~a) & ((row & 2) != 0 ? b : ~b) & ((row & 1) != 0 ? c : ~c);
  }
  return result;
}

template <typename T, typename U>
uint64_t FindMostSignificant(U value, bool shift_amount) {
  if (std::is_signed_v<T> && (value >> (std::numeric_limits<U>::digits - 1)) != 0) value = ~value;
  if (value == 0) return 0xffffffff;
  const int zeros = CountLeadingZeros(value);
  return shift_amount ? zeros : std::numeric_limits<U>::digits - 1 - zeros;
}

// What set and setp make of a comparison and a further predicate.
bool Combine(const Instruction& i, bool compared, bool with) {
  switch (i.Has(Class::kBool)) {
    case kAndWith:
      return compared && with;
    case kOrWith:
      return compared || with;
    case kXorWith:
      return compared != with;
    default:
      return compared;
  }
}

template <typename T>
uint64_t EvaluateInteger(const Instruction& i, Values& v) {
  using U = std::make_unsigned_t<T>;
  constexpr uint32_t bits = std::numeric_limits<U>::digits;
  const T a = static_cast<T>(v.in[0]), b = static_cast<T>(v.in[1]);
  const uint64_t c = v.in[2];
  switch (i.op) {
    case Op::kAdd:
      if (i.Has(Class::kSat))
        return Widen(Saturate32<T>(int64_t{static_cast<int32_t>(a)} + static_cast<int32_t>(b)));
      return Widen(static_cast<T>(v.in[0] + v.in[1]));
    case Op::kSub:
      if (i.Has(Class::kSat))
        return Widen(Saturate32<T>(int64_t{static_cast<int32_t>(a)} - static_cast<int32_t>(b)));
      return Widen(static_cast<T>(v.in[0] - v.in[1]));
    case Op::kMul:
      return Multiply<T, U>(i, a, b);
    case Op::kMad: {
      const uint64_t sum = Multiply<T, U>(i, a, b) + c;
      return i.Has(Class::kHalf) == kWide ? sum : Widen(static_cast<T>(sum));
    }
    case Op::kAddCc:
      return AddCarry<T, U>(a, b, false, v);
    case Op::kAddc:
      return AddCarry<T, U>(a, b, v.carry, v);
    case Op::kSubCc:
    case Op::kSubc: {
      // a - b - borrow is a + ~b + 1 - borrow, which carries where nothing is borrowed.
      const uint64_t difference =
          AddCarry<T, U>(a, static_cast<U>(~static_cast<U>(b)), i.op == Op::kSubCc || !v.carry, v);
      v.carry = !v.carry;
      return difference;
    }
    case Op::kMadCc:
    case Op::kMadc:
      return AddCarry<T, U>(static_cast<U>(Multiply<T, U>(i, a, b)), static_cast<U>(c),
                            i.op == Op::kMadc && v.carry, v);
    case Op::kSad:
      return Widen(static_cast<T>((a < b ? v.in[1] - v.in[0] : v.in[0] - v.in[1]) + c));
    case Op::kDiv:
    case Op::kRem:
      return Divide(i.op, a, b);
    case Op::kAbs:
      return Widen(static_cast<T>(a < 0 ? 0 - v.in[0] : v.in[0]));
    case Op::kNeg:
      return Widen(static_cast<T>(0 - v.in[0]));
    case Op::kMin:
      return Widen(b < a ? b : a);
    case Op::kMax:
      return Widen(a < b ? b : a);
    case Op::kAnd:
      return v.in[0] & v.in[1];
    case Op::kOr:
      return v.in[0] | v.in[1];
    case Op::kXor:
      return v.in[0] ^ v.in[1];
    case Op::kNot:
      return ~v.in[0];
    case Op::kCnot:
      return a == 0 ? 1 : 0;
    case Op::kShl: {
      const uint32_t amount = static_cast<uint32_t>(v.in[1]);
      return amount < bits ? v.in[0] << amount : 0;
    }
    case Op::kShr:
      return Widen(ShiftRight<T, U>(a, static_cast<uint32_t>(v.in[1])));
    case Op::kShf:
      return FunnelShift(i, a, b, c);
    case Op::kLop3:
      return LookUp(a, b, c, v.in[3]);
    case Op::kPopc:
      return __builtin_popcountll(static_cast<U>(a));
    case Op::kClz:
      return CountLeadingZeros(static_cast<U>(a));
    case Op::kBfind:
      return FindMostSignificant<T, U>(a, i.Has(Class::kMode) == kShiftAmount);
    case Op::kBrev:
      return Reverse(static_cast<U>(a));
    case Op::kBfe:
      return Widen(ExtractField<T, U>(a, v.in[1] & 0xff, c & 0xff));
    case Op::kBfi:
      return InsertField<U>(a, b, c & 0xff, v.in[3] & 0xff);
    case Op::kPrmt:
      return Permute(i.Has(Class::kMode), a, b, c);
    case Op::kSet:
    case Op::kSetp: {
      const bool compared = CompareIntegers(i.Has(Class::kCompare), a, b);
      const bool set = Combine(i, compared, c != 0);
      v.second = Combine(i, !compared, c != 0);
      if (i.op == Op::kSetp || !set) return set;
      return i.types[0] == Type::kF32 ? 0x3f800000 : ~uint64_t{0};
    }
    case Op::kSelp:
      return c != 0 ? v.in[0] : v.in[1];
    case Op::kSlct:
      return static_cast<int32_t>(c) >= 0 ? v.in[0] : v.in[1];
    case Op::kCvta: {
      const uint8_t space = i.Has(Class::kSpace);
      const uint64_t window = space == kShared  ? kSharedWindow
                              : space == kLocal ? kLocalWindow
                              : space == kParam ? kParamWindow
                                                : 0;
      return i.Has(Class::kTo) ? v.in[0] - window : v.in[0] + window;
    }
    default:
      return 0;
  }
}

uint64_t EvaluatePredicate(const Instruction& i, Values& v) {
  const bool a = v.in[0] != 0, b = v.in[1] != 0;
  return i.op == Op::kAnd ? (a && b) : i.op == Op::kOr ? (a || b) : i.op == Op::kXor ? a != b : !a;
}

}  // namespace

Evaluate FindInteger(Type type) {
  switch (type) {
    case Type::kPred:
      return EvaluatePredicate;
    case Type::kB8:
    case Type::kU8:
      return EvaluateInteger<uint8_t>;
    case Type::kB16:
    case Type::kU16:
      return EvaluateInteger<uint16_t>;
    case Type::kB32:
    case Type::kU32:
    case Type::kF32:  // selp
      return EvaluateInteger<uint32_t>;
    case Type::kB64:
    case Type::kU64:
    case Type::kF64:
      return EvaluateInteger<uint64_t>;
    case Type::kS8:
      return EvaluateInteger<int8_t>;
    case Type::kS16:
      return EvaluateInteger<int16_t>;
    case Type::kS32:
      return EvaluateInteger<int32_t>;
    case Type::kS64:
      return EvaluateInteger<int64_t>;
    case Type::kNone:
      return nullptr;
  }
  return nullptr;
}

}  // namespace standin::ptx
