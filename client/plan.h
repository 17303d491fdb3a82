// Plan: what an Executable runs: which steps, in which order, on which memory.
#ifndef CALLBRIDGE_CLIENT_PLAN_H_
#define CALLBRIDGE_CLIENT_PLAN_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "callbridge/c_api/callbridge.h"
#include "callbridge/client/graph.h"

namespace callbridge::client {

// The place of an array: an offset from one of a run's pointers (Plan::bases).
struct Address {
  size_t base = 0;
  size_t offset = 0;
};

struct Move {
  Address from;
  Address to;
  size_t size_bytes;
};

struct PlannedStep {
  Step step;
  // The operands' arrays, then the results'.
  std::vector<Address> arrays;
  // Copies of operands that the step overwrites and later steps still read; made before the step.
  std::vector<Move> copies;
  // The steps that run after this one, by index. A step may start when `predecessors` steps are
  // done.
  std::vector<int> successors;
  int predecessors = 0;
};

// The pointers of a run, in this order: null, for tokens; the run's arena; the caller's parameters
// and results, by leaf; the constants, by place in the pool. Runs do not write to parameters and
// constants.
struct Bases {
  static constexpr size_t kNull = 0;
  static constexpr size_t kArena = 1;
  static constexpr size_t kParameters = 2;
  size_t results = 0;
  size_t constants = 0;
  size_t count = 0;
};

struct Plan {
  std::vector<Shape> parameters;
  Shape result;
  // By leaf.
  std::vector<size_t> parameter_sizes;
  std::vector<size_t> result_sizes;
  ConstantPool constants;
  // Each after those that it needs.
  std::vector<PlannedStep> steps;
  // Copies of results that are elsewhere when all steps are done.
  std::vector<Move> result_copies;
  size_t arena_bytes = 0;
  // Also for arrays of no bytes, which need a pointer too.
  bool uses_arena = false;
  Bases bases;
  // The most arrays of any step.
  size_t most_arrays = 0;
};

// Drops steps that nothing needs and assigns memory to each value. With `in_order`, steps run in
// the plan's order, and memory is reused as soon as possible. Returns RESOURCE_EXHAUSTED if the
// sizes exceed the range of size_t.
absl::StatusOr<Plan> MakePlan(Graph graph, bool in_order);

// Runs a plan once. The arrays must have the sizes of the plan. With one thread, steps run in the
// plan's order on the caller's thread, and the first failure ends the run. With more, a step runs
// on any thread as soon as it can; after a failure no further step starts, and of all errors the
// first in the plan's order is returned. A plan that was made with `in_order` needs one thread.
absl::Status RunPlan(const Plan& plan, absl::Span<const callbridge_array> parameters,
                     absl::Span<const callbridge_array> results, int threads);

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_PLAN_H_
