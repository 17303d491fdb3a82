// InstructionResult: an instruction of a module, lowered.
#ifndef CALLBRIDGE_CLIENT_INSTRUCTION_RESULT_H_
#define CALLBRIDGE_CLIENT_INSTRUCTION_RESULT_H_

#include <cstddef>
#include <vector>

#include "callbridge/abi/shape.h"
#include "callbridge/client/graph.h"

namespace callbridge::client {

// What an instruction makes: its shape without layouts, and a value for each leaf, row-major.
struct InstructionResult {
  Shape shape;
  size_t nodes = 0;
  std::vector<ValueId> leaves;
  // For each element of a tuple the place of its first leaf, and behind them the number of leaves.
  // Filled when the first one is asked for, so that taking all elements is linear.
  std::vector<size_t> element_starts;
  // The step that is the instruction's; kNoStep where all it has are its leaves' producers.
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
