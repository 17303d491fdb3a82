// Plan: what an Executable does when it runs: which steps, in which order, on which memory.
#ifndef CALLBRIDGE_CLIENT_PLAN_H_
#define CALLBRIDGE_CLIENT_PLAN_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "callbridge/client/graph.h"

namespace callbridge::client {

// Where an array lies: so many bytes behind one of the pointers that a run has (Plan::bases).
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
  // Of the operands and behind them of the results.
  std::vector<Address> arrays;
  // Before the step: operands that it writes to, though somebody still needs them.
  std::vector<Move> copies;
  // Places in the plan. They stand behind this step, and may start when they have seen as many
  // as `predecessors`.
  std::vector<int> successors;
  int predecessors = 0;
};

// A run's pointers, in this order: null, which is a token's, the run's arena, the caller's
// parameters and results by leaf, the constants by place in the pool. Parameters and constants are
// not written.
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
  // Each behind those that it needs.
  std::vector<PlannedStep> steps;
  // Results that lie elsewhere when all steps are done.
  std::vector<Move> result_copies;
  size_t arena_bytes = 0;
  // Arrays of no bytes have a pointer too.
  bool uses_arena = false;
  Bases bases;
  // Of one step.
  size_t most_arrays = 0;
};

// Leaves out what nobody needs, and gives each value its place. With `in_order`, steps run in the
// plan's order, and memory is used again as soon as that allows. RESOURCE_EXHAUSTED where the sizes
// do not add up to a number of bytes.
absl::StatusOr<Plan> MakePlan(Graph graph, bool in_order);

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_PLAN_H_
