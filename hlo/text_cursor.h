// TextCursor: a position in HLO text, and the readers of its tokens.
#ifndef CALLBRIDGE_HLO_TEXT_CURSOR_H_
#define CALLBRIDGE_HLO_TEXT_CURSOR_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace callbridge::hlo {

// Each function first skips white space, /* comments */ and // comments. Errors are
// INVALID_ARGUMENT unless stated otherwise, and begin with line and column, counted from 1. The
// arguments `what` name the expected token in errors.
class TextCursor {
 public:
  // `text` must outlive the cursor and the views that it returns.
  explicit TextCursor(absl::string_view text) : text_(text) {}

  bool AtEnd();
  // Returns true if `token` comes next.
  bool Peek(absl::string_view token);
  // Moves past `token` and returns true if it comes next.
  bool Consume(absl::string_view token);
  // Moves past `token`. Returns an error if it does not come next.
  absl::Status Expect(absl::string_view token);

  // Reads letters, digits, ".", "_" and "-": a name, an opcode, an attribute. Returns an empty view
  // if there are none.
  absl::string_view ReadWord();
  // Returns what ReadWord() would return.
  absl::string_view PeekWord();
  // Reads the name of an instruction or computation, with or without "%". Returns it without.
  absl::StatusOr<absl::string_view> ReadName(absl::string_view what);
  absl::StatusOr<int64_t> ReadInteger(absl::string_view what);
  absl::StatusOr<bool> ReadBool();
  // Reads "..." with C's escapes. Returns any bytes.
  absl::StatusOr<std::string> ReadQuoted(absl::string_view what);
  // Same as ReadQuoted(), but returns an error unless the bytes are UTF-8, as protobuf strings must
  // be.
  absl::StatusOr<std::string> ReadQuotedText(absl::string_view what);
  // Reads a JSON or MLIR dictionary: {...} with balanced braces, not counting braces in strings.
  absl::StatusOr<absl::string_view> ReadDictionary(absl::string_view what);
  // Returns the character after the word that comes next, blanks not skipped; 0 at the end.
  char PeekAfterWord();
  // Returns true if `character` is the next one, without a blank before it.
  bool NextIs(char character) const {
    return position_ < text_.size() && text_[position_] == character;
  }
  // Reads a value of any attribute: tokens, with balanced brackets and closed strings, up to a
  // comma, a closing bracket or a word after a blank. Returns the text.
  absl::StatusOr<absl::string_view> ReadValue(absl::string_view what);
  // Reads up to a character of `ends`. Returns the text without trailing blanks.
  absl::string_view ReadUntil(absl::string_view ends);

  // Returns the position of the next token, for InvalidAt().
  size_t position() {
    SkipBlanks();
    return position_;
  }
  // Moves back to a position() of before.
  void ReturnTo(size_t position) { position_ = position; }
  // Returns "line 3, column 14: expected WHAT, found ...".
  absl::Status Expected(absl::string_view what);
  // Return an error with the line and column of `position`.
  absl::Status InvalidAt(size_t position, absl::string_view message) const;
  absl::Status UnimplementedAt(size_t position, absl::string_view message) const;

 private:
  void SkipBlanks();
  std::string Place(size_t position) const;
  absl::string_view Rest() const { return text_.substr(position_); }

  const absl::string_view text_;
  size_t position_ = 0;
};

// Returns the size of the dictionary at the beginning of `text`, or 0 if there is no complete one.
size_t DictionarySize(absl::string_view text);

bool IsUtf8(absl::string_view bytes);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_TEXT_CURSOR_H_
