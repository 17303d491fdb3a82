// GraphBuilder: adds values and steps to a Graph, and limits their number.
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

// Returns UNIMPLEMENTED if the leaf's layout gives elements a size other than `bits`.
absl::Status CheckElementSize(const Shape& leaf, int64_t bits);

class GraphBuilder {
 public:
  // Counts `amount` instructions, leaves and the like. Returns RESOURCE_EXHAUSTED if there are too
  // many in all: a small module may expand to much, by computations that each call another one
  // twice, or instructions that use a large tuple many times.
  absl::Status Charge(size_t amount);
  // Returns RESOURCE_EXHAUSTED if Charge(amount) would.
  absl::Status CheckCharge(size_t amount) const;

  // Returns the value of a parameter's leaf.
  absl::StatusOr<ValueId> Parameter(const Shape& leaf, size_t index);
  absl::StatusOr<ValueId> Constant(const Shape& leaf, const void* data);
  absl::StatusOr<ValueId> Elementwise(ElementwiseKernel kernel, std::vector<ValueId> operands,
                                      const Shape& result);
  absl::StatusOr<ValueId> Copy(StridedCopy copy, ValueId operand, const Shape& result);
  // Returns one value for each leaf of the result. `operands` have the layouts of the operands'
  // shapes; the returned values have the layouts of the result's.
  absl::StatusOr<std::vector<ValueId>> CustomCall(Step step, const Shape& result);
  ValueId Token(const std::vector<ValueId>& behind);
  // Returns the same values, available only after the steps `behind` and those that make the
  // values.
  std::vector<ValueId> Wait(const std::vector<ValueId>& values, std::vector<StepId> behind);

  // Converts a value from the order of `leaf`'s layout to row-major, and back. Returns the value
  // itself if the orders are the same.
  absl::StatusOr<ValueId> ToRowMajor(ValueId value, const Shape& leaf);
  absl::StatusOr<ValueId> FromRowMajor(ValueId value, const Shape& leaf);
  // Likewise, and unpacks or packs elements if `leaf`'s layout packs them. Everywhere else each
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
