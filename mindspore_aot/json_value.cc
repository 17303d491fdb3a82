#include "callbridge/mindspore_aot/json_value.h"

#include <cmath>
#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace callbridge {
namespace mindspore_aot {
namespace {

constexpr int kMaxDepth = 32;
constexpr uint32_t kFirstSurrogate = 0xD800;
constexpr uint32_t kFirstLowSurrogate = 0xDC00;
constexpr uint32_t kLastSurrogate = 0xDFFF;

void AppendUtf8(uint32_t code, std::string* text) {
  const auto append = [text](uint32_t byte) { text->push_back(static_cast<char>(byte)); };
  const auto append_rest = [&](uint32_t shift) { append(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x80) {
    append(code);
  } else if (code < 0x800) {
    append(0xC0 | (code >> 6));
    append_rest(0);
  } else if (code < 0x10000) {
    append(0xE0 | (code >> 12));
    append_rest(6);
    append_rest(0);
  } else {
    append(0xF0 | (code >> 18));
    append_rest(12);
    append_rest(6);
    append_rest(0);
  }
}

// A recursive-descent parser; `rest_` is the text that it has not read yet.
class JsonParser {
 public:
  explicit JsonParser(absl::string_view text) : text_(text), rest_(text) {}

  absl::StatusOr<JsonValue> ParseWholeText() {
    JsonValue value;
    absl::Status parsed = ParseValue(0, &value);
    if (!parsed.ok()) return parsed;
    SkipBlanks();
    if (!rest_.empty()) return Expected("the end of the text");
    return value;
  }

 private:
  absl::Status Expected(absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected ", what, " at byte ", text_.size() - rest_.size() + 1, " of the JSON text"));
  }

  void SkipBlanks() {
    const size_t end = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(end == absl::string_view::npos ? rest_.size() : end);
  }

  // Skips blanks, then `token`, if it is next.
  bool Take(absl::string_view token) {
    SkipBlanks();
    return absl::ConsumePrefix(&rest_, token);
  }

  absl::Status ParseValue(int depth, JsonValue* value) {
    if (depth > kMaxDepth) return Expected(absl::StrCat("values nested at most ", kMaxDepth));
    if (Take("{")) return ParseObject(depth, &value->value.emplace<JsonValue::Object>());
    if (Take("[")) return ParseList(depth, &value->value.emplace<JsonValue::List>());
    if (Take("\"")) return ParseString(&value->value.emplace<std::string>());
    if (Take("true")) return Set(true, value);
    if (Take("false")) return Set(false, value);
    if (Take("null")) return absl::OkStatus();
    return ParseNumber(value);
  }

  template <typename T>
  static absl::Status Set(T scalar, JsonValue* value) {
    value->value = scalar;
    return absl::OkStatus();
  }

  absl::Status ParseObject(int depth, JsonValue::Object* object) {
    if (Take("}")) return absl::OkStatus();
    do {
      if (!Take("\"")) return Expected("a member's name in quotes");
      std::string name;
      absl::Status parsed = ParseString(&name);
      if (!parsed.ok()) return parsed;
      if (!Take(":")) return Expected("a colon");
      JsonValue member;
      parsed = ParseValue(depth + 1, &member);
      if (!parsed.ok()) return parsed;
      (*object)[name] = std::move(member);
    } while (Take(","));
    return Take("}") ? absl::OkStatus() : Expected("a comma or a closing brace");
  }

  absl::Status ParseList(int depth, JsonValue::List* list) {
    if (Take("]")) return absl::OkStatus();
    do {
      list->emplace_back();
      absl::Status parsed = ParseValue(depth + 1, &list->back());
      if (!parsed.ok()) return parsed;
    } while (Take(","));
    return Take("]") ? absl::OkStatus() : Expected("a comma or a closing bracket");
  }

  // Reads what is behind the opening quotes.
  absl::Status ParseString(std::string* text) {
    while (!rest_.empty()) {
      const char next = rest_.front();
      if (static_cast<unsigned char>(next) < 0x20) {
        return Expected("no control character in a string");
      }
      rest_.remove_prefix(1);
      if (next == '"') return absl::OkStatus();
      if (next != '\\') {
        text->push_back(next);
        continue;
      }
      absl::Status escape = ParseEscape(text);
      if (!escape.ok()) return escape;
    }
    return Expected("closing quotes");
  }

  absl::Status ParseEscape(std::string* text) {
    constexpr absl::string_view kEscapes = "\"\\/bfnrt";
    constexpr absl::string_view kCharacters = "\"\\/\b\f\n\r\t";
    const size_t index = rest_.empty() ? absl::string_view::npos : kEscapes.find(rest_.front());
    if (index != absl::string_view::npos) {
      text->push_back(kCharacters[index]);
      rest_.remove_prefix(1);
      return absl::OkStatus();
    }
    uint32_t code;
    if (!ParseCodeUnit(&code)) return Expected("an escape sequence");
    if (code >= kFirstSurrogate && code <= kLastSurrogate) {
      uint32_t low;
      if (code >= kFirstLowSurrogate || !absl::ConsumePrefix(&rest_, "\\") ||
          !ParseCodeUnit(&low) || low < kFirstLowSurrogate || low > kLastSurrogate) {
        return Expected("both halves of a character");
      }
      code = 0x10000 + ((code - kFirstSurrogate) << 10) + (low - kFirstLowSurrogate);
    }
    AppendUtf8(code, text);
    return absl::OkStatus();
  }

  // Reads "uXXXX".
  bool ParseCodeUnit(uint32_t* code) {
    constexpr size_t kDigits = 4;
    if (rest_.size() <= kDigits || rest_.front() != 'u') return false;
    *code = 0;
    for (const char digit : rest_.substr(1, kDigits)) {
      if (!absl::ascii_isxdigit(static_cast<unsigned char>(digit))) return false;
      const char lower = absl::ascii_tolower(static_cast<unsigned char>(digit));
      *code = *code * 16 + static_cast<uint32_t>(lower <= '9' ? lower - '0' : lower - 'a' + 10);
    }
    rest_.remove_prefix(1 + kDigits);
    return true;
  }

  static size_t CountDigits(absl::string_view text) {
    const size_t end = text.find_first_not_of("0123456789");
    return end == absl::string_view::npos ? text.size() : end;
  }

  // The size of the number that `rest_` begins with; 0 if there is none. Sets `*is_integer`.
  size_t NumberSize(bool* is_integer) const {
    *is_integer = true;
    size_t size = absl::StartsWith(rest_, "-") ? 1 : 0;
    const size_t digits = CountDigits(rest_.substr(size));
    if (digits == 0 || (digits > 1 && rest_[size] == '0')) return 0;
    size += digits;
    if (absl::StartsWith(rest_.substr(size), ".")) {
      const size_t fraction = CountDigits(rest_.substr(size + 1));
      if (fraction == 0) return 0;
      size += 1 + fraction;
      *is_integer = false;
    }
    if (size < rest_.size() && (rest_[size] == 'e' || rest_[size] == 'E')) {
      ++size;
      if (size < rest_.size() && (rest_[size] == '+' || rest_[size] == '-')) ++size;
      const size_t exponent = CountDigits(rest_.substr(size));
      if (exponent == 0) return 0;
      size += exponent;
      *is_integer = false;
    }
    return size;
  }

  absl::Status ParseNumber(JsonValue* value) {
    bool is_integer;
    const size_t size = NumberSize(&is_integer);
    if (size == 0) return Expected("a value");
    const absl::string_view digits = rest_.substr(0, size);
    if (is_integer) {
      int64_t number;
      if (!absl::SimpleAtoi(digits, &number)) return Expected("an integer of at most 64 bits");
      value->value = number;
    } else {
      double number;
      if (!absl::SimpleAtod(digits, &number) || !std::isfinite(number)) {
        return Expected("a number that a double holds");
      }
      value->value = number;
    }
    rest_.remove_prefix(size);
    return absl::OkStatus();
  }

  const absl::string_view text_;
  absl::string_view rest_;
};

}  // namespace

const JsonValue* JsonValue::Find(const std::string& name) const {
  const auto* object = get<Object>();
  if (object == nullptr) return nullptr;
  const auto member = object->find(name);
  return member == object->end() || member->second.is_null() ? nullptr : &member->second;
}

std::string JsonValue::KindText() const {
  constexpr const char* kKinds[] = {"null",     "a bool", "an integer", "a number with a fraction",
                                    "a string", "a list", "an object"};
  return kKinds[value.index()];
}

absl::StatusOr<JsonValue> ParseJson(absl::string_view text) {
  return JsonParser(text).ParseWholeText();
}

}  // namespace mindspore_aot
}  // namespace callbridge
