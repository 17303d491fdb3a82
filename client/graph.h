// Graph: a module as steps on values. A value is one array or token: lowering resolves tuples,
// calls of computations and all else that moves no bytes.
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
  // The leaf's index among the parameters' leaves, or the constant's place in the pool.
  size_t index = 0;
  size_t size_bytes = 0;
  bool is_token = false;
  // The step after which the value is available.
  StepId producer = kNoStep;
  // The value that owns the bytes: itself, unless only the producer differs.
  ValueId bytes_of = 0;
};

struct Step {
  enum class Kind {
    kCustomCall,
    kElementwise,
    kCopy,
    kWait,  // does nothing, after others
  };
  enum class Hint { kEarliest, kNone, kLatest };

  Kind kind = Kind::kWait;
  std::vector<ValueId> operands;
  std::vector<ValueId> results;
  // The steps after which this one runs, whether or not it reads their values.
  std::vector<StepId> after;
  // Of a custom call: the operands whose memory a result takes, as indices into both lists.
  std::vector<std::pair<size_t, size_t>> aliases;
  BoundCustomCall call;
  Hint hint = Hint::kNone;
  // Runs even if nothing reads its results.
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
