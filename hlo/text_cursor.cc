#include "callbridge/hlo/text_cursor.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace callbridge::hlo {
namespace {

bool IsWordCharacter(char c) { return absl::ascii_isalnum(c) || c == '.' || c == '_' || c == '-'; }

// Returns the position after the string that begins at `begin`; npos if its quote is never closed.
size_t StringEnd(absl::string_view text, size_t begin) {
  for (size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return absl::string_view::npos;
}

}  // namespace

size_t DictionarySize(absl::string_view text) {
  if (!absl::StartsWith(text, "{")) return 0;
  size_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      const size_t end = StringEnd(text, i);
      if (end == absl::string_view::npos) return 0;
      i = end - 1;
    } else if (text[i] == '{') {
      ++depth;
    } else if (text[i] == '}' && --depth == 0) {
      return i + 1;
    }
  }
  return 0;
}

bool IsUtf8(absl::string_view bytes) {
  size_t i = 0;
  while (i < bytes.size()) {
    const auto byte = [&](size_t at) {
      return at < bytes.size() ? static_cast<uint8_t>(bytes[at]) : uint8_t{0};
    };
    const uint8_t first = byte(i);
    const size_t size = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (size > 1 && (first < 0xC2 || first > 0xF4)) return false;
    for (size_t k = 1; k < size; ++k) {
      if ((byte(i + k) & 0xC0) != 0x80) return false;
    }
    // An overlong form, half of a surrogate pair, or beyond the last code point.
    const uint8_t second = byte(i + 1);
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
        (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) {
      return false;
    }
    i += size;
  }
  return true;
}

void TextCursor::SkipBlanks() {
  while (position_ < text_.size()) {
    if (absl::ascii_isspace(text_[position_])) {
      ++position_;
      continue;
    }
    const absl::string_view next = text_.substr(position_, 2);
    size_t end;
    if (next == "/*") {
      end = text_.find("*/", position_ + 2);
      if (end != absl::string_view::npos) end += 2;
    } else if (next == "//") {
      end = std::min(text_.find('\n', position_), text_.size());
    } else {
      return;
    }
    if (end == absl::string_view::npos) return;  // the next reader reports an error
    position_ = end;
  }
}

bool TextCursor::AtEnd() {
  SkipBlanks();
  return position_ == text_.size();
}

bool TextCursor::Peek(absl::string_view token) {
  SkipBlanks();
  return absl::StartsWith(Rest(), token);
}

bool TextCursor::Consume(absl::string_view token) {
  if (!Peek(token)) return false;
  position_ += token.size();
  return true;
}

absl::Status TextCursor::Expect(absl::string_view token) {
  return Consume(token) ? absl::OkStatus() : Expected(absl::StrCat("\"", token, "\""));
}

absl::string_view TextCursor::PeekWord() {
  SkipBlanks();
  size_t end = position_;
  while (end < text_.size() && IsWordCharacter(text_[end])) ++end;
  return text_.substr(position_, end - position_);
}

absl::string_view TextCursor::ReadWord() {
  const absl::string_view word = PeekWord();
  position_ += word.size();
  return word;
}

absl::StatusOr<absl::string_view> TextCursor::ReadName(absl::string_view what) {
  Consume("%");
  const absl::string_view name = ReadWord();
  if (name.empty()) return Expected(what);
  return name;
}

absl::StatusOr<int64_t> TextCursor::ReadInteger(absl::string_view what) {
  SkipBlanks();
  size_t end = position_;
  if (end < text_.size() && text_[end] == '-') ++end;
  while (end < text_.size() && absl::ascii_isdigit(text_[end])) ++end;
  int64_t value;
  if (!absl::SimpleAtoi(text_.substr(position_, end - position_), &value)) return Expected(what);
  position_ = end;
  return value;
}

absl::StatusOr<bool> TextCursor::ReadBool() {
  const absl::string_view word = PeekWord();
  if (word != "true" && word != "false") return Expected("true or false");
  ReadWord();
  return word == "true";
}

absl::StatusOr<std::string> TextCursor::ReadQuoted(absl::string_view what) {
  if (!Peek("\"")) return Expected(absl::StrCat(what, " in quotes"));
  const size_t end = StringEnd(text_, position_);
  if (end == absl::string_view::npos) {
    return InvalidAt(position_, absl::StrCat("the quotes of ", what, " are never closed"));
  }
  std::string bytes;
  std::string problem;
  if (!absl::CUnescape(text_.substr(position_ + 1, end - position_ - 2), &bytes, &problem)) {
    return InvalidAt(position_, absl::StrCat(what, ": ", problem));
  }
  position_ = end;
  return bytes;
}

absl::StatusOr<std::string> TextCursor::ReadQuotedText(absl::string_view what) {
  const size_t begin = position();
  absl::StatusOr<std::string> bytes = ReadQuoted(what);
  if (!bytes.ok() || IsUtf8(*bytes)) return bytes;
  return InvalidAt(begin, absl::StrCat("expected ", what, " to be UTF-8"));
}

absl::StatusOr<absl::string_view> TextCursor::ReadDictionary(absl::string_view what) {
  if (!Peek("{")) return Expected(absl::StrCat(what, " in braces"));
  const size_t size = DictionarySize(Rest());
  if (size == 0) {
    return InvalidAt(position_, absl::StrCat("the braces of ", what, " are never closed"));
  }
  const absl::string_view dictionary = text_.substr(position_, size);
  position_ += size;
  return dictionary;
}

char TextCursor::PeekAfterWord() {
  const size_t end = position() + PeekWord().size();
  return end < text_.size() ? text_[end] : '\0';
}

absl::StatusOr<absl::string_view> TextCursor::ReadValue(absl::string_view what) {
  const size_t begin = position();
  std::string open;  // the closing brackets that are awaited
  size_t end = begin;
  while (position_ < text_.size()) {
    const char c = text_[position_];
    const absl::string_view next = text_.substr(position_, 2);
    if (absl::ascii_isspace(c) || next == "/*" || next == "//") {
      const size_t before = position_;
      SkipBlanks();
      if (position_ == before) ++position_;  // a comment that is never closed
      // A value may go on after a blank with a bracket, but not with a word: that is the next line.
      if (position_ == text_.size()) break;
      if (open.empty() &&
          absl::string_view("{[(<").find(text_[position_]) == absl::string_view::npos) {
        break;
      }
      continue;
    }
    if (c == '"') {
      const size_t string_end = StringEnd(text_, position_);
      if (string_end == absl::string_view::npos) {
        return InvalidAt(begin, absl::StrCat("the quotes of ", what, " are never closed"));
      }
      position_ = string_end;
    } else if (c == '(' || c == '[' || c == '{') {
      open.push_back(c == '(' ? ')' : c == '[' ? ']' : '}');
      ++position_;
    } else if (c == ')' || c == ']' || c == '}') {
      if (open.empty()) break;
      if (open.back() != c) {
        return Expected(absl::StrCat("\"", absl::string_view(&open.back(), 1), "\" in ", what));
      }
      open.pop_back();
      ++position_;
    } else if (open.empty() && c == ',') {
      break;
    } else {
      ++position_;
    }
    end = position_;
  }
  if (!open.empty()) {
    return InvalidAt(begin, absl::StrCat("the ", open.front() == '}' ? "braces" : "brackets",
                                         " of ", what, " are never closed"));
  }
  if (end == begin) return Expected(what);
  return text_.substr(begin, end - begin);
}

absl::string_view TextCursor::ReadUntil(absl::string_view ends) {
  SkipBlanks();
  const size_t end = std::min(text_.find_first_of(ends, position_), text_.size());
  const absl::string_view read =
      absl::StripTrailingAsciiWhitespace(text_.substr(position_, end - position_));
  position_ = end;
  return read;
}

absl::Status TextCursor::Expected(absl::string_view what) {
  constexpr size_t kExcerpt = 24;
  SkipBlanks();
  const absl::string_view rest = Rest();
  const std::string found = rest.empty()
                                ? "the end"
                                : absl::StrCat("\"", absl::CHexEscape(rest.substr(0, kExcerpt)),
                                               rest.size() > kExcerpt ? "..." : "", "\"");
  return InvalidAt(position_, absl::StrCat("expected ", what, ", found ", found));
}

absl::Status TextCursor::InvalidAt(size_t position, absl::string_view message) const {
  return absl::InvalidArgumentError(absl::StrCat(Place(position), message));
}

absl::Status TextCursor::UnimplementedAt(size_t position, absl::string_view message) const {
  return absl::UnimplementedError(absl::StrCat(Place(position), message));
}

std::string TextCursor::Place(size_t position) const {
  const absl::string_view before = text_.substr(0, position);
  const size_t line = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t newline = before.rfind('\n');
  const size_t column = newline == absl::string_view::npos ? position + 1 : position - newline;
  return absl::StrCat("line ", line, ", column ", column, ": ");
}

}  // namespace callbridge::hlo
