// StableHLO text, in the form that current JAX and XLA read.
#ifndef CALLBRIDGE_HLO_STABLEHLO_TEXT_H_
#define CALLBRIDGE_HLO_STABLEHLO_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/shape.h"
#include "callbridge/hlo/hlo_proto.h"

namespace callbridge::hlo {

// Returns the module as StableHLO text. `module` must have passed CheckModule().
//
// The entry computation becomes @main, all others private functions. Runtimes pass arrays only, so
// @main takes and returns the leaves of its parameters and of its result; aliases refer to leaves.
// add-dependency becomes `mhlo.add_dependency`. Copies, schedules, and layouts other than those of
// custom calls are omitted: they change no values. Returns UNIMPLEMENTED for an opcode that
// opcode.h does not list, and for what StableHLO cannot express: control dependencies, layouts
// inside tuples.
absl::StatusOr<std::string> PrintStableHloText(const xla::HloModuleProto& module);

// ---- Types and attributes (stablehlo_attributes.cc) ---------------------------------------------

// The types of a module's values. Tuples and other long types get aliases: the text repeats a type
// at each use, so that its size would be that of the type times the number of uses.
class MlirTypes {
 public:
  // Returns "tensor<8x4xf32>", "!stablehlo.token", "!type0". Returns UNIMPLEMENTED for element
  // types that StableHLO does not have.
  absl::StatusOr<std::string> Text(const Shape& shape);

  // Returns "!type0 = tuple<tensor<f32>, tensor<2xi32>>\n" for each alias that Text() has returned.
  std::string Aliases() const;

 private:
  std::string Alias(const std::string& type);

  absl::flat_hash_map<std::string, size_t> numbers_;
  std::vector<std::string> aliased_;
};

// Returns any bytes in quotes, escaped.
std::string MlirString(absl::string_view bytes);
// Returns "@name", with the name in quotes if it is no MLIR identifier.
std::string MlirSymbol(absl::string_view name);

// Returns the attributes of the custom call `call`: "has_side_effect = true, ...". `functions` has
// the symbols of computations by id. Omits the schedule, literal, window and other hints to XLA's
// passes, which StableHLO cannot express. Returns UNIMPLEMENTED for layouts inside tuples that are
// not row-major.
absl::StatusOr<std::string> StableHloCustomCallAttributes(
    const xla::HloInstructionProto& call,
    const absl::flat_hash_map<int64_t, std::string>& functions);

// Returns the attribute "mhlo.input_output_alias = [...]" of @main. `parameters` and `result` are
// the shapes of the entry computation, `aliases` the aliases of the module.
std::string StableHloInputOutputAlias(const xla::HloInputOutputAliasProto& aliases,
                                      const std::vector<const Shape*>& parameters,
                                      const Shape& result);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_STABLEHLO_TEXT_H_
