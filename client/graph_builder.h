// GraphBuilder: adds values and steps to a Graph, and bounds how many.
#ifndef CALLBRIDGE_CLIENT_GRAPH_BUILDER_H_
#define CALLBRIDGE_CLIENT_GRAPH_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "callbridge/client/graph.h"

namespace callbridge::client {

// UNIMPLEMENTED where the leaf's layout says another size of elements than `bits`, or none.
absl::Status CheckElementSize(const Shape& leaf, int64_t bits);

class GraphBuilder {
 public:
  // A small module may say a lot: computations that call each other twice, instructions that name a
  // large tuple many times. RESOURCE_EXHAUSTED where `amount`, of instructions, leaves and the
  // like, makes too many in all.
  absl::Status Charge(size_t amount);

  // A leaf of a parameter.
  absl::StatusOr<ValueId> Parameter(const Shape& leaf, size_t index);
  absl::StatusOr<ValueId> Constant(const Shape& leaf, const void* data);
  absl::StatusOr<ValueId> Elementwise(ElementwiseKernel kernel, std::vector<ValueId> operands,
                                      const Shape& result);
  absl::StatusOr<ValueId> Copy(StridedCopy copy, ValueId operand, const Shape& result);
  // One value for each leaf of the result. `operands` has the layouts of the operands' shapes; the
  // results have those of the result's.
  absl::StatusOr<std::vector<ValueId>> CustomCall(Step step, const Shape& result);
  ValueId Token(const std::vector<ValueId>& behind);
  // The same values, but there only when the steps `behind`, and those that make all of them, are
  // done.
  std::vector<ValueId> Wait(const std::vector<ValueId>& values, std::vector<StepId> behind);

  // From the order of `leaf`'s layout to row-major, and back; the value itself where they are one.
  absl::StatusOr<ValueId> ToRowMajor(ValueId value, const Shape& leaf);
  absl::StatusOr<ValueId> FromRowMajor(ValueId value, const Shape& leaf);
  // The same, from the packed elements that `leaf`'s layout says, and to them. Elsewhere each
  // element has bytes of its own.
  absl::StatusOr<ValueId> FromCall(ValueId value, const Shape& leaf);
  absl::StatusOr<ValueId> ToCall(ValueId value, const Shape& leaf);

  StepId producer(ValueId value) const { return graph_.values[value].producer; }
  StepId last_step() const { return static_cast<StepId>(graph_.steps.size()) - 1; }
  Step& step(StepId id) { return graph_.steps[id]; }
  Graph& graph() { return graph_; }

 private:
  absl::StatusOr<ValueId> Add(const Shape& leaf, Value value);
  StepId AddStep(Step step);

  Graph graph_;
  size_t charged_ = 0;
};

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_GRAPH_BUILDER_H_
