// Reads modules: variables, functions' heads, and names.
#include <algorithm>
#include <cstring>

#include "parser.h"

namespace standin::ptx {

// What a variable holds at first, and addresses in it.
struct Module::Initialiser {
  struct Address {
    uint64_t offset;
    uint32_t global;
    uint64_t addend;
  };
  std::string bytes;  // may be fewer than the variable has
  std::vector<Address> addresses;
};

namespace {

constexpr uint64_t kMostGlobal = uint64_t{1} << 32;
constexpr uint64_t kMostInitialised = 256 << 20;
constexpr uint64_t kMostParameters = 32764;  // of a kernel

}  // namespace

class ModuleParser {
 public:
  explicit ModuleParser(std::vector<Token> tokens)
      : tokens_(std::move(tokens)), module_(std::make_unique<Module>()) {}

  absl::StatusOr<std::unique_ptr<Module>> Parse() {
    if (tokens_.Peek().text != ".version") tokens_.Fail("expected `.version`");
    while (!tokens_.AtEnd() && Item()) {
    }
    if (!tokens_.status().ok()) return tokens_.status();
    for (const std::unique_ptr<Function>& function : module_->functions_) {
      function->static_shared_bytes = scope_.shared_bytes;
      function->globals = &module_->globals_;
    }
    for (const std::unique_ptr<Kernel>& kernel : module_->kernels_) {
      kernel->static_shared_bytes = scope_.shared_bytes;
    }
    return std::move(module_);
  }

 private:
  bool Item() {
    const Token token = tokens_.Next();
    const absl::string_view word = token.text;
    if (word == ".version" || word == ".target" || word == ".address_size" || word == ".file" ||
        word == ".loc" || word == "@@DWARF") {
      if (tokens_.Peek().line == token.line) tokens_.SkipLine();
      return true;
    }
    if (word == ".pragma" || word == ".alias") {
      tokens_.SkipStatement();
      return true;
    }
    if (word == ".section") {
      tokens_.Next();
      tokens_.SkipBraces();
      return true;
    }
    if (word == ".visible" || word == ".weak" || word == ".common") return true;
    if (word == ";") return true;
    if (word == ".extern") {
      if (tokens_.Accept(".shared")) return ParseShared(tokens_, scope_, true);
      extern_ = true;
      return true;
    }
    if (word == ".shared") return ParseShared(tokens_, scope_, false);
    if (word == ".global" || word == ".const") return GlobalVariable(word == ".const");
    if (word == ".func") return FunctionItem(false);
    if (word == ".entry") return FunctionItem(true);
    return tokens_.Fail(
        absl::StrCat("expected a directive of a module, got `", word, "` before this"));
  }

  bool GlobalVariable(bool constant) {
    Declaration declaration;
    if (!ParseDeclaration(tokens_, &declaration)) return false;
    Global global;
    global.name = declaration.name;
    global.alignment = declaration.alignment;
    global.constant = constant;
    Module::Initialiser initialiser;
    if (tokens_.Accept("=") && !Initial(declaration, &initialiser)) return false;
    global.size = declaration.unsized ? initialiser.bytes.size() : declaration.size;
    if (global.size > kMostGlobal || initialiser.bytes.size() > global.size)
      return tokens_.Fail("expected a variable of the size of its initial value before this");
    Symbol symbol;
    symbol.operand.kind = Operand::kGlobal;
    symbol.operand.index = module_->globals_.size();
    if (!scope_.names.Add(global.name, symbol))
      return tokens_.Fail(absl::StrCat("duplicate name ", global.name));
    if (extern_)
      return tokens_.Fail(absl::StrCat("expected a definition of ", global.name,
                                       ": the interpreter does not link modules"));
    module_->globals_.push_back(std::move(global));
    module_->initialisers_.push_back(std::move(initialiser));
    return tokens_.Expect(";");
  }

  // Elements in braces, in as many levels as there are dimensions, or one without.
  bool Initial(const Declaration& declaration, Module::Initialiser* initialiser) {
    const size_t width = Bits(declaration.type) / 8;
    int depth = 0;
    bool nested = false;
    do {
      while (tokens_.Accept("{")) nested |= ++depth > 1;
      if (!Element(declaration.type, width, initialiser)) return false;
      while (depth > 0 && tokens_.Accept("}")) --depth;
    } while (depth > 0 && tokens_.Accept(","));
    if (depth > 0) return tokens_.Fail("expected `}`");
    // A short list leaves zeros at the end of its own array, which inner arrays would have in
    // between.
    if (nested && initialiser->bytes.size() != declaration.size) {
      return tokens_.Fail("expected values for all elements of the arrays before this");
    }
    return true;
  }

  // A number, or a variable's address: `name`, `name+4`, `generic(name)+4`.
  bool Element(Type type, size_t width, Module::Initialiser* initialiser) {
    if (initialiser->bytes.size() > kMostInitialised)
      return tokens_.Fail("expected a shorter initial value");
    const bool negative = tokens_.Accept("-");
    Literal literal;
    if (tokens_.Peek().kind == Token::kNumber && ParseLiteral(tokens_.Peek().text, &literal)) {
      tokens_.Next();
      if (type == Type::kF32) NarrowToF32(&literal);
      uint64_t bits = literal.bits;
      const bool floating = type == Type::kF32 || type == Type::kF64;
      if (floating != (literal.kind != Literal::kInteger) ||
          (type == Type::kF64 && literal.kind != Literal::kF64)) {
        return tokens_.Fail("expected a number of the variable's type before this");
      }
      if (negative) bits = floating ? bits ^ uint64_t { 1 } << (width * 8 - 1) : 0 - bits;
      initialiser->bytes.append(reinterpret_cast<const char*>(&bits), width);
      return true;
    }
    if (negative) return tokens_.Fail("expected a number");
    const bool generic = tokens_.Accept("generic");
    if (generic && !tokens_.Expect("(")) return false;
    const absl::string_view name = tokens_.ExpectWord("a number or a name");
    uint32_t registers = 0;
    const Symbol* symbol = scope_.names.Find(name, &registers);
    if (symbol == nullptr || symbol->operand.kind != Operand::kGlobal || width != 8) {
      return tokens_.Fail(absl::StrCat(
          "expected a variable in device memory, for 64 bits, before this, got `", name, "`"));
    }
    if (generic && !tokens_.Expect(")")) return false;
    uint64_t addend = 0;
    if (tokens_.Accept("+")) addend = tokens_.ExpectInteger();
    initialiser->addresses.push_back({initialiser->bytes.size(), symbol->operand.index, addend});
    initialiser->bytes.append(width, '\0');
    return tokens_.status().ok();
  }

  // The parameters between `(` and `)`; their names become the function's, their places in its
  // parameter memory.
  bool Parameters(Function* function, std::vector<Parameter>* parameters) {
    if (!tokens_.Accept("(")) return true;
    while (!tokens_.Accept(")")) {
      if (!parameters->empty() && !tokens_.Expect(",")) return false;
      if (!tokens_.Expect(".param")) return false;
      Declaration declaration;
      Symbol symbol;
      if (!ParseDeclaration(tokens_, &declaration)) return false;
      if (!Place(declaration, kMostParameters, &function->parameter_bytes, &symbol.operand.value)) {
        return tokens_.Fail(
            absl::StrCat("expected at most ", kMostParameters, " bytes of parameters before this"));
      }
      symbol.operand.kind = Operand::kParam;
      symbol.size = declaration.size;
      parameters->push_back({symbol.operand.value, declaration.size});
      // `_` names a parameter that is not used.
      if (declaration.name != "_" && !scope_.names.Add(declaration.name, symbol)) {
        return tokens_.Fail(absl::StrCat("duplicate name ", declaration.name));
      }
    }
    return tokens_.status().ok();
  }

  bool FunctionItem(bool kernel) {
    auto made = std::make_unique<Function>();
    scope_.names.Open();
    bool ok = (kernel || Parameters(made.get(), &made->results));
    made->name = std::string(tokens_.ExpectWord("a function's name"));
    ok = ok && Parameters(made.get(), &made->parameters);
    const uint64_t head_bytes = made->parameter_bytes;
    ok = ok && Attributes(made.get());
    extern_ = false;
    Function* function = ok ? Declare(std::move(made)) : nullptr;
    if (function == nullptr) return false;
    if (tokens_.Accept("{")) {
      if (function->defined)
        return tokens_.Fail(absl::StrCat("duplicate function ", function->name));
      function->defined = true;
      if (!ParseBody(tokens_, scope_, function)) return false;
      if (kernel) AddKernel(*function, head_bytes);
    } else if (!tokens_.Expect(";")) {
      return false;
    }
    scope_.names.Close();
    return true;
  }

  bool Attributes(Function* function) {
    while (tokens_.Peek().text.substr(0, 1) == ".") {
      const absl::string_view word = tokens_.Next().text;
      if (word == ".maxntid" || word == ".reqntid") {
        uint64_t threads = 1;
        do {
          threads *= std::min<uint64_t>(tokens_.ExpectInteger(), 1 << 16);
        } while (tokens_.Accept(","));
        function->max_threads = std::min<uint64_t>(threads, function->max_threads);
      } else if (word == ".minnctapersm" || word == ".maxnreg" || word == ".maxnctapersm") {
        tokens_.ExpectInteger();
      } else if (word == ".pragma") {
        tokens_.SkipStatement();
      } else if (word != ".noreturn" && word != ".noinline") {
        if (function->unsupported.ok()) {
          function->unsupported = absl::UnimplementedError(absl::StrCat(
              "PTX line ", tokens_.Peek().line, ": the stand-in's interpreter does not know `",
              word, "` of ", function->name));
        }
        while (tokens_.Peek().kind == Token::kNumber || tokens_.Peek().text == ",") tokens_.Next();
      }
    }
    return tokens_.status().ok();
  }

  // Adds the function under its name, outside of its own scope. A definition fills what was
  // declared.
  Function* Declare(std::unique_ptr<Function> made) {
    if (const Symbol* symbol = scope_.names.FindOutside(made->name);
        symbol != nullptr && symbol->kind == Symbol::kFunction) {
      Function& known = *symbol->function;
      // Calls that were read before go by what was declared.
      if (known.defined || !SameSizes(known.results, made->results) ||
          !SameSizes(known.parameters, made->parameters)) {
        tokens_.Fail(absl::StrCat("duplicate function ", made->name));
        return nullptr;
      }
      known = std::move(*made);
      return &known;
    }
    Symbol symbol;
    symbol.kind = Symbol::kFunction;
    symbol.function = made.get();
    if (!scope_.names.AddOutside(made->name, symbol)) {
      tokens_.Fail(absl::StrCat("duplicate name ", made->name));
      return nullptr;
    }
    module_->functions_.push_back(std::move(made));
    return module_->functions_.back().get();
  }

  void AddKernel(const Function& function, uint64_t parameter_bytes) {
    auto kernel = std::make_unique<Kernel>();
    kernel->name = function.name;
    kernel->parameters = function.parameters;
    kernel->parameter_bytes = parameter_bytes;
    kernel->local_bytes = function.local_bytes;
    kernel->register_count = function.registers;
    kernel->max_threads = function.max_threads;
    kernel->code = &function;
    module_->kernels_.push_back(std::move(kernel));
  }

  TokenStream tokens_;
  std::unique_ptr<Module> module_;
  ModuleScope scope_;
  bool extern_ = false;
};

Module::Module() = default;
Module::~Module() = default;

const Kernel* Module::FindKernel(absl::string_view name) const {
  for (const std::unique_ptr<Kernel>& kernel : kernels_) {
    if (kernel->name == name) return kernel.get();
  }
  return nullptr;
}

std::string Module::InitialBytes(size_t index) const {
  std::string bytes = initialisers_[index].bytes;
  bytes.resize(globals_[index].size);
  for (const Initialiser::Address& address : initialisers_[index].addresses) {
    const uint64_t value = globals_[address.global].address + address.addend;
    memcpy(bytes.data() + address.offset, &value, sizeof value);
  }
  return bytes;
}

absl::StatusOr<std::unique_ptr<Module>> Parse(absl::string_view text) {
  absl::StatusOr<std::vector<Token>> tokens = Tokenize(text);
  if (!tokens.ok()) return tokens.status();
  return ModuleParser(*std::move(tokens)).Parse();
}

}  // namespace standin::ptx
