// TextCursor: a place in a text of XLA's, and the few things that such texts are made of.
#ifndef CALLBRIDGE_HLO_TEXT_CURSOR_H_
#define CALLBRIDGE_HLO_TEXT_CURSOR_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/shape.h"

namespace callbridge::hlo {

// Every reader skips blanks first: white space, /* comments */ and // comments. Errors are
// INVALID_ARGUMENT and begin with line and column, counted from 1.
class TextCursor {
 public:
  // `text` must outlive the cursor, and the views that it returns are into it.
  explicit TextCursor(absl::string_view text) : text_(text) {}

  bool AtEnd();
  // True if `token` comes next, and for Consume() is now behind.
  bool Peek(absl::string_view token);
  bool Consume(absl::string_view token);
  // An error unless `token` comes next.
  absl::Status Expect(absl::string_view token);

  // Letters, digits, ".", "_" and "-": names, opcodes, attributes. Empty where there are none.
  absl::string_view ReadWord();
  // What ReadWord() would return.
  absl::string_view PeekWord();
  // A name of an instruction or computation, with or without "%".
  absl::StatusOr<absl::string_view> ReadName(absl::string_view what);
  absl::StatusOr<int64_t> ReadInteger(absl::string_view what);
  absl::StatusOr<bool> ReadBool();
  // "..." with C's escapes: any bytes.
  absl::StatusOr<std::string> ReadQuoted(absl::string_view what);
  // The same, but UTF-8: what protobuf keeps as a string.
  absl::StatusOr<std::string> ReadQuotedText(absl::string_view what);
  // {...} with as many closing as opening braces, those in strings not counted: JSON, MLIR.
  absl::StatusOr<absl::string_view> ReadDictionary(absl::string_view what);
  // A layout stands right behind its array, so that a "{" behind a blank is none.
  absl::StatusOr<Shape> ReadShape();
  // True if a shape comes next rather than a name.
  bool PeekShape();
  // Everything up to one of `ends`, without blanks before it.
  absl::string_view ReadUntil(absl::string_view ends);

  // Where the next thing begins, for InvalidAt().
  size_t position() {
    SkipBlanks();
    return position_;
  }
  // "line 3, column 14: expected WHAT, found ...".
  absl::Status Expected(absl::string_view what);
  absl::Status InvalidAt(size_t position, absl::string_view message) const;
  absl::Status UnimplementedAt(size_t position, absl::string_view message) const;

 private:
  void SkipBlanks();
  std::string Place(size_t position) const;
  absl::string_view Rest() const { return text_.substr(position_); }

  const absl::string_view text_;
  size_t position_ = 0;
};

// The size of the dictionary at the beginning of `text`; 0 where there is none, or no end of it.
size_t DictionarySize(absl::string_view text);

bool IsUtf8(absl::string_view bytes);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_TEXT_CURSOR_H_
