// Decoded PTX: what the parser makes and the interpreter runs.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "module.h"

namespace standin::ptx {

enum class Type : uint8_t {
  kNone,
  kPred,
  kB8,
  kB16,
  kB32,
  kB64,
  kU8,
  kU16,
  kU32,
  kU64,
  kS8,
  kS16,
  kS32,
  kS64,
  kF32,
  kF64,
};
inline constexpr int kTypes = 16;
int Bits(Type type);
Type FindType(absl::string_view name);  // kNone if unknown

// clang-format off
enum class Op : uint8_t {
  // What one thread computes of its registers: Evaluate.
  kAdd, kSub, kMul, kMad, kAddCc, kAddc, kSubCc, kSubc, kMadCc, kMadc, kSad, kDiv, kRem, kAbs, kNeg, kMin, kMax,
  kAnd, kOr, kXor, kNot, kCnot, kShl, kShr, kShf, kLop3, kPopc, kClz, kBfind, kBrev, kBfe, kBfi, kPrmt,
  kFma, kRcp, kSqrt, kRsqrt, kSin, kCos, kLg2, kEx2, kTanh, kCopysign, kTestp,
  kSet, kSetp, kSelp, kSlct, kCvt, kCvta, kIsspacep,
  // What the interpreter does itself.
  kMov, kLd, kSt, kAtom, kRed, kFence, kNop, kActivemask,
  kBra, kBrx, kCall, kRet, kExit, kTrap,
  // What the threads of a warp or block do together.
  kBarrier, kBarrierWarp, kShfl, kVote, kMatch, kRedux,
};

// What stands behind an opcode's dots: each class of modifiers has one value, 0 if it is not there.
enum class Class : uint8_t {
  kRounding, kFtz, kSat, kHalf, kCarry, kCompare, kBool, kSpace, kVector, kTo, kSide, kWrap, kNan, kMode,
  kNoEffect,  // caching, memory order, scope: the interpreter is sequentially consistent without a cache
};
inline constexpr int kClasses = 15;

enum Rounding : uint8_t { kDefault, kNearest, kZero, kDown, kUp, kNearestInteger, kZeroInteger, kDownInteger,
                          kUpInteger, kApprox, kFull };
enum Half : uint8_t { kLow = 1, kHigh, kWide };
enum Compare : uint8_t { kEq = 1, kNe, kLt, kLe, kGt, kGe, kEqu, kNeu, kLtu, kLeu, kGtu, kGeu, kNum, kIsNan };
enum Bool : uint8_t { kAndWith = 1, kOrWith, kXorWith };
enum Space : uint8_t { kGeneric, kGlobal, kConst, kShared, kLocal, kParam };
enum Mode : uint8_t {
  kModeNone,
  kAtomAdd, kAtomMin, kAtomMax, kAtomInc, kAtomDec, kAtomAnd, kAtomOr, kAtomXor, kAtomExch, kAtomCas,
  kShflUp, kShflDown, kShflBfly, kShflIdx,
  kVoteAll, kVoteAny, kVoteUni, kVoteBallot,
  kPrmtF4e, kPrmtB4e, kPrmtRc8, kPrmtEcl, kPrmtEcr, kPrmtRc16,
  kTestFinite, kTestInfinite, kTestNumber, kTestNotANumber, kTestNormal, kTestSubnormal,
  kShiftAmount,
};
// clang-format on

struct Operand {
  enum Kind : uint8_t {
    kSink,       // `_`
    kRegister,   // index; in an address, value is added
    kImmediate,  // value
    kSpecial,    // index is a SpecialRegister
    kParam,      // value is an offset in the frame's parameters
    kLocal,      // value is an offset in the frame's local memory
    kGlobal,     // index is a global of the module, to whose address value is added
  };
  Kind kind = kSink;
  bool negated = false;  // of a predicate
  uint8_t bits = 0;      // width of a register; 1 for a predicate
  uint32_t index = 0;
  uint64_t value = 0;
};

// What Evaluate reads, and what it leaves besides its result.
struct Values {
  std::array<uint64_t, 4> in;
  bool carry;
  uint64_t second;  // the q of `setp p|q`
};

struct Instruction {
  Op op = Op::kNop;
  std::array<Type, 2> types{};
  std::array<uint8_t, kClasses> modifiers{};
  uint8_t destinations = 0;
  uint8_t sources = 0;  // behind the destinations; an address counts as one
  bool guard_negated = false;
  int32_t guard = -1;  // the predicate's register
  uint32_t first = 0;  // operand
  uint32_t target =
      0;  // of a branch; of brx.idx, the first of its `sources` targets in Function::branch_targets
  int line = 0;
  uint64_t (*evaluate)(const Instruction&, Values&) = nullptr;

  uint8_t Has(Class c) const { return modifiers[static_cast<size_t>(c)]; }
};

// Returns what computes the instruction, or null if its types are not implemented.
using Evaluate = uint64_t (*)(const Instruction&, Values&);
Evaluate FindEvaluate(const Instruction& instruction);
// Of those, in integer.cc, floating_point.cc and convert.cc.
Evaluate FindInteger(Type type);
Evaluate FindFloatingPoint(Type type);
Evaluate FindConvert(Type to, Type from);

struct CallSite {
  const Function* callee = nullptr;
  std::vector<Parameter> results, arguments;  // in the caller's parameters
};

struct Function {
  std::string name;
  const std::vector<Global>* globals = nullptr;  // of the module
  uint64_t static_shared_bytes = 0;              // of the module
  bool defined = false;
  // The first instruction that the interpreter does not know, if any.
  absl::Status unsupported;
  std::vector<Instruction> code;
  std::vector<Operand> operands;
  std::vector<uint32_t> branch_targets;
  std::vector<CallSite> calls;  // Instruction::target
  std::vector<Parameter> results, parameters;
  uint32_t registers = 0;
  uint64_t parameter_bytes = 0;  // with the variables in .param of its body
  uint64_t local_bytes = 0;
  uint32_t max_threads = 1024;
};

// clang-format off
enum class SpecialRegister : uint8_t {
  kTidX, kTidY, kTidZ, kNtidX, kNtidY, kNtidZ, kCtaidX, kCtaidY, kCtaidZ, kNctaidX, kNctaidY, kNctaidZ,
  kLaneid, kWarpid, kNwarpid, kSmid, kNsmid, kGridid, kClock, kClock64, kGlobaltimer,
  kLanemaskEq, kLanemaskLe, kLanemaskLt, kLanemaskGe, kLanemaskGt, kDynamicSmemSize, kTotalSmemSize,
};
// clang-format on

// Generic addresses: above all addresses of device memory. Offsets in a window are those of the
// state space.
inline constexpr uint64_t kSharedWindow = uint64_t{1} << 56;
inline constexpr uint64_t kLocalWindow = uint64_t{2} << 56;
inline constexpr uint64_t kParamWindow = uint64_t{3} << 56;
inline constexpr uint64_t kWindowMask = uint64_t{0xff} << 56;
// Where dynamic shared memory begins, in the shared window.
inline constexpr uint64_t kDynamicShared = uint64_t{1} << 26;

// A row of the table of instructions. `operands`: d destination, D destination pair `p|q`, v
// destination, maybe `{...}`; s source of the first type, w of that or, behind .wide, twice its
// width, S of the second, u of u32, p predicate, V source, maybe `{...}`; [ address; L label; T
// table of labels; ? behind one that may be left out.
struct Row {
  const char* name;
  Op op;
  uint32_t types;    // the first type, 1 << Type each; 0: no type
  uint32_t classes;  // of modifiers, 1 << Class each
  int second_types;  // how many types more
  const char* operands;
};

// Returns the row of the instruction that is called `text` and sets op, types and modifiers; null
// if there is none.
const Row* FindRow(absl::string_view text, Instruction* instruction);

}  // namespace standin::ptx
