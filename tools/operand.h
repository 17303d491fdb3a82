// How operands are said on the command line: a .npy file, a token, or a tuple of those.
//
//   x.npy                        an array
//   bf16:x.npy                   an array whose file cannot say its type; needed there only
//   token[]                      a token
//   (a.npy,(b.npy,c.npy),())     a tuple
//
// Blanks around the parts of a tuple do not count. A file outside of tuples may have any name that
// does not begin with "(" or "TYPE:" ("./" before it helps); inside, no "(", ")" or ",".
#ifndef CALLBRIDGE_TOOLS_OPERAND_H_
#define CALLBRIDGE_TOOLS_OPERAND_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/primitive_type.h"
#include "callbridge/abi/shape.h"
#include "callbridge/tools/array.h"

namespace callbridge {

struct Operand {
  enum class Kind { kFile, kToken, kTuple };

  Kind kind = Kind::kFile;
  std::string path;                           // kFile
  std::optional<PrimitiveType> element_type;  // kFile
  std::vector<Operand> elements;              // kTuple
};

// INVALID_ARGUMENT says what was expected and at which character.
absl::StatusOr<Operand> ParseOperand(absl::string_view text);

// Reads the operand's files, appends its leaves in preorder, elements of less than a byte packed,
// and returns its shape. Errors name the file.
absl::StatusOr<Shape> LoadOperand(const Operand& operand, std::vector<Array>* leaves);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_OPERAND_H_
