// How MLIR writes types and strings.
#ifndef CALLBRIDGE_HLO_MLIR_TYPES_H_
#define CALLBRIDGE_HLO_MLIR_TYPES_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/shape.h"

namespace callbridge::hlo {

// The types of a module's values. Tuples and other long types get aliases, since a text says a type
// wherever it is used: without them one large type would make a text that is larger by the number
// of its uses.
class MlirTypes {
 public:
  // "tensor<8x4xf32>", "!stablehlo.token", "!type0". UNIMPLEMENTED for element types that StableHLO
  // has not.
  absl::StatusOr<std::string> Text(const Shape& shape);

  // "!type0 = tuple<tensor<f32>, tensor<2xi32>>\n" for each alias that Text() has used.
  std::string Aliases() const;

 private:
  std::string Alias(const std::string& type);

  absl::flat_hash_map<std::string, size_t> numbers_;
  std::vector<std::string> aliased_;
};

// Any bytes, in quotes.
std::string MlirString(absl::string_view bytes);
// "@name", in quotes where it has to be.
std::string MlirSymbol(absl::string_view name);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_MLIR_TYPES_H_
