#include "callbridge/loader/demangled_name.h"

#include <cxxabi.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_replace.h"

namespace callbridge {

// ---- The cost of demangling a name

namespace {

// The longest expansion of two characters: Ss, the old std::string in full.
constexpr size_t kLongestAbbreviation = 72;

enum class Kind { kText, kSubstitution, kTemplateParameter };

struct Token {
  Kind kind = Kind::kText;
  size_t size = 1;           // of a text, in characters
  uint64_t number = 0;       // which substitution
  bool is_argument = false;  // perhaps a part of template arguments
};

// Splits a name into tokens. When it cannot decide without a grammar, it assumes the costlier case
// or gives up: a substitution seen where there is none would make other names look cheap.
class Tokens {
 public:
  explicit Tokens(absl::string_view mangled) : all_(mangled), rest_(mangled) {
    while (!rest_.empty() && is_certain_) {
      if (!AddLiteral() && !AddIdentifier() && !AddReference()) AddCharacter();
    }
    if (!has_expressions_) return;
    for (Token& token : tokens_) token.is_argument = true;
  }

  const std::vector<Token>& all() const { return tokens_; }
  // False if the name may have to be split in another way, or is malformed.
  bool is_certain() const { return is_certain_; }
  // The number of functions in the name, each of which brings template arguments of its own: the
  // name itself, and those in it (local names, addresses of functions).
  size_t functions() const { return functions_; }
  size_t pack_expansions() const { return pack_expansions_; }
  // An upper bound of the number of elements of a pack.
  size_t longest_pack() const { return longest_pack_; }

 private:
  struct Bracket {
    char opening;
    size_t first;  // the number of the token after it
  };

  void Add(const Token& token, size_t characters) {
    // Each element of a pack is or contains one of these.
    const char c = rest_[0];
    const bool is_element = characters > 1 || absl::ascii_islower(c) || c == 'I' || c == 'J';
    if (has_arguments_ && is_element) ++longest_pack_;
    is_after_character_ = characters == 1;
    tokens_.push_back(token);
    tokens_.back().is_argument = open_arguments_ > 0;
    rest_.remove_prefix(characters);
  }

  absl::string_view Done() const { return all_.substr(0, all_.size() - rest_.size()); }
  char Before() const { return Done().empty() ? 'Z' : Done().back(); }
  char Next() const { return rest_.size() > 1 ? rest_[1] : '\0'; }
  bool IsIn(char opening) const {
    return !brackets_.empty() && brackets_.back().opening == opening;
  }
  // True after the type of a literal. Then any text may follow, up to the next E.
  bool IsInsideLiteral() const { return IsIn('L') && brackets_.back().first != tokens_.size(); }

  // "Li5E", "Lin5E", "Lb1E".
  bool AddLiteral() {
    if (rest_[0] != 'L' || !absl::ascii_islower(Next())) return false;
    const size_t end = rest_.find('E');
    const absl::string_view value = rest_.substr(2, end - 2);
    if (end == absl::string_view::npos ||
        value.find_first_not_of("n0123456789abcdef") != absl::string_view::npos) {
      is_certain_ = false;
      return true;
    }
    Add({Kind::kText, end + 1}, end + 1);
    return true;
  }

  // "3foo". Digits may also be a number: "A3_", "C1", "UlvE0_", "_3".
  bool AddIdentifier() {
    if (IsInsideLiteral()) return false;
    const size_t digits = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    if (digits == 0) return false;
    size_t size = 0;
    if (!absl::SimpleAtoi(rest_.substr(0, digits), &size) || size == 0 ||
        size > rest_.size() - digits) {
      Add({Kind::kText, digits}, digits);
      return true;
    }
    const absl::string_view text = rest_.substr(digits, size);
    // A token longer than one character ends where its text ends.
    const char before = is_after_character_ ? Before() : '\0';
    const bool is_after_std = before == 't' && absl::EndsWith(Done(), "St");
    const bool is_after_lambda = before == 'E' && (last_closed_ == 'U' || has_expressions_);
    const bool is_after_lambda_number =
        absl::EndsWith(Done(), "E_") && last_closed_ == 'U' && !has_expressions_;
    const bool may_be_number =
        (absl::StrContains("ACDGTnvhpt_", before) && !is_after_std && !is_after_lambda_number) ||
        (is_after_lambda && text[0] == '_');
    if (Done() == "Thn") {  // the offset of a thunk
      Add({Kind::kText, digits}, digits);
      return true;
    }
    if (may_be_number && !IsSplitAlike(text)) {
      is_certain_ = false;
      return true;
    }
    last_identifier_ = std::max(size, kLongestAbbreviation);
    Add({Kind::kText, size}, digits + size);
    return true;
  }

  // Returns true if an identifier and as many tokens of one character cost the same.
  static bool IsSplitAlike(absl::string_view text) {
    return text.find_first_not_of("_EKMPROVabcdefghijklmnoqrtuvwxyz") == absl::string_view::npos;
  }

  // "S_", "S0_", "SA1_"; "T_", "T0_".
  bool AddReference() {
    if (rest_[0] != 'S' && rest_[0] != 'T') return false;
    uint64_t number = 0;
    size_t end = 1;
    for (; end < rest_.size() && number < rest_.size() * 36; ++end) {
      const char c = rest_[end];
      if (!absl::ascii_isdigit(c) && !absl::ascii_isupper(c)) break;
      number = number * 36 + static_cast<uint64_t>(absl::ascii_isdigit(c) ? c - '0' : c - 'A' + 10);
    }
    if (end >= rest_.size() || rest_[end] != '_') return false;
    if (end > 1) ++number;
    if (IsInsideLiteral()) is_certain_ = false;
    const bool is_substitution = rest_[0] == 'S';
    Add({is_substitution ? Kind::kSubstitution : Kind::kTemplateParameter, 1, number}, end + 1);
    return true;
  }

  void AddCharacter() {
    const char c = rest_[0];
    const char next = Next();
    if (IsInsideLiteral() && c != 'E' && c != 'n' && !absl::ascii_isdigit(c)) is_certain_ = false;
    // On "_Z1fIXsr1aC" libstdc++ 12's demangler never ends.
    if (c == 's' && next == 'r') is_certain_ = false;
    if (c == 'Z') ++functions_;
    if (c == 'I' || c == 'J') has_arguments_ = true;
    if (next == 'p' && (c == 'D' || c == 's')) ++pack_expansions_;
    // In expressions, an E may close what no bracket opened.
    const bool is_plain_d = absl::StrContains("pnisauhfdevocx012345", next);
    if (c == 'X' || (c == 'D' && !is_plain_d) || (c == 'A' && !absl::ascii_isdigit(next))) {
      has_expressions_ = true;
    }
    // A constructor's name repeats its class's.
    const bool is_constructor = (c == 'C' || c == 'D') && absl::ascii_isdigit(next);
    const bool is_abbreviation = c == 'S' && next != 't';
    const size_t size = is_constructor    ? last_identifier_
                        : is_abbreviation ? kLongestAbbreviation
                                          : 1;
    const bool is_internal_name = c == 'L' && absl::ascii_isdigit(next) && !has_expressions_ &&
                                  (Before() == 'Z' || Before() == 't' || IsIn('N'));
    Add({Kind::kText, size}, 1);
    if (!is_internal_name) MatchBracket(c, next);
    // "C1" in a class is not a complex number; the digit belongs to it.
    if (is_constructor && IsIn('N')) Add({Kind::kText, 1}, 1);
  }

  void MatchBracket(char c, char next) {
    if (c == 'E') {
      last_closed_ = brackets_.empty() ? 'U' : brackets_.back().opening;
      if (brackets_.empty()) return;
      if (IsArguments(brackets_.back().opening)) --open_arguments_;
      brackets_.pop_back();
    } else if (c == 'L' && next == '_') {
      // "L_Z...E": its Z opens what the E closes.
    } else if (absl::StrContains("ZNFLIJ", c) || (c == 'U' && next == 'l')) {
      brackets_.push_back({c, tokens_.size()});
      if (IsArguments(c)) ++open_arguments_;
    }
  }

  static bool IsArguments(char opening) { return opening == 'I' || opening == 'J'; }

  absl::string_view all_;
  absl::string_view rest_;
  std::vector<Token> tokens_;
  std::vector<Bracket> brackets_;  // that are open
  char last_closed_ = 'U';
  size_t open_arguments_ = 0;
  size_t last_identifier_ = kLongestAbbreviation;
  size_t functions_ = 0;
  size_t pack_expansions_ = 0;
  size_t longest_pack_ = 1;
  bool is_after_character_ = false;
  bool has_arguments_ = false;
  bool has_expressions_ = false;
  bool is_certain_ = true;
};

// Returns where each used substitution ends at the latest. They are numbered in the order in which
// they end, so each ends before the first use of itself or of a later one.
std::map<uint64_t, size_t> LatestEnds(const std::vector<Token>& tokens) {
  std::map<uint64_t, size_t> ends;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind == Kind::kSubstitution) ends.emplace(tokens[i].number, i);
  }
  size_t latest = tokens.size();
  for (auto end = ends.rbegin(); end != ends.rend(); ++end) {
    latest = end->second = std::min(end->second, latest);
  }
  return ends;
}

// The size of a part of the name after its substitutions are expanded.
struct Expansion {
  double size = 0;
  double parameters = 0;           // T_
  double argument_parameters = 0;  // those that are parts of template arguments
};

Expansion Expand(const std::vector<Token>& tokens) {
  const std::map<uint64_t, size_t> ends = LatestEnds(tokens);
  std::vector<Expansion> before = {Expansion()};  // before each token
  for (const Token& token : tokens) {
    Expansion sum = before.back();
    sum.size += static_cast<double>(token.size);
    if (token.kind == Kind::kTemplateParameter) {
      sum.parameters += 1;
      sum.argument_parameters += token.is_argument ? 1 : 0;
    } else if (token.kind == Kind::kSubstitution) {
      const Expansion& repeated = before[ends.at(token.number)];
      sum.size += repeated.size;
      sum.parameters += repeated.parameters;
      sum.argument_parameters +=
          token.is_argument ? repeated.parameters : repeated.argument_parameters;
    }
    before.push_back(sum);
  }
  return before.back();
}

}  // namespace

bool IsCheapToDemangle(absl::string_view mangled) {
  // The demangler recurses: a hostile name of some megabytes would overflow the stack.
  constexpr size_t kMaximumSize = 1 << 16;
  // Hostile names get near the first bound, some milliseconds; the second is far above.
  constexpr double kMaximumExpansion = 1 << 19;
  constexpr double kMaximumSteps = 1 << 26;
  if (mangled.size() > kMaximumSize) return false;
  if (absl::StartsWith(mangled, "_Z")) mangled.remove_prefix(2);
  const Tokens tokens(mangled);
  if (!tokens.is_certain()) return false;
  const Expansion expansion = Expand(tokens.all());
  if (expansion.size > kMaximumExpansion) return false;
  // A path from the name to any of its parts goes through T_ at most once if there is one function:
  // T_ has no meaning in its arguments. If there are two functions, the inner one may be entered
  // again. In general, at most once for each function that is entered, and each is entered at most
  // twice at a time. The first T_ may be anywhere, the others in arguments.
  const size_t functions = tokens.functions() + 1;
  const auto parameters = static_cast<double>(functions < 3 ? 2 * functions - 1 : 2 * functions);
  const auto expansions =
      static_cast<double>(functions == 1 ? tokens.pack_expansions() : 2 * tokens.pack_expansions());
  const double steps = expansion.size * (1 + expansion.parameters) *
                       std::pow(1 + expansion.argument_parameters, parameters - 1) *
                       std::pow(static_cast<double>(tokens.longest_pack()), expansions);
  return steps <= kMaximumSteps;
}

// ---- Demangling

std::string Demangled(absl::string_view symbol) {
  if (!absl::StartsWith(symbol, "_Z")) return "";  // "f" would be read as the type float
  if (!IsCheapToDemangle(symbol)) return "";
  std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(std::string(symbol).c_str(), nullptr, nullptr, nullptr), &std::free);
  // A file may have thousands of such names.
  constexpr size_t kMaximumText = 1 << 16;
  if (text == nullptr || std::strlen(text.get()) > kMaximumText) return "";
  return text.get();
}

absl::string_view UnqualifiedName(absl::string_view function) {
  function = function.substr(0, function.find('('));
  return function.substr(function.rfind(':') + 1);  // npos + 1 is 0
}

std::string ReadableName(absl::string_view symbol) {
  const std::string name = Demangled(symbol);
  if (name.empty()) return std::string(symbol);
  return absl::StrReplaceAll(
      name, {{"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >",
              "std::string"}});
}

}  // namespace callbridge
