// Parses operands on the command line: a .npy file, a token, or a tuple of those.
//
// clang-format off
//   x.npy                        an array
//   bf16:x.npy                   an array whose file cannot name its type; for such files only
//   token[]                      a token
//   (a.npy,(b.npy,c.npy),())     a tuple
// clang-format on
//
// Ignores blanks around the parts of a tuple. Outside of tuples a file name must not begin with "("
// or "TYPE:" (prefix it with "./"); in a tuple it must not contain "(", ")" or ",".
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

// Returns INVALID_ARGUMENT, which says what was expected at which character, if `text` is
// malformed.
absl::StatusOr<Operand> ParseOperand(absl::string_view text);

// Reads the operand's files and appends its leaves in preorder, packing elements of less than a
// byte. Returns its shape. Errors name the file.
absl::StatusOr<Shape> LoadOperand(const Operand& operand, std::vector<Array>* leaves);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_OPERAND_H_
