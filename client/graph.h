// Graph: what a module computes, as steps on values. Tuples, calls of computations and whatever
// moves no bytes are gone: a value is one array or token.
#ifndef CALLBRIDGE_CLIENT_GRAPH_H_
#define CALLBRIDGE_CLIENT_GRAPH_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "callbridge/abi/shape.h"
#include "callbridge/client/bound_custom_call.h"
#include "callbridge/client/constant_pool.h"
#include "callbridge/client/elementwise.h"
#include "callbridge/client/strided_copy.h"

namespace callbridge::client {

using ValueId = int;
using StepId = int;
inline constexpr StepId kNoStep = -1;

struct Value {
  enum class Source { kParameter, kConstant, kStep };

  Source source = Source::kStep;
  // The parameters' leaf, or the constant's place in the pool.
  size_t index = 0;
  size_t size_bytes = 0;
  bool is_token = false;
  // The step behind which it is there.
  StepId producer = kNoStep;
  // The value whose bytes it has: itself, unless all that is new is the producer.
  ValueId bytes_of = 0;
};

struct Step {
  enum class Kind {
    kCustomCall,
    kElementwise,
    kCopy,
    kWait,  // does nothing, behind others
  };
  enum class Hint { kEarliest, kNone, kLatest };

  Kind kind = Kind::kWait;
  std::vector<ValueId> operands;
  std::vector<ValueId> results;
  // Steps that it stands behind, whether or not it reads what they make.
  std::vector<StepId> after;
  // Of a custom call: operands whose memory a result gets, by their places in the lists.
  std::vector<std::pair<size_t, size_t>> aliases;
  BoundCustomCall call;
  Hint hint = Hint::kNone;
  // It runs even where nobody reads what it makes.
  bool has_effect = false;

  ElementwiseKernel kernel = nullptr;
  size_t count = 0;
  StridedCopy copy = StridedCopy::OfBytes(0);
};

struct Graph {
  std::vector<Shape> parameters;
  Shape result;
  std::vector<Value> values;
  std::vector<Step> steps;
  // The result's leaves, row-major.
  std::vector<ValueId> results;
  ConstantPool constants;
};

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_GRAPH_H_
