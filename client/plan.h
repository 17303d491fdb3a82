// Plan: what an Executable runs: which steps, in which order, on which memory.
#ifndef CALLBRIDGE_CLIENT_PLAN_H_
#define CALLBRIDGE_CLIENT_PLAN_H_

#include <cstddef>
#include <cstdint>
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

// An index into Plan::places.
using Place = uint32_t;

struct Move {
  Place from;
  Place to;
  size_t size_bytes;
};

struct PlannedStep {
  // The call, if the step is no more than one: of an untyped target on the host, without copies.
  const callbridge_call* only_call = nullptr;
  // The operands' arrays, then the results', in Plan::arrays.
  uint32_t first_array = 0;
  uint32_t array_count = 0;
  uint32_t operand_count = 0;

  Step step;
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

// Steps one after the other, whose pointers a run in order writes at once: in a loop of its own,
// that takes fewer instructions.
struct Batch {
  uint32_t steps = 0;
  uint32_t arrays = 0;
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
  std::vector<Place> arrays;
  std::vector<Batch> batches;
  // Each once: a run computes their pointers before its first step.
  std::vector<Address> places;
  // Copies of results that are elsewhere when all steps are done.
  std::vector<Move> result_copies;
  size_t arena_bytes = 0;
  // Also for arrays of no bytes, which need a pointer too.
  bool uses_arena = false;
  Bases bases;
  // The most arrays of any batch, and so of any step.
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
