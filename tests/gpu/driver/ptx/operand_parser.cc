// Reads operands.
#include <algorithm>
#include <cstring>

#include "parser.h"

namespace standin::ptx {
namespace {

struct SpecialName {
  const char* name;
  SpecialRegister special;
};
// clang-format off
constexpr SpecialName kSpecialNames[] = {
    {"%tid.x", SpecialRegister::kTidX}, {"%tid.y", SpecialRegister::kTidY}, {"%tid.z", SpecialRegister::kTidZ},
    {"%ntid.x", SpecialRegister::kNtidX}, {"%ntid.y", SpecialRegister::kNtidY}, {"%ntid.z", SpecialRegister::kNtidZ},
    {"%ctaid.x", SpecialRegister::kCtaidX}, {"%ctaid.y", SpecialRegister::kCtaidY}, {"%ctaid.z", SpecialRegister::kCtaidZ},
    {"%nctaid.x", SpecialRegister::kNctaidX}, {"%nctaid.y", SpecialRegister::kNctaidY}, {"%nctaid.z", SpecialRegister::kNctaidZ},
    {"%laneid", SpecialRegister::kLaneid}, {"%warpid", SpecialRegister::kWarpid}, {"%nwarpid", SpecialRegister::kNwarpid},
    {"%smid", SpecialRegister::kSmid}, {"%nsmid", SpecialRegister::kNsmid}, {"%gridid", SpecialRegister::kGridid},
    {"%clock", SpecialRegister::kClock}, {"%clock64", SpecialRegister::kClock64}, {"%globaltimer", SpecialRegister::kGlobaltimer},
    {"%lanemask_eq", SpecialRegister::kLanemaskEq}, {"%lanemask_le", SpecialRegister::kLanemaskLe},
    {"%lanemask_lt", SpecialRegister::kLanemaskLt}, {"%lanemask_ge", SpecialRegister::kLanemaskGe},
    {"%lanemask_gt", SpecialRegister::kLanemaskGt}, {"%dynamic_smem_size", SpecialRegister::kDynamicSmemSize},
    {"%total_smem_size", SpecialRegister::kTotalSmemSize},
};
// clang-format on

}  // namespace

bool OperandParser::RegisterOperand(Operand* operand) {
  const absl::string_view name = tokens_.ExpectWord("a register");
  const Symbol* symbol = names_.Find(name, &function_->registers);
  if (symbol == nullptr || symbol->kind != Symbol::kRegister) {
    return tokens_.Fail(absl::StrCat("expected a declared register before this, got `", name, "`"));
  }
  *operand = symbol->operand;
  return true;
}

bool OperandParser::Destination(Operand* operand) {
  return tokens_.Accept("_") || RegisterOperand(operand);
}

bool OperandParser::CheckDestination(const Instruction& i, const Operand& operand) {
  const bool predicate =
      i.op == Op::kSetp || i.op == Op::kTestp || i.op == Op::kIsspacep || i.types[0] == Type::kPred;
  return operand.kind == Operand::kSink || (operand.bits == 1) == predicate ||
         tokens_.Fail("expected a register of the instruction's type before this");
}

bool OperandParser::Value(Type type, Operand* operand) {
  bool negative = false;
  while (tokens_.Peek().text == "-" || tokens_.Peek().text == "+")
    negative ^= tokens_.Next().text == "-";
  if (tokens_.Peek().kind == Token::kNumber) {
    Literal literal;
    if (!ParseLiteral(tokens_.Peek().text, &literal)) return tokens_.Fail("expected a number");
    tokens_.Next();
    operand->kind = Operand::kImmediate;
    return Immediate(literal, negative, type, operand);
  }
  if (negative) return tokens_.Fail("expected a number");
  if (tokens_.Accept("!")) {
    if (!RegisterOperand(operand)) return false;
    operand->negated = true;
    return operand->bits == 1 || tokens_.Fail("expected a predicate before this");
  }
  const absl::string_view name = tokens_.ExpectWord("an operand");
  if (name == "WARP_SZ") {
    operand->kind = Operand::kImmediate;
    operand->value = 32;
    return true;
  }
  for (const SpecialName& special : kSpecialNames) {
    if (special.name == name) {
      operand->kind = Operand::kSpecial;
      operand->index = static_cast<uint32_t>(special.special);
      return true;
    }
  }
  const Symbol* symbol = names_.Find(name, &function_->registers);
  if (symbol == nullptr || symbol->kind == Symbol::kRegisters)
    return tokens_.Fail(absl::StrCat("expected a declared name before this, got `", name, "`"));
  if (symbol->kind == Symbol::kFunction) {
    if (function_->unsupported.ok()) {
      function_->unsupported = absl::UnimplementedError(
          absl::StrCat("PTX line ", tokens_.Peek().line, ", in ", function_->name,
                       ": the stand-in's interpreter has no address of the function ", name));
    }
    return true;
  }
  *operand = symbol->operand;
  if (operand->kind != Operand::kRegister &&
      (tokens_.Peek().text == "+" || tokens_.Peek().text == "-"))
    return Offset(operand);
  return true;
}

bool OperandParser::Immediate(Literal literal, bool negative, Type type, Operand* operand) {
  const bool floating = type == Type::kF32 || type == Type::kF64;
  if (literal.kind == Literal::kInteger) {
    operand->value = negative ? 0 - literal.bits : literal.bits;
    return !floating || tokens_.Fail("expected a floating-point number before this");
  }
  if (type == Type::kF32) NarrowToF32(&literal);
  if (Bits(type) != (literal.kind == Literal::kF64 ? 64 : 32)) {
    return tokens_.Fail("expected a number of the instruction's type before this");
  }
  const uint64_t sign = uint64_t{1} << (Bits(type) - 1);
  operand->value = negative ? literal.bits ^ sign : literal.bits;
  return true;
}

bool OperandParser::Offset(Operand* operand) {
  while (tokens_.Peek().text == "+" || tokens_.Peek().text == "-") {
    bool negative = false;
    while (tokens_.Peek().text == "+" || tokens_.Peek().text == "-")
      negative ^= tokens_.Next().text == "-";
    const uint64_t offset = tokens_.ExpectInteger();
    operand->value += negative ? 0 - offset : offset;
  }
  return tokens_.status().ok();
}

bool OperandParser::Address(Operand* operand) {
  if (!tokens_.Expect("[") || !Value(Type::kU64, operand)) return false;
  if (operand->negated || operand->bits == 1)
    return tokens_.Fail("expected an address before this");
  return Offset(operand) && tokens_.Expect("]");
}

bool OperandParser::Source(char pattern, const Instruction& i, Operand* operand) {
  const bool wide = i.Has(Class::kHalf) == kWide && pattern == 'w';
  const Type type = pattern == 'u'   ? Type::kU32
                    : pattern == 'p' ? Type::kPred
                    : pattern == 'S' ? i.types[1]
                                     : i.types[0];
  if (!Value(type, operand)) return false;
  if (operand->kind != Operand::kRegister)
    return pattern != 'p' || operand->kind == Operand::kImmediate ||
           tokens_.Fail("expected a predicate before this");
  const int width = Bits(type) * (wide ? 2 : 1), bits = operand->bits;
  // Only conversions and shifts may leave upper bits of a register out.
  const bool fits = type == Type::kPred || bits == 1 ? bits == width
                    : pattern == 'u'                 ? bits >= 16
                    : i.op == Op::kCvt               ? bits >= width
                                                     : bits == width;
  return fits || tokens_.Fail("expected an operand of the instruction's type before this");
}

bool OperandParser::Vector(bool destination, Instruction& i) {
  const bool braces = tokens_.Accept("{");
  size_t count = 0;
  do {
    Operand operand;
    if (destination ? !Destination(&operand) : !Value(i.types[0], &operand)) return false;
    if (operand.kind == Operand::kRegister && (operand.bits == 1) != (i.types[0] == Type::kPred)) {
      return tokens_.Fail("expected a register of the instruction's type before this");
    }
    function_->operands.push_back(operand);
    ++count;
  } while (braces && count < 8 && tokens_.Accept(","));
  if (braces && !tokens_.Expect("}")) return false;
  const size_t wanted = i.Has(Class::kVector);
  if (i.op != Op::kMov)
    return count == std::max<size_t>(wanted, 1) ||
           tokens_.Fail("expected as many elements as the instruction says before this");
  // Packs and unpacks: the elements share the type's bits.
  return !braces || ((count == 2 || count == 4) && Bits(i.types[0]) / count >= 8) ||
         tokens_.Fail("expected 2 or 4 elements before this");
}

}  // namespace standin::ptx
