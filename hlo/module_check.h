// What a module must be before anything reads it: messages come from files, and say anything.
#ifndef CALLBRIDGE_HLO_MODULE_CHECK_H_
#define CALLBRIDGE_HLO_MODULE_CHECK_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "callbridge/abi/shape.h"
#include "callbridge/hlo/hlo_proto.h"

namespace callbridge::hlo {

// The shape that `proto` says. INVALID_ARGUMENT where it is none: an element type that is not
// known, a negative dimension, a layout that is no permutation, more bytes than int64 counts,
// tuples nested deeper than Shape::kMaxTupleDepth. UNIMPLEMENTED for what no custom call can be
// given: dynamic dimensions, opaque types, tiled and sparse layouts.
absl::StatusOr<Shape> ShapeFromProto(const xla::ShapeProto& proto);
xla::ShapeProto ShapeToProto(const Shape& shape);

// OK if `module` is well-formed, so that whoever reads it next needs no checks of its own:
// - the entry computation exists, ids are unique, every id that is referred to exists where it
// must;
// - no computation calls itself, no instruction depends on itself, and instructions stand behind
//   their operands;
// - parameters are numbered 0 to n - 1, once each, as the program shape says;
// - of every opcode that `opcode.h` knows: as many operands as it takes, and the shape that it
// makes
//   of theirs; literals have the elements of their shapes; aliases lead to leaves that exist and
//   have equal shapes; api versions are known ones.
// An opcode that is not known is left alone. INVALID_ARGUMENT names the computation, the
// instruction, what was expected and what came. Time and memory are linear in the module's size.
absl::Status CheckModule(const xla::HloModuleProto& module);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_MODULE_CHECK_H_
