// The table of instructions, and of what may stand behind their dots.
#include <algorithm>
#include <iterator>

#include "absl/algorithm/container.h"
#include "absl/strings/str_split.h"
#include "instruction.h"

namespace standin::ptx {
namespace {

struct TypeName {  // NOLINT(clang-analyzer-optin.performance.Padding): in the order of the table
  Type type;
  const char* name;
  int bits;
};
constexpr TypeName kTypeNames[] = {
    {Type::kNone, "", 0},    {Type::kPred, "pred", 1}, {Type::kB8, "b8", 8},
    {Type::kB16, "b16", 16}, {Type::kB32, "b32", 32},  {Type::kB64, "b64", 64},
    {Type::kU8, "u8", 8},    {Type::kU16, "u16", 16},  {Type::kU32, "u32", 32},
    {Type::kU64, "u64", 64}, {Type::kS8, "s8", 8},     {Type::kS16, "s16", 16},
    {Type::kS32, "s32", 32}, {Type::kS64, "s64", 64},  {Type::kF32, "f32", 32},
    {Type::kF64, "f64", 64},
};
static_assert(std::size(kTypeNames) == kTypes);

constexpr uint32_t Mask(Type type) { return 1u << static_cast<int>(type); }
constexpr uint32_t kPred = Mask(Type::kPred), kB16 = Mask(Type::kB16), kB32 = Mask(Type::kB32),
                   kB64 = Mask(Type::kB64), kU16 = Mask(Type::kU16), kU32 = Mask(Type::kU32),
                   kU64 = Mask(Type::kU64), kS16 = Mask(Type::kS16), kS32 = Mask(Type::kS32),
                   kS64 = Mask(Type::kS64), kF32 = Mask(Type::kF32), kF64 = Mask(Type::kF64);
constexpr uint32_t kBytes = Mask(Type::kB8) | Mask(Type::kU8) | Mask(Type::kS8);
constexpr uint32_t kWords = kU32 | kS32, kInts = kU16 | kS16 | kWords | kU64 | kS64,
                   kBitsOf32 = kB32 | kB64;
constexpr uint32_t kFloats = kF32 | kF64, kBitsOf16 = kB16 | kBitsOf32,
                   kScalars = kBitsOf16 | kInts | kFloats;

constexpr uint32_t Mask(Class c) { return 1u << static_cast<int>(c); }
constexpr uint32_t kRnd = Mask(Class::kRounding), kFtz = Mask(Class::kFtz),
                   kSat = Mask(Class::kSat), kHalf = Mask(Class::kHalf), kCc = Mask(Class::kCarry),
                   kCmp = Mask(Class::kCompare), kBoolean = Mask(Class::kBool),
                   kSpc = Mask(Class::kSpace), kVec = Mask(Class::kVector), kTo = Mask(Class::kTo),
                   kSide = Mask(Class::kSide), kWrap = Mask(Class::kWrap), kNan = Mask(Class::kNan),
                   kMode = Mask(Class::kMode), kFree = Mask(Class::kNoEffect);

struct Modifier {
  const char* name;
  Class of;
  uint8_t value;
};
// clang-format off
constexpr Modifier kModifiers[] = {
    {"rn", Class::kRounding, kNearest}, {"rz", Class::kRounding, kZero}, {"rm", Class::kRounding, kDown},
    {"rp", Class::kRounding, kUp}, {"rni", Class::kRounding, kNearestInteger}, {"rzi", Class::kRounding, kZeroInteger},
    {"rmi", Class::kRounding, kDownInteger}, {"rpi", Class::kRounding, kUpInteger},
    {"approx", Class::kRounding, kApprox}, {"full", Class::kRounding, kFull},
    {"ftz", Class::kFtz, 1}, {"sat", Class::kSat, 1}, {"cc", Class::kCarry, 1}, {"to", Class::kTo, 1}, {"NaN", Class::kNan, 1},
    {"lo", Class::kHalf, kLow}, {"hi", Class::kHalf, kHigh}, {"wide", Class::kHalf, kWide},
    {"eq", Class::kCompare, kEq}, {"ne", Class::kCompare, kNe}, {"lt", Class::kCompare, kLt}, {"le", Class::kCompare, kLe},
    {"gt", Class::kCompare, kGt}, {"ge", Class::kCompare, kGe}, {"lo", Class::kCompare, kLt}, {"ls", Class::kCompare, kLe},
    {"hi", Class::kCompare, kGt}, {"hs", Class::kCompare, kGe}, {"equ", Class::kCompare, kEqu}, {"neu", Class::kCompare, kNeu},
    {"ltu", Class::kCompare, kLtu}, {"leu", Class::kCompare, kLeu}, {"gtu", Class::kCompare, kGtu},
    {"geu", Class::kCompare, kGeu}, {"num", Class::kCompare, kNum}, {"nan", Class::kCompare, kIsNan},
    {"and", Class::kBool, kAndWith}, {"or", Class::kBool, kOrWith}, {"xor", Class::kBool, kXorWith},
    {"global", Class::kSpace, kGlobal}, {"const", Class::kSpace, kConst}, {"shared", Class::kSpace, kShared},
    {"shared::cta", Class::kSpace, kShared}, {"local", Class::kSpace, kLocal}, {"param", Class::kSpace, kParam},
    {"param::entry", Class::kSpace, kParam}, {"param::func", Class::kSpace, kParam},
    {"v2", Class::kVector, 2}, {"v4", Class::kVector, 4}, {"v8", Class::kVector, 8},
    {"l", Class::kSide, 1}, {"r", Class::kSide, 2}, {"wrap", Class::kWrap, 1}, {"clamp", Class::kWrap, 2},
    {"add", Class::kMode, kAtomAdd}, {"min", Class::kMode, kAtomMin}, {"max", Class::kMode, kAtomMax},
    {"inc", Class::kMode, kAtomInc}, {"dec", Class::kMode, kAtomDec}, {"and", Class::kMode, kAtomAnd},
    {"or", Class::kMode, kAtomOr}, {"xor", Class::kMode, kAtomXor}, {"exch", Class::kMode, kAtomExch},
    {"cas", Class::kMode, kAtomCas},
    {"up", Class::kMode, kShflUp}, {"down", Class::kMode, kShflDown}, {"bfly", Class::kMode, kShflBfly},
    {"idx", Class::kMode, kShflIdx}, {"all", Class::kMode, kVoteAll}, {"any", Class::kMode, kVoteAny},
    {"uni", Class::kMode, kVoteUni}, {"ballot", Class::kMode, kVoteBallot},
    {"f4e", Class::kMode, kPrmtF4e}, {"b4e", Class::kMode, kPrmtB4e}, {"rc8", Class::kMode, kPrmtRc8},
    {"ecl", Class::kMode, kPrmtEcl}, {"ecr", Class::kMode, kPrmtEcr}, {"rc16", Class::kMode, kPrmtRc16},
    {"finite", Class::kMode, kTestFinite}, {"infinite", Class::kMode, kTestInfinite},
    {"number", Class::kMode, kTestNumber}, {"notanumber", Class::kMode, kTestNotANumber},
    {"normal", Class::kMode, kTestNormal}, {"subnormal", Class::kMode, kTestSubnormal},
    {"shiftamt", Class::kMode, kShiftAmount},
};
// Of Class::kNoEffect: caches, memory order, scopes.
constexpr const char* kNoEffectNames[] = {
    "ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "volatile", "weak", "relaxed", "acquire", "release", "acq_rel", "sc",
    "cta", "cluster", "gpu", "sys", "gl", "L1::evict_normal", "L1::evict_unchanged", "L1::evict_first",
    "L1::evict_last", "L1::no_allocate", "L2::64B", "L2::128B", "L2::256B", "L2::evict_normal", "L2::evict_last", "L2::evict_first",
    "L1", "L2", "uni", "aligned",
};

constexpr uint32_t kCarried = kWords | kU64 | kS64;
constexpr uint32_t kRndFtzSat = kRnd | kFtz | kSat;
constexpr Row kRows[] = {
    {"add", Op::kAdd, kInts, kSat, 0, "dss"}, {"add", Op::kAdd, kFloats, kRndFtzSat, 0, "dss"},
    {"sub", Op::kSub, kInts, kSat, 0, "dss"}, {"sub", Op::kSub, kFloats, kRndFtzSat, 0, "dss"},
    {"add.cc", Op::kAddCc, kCarried, kCc, 0, "dss"}, {"addc", Op::kAddc, kCarried, kCc, 0, "dss"},
    {"sub.cc", Op::kSubCc, kCarried, kCc, 0, "dss"}, {"subc", Op::kSubc, kCarried, kCc, 0, "dss"},
    {"mad.cc", Op::kMadCc, kCarried, kCc | kHalf, 0, "dsss"}, {"madc", Op::kMadc, kCarried, kCc | kHalf, 0, "dsss"},
    {"mul", Op::kMul, kInts, kHalf, 0, "dss"}, {"mul", Op::kMul, kFloats, kRndFtzSat, 0, "dss"},
    {"mad", Op::kMad, kInts, kHalf, 0, "dssw"}, {"mad", Op::kFma, kFloats, kRndFtzSat, 0, "dsss"},
    {"fma", Op::kFma, kFloats, kRndFtzSat, 0, "dsss"}, {"sad", Op::kSad, kInts, 0, 0, "dsss"},
    {"div", Op::kDiv, kInts, 0, 0, "dss"}, {"div", Op::kDiv, kFloats, kRnd | kFtz, 0, "dss"},
    {"rem", Op::kRem, kInts, 0, 0, "dss"},
    {"abs", Op::kAbs, kS16 | kS32 | kS64, 0, 0, "ds"}, {"abs", Op::kAbs, kFloats, kFtz, 0, "ds"},
    {"neg", Op::kNeg, kS16 | kS32 | kS64, 0, 0, "ds"}, {"neg", Op::kNeg, kFloats, kFtz, 0, "ds"},
    {"min", Op::kMin, kInts, 0, 0, "dss"}, {"min", Op::kMin, kFloats, kFtz | kNan, 0, "dss"},
    {"max", Op::kMax, kInts, 0, 0, "dss"}, {"max", Op::kMax, kFloats, kFtz | kNan, 0, "dss"},
    {"rcp", Op::kRcp, kFloats, kRnd | kFtz, 0, "ds"}, {"sqrt", Op::kSqrt, kFloats, kRnd | kFtz, 0, "ds"},
    {"rsqrt", Op::kRsqrt, kFloats, kRnd | kFtz, 0, "ds"}, {"sin", Op::kSin, kF32, kRnd | kFtz, 0, "ds"},
    {"cos", Op::kCos, kF32, kRnd | kFtz, 0, "ds"}, {"lg2", Op::kLg2, kF32, kRnd | kFtz, 0, "ds"},
    {"ex2", Op::kEx2, kF32, kRnd | kFtz, 0, "ds"}, {"tanh", Op::kTanh, kF32, kRnd, 0, "ds"},
    {"copysign", Op::kCopysign, kFloats, 0, 0, "dss"}, {"testp", Op::kTestp, kFloats, kMode, 0, "ds"},

    {"and", Op::kAnd, kPred | kBitsOf16, 0, 0, "dss"}, {"or", Op::kOr, kPred | kBitsOf16, 0, 0, "dss"},
    {"xor", Op::kXor, kPred | kBitsOf16, 0, 0, "dss"}, {"not", Op::kNot, kPred | kBitsOf16, 0, 0, "ds"},
    {"cnot", Op::kCnot, kBitsOf16, 0, 0, "ds"}, {"shl", Op::kShl, kBitsOf16, 0, 0, "dsu"},
    {"shr", Op::kShr, kBitsOf16 | kInts, 0, 0, "dsu"}, {"shf", Op::kShf, kB32, kSide | kWrap, 0, "dssu"},
    {"lop3", Op::kLop3, kB32, 0, 0, "dsssu"}, {"popc", Op::kPopc, kBitsOf32, 0, 0, "ds"},
    {"clz", Op::kClz, kBitsOf32, 0, 0, "ds"}, {"bfind", Op::kBfind, kWords | kU64 | kS64, kMode, 0, "ds"},
    {"brev", Op::kBrev, kBitsOf32, 0, 0, "ds"}, {"bfe", Op::kBfe, kWords | kU64 | kS64, 0, 0, "dsuu"},
    {"bfi", Op::kBfi, kBitsOf32, 0, 0, "dssuu"}, {"prmt", Op::kPrmt, kB32, kMode, 0, "dsss"},

    {"setp", Op::kSetp, kScalars, kCmp | kBoolean | kFtz, 0, "Dssp?"},
    {"set", Op::kSet, kB32 | kWords | kF32, kCmp | kBoolean | kFtz, 1, "dSSp?"},
    {"selp", Op::kSelp, kScalars, 0, 0, "dssp"}, {"slct", Op::kSlct, kScalars, kFtz, 1, "dssS"},
    {"cvt", Op::kCvt, kBytes | kInts | kFloats, kRndFtzSat, 1, "dS"},
    {"cvta", Op::kCvta, kU64 | kB64, kTo | kSpc, 0, "ds"}, {"isspacep", Op::kIsspacep, 0, kSpc, 0, "du"},

    {"mov", Op::kMov, kPred | kScalars, 0, 0, "vV"},
    {"ld", Op::kLd, kBytes | kScalars, kSpc | kVec | kFree, 0, "v["}, {"ldu", Op::kLd, kBytes | kScalars, kSpc | kVec, 0, "v["},
    {"st", Op::kSt, kBytes | kScalars, kSpc | kVec | kFree, 0, "[V"},
    {"atom", Op::kAtom, kScalars, kSpc | kMode | kFree, 0, "d[ss?"}, {"red", Op::kRed, kScalars, kSpc | kMode | kFree, 0, "[s"},
    {"membar", Op::kFence, 0, kFree, 0, ""}, {"fence", Op::kFence, 0, kFree, 0, ""},
    {"prefetch", Op::kNop, 0, kSpc | kFree, 0, "["}, {"nanosleep", Op::kNop, kU32, 0, 0, "s"},
    {"griddepcontrol.wait", Op::kNop, 0, 0, 0, ""}, {"griddepcontrol.launch_dependents", Op::kNop, 0, 0, 0, ""},

    {"bra", Op::kBra, 0, kFree, 0, "L"}, {"brx.idx", Op::kBrx, 0, kFree, 0, "uT"}, {"ret", Op::kRet, 0, kFree, 0, ""},
    {"exit", Op::kExit, 0, 0, 0, ""}, {"trap", Op::kTrap, 0, 0, 0, ""},
    {"bar.sync", Op::kBarrier, 0, kFree, 0, "uu?"}, {"barrier.sync", Op::kBarrier, 0, kFree, 0, "uu?"},
    {"bar.warp.sync", Op::kBarrierWarp, 0, 0, 0, "u"}, {"activemask", Op::kActivemask, kB32, 0, 0, "d"},
    {"shfl.sync", Op::kShfl, kB32, kMode, 0, "Dsuuu"}, {"vote.sync", Op::kVote, kPred | kB32, kMode, 0, "dpu"},
    {"match.any.sync", Op::kMatch, kBitsOf32, 0, 0, "dsu"},
    {"redux.sync", Op::kRedux, kB32 | kWords, kMode, 0, "dsu"},
};
// clang-format on

bool SetModifier(absl::string_view name, uint32_t classes, Instruction* instruction) {
  for (const Modifier& modifier : kModifiers) {
    uint8_t& value = instruction->modifiers[static_cast<size_t>(modifier.of)];
    if (modifier.name == name && (classes & Mask(modifier.of)) != 0 && value == 0) {
      value = modifier.value;
      return true;
    }
  }
  return (classes & kFree) != 0 && absl::c_linear_search(kNoEffectNames, name);
}

// Returns whether `row` is the row of the instruction of these `parts`.
bool ReadModifiers(const Row& row, const std::vector<absl::string_view>& parts,
                   Instruction* instruction) {
  const std::vector<absl::string_view> required = absl::StrSplit(row.name, '.');
  if (parts[0] != required[0]) return false;
  for (const absl::string_view part : required) {
    if (!absl::c_linear_search(parts, part)) return false;
  }
  int types = 0;
  for (size_t i = 1; i < parts.size(); ++i) {
    const Type type = FindType(parts[i]);
    if (type != Type::kNone && row.types != 0 && types <= row.second_types) {
      if (types == 0 && (row.types & Mask(type)) == 0) return false;
      instruction->types[types++] = type;
    } else if (!SetModifier(parts[i], row.classes, instruction) &&
               !absl::c_linear_search(required, parts[i])) {
      return false;
    }
  }
  return types == (row.types == 0 ? 0 : 1 + row.second_types);
}

// Returns whether the modifiers go together.
bool Valid(const Instruction& i) {
  const uint8_t rounding = i.Has(Class::kRounding), mode = i.Has(Class::kMode);
  const auto in = [](uint8_t value, uint8_t first, uint8_t last) {
    return first <= value && value <= last;
  };
  const bool f64 = i.types[0] == Type::kF64, floating = f64 || i.types[0] == Type::kF32;
  const bool source_floating = i.types[1] == Type::kF64 || i.types[1] == Type::kF32;
  if (f64 && (i.Has(Class::kFtz) || i.Has(Class::kSat)) && i.op != Op::kCvt && i.op != Op::kRcp &&
      i.op != Op::kRsqrt) {
    return false;
  }
  switch (i.op) {
    case Op::kAdd:
    case Op::kSub:
      return floating ? rounding <= kUp : i.Has(Class::kSat) == 0 || i.types[0] == Type::kS32;
    case Op::kMul:
    case Op::kMad:
    case Op::kMadCc:
    case Op::kMadc:
      if (floating) return rounding <= kUp;
      return i.Has(Class::kHalf) != 0 &&
             (i.Has(Class::kHalf) != kWide || (i.op <= Op::kMad && Bits(i.types[0]) <= 32));
    case Op::kFma:
      return in(rounding, kNearest, kUp);
    case Op::kDiv:
      return !floating ||
             (f64 ? in(rounding, kNearest, kUp)
                  : in(rounding, kNearest, kFull) && !in(rounding, kNearestInteger, kUpInteger));
    case Op::kRcp:
    case Op::kSqrt:
      if (f64 && i.Has(Class::kFtz)) return i.op == Op::kRcp && rounding == kApprox;
      return in(rounding, kNearest, kUp) || (!f64 && rounding == kApprox);
    case Op::kRsqrt:
    case Op::kSin:
    case Op::kCos:
    case Op::kLg2:
    case Op::kEx2:
    case Op::kTanh:
      return rounding == kApprox;
    case Op::kTestp:
      return in(mode, kTestFinite, kTestSubnormal);
    case Op::kBfind:
      return mode == kModeNone || mode == kShiftAmount;
    case Op::kPrmt:
      return mode == kModeNone || in(mode, kPrmtF4e, kPrmtRc16);
    case Op::kShf:
      return i.Has(Class::kSide) != 0 && i.Has(Class::kWrap) != 0;
    case Op::kSet:
    case Op::kSetp:
      return i.Has(Class::kCompare) != 0;
    case Op::kSlct:
      return i.types[1] == Type::kS32 || i.types[1] == Type::kF32;
    case Op::kCvt:
      // Each needs exactly the rounding that it could be ambiguous without.
      if (!floating)
        return source_floating ? in(rounding, kNearestInteger, kUpInteger) : rounding == kDefault;
      if (!source_floating) return in(rounding, kNearest, kUp);
      if (i.types[0] == i.types[1])
        return rounding == kDefault || in(rounding, kNearestInteger, kUpInteger);
      return f64 ? rounding == kDefault : in(rounding, kNearest, kUp);
    case Op::kSt:
      return i.Has(Class::kSpace) != kConst;
    case Op::kAtom:
    case Op::kRed:
      if (i.Has(Class::kSpace) > kGlobal && i.Has(Class::kSpace) != kShared) return false;
      if (!in(mode, kAtomAdd, kAtomCas) || (i.op == Op::kRed && mode >= kAtomExch)) return false;
      if (floating) return mode == kAtomAdd;
      if (Bits(i.types[0]) == 16) return i.types[0] == Type::kB16 && mode == kAtomCas;
      if (mode == kAtomInc || mode == kAtomDec) return i.types[0] == Type::kU32;
      return true;
    case Op::kShfl:
      return in(mode, kShflUp, kShflIdx);
    case Op::kVote:
      return in(mode, kVoteAll, kVoteBallot) && (mode == kVoteBallot) == (i.types[0] == Type::kB32);
    case Op::kRedux:
      return (i.types[0] == Type::kB32) ? in(mode, kAtomAnd, kAtomXor)
                                        : in(mode, kAtomAdd, kAtomMax);
    case Op::kCvta:
    case Op::kIsspacep:
      return i.Has(Class::kSpace) != 0;
    default:
      return true;
  }
}

}  // namespace

int Bits(Type type) { return kTypeNames[static_cast<size_t>(type)].bits; }

Type FindType(absl::string_view name) {
  for (const TypeName& type : kTypeNames) {
    if (type.name == name) return type.bits == 0 ? Type::kNone : type.type;
  }
  return Type::kNone;
}

const Row* FindRow(absl::string_view text, Instruction* instruction) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '.');
  for (const Row& row : kRows) {
    Instruction read;
    read.op = row.op;
    if (!ReadModifiers(row, parts, &read) || !Valid(read)) continue;
    *instruction = read;
    return &row;
  }
  return nullptr;
}

}  // namespace standin::ptx
