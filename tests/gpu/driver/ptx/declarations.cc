// Reads declarations of variables and registers, and finds their names.
#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "parser.h"

namespace standin::ptx {
namespace {

constexpr uint64_t kMostShared = 16 << 20;
constexpr uint64_t kMostAlignment = 4096;

}  // namespace

const Symbol* Names::Find(absl::string_view name, uint32_t* registers) {
  const std::string key(name);
  size_t digits = name.size();
  while (digits > 0 && absl::ascii_isdigit(name[digits - 1])) --digits;
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto found = scope->find(key); found != scope->end()) return &found->second;
    // `%r12` of `%r<50>`; a number has no zero before it. A prefix may end in digits itself:
    // `%r1<5>`.
    for (size_t end = name.size() - (name.empty() ? 0 : 1); end >= digits && end > 0; --end) {
      const absl::string_view number = name.substr(end);
      uint64_t index;
      if ((number.size() > 1 && number[0] == '0') || !absl::SimpleAtoi(number, &index)) continue;
      const auto range = scope->find(std::string(name.substr(0, end)));
      if (range == scope->end() || range->second.kind != Symbol::kRegisters ||
          index >= range->second.size)
        continue;
      Symbol symbol;
      symbol.kind = Symbol::kRegister;
      symbol.operand = RegisterOf(range->second.type, (*registers)++);
      return &scope->emplace(key, symbol).first->second;
    }
  }
  return nullptr;
}

Operand RegisterOf(Type type, uint32_t index) {
  Operand operand;
  operand.kind = Operand::kRegister;
  operand.bits = static_cast<uint8_t>(Bits(type));
  operand.index = index;
  return operand;
}

bool SameSizes(const std::vector<Parameter>& a, const std::vector<Parameter>& b) {
  return absl::c_equal(a, b,
                       [](const Parameter& x, const Parameter& y) { return x.size == y.size; });
}

bool Place(const Declaration& declaration, uint64_t limit, uint64_t* end, uint64_t* offset) {
  const uint64_t begin =
      (*end + declaration.alignment - 1) / declaration.alignment * declaration.alignment;
  if (declaration.size > limit || begin > limit - declaration.size) return false;
  *offset = begin;
  *end = begin + declaration.size;
  return true;
}

bool ParseDeclaration(TokenStream& tokens, Declaration* declaration) {
  uint64_t alignment = 0;
  while (tokens.Peek().text.substr(0, 1) == "." && !tokens.AtEnd()) {
    const absl::string_view word = tokens.Next().text;
    const Type type = FindType(word.substr(1));
    if (type != Type::kNone) {
      declaration->type = type;
    } else if (word == ".align") {
      alignment = tokens.ExpectInteger();
      if (alignment == 0 || alignment > kMostAlignment || (alignment & (alignment - 1)) != 0)
        return tokens.Fail("expected an alignment before this");
    } else if (word == ".ptr") {
      // Says what a parameter points to: `.ptr .global .align 16`.
      while (tokens.Peek().text.substr(0, 1) == ".") {
        if (tokens.Next().text == ".align") tokens.ExpectInteger();
      }
    } else if (word == ".attribute") {
      while (!tokens.AtEnd() && tokens.Next().text != ")") {
      }
    } else {
      return tokens.Fail(
          absl::StrCat("expected a type that the interpreter knows, got `", word, "` before this"));
    }
  }
  if (declaration->type == Type::kNone) return tokens.Fail("expected a type");
  const uint64_t bytes = std::max(Bits(declaration->type) / 8, 1);
  declaration->alignment = alignment != 0 ? alignment : bytes;
  declaration->name = std::string(tokens.ExpectWord("a name"));
  declaration->size = bytes;
  declaration->range = 0;
  declaration->unsized = false;
  if (tokens.Accept("<")) {
    declaration->range = tokens.ExpectInteger();
    if (declaration->range == 0) return tokens.Fail("expected a number of registers before this");
    return tokens.Expect(">");
  }
  while (tokens.Accept("[")) {
    if (tokens.Accept("]")) {
      declaration->unsized = true;
      declaration->size = 0;
      continue;
    }
    const uint64_t count = tokens.ExpectInteger();
    if (count != 0 && declaration->size > UINT64_MAX / count)
      return tokens.Fail("expected a smaller array before this");
    declaration->size *= count;
    if (!tokens.Expect("]")) return false;
  }
  return tokens.status().ok();
}

bool ParseShared(TokenStream& tokens, ModuleScope& module, bool is_extern) {
  Declaration declaration;
  Symbol symbol;
  if (!ParseDeclaration(tokens, &declaration)) return false;
  symbol.operand.kind = Operand::kImmediate;
  if (declaration.unsized || is_extern) {
    symbol.operand.value = kDynamicShared;
  } else if (!Place(declaration, kMostShared, &module.shared_bytes, &symbol.operand.value)) {
    return tokens.Fail(
        absl::StrCat("expected at most ", kMostShared, " bytes of shared variables before this"));
  }
  if (!module.names.Add(declaration.name, symbol))
    return tokens.Fail(absl::StrCat("duplicate name ", declaration.name));
  return tokens.Expect(";");
}

}  // namespace standin::ptx
