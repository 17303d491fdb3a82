// Tokens of PTX text.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace standin::ptx {

struct Token {
  enum Kind : uint8_t {
    kEnd,
    kWord,    // identifiers, registers and instructions, with what follows their dots: `%tid.x`,
              // `add.rn.f32`, `.reg`
    kNumber,  // without a sign
    kString,
    kPunctuation,  // one character
  };
  Kind kind = kEnd;
  int line = 0;
  absl::string_view text;  // in the text that was read
};

// The last token is the only kEnd.
absl::StatusOr<std::vector<Token>> Tokenize(absl::string_view text);

struct Literal {
  enum Kind : uint8_t { kInteger, kF32, kF64 };
  Kind kind = kInteger;
  uint64_t bits = 0;
};

// Returns false if the text is no number of PTX: 12, 0x1fU, 0b101, 017, 0f3f800000,
// 0d3ff0000000000000, 1.5e3.
bool ParseLiteral(absl::string_view text, Literal* literal);

// Rounds a number of the kind kF64, such as 1.5, to kF32. Others stay.
void NarrowToF32(Literal* literal);

}  // namespace standin::ptx
