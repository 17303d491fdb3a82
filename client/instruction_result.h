// InstructionResult: an instruction of a module, lowered.
#ifndef CALLBRIDGE_CLIENT_INSTRUCTION_RESULT_H_
#define CALLBRIDGE_CLIENT_INSTRUCTION_RESULT_H_

#include <cstddef>
#include <vector>

#include "callbridge/abi/shape.h"
#include "callbridge/client/graph.h"

namespace callbridge::client {

// The result of an instruction: its shape without layouts, and a value for each leaf, row-major.
struct InstructionResult {
  Shape shape;
  size_t nodes = 0;
  std::vector<ValueId> leaves;
  // For each element of a tuple the index of its first leaf; then the number of leaves. Filled when
  // the first one is read, so that reading all elements takes linear time.
  std::vector<size_t> element_starts;
  // The instruction's own step; kNoStep if it has only its leaves' producers.
  StepId step = kNoStep;

  void FindElements() {
    if (!element_starts.empty()) return;
    size_t start = 0;
    for (const Shape& element : shape.tuple_elements()) {
      element_starts.push_back(start);
      start += static_cast<size_t>(element.LeafCount());
    }
    element_starts.push_back(start);
  }
};

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_INSTRUCTION_RESULT_H_
