// Shapes and elements by chance, for random modules, and how described_calls.cc has them described.
#ifndef CALLBRIDGE_TESTS_GENUINE_RANDOM_VALUES_H_
#define CALLBRIDGE_TESTS_GENUINE_RANDOM_VALUES_H_

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "callbridge/hlo/literal_util.h"
#include "callbridge/hlo/shape.h"

namespace callbridge {

// How a target reads and writes elements of a type: described_calls.cc. Numbers are kept so small
// that their type's mantissa holds every result exactly, in any order, fused or not.
struct ElementKind {
  xla::PrimitiveType type;
  char kind;
  int parts;
  int mantissa;  // bits; 0 where there is no arithmetic with floats
};
const ElementKind& KindOf(const xla::Shape& array);
bool IsFloat(const xla::Shape& array);  // complex ones too
bool IsComplex(const xla::Shape& array);
bool IsInteger(const xla::Shape& shape);
bool IsUnsigned(const xla::Shape& array);

// Leaves of a result, each with the operand, and the leaf of it, in whose place it lies.
using Aliases = std::vector<std::pair<xla::ShapeIndex, std::pair<int64_t, xla::ShapeIndex>>>;

class RandomValues {
 public:
  explicit RandomValues(uint64_t seed) : random_(seed) {}

  int Pick(int count) { return static_cast<int>(random_() % static_cast<uint64_t>(count)); }
  bool Chance(int percent) { return Pick(100) < percent; }

  const ElementKind& Kind();
  // Small; some have no element.
  xla::Shape Array();
  // An array or a tuple, nested up to `depth` deep.
  xla::Shape ShapeOf(int depth);
  // The bytes of an array: of floats, small integers that are no zero.
  std::string Elements(const xla::Shape& array);
  xla::Literal LiteralOf(const xla::Shape& shape);

  // What a call returns, often with leaves that its operands have too; of a typed call, which XLA
  // lets return one array, or a tuple of any other number, such a one.
  xla::Shape ResultOf(const std::vector<xla::Shape>& operands, bool typed);
  Aliases AliasesOf(const std::vector<xla::Shape>& operands, const xla::Shape& result);

 private:
  xla::Shape LeafLikeThoseOf(const std::vector<xla::Shape>& operands);
  xla::Shape NestedResult(const std::vector<xla::Shape>& operands, int depth);

  std::mt19937_64 random_;
};

// `shape` with some layout for each of its arrays, the same for the same array.
xla::Shape WithSomeLayout(xla::Shape shape);

std::string Description(const xla::Shape& operand);
std::string Description(const xla::Shape& result, const Aliases& aliases);

}  // namespace callbridge

#endif  // CALLBRIDGE_TESTS_GENUINE_RANDOM_VALUES_H_
