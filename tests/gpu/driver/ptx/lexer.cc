#include "lexer.h"

#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace standin::ptx {
namespace {

bool StartsWord(char c) {
  return absl::ascii_isalpha(c) || c == '_' || c == '$' || c == '%' || c == '.';
}
bool ContinuesWord(char c) { return absl::ascii_isalnum(c) || c == '_' || c == '$' || c == '.'; }

// Returns the end of the word at `i`. Behind a dot a word may hold "::", as in `.L2::128B`.
size_t EndOfWord(absl::string_view text, size_t i) {
  bool dotted = text[i] == '.';
  for (++i; i < text.size(); ++i) {
    if (ContinuesWord(text[i])) {
      dotted |= text[i] == '.';
    } else if (dotted && text.substr(i, 2) == "::") {
      ++i;
    } else {
      break;
    }
  }
  return i;
}

// Returns the end of the number at `i`; a sign belongs to an exponent only.
size_t EndOfNumber(absl::string_view text, size_t i) {
  const bool coded =
      text[i] == '0' && i + 1 < text.size() && strchr("xXfFdD", text[i + 1]) != nullptr;
  for (++i; i < text.size(); ++i) {
    const bool sign =
        (text[i] == '-' || text[i] == '+') && !coded && (text[i - 1] == 'e' || text[i - 1] == 'E');
    if (!absl::ascii_isalnum(text[i]) && text[i] != '.' && !sign) break;
  }
  return i;
}

}  // namespace

absl::StatusOr<std::vector<Token>> Tokenize(absl::string_view text) {
  text = text.substr(0, text.find('\0'));
  std::vector<Token> tokens;
  int line = 1;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (absl::ascii_isspace(c)) {
      ++i;
      continue;
    }
    if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    if (text.substr(i, 2) == "/*") {
      const size_t end = text.find("*/", i + 2);
      if (end == text.npos) {
        return absl::InvalidArgumentError(
            absl::StrCat("PTX line ", line, ": a comment without an end"));
      }
      for (; i < end + 2; ++i) line += text[i] == '\n';
      continue;
    }
    size_t end = i + 1;
    Token::Kind kind = Token::kPunctuation;
    if (StartsWord(c)) {
      kind = Token::kWord;
      end = EndOfWord(text, i);
    } else if (absl::ascii_isdigit(c)) {
      kind = Token::kNumber;
      end = EndOfNumber(text, i);
    } else if (c == '"') {
      kind = Token::kString;
      end = text.find_first_of("\"\n", i + 1);
      if (end == text.npos || text[end] == '\n') {
        return absl::InvalidArgumentError(
            absl::StrCat("PTX line ", line, ": a string without an end"));
      }
      ++end;
    } else if (!absl::ascii_ispunct(c)) {
      return absl::InvalidArgumentError(
          absl::StrCat("PTX line ", line, ": expected text, got a byte of value ", c & 0xff));
    }
    tokens.push_back({kind, line, text.substr(i, end - i)});
    i = end;
  }
  tokens.push_back({Token::kEnd, line, ""});
  return tokens;
}

bool ParseLiteral(absl::string_view text, Literal* literal) {
  literal->kind = Literal::kInteger;
  const absl::string_view prefix = text.substr(0, 2);
  int base = 10;
  size_t digits = 0;
  if (prefix == "0f" || prefix == "0F") {
    literal->kind = Literal::kF32;
    digits = 8;
  } else if (prefix == "0d" || prefix == "0D") {
    literal->kind = Literal::kF64;
    digits = 16;
  } else if (text.find_first_of(".eE") != text.npos && prefix != "0x" && prefix != "0X") {
    double value;
    if (!absl::SimpleAtod(text, &value)) return false;
    literal->kind = Literal::kF64;
    memcpy(&literal->bits, &value, sizeof value);
    return true;
  }
  if (digits != 0) {
    text.remove_prefix(2);
    if (text.size() != digits) return false;
    base = 16;
  } else {
    if (!text.empty() && text.back() == 'U') text.remove_suffix(1);
    if (prefix == "0x" || prefix == "0X" || prefix == "0b" || prefix == "0B") {
      base = absl::ascii_tolower(prefix[1]) == 'x' ? 16 : 2;
      text.remove_prefix(2);
    } else if (text.size() > 1 && text[0] == '0') {
      base = 8;
    }
  }
  if (text.empty()) return false;
  uint64_t value = 0;
  for (const char c : text) {
    if (!absl::ascii_isxdigit(c)) return false;
    const int digit = absl::ascii_isdigit(c) ? c - '0' : absl::ascii_tolower(c) - 'a' + 10;
    if (digit >= base || value > (UINT64_MAX - digit) / base) return false;
    value = value * base + digit;
  }
  literal->bits = value;
  return true;
}

void NarrowToF32(Literal* literal) {
  if (literal->kind != Literal::kF64) return;
  double wide;
  memcpy(&wide, &literal->bits, sizeof wide);
  const float narrow = static_cast<float>(wide);
  literal->bits = 0;
  memcpy(&literal->bits, &narrow, sizeof narrow);
  literal->kind = Literal::kF32;
}

}  // namespace standin::ptx
