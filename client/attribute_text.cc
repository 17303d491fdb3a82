#include "callbridge/client/attribute_text.h"

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "callbridge/client/attribute_elements.h"
#include "callbridge/client/c_status.h"

namespace callbridge::client {
namespace {

// The deepest nesting of dictionaries. MLIR has no limit; this one keeps the recursion from
// overflowing the stack.
constexpr int kMaxDepth = 64;

bool IsWordCharacter(char c) {
  return absl::ascii_isalnum(c) || c == '_' || c == '$' || c == '.' || c == '-' || c == '+';
}

class Parser {
 public:
  explicit Parser(absl::string_view text) : text_(text) {}

  absl::StatusOr<ParsedAttributes> Parse() {
    SkipSpace();
    std::set<std::string> names;
    absl::StatusOr<OwnedAttributes> attributes = AtEnd() ? Create() : Dictionary(0, &names);
    if (!attributes.ok()) return attributes.status();
    SkipSpace();
    if (!AtEnd()) return Expected("the end of the attributes");
    return ParsedAttributes{*std::move(attributes), std::move(names)};
  }

 private:
  bool AtEnd() const { return at_ == text_.size(); }
  void SkipSpace() {
    while (!AtEnd() && absl::ascii_isspace(text_[at_])) ++at_;
  }
  // Skips white space, then `token` if it is next.
  bool Take(absl::string_view token) {
    SkipSpace();
    if (!absl::StartsWith(text_.substr(at_), token)) return false;
    at_ += token.size();
    return true;
  }
  bool IsNext(char c) {
    SkipSpace();
    return !AtEnd() && text_[at_] == c;
  }
  // Returns the letters, digits and signs of numbers that are next; empty if there are none.
  absl::string_view Word() {
    SkipSpace();
    const size_t start = at_;
    while (!AtEnd() && IsWordCharacter(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }

  absl::Status Expected(absl::string_view what) const {
    const absl::string_view rest = text_.substr(at_, 20);
    return absl::InvalidArgumentError(
        absl::StrCat("attributes, character ", at_ + 1, ": expected ", what, ", but there is ",
                     rest.empty() ? "the end" : absl::StrCat("\"", absl::CHexEscape(rest), "\"")));
  }
  absl::Status Duplicate(absl::string_view name) const {
    return absl::InvalidArgumentError(absl::StrCat("attributes, character ", at_ + 1,
                                                   ": duplicate attribute \"",
                                                   absl::CHexEscape(name), "\""));
  }
  absl::Status Unknown(absl::string_view name, absl::string_view what) const {
    return absl::UnimplementedError(absl::StrCat(
        "attribute \"", absl::CHexEscape(name), "\" is ", absl::CHexEscape(what.substr(0, 40)),
        ", which the embedded runtime cannot pass to a target; run the module on XLA"));
  }

  static absl::StatusOr<OwnedAttributes> Create() {
    callbridge_ffi_attributes* attributes = nullptr;
    absl::Status status = TakeStatus(callbridge_ffi_attributes_create(&attributes));
    if (!status.ok()) return status;
    return OwnedAttributes(attributes);
  }

  absl::StatusOr<std::string> String() {
    if (!Take("\"")) return Expected("a string");
    std::string value;
    while (!AtEnd() && text_[at_] != '"') {
      if (text_[at_] != '\\') {
        value += text_[at_++];
        continue;
      }
      const absl::string_view escape = text_.substr(at_ + 1, 2);
      if (!escape.empty() && absl::StrContains("\"\\nt", escape.substr(0, 1))) {
        value += escape[0] == 'n' ? '\n' : escape[0] == 't' ? '\t' : escape[0];
        at_ += 2;
      } else if (escape.size() == 2 && absl::ascii_isxdigit(escape[0]) &&
                 absl::ascii_isxdigit(escape[1])) {
        value += absl::HexStringToBytes(escape);
        at_ += 3;
      } else {
        return Expected("an escape sequence");
      }
    }
    if (!Take("\"")) return Expected("the end of a string");
    return value;
  }

  absl::StatusOr<OwnedAttributes> Dictionary(int depth, std::set<std::string>* names) {
    if (depth == kMaxDepth) {
      return absl::InvalidArgumentError(
          absl::StrCat("attributes: dictionaries nested deeper than ", kMaxDepth));
    }
    if (!Take("{")) return Expected("`{`");
    absl::StatusOr<OwnedAttributes> attributes = Create();
    if (!attributes.ok() || Take("}")) return attributes;
    do {
      absl::StatusOr<std::string> name =
          IsNext('"') ? String() : absl::StatusOr<std::string>(Word());
      if (!name.ok()) return name.status();
      if (name->empty()) return Expected("an attribute's name");
      if (absl::StrContains(*name, '\0'))
        return Unknown(*name, "an attribute with a NUL in its name");
      if (!names->insert(*name).second) return Duplicate(*name);
      if (IsNext(',') || IsNext('}')) return Unknown(*name, "a unit attribute");
      if (!Take("=")) return Expected("`=`");
      absl::Status status = Value(*name, depth, attributes->get());
      if (!status.ok()) return status;
    } while (Take(","));
    if (!Take("}")) return Expected("`,` or `}`");
    return attributes;
  }

  absl::Status Value(const std::string& name, int depth, callbridge_ffi_attributes* attributes) {
    if (IsNext('"')) {
      absl::StatusOr<std::string> value = String();
      if (!value.ok()) return value.status();
      return TakeStatus(callbridge_ffi_attributes_set_string(attributes, name.c_str(),
                                                             value->data(), value->size()));
    }
    if (IsNext('{')) {
      std::set<std::string> names;
      absl::StatusOr<OwnedAttributes> value = Dictionary(depth + 1, &names);
      if (!value.ok()) return value.status();
      return TakeStatus(
          callbridge_ffi_attributes_set_dictionary(attributes, name.c_str(), value->get()));
    }
    const size_t start = at_;
    if (Take("array<")) return Array(name, attributes);
    if (Take("dense<")) return Dense(name, attributes);
    const absl::string_view word = Word();
    if (word.empty() && AtEnd()) return Expected("an attribute's value");
    if (word.empty()) return Unknown(name, text_.substr(start));
    return Scalar(name, word, attributes);
  }

  absl::Status Scalar(const std::string& name, absl::string_view word,
                      callbridge_ffi_attributes* attributes) {
    PrimitiveType type = PrimitiveType::kPred;
    if (word != "true" && word != "false") {
      if (!absl::ascii_isdigit(word[0]) && word[0] != '-') return Unknown(name, word);
      const bool is_float = absl::StrContains(word, '.');
      type = is_float ? PrimitiveType::kF64 : PrimitiveType::kS64;
    }
    if (Take(":")) {
      const absl::string_view type_name = Word();
      const std::optional<PrimitiveType> named = ParseMlirType(type_name);
      if (!named.has_value()) return Unknown(name, absl::StrCat("of type ", type_name));
      type = *named;
    }
    std::string bytes;
    if (!AppendElement(word, type, bytes)) return NoElement(name, word, type);
    return TakeStatus(callbridge_ffi_attributes_set_scalar(
        attributes, name.c_str(), static_cast<int32_t>(type), bytes.data()));
  }

  absl::Status NoElement(const std::string& name, absl::string_view word, PrimitiveType type) {
    return absl::InvalidArgumentError(absl::StrCat(
        "attribute \"", absl::CHexEscape(name), "\": expected an element of type ",
        PrimitiveTypeName(type), ", but there is \"", absl::CHexEscape(word.substr(0, 40)), "\""));
  }

  static absl::Status SetArray(const std::string& name, PrimitiveType type,
                               const std::string& bytes, callbridge_ffi_attributes* attributes) {
    return TakeStatus(callbridge_ffi_attributes_set_array(attributes, name.c_str(),
                                                          static_cast<int32_t>(type), bytes.data(),
                                                          bytes.size() / (BitWidth(type) / 8)));
  }

  // Starts after `array<`.
  absl::Status Array(const std::string& name, callbridge_ffi_attributes* attributes) {
    const absl::string_view type_name = Word();
    const std::optional<PrimitiveType> type = ParseMlirType(type_name);
    if (!type.has_value()) return Unknown(name, absl::StrCat("an array of type ", type_name));
    std::string bytes;
    if (Take(":")) {
      do {
        const absl::string_view word = Word();
        if (!AppendElement(word, *type, bytes)) return NoElement(name, word, *type);
      } while (Take(","));
    }
    if (!Take(">")) return Expected("`,` or `>`");
    return SetArray(name, *type, bytes, attributes);
  }

  // Starts after `dense<`. The elements' type follows the elements.
  absl::Status Dense(const std::string& name, callbridge_ffi_attributes* attributes) {
    std::vector<absl::string_view> words;
    std::string raw;
    const bool is_raw = IsNext('"');
    bool is_list = false;
    if (is_raw) {
      absl::StatusOr<std::string> hex = String();
      if (!hex.ok()) return hex.status();
      if (!absl::StartsWith(*hex, "0x") || hex->size() % 2 != 0) {
        return Unknown(name, "dense, of strings");
      }
      for (char c : hex->substr(2)) {
        if (!absl::ascii_isxdigit(c)) return Unknown(name, "dense, of strings");
      }
      raw = absl::HexStringToBytes(hex->substr(2));
    } else {
      is_list = IsNext('[');
      // The brackets repeat the dimensions that the type has.
      while (!IsNext('>')) {
        if (Take("[") || Take("]") || Take(",")) continue;
        if (IsNext('(')) return Unknown(name, "dense, of complex numbers");
        words.push_back(Word());
        if (words.back().empty()) return Expected("an element, `,`, `[`, `]` or `>`");
      }
    }
    if (!Take(">") || !Take(":") || !Take("tensor<")) return Expected("`> : tensor<`");
    int64_t count = 1;
    absl::string_view type_name = Word();
    // "2x3xf32"
    while (true) {
      const size_t x = type_name.find('x');
      int64_t size;
      if (x == absl::string_view::npos || !absl::SimpleAtoi(type_name.substr(0, x), &size)) break;
      if (size < 0 || __builtin_mul_overflow(count, size, &count)) {
        return Expected("dimensions whose product fits int64");
      }
      type_name.remove_prefix(x + 1);
    }
    const std::optional<PrimitiveType> type = ParseMlirType(type_name);
    if (!type.has_value()) return Unknown(name, absl::StrCat("dense, of type ", type_name));
    if (!Take(">")) return Expected("`>`");
    return SetDense(name, *type, count, is_raw, is_list, words, raw, attributes);
  }

  absl::Status SetDense(const std::string& name, PrimitiveType type, int64_t count, bool is_raw,
                        bool is_list, const std::vector<absl::string_view>& words, std::string raw,
                        callbridge_ffi_attributes* attributes) {
    if (is_raw && type == PrimitiveType::kPred) return Unknown(name, "dense, of packed booleans");
    for (absl::string_view word : words) {
      if (!AppendElement(word, type, raw)) return NoElement(name, word, type);
    }
    const size_t element_bytes = BitWidth(type) / 8;
    // One element without brackets is the value of all.
    if (!is_list && raw.size() == element_bytes && count != 1) {
      if (count > kMaxSplat) return Unknown(name, "a dense splat of more than 2^24 elements");
      const std::string element = std::move(raw);
      raw.clear();
      for (int64_t i = 0; i < count; ++i) raw += element;
    }
    if (raw.size() % element_bytes != 0 ||
        raw.size() / element_bytes != static_cast<size_t>(count)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "attribute \"", absl::CHexEscape(name), "\": expected ", count, " elements of ",
          element_bytes, " bytes, but there are ", raw.size(), " bytes"));
    }
    return SetArray(name, type, raw, attributes);
  }

  // A short text must not take gigabytes.
  static constexpr int64_t kMaxSplat = int64_t{1} << 24;

  absl::string_view text_;
  size_t at_ = 0;
};

}  // namespace

absl::StatusOr<ParsedAttributes> ParseAttributes(absl::string_view text) {
  return Parser(text).Parse();
}

}  // namespace callbridge::client
