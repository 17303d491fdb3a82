// The parser's own parts: the stream of tokens, and names.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "instruction.h"
#include "lexer.h"

namespace standin::ptx {

// Tokens, and the first error. After an error only the end is left, so that every loop comes to its
// own.
class TokenStream {
 public:
  explicit TokenStream(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  const Token& Peek(size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  bool AtEnd() const { return Peek().kind == Token::kEnd; }
  Token Next() {
    const Token token = Peek();
    if (!AtEnd()) ++at_;
    return token;
  }
  bool Accept(absl::string_view text) {
    if (Peek().text != text || Peek().kind == Token::kString || AtEnd()) return false;
    Next();
    return true;
  }
  bool Expect(absl::string_view text) {
    return Accept(text) || Fail(absl::StrCat("expected `", text, "`"));
  }
  // Returns "" if there is no word.
  absl::string_view ExpectWord(absl::string_view what) {
    if (Peek().kind == Token::kWord) return Next().text;
    Fail(absl::StrCat("expected ", what));
    return "";
  }
  uint64_t ExpectInteger() {
    Literal literal;
    if (Peek().kind == Token::kNumber && ParseLiteral(Peek().text, &literal) &&
        literal.kind == Literal::kInteger) {
      Next();
      return literal.bits;
    }
    Fail("expected an integer");
    return 0;
  }
  void SkipLine() {
    for (const int line = Peek().line; !AtEnd() && Peek().line == line;) Next();
  }
  // Skips to behind the next `;`.
  void SkipStatement() {
    while (!AtEnd() && Next().text != ";") {
    }
  }
  // Skips from a `{` to behind its `}`.
  void SkipBraces() {
    int depth = 0;
    do {
      const Token token = Next();
      if (token.kind == Token::kPunctuation)
        depth += token.text == "{" ? 1 : token.text == "}" ? -1 : 0;
    } while (depth > 0 && !AtEnd());
  }
  // Returns false.
  bool Fail(absl::string_view message) {
    if (status_.ok()) {
      const std::string got =
          AtEnd() ? "the end of the text" : absl::StrCat("`", Peek().text.substr(0, 80), "`");
      status_ = absl::InvalidArgumentError(
          absl::StrCat("PTX line ", Peek().line, ": ", message, ", got ", got));
    }
    at_ = tokens_.size() - 1;
    return false;
  }
  const absl::Status& status() const { return status_; }

 private:
  std::vector<Token> tokens_;
  size_t at_ = 0;
  absl::Status status_;
};

// A declared variable: `.global .align 4 .b8 name[16]`, `.param .u64 .ptr .align 1 name`, `.reg
// .b32 %r<5>`.
struct Declaration {
  std::string name;
  Type type = Type::kNone;
  uint64_t alignment = 1;
  uint64_t size = 0;     // bytes
  uint64_t range = 0;    // of `%r<5>`, 5
  bool unsized = false;  // `name[]`
};

struct Symbol {
  enum Kind : uint8_t { kRegister, kRegisters, kVariable, kFunction };
  Kind kind = kVariable;
  Type type = Type::kNone;  // of registers
  uint64_t size = 0;        // bytes; how many registers kRegisters has
  Operand operand;          // what the name is as an operand
  Function* function = nullptr;
};

Operand RegisterOf(Type type, uint32_t index);

// The names of a scope and of those around it.
class Names {
 public:
  Names() { Open(); }
  void Open() { scopes_.emplace_back(); }
  void Close() { scopes_.pop_back(); }
  // Returns false if the innermost scope has the name.
  bool Add(absl::string_view name, Symbol symbol) {
    return scopes_.back().emplace(std::string(name), symbol).second;
  }
  // The same in the scope around the innermost.
  bool AddOutside(absl::string_view name, Symbol symbol) {
    return scopes_[scopes_.size() - 2].emplace(std::string(name), symbol).second;
  }
  const Symbol* FindOutside(absl::string_view name) const {
    const auto& scope = scopes_[scopes_.size() - 2];
    const auto found = scope.find(std::string(name));
    return found == scope.end() ? nullptr : &found->second;
  }
  // Returns null if there is none. Gives a register of a range its number, from *registers, when it
  // is first named.
  const Symbol* Find(absl::string_view name, uint32_t* registers);

 private:
  std::vector<std::unordered_map<std::string, Symbol>> scopes_;
};

bool SameSizes(const std::vector<Parameter>& a, const std::vector<Parameter>& b);

// Where the next variable of a state space begins. Returns false if the space is full.
bool Place(const Declaration& declaration, uint64_t limit, uint64_t* end, uint64_t* offset);

// Reads a declaration from behind its state space, up to what follows the name and its dimensions.
// Without a type it keeps the one that is in *declaration.
bool ParseDeclaration(TokenStream& tokens, Declaration* declaration);

// Reads operands of instructions. Its functions return false after an error.
class OperandParser {
 protected:
  OperandParser(TokenStream& tokens, Names& names, Function* function)
      : tokens_(tokens), names_(names), function_(function) {}

  bool RegisterOperand(Operand* operand);
  bool Destination(Operand* operand);
  // Predicates and numbers do not mix.
  bool CheckDestination(const Instruction& i, const Operand& operand);
  // A register, number, special register or a variable's address. A number becomes bits of `type`.
  bool Value(Type type, Operand* operand);
  bool Immediate(Literal literal, bool negative, Type type, Operand* operand);
  bool Offset(Operand* operand);
  bool Address(Operand* operand);
  bool Source(char pattern, const Instruction& i, Operand* operand);
  // `{a, b}`, or one operand, of ld, st and mov.
  bool Vector(bool destination, Instruction& i);

  TokenStream& tokens_;
  Names& names_;
  Function* function_;
};

// What functions of a module share while they are read.
struct ModuleScope {
  Names names;
  uint64_t shared_bytes = 0;
};

// Declares shared memory, in or out of a function, from behind `.shared` to behind the `;`.
bool ParseShared(TokenStream& tokens, ModuleScope& module, bool is_extern);

// Reads a function's body from behind its `{` to behind its `}`, with the parameters' names in
// `scope`.
bool ParseBody(TokenStream& tokens, ModuleScope& module, Function* function);

}  // namespace standin::ptx
