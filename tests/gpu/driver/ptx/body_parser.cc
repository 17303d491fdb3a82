// Reads the bodies of functions.
#include <algorithm>
#include <cstring>

#include "parser.h"

namespace standin::ptx {
namespace {

constexpr uint64_t kMostLocalBytes = uint64_t{512} * 1024;  // as the hardware has
constexpr uint64_t kMostParameterBytes = uint64_t{64} * 1024;

class BodyParser : private OperandParser {
 public:
  BodyParser(TokenStream& tokens, ModuleScope& module, Function* function)
      : OperandParser(tokens, module.names, function), module_(module) {}

  bool Parse() {
    labels_.emplace_back();
    while (!labels_.empty()) {
      if (tokens_.AtEnd()) return tokens_.Fail("expected `}`");
      if (!Statement()) return false;
    }
    return tokens_.status().ok();
  }

 private:
  struct Labels {
    std::map<std::string, uint32_t> targets;
    std::map<std::string, std::vector<uint32_t>>
        tables;  // .branchtargets, first of Function::branch_targets
    // Instructions, or entries of Function::branch_targets, that wait for a label.
    struct Use {
      std::string label;
      uint32_t index;
      bool in_table;
      int line;
    };
    std::vector<Use> uses;
  };

  bool Statement() {
    const Token token = tokens_.Peek();
    if (tokens_.Accept("{")) {
      names_.Open();
      labels_.emplace_back();
      return labels_.size() < 100 || tokens_.Fail("expected scopes less deep");
    }
    if (tokens_.Accept("}")) return CloseScope();
    if (tokens_.Accept(";")) return true;
    if (token.text == ".loc" || token.text == ".file" || token.text == "@@DWARF") {
      tokens_.SkipLine();
      return true;
    }
    if (token.text == ".pragma") {
      tokens_.SkipStatement();
      return true;
    }
    if (tokens_.Accept(".reg")) return Registers();
    if (tokens_.Accept(".shared")) return ParseShared(tokens_, module_, false);
    if (tokens_.Accept(".local"))
      return Variables(Operand::kLocal, kMostLocalBytes, &function_->local_bytes);
    if (tokens_.Accept(".param"))
      return Variables(Operand::kParam, kMostParameterBytes, &function_->parameter_bytes);
    if (token.kind == Token::kWord && tokens_.Peek(1).text == ":") return Label();
    return InstructionStatement();
  }

  bool CloseScope() {
    Labels closed = std::move(labels_.back());
    labels_.pop_back();
    for (Labels::Use& use : closed.uses) {
      const auto found = closed.targets.find(use.label);
      if (found != closed.targets.end()) {
        (use.in_table ? function_->branch_targets[use.index] : function_->code[use.index].target) =
            found->second;
      } else if (labels_.empty()) {
        return tokens_.Fail(
            absl::StrCat("expected a label `", use.label, "`, which line ", use.line, " names"));
      } else {
        labels_.back().uses.push_back(std::move(use));
      }
    }
    if (!labels_.empty()) names_.Close();
    return true;
  }

  bool Registers() {
    Declaration declaration;
    do {
      if (!ParseDeclaration(tokens_, &declaration)) return false;
      if (declaration.type == Type::kNone)
        return tokens_.Fail("expected a register's type before this");
      Symbol symbol;
      symbol.type = declaration.type;
      if (declaration.range != 0) {
        symbol.kind = Symbol::kRegisters;
        symbol.size = declaration.range;
      } else {
        symbol.kind = Symbol::kRegister;
        symbol.operand = RegisterOf(declaration.type, function_->registers++);
      }
      if (!Add(declaration.name, symbol)) return false;
    } while (tokens_.Accept(","));
    return tokens_.Expect(";");
  }

  bool Add(absl::string_view name, const Symbol& symbol) {
    return names_.Add(name, symbol) || tokens_.Fail(absl::StrCat("duplicate name ", name));
  }

  bool Variables(Operand::Kind kind, uint64_t limit, uint64_t* end) {
    Declaration declaration;
    Symbol symbol;
    if (!ParseDeclaration(tokens_, &declaration)) return false;
    if (!Place(declaration, limit, end, &symbol.operand.value)) {
      return tokens_.Fail(
          absl::StrCat("expected at most ", limit, " bytes of local variables or parameters"));
    }
    symbol.operand.kind = kind;
    symbol.size = declaration.size;
    return Add(declaration.name, symbol) && tokens_.Expect(";");
  }

  bool Label() {
    const std::string name(tokens_.Next().text);
    tokens_.Expect(":");
    if (tokens_.Accept(".branchtargets")) {
      std::vector<uint32_t>& table = labels_.back().tables[name];
      do {
        table.push_back(function_->branch_targets.size());
        function_->branch_targets.push_back(0);
        const int line = tokens_.Peek().line;
        labels_.back().uses.push_back(
            {std::string(tokens_.ExpectWord("a label")), table.back(), true, line});
      } while (tokens_.Accept(","));
      return tokens_.Expect(";");
    }
    if (tokens_.Peek().text == ".callprototype" || tokens_.Peek().text == ".calltargets") {
      tokens_.SkipStatement();
      return true;
    }
    if (!labels_.back().targets.emplace(name, function_->code.size()).second) {
      return tokens_.Fail(absl::StrCat("duplicate label ", name));
    }
    return true;
  }

  // Remembers the first of the function's unknown instructions, and goes on behind it.
  bool Unsupported(absl::string_view what, int line) {
    if (function_->unsupported.ok()) {
      function_->unsupported = absl::UnimplementedError(
          absl::StrCat("PTX line ", line, ", in ", function_->name,
                       ": the stand-in's interpreter does not know `", what, "`"));
    }
    tokens_.SkipStatement();
    return true;
  }

  bool InstructionStatement() {
    Instruction instruction;
    instruction.line = tokens_.Peek().line;
    if (tokens_.Accept("@")) {
      const bool negated = tokens_.Accept("!");
      Operand guard;
      if (!RegisterOperand(&guard) || guard.bits != 1)
        return tokens_.Fail("expected a predicate before this");
      instruction.guard = static_cast<int32_t>(guard.index);
      instruction.guard_negated = negated;
    }
    const absl::string_view name = tokens_.ExpectWord("an instruction");
    if (name.empty()) return false;
    if (name[0] == '.' || name[0] == '%')
      return tokens_.Fail(absl::StrCat("expected an instruction before this, got `", name, "`"));
    if (name == "call" || name == "call.uni") return Call(instruction);
    Instruction found;
    const Row* row = FindRow(name, &found);
    if (row == nullptr) return Unsupported(name, instruction.line);
    found.line = instruction.line;
    found.guard = instruction.guard;
    found.guard_negated = instruction.guard_negated;
    if (found.op < Op::kMov && found.op != Op::kIsspacep) {
      found.evaluate = FindEvaluate(found);
      if (found.evaluate == nullptr) return Unsupported(name, instruction.line);
    }
    found.first = function_->operands.size();
    for (const char* p = row->operands; *p != 0; ++p) {
      if (*p == '?') continue;
      if (p != row->operands) {
        if (p[1] == '?' && tokens_.Peek().text != ",") break;
        if (!tokens_.Expect(",")) return false;
      }
      if (!OperandOf(*p, found)) return false;
    }
    if (tokens_.Peek().text == ",")
      return Unsupported(absl::StrCat(name, "` with so many operands, `"), instruction.line);
    function_->code.push_back(found);
    return tokens_.Expect(";");
  }

  bool OperandOf(char pattern, Instruction& i) {
    const size_t before = function_->operands.size();
    Operand operand;
    switch (pattern) {
      case 'L':
        labels_.back().uses.push_back({std::string(tokens_.ExpectWord("a label")),
                                       static_cast<uint32_t>(function_->code.size()), false,
                                       i.line});
        return tokens_.status().ok();
      case 'T':
        return Table(i);
      case 'd':
        if (!Destination(&operand) || !CheckDestination(i, operand)) return false;
        function_->operands.push_back(operand);
        break;
      case 'D':
        if (!Destination(&operand)) return false;
        function_->operands.push_back(operand);
        operand = Operand();
        if (tokens_.Accept("|") && !Destination(&operand)) return false;
        function_->operands.push_back(operand);
        break;
      case '[':
        if (!Address(&operand)) return false;
        function_->operands.push_back(operand);
        break;
      case 'v':
      case 'V':
        if (!Vector(pattern == 'v', i)) return false;
        break;
      default:
        if (!Source(pattern, i, &operand)) return false;
        function_->operands.push_back(operand);
    }
    const bool destination = pattern == 'd' || pattern == 'D' || pattern == 'v';
    (destination ? i.destinations : i.sources) += function_->operands.size() - before;
    return true;
  }

  bool Table(Instruction& i) {
    const std::string name(tokens_.ExpectWord("a table of labels"));
    for (auto scope = labels_.rbegin(); scope != labels_.rend(); ++scope) {
      const auto found = scope->tables.find(name);
      if (found == scope->tables.end()) continue;
      i.target = found->second.front();
      i.sources = 1;
      Operand count;
      count.kind = Operand::kImmediate;
      count.value = found->second.size();
      function_->operands.push_back(count);
      return true;
    }
    return tokens_.Fail(absl::StrCat("expected a table of labels before this, got ", name));
  }

  // `call (result), name, (argument, ...);`
  bool Call(Instruction call) {
    call.op = Op::kCall;
    CallSite site;
    const auto list = [&](std::vector<Parameter>* values) {
      if (!tokens_.Accept("(")) return true;
      while (!tokens_.Accept(")")) {
        if (!values->empty() && !tokens_.Expect(",")) return false;
        const absl::string_view name = tokens_.ExpectWord("a parameter");
        const Symbol* symbol = names_.Find(name, &function_->registers);
        if (symbol == nullptr || symbol->operand.kind != Operand::kParam) {
          return tokens_.Fail(
              absl::StrCat("expected a variable in .param before this, got `", name, "`"));
        }
        values->push_back({symbol->operand.value, symbol->size});
      }
      return true;
    };
    if (tokens_.Peek().text == "(" && (!list(&site.results) || !tokens_.Expect(","))) return false;
    const absl::string_view name = tokens_.ExpectWord("a function");
    const Symbol* symbol = names_.Find(name, &function_->registers);
    if (symbol == nullptr)
      return tokens_.Fail(
          absl::StrCat("expected a declared function before this, got `", name, "`"));
    if (symbol->kind != Symbol::kFunction)
      return Unsupported("call` of a function's address, `", call.line);
    site.callee = symbol->function;
    if (tokens_.Accept(",") && !list(&site.arguments)) return false;
    if (!SameSizes(site.results, symbol->function->results) ||
        !SameSizes(site.arguments, symbol->function->parameters)) {
      return tokens_.Fail(absl::StrCat("expected the parameters that ", name, " has before this"));
    }
    call.target = function_->calls.size();
    function_->calls.push_back(std::move(site));
    function_->code.push_back(call);
    return tokens_.Expect(";");
  }

  ModuleScope& module_;
  std::vector<Labels> labels_;
};

}  // namespace

bool ParseBody(TokenStream& tokens, ModuleScope& module, Function* function) {
  return BodyParser(tokens, module, function).Parse();
}

}  // namespace standin::ptx
