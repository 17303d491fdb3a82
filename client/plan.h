// Plan: what an Executable does when it runs: which steps, in which order, on which memory.
#ifndef CALLBRIDGE_CLIENT_PLAN_H_
#define CALLBRIDGE_CLIENT_PLAN_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "callbridge/client/graph.h"

namespace callbridge::client {

// Where an array lies.
struct Location {
  enum class Memory {
    kNone,       // a token
    kParameter,  // the caller's, by number of the leaf; not written
    kConstant,   // by place in the pool; not written
    kResult,     // the caller's, by number of the leaf
    kArena,      // of the run, by offset in bytes
  };

  Memory memory = Memory::kNone;
  size_t index = 0;
};

struct Move {
  Location from;
  Location to;
  size_t size_bytes;
};

struct PlannedStep {
  Step step;
  std::vector<Location> operands;
  std::vector<Location> results;
  // Before the step: operands that it writes to, though somebody still needs them.
  std::vector<Move> copies;
  // Places in the plan. They stand behind this step, and may start when they have seen as many
  // as `predecessors`.
  std::vector<int> successors;
  int predecessors = 0;
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
};

// Leaves out what nobody needs, and gives each value its place. With `in_order`, steps run in the
// plan's order, and memory is used again as soon as that allows. RESOURCE_EXHAUSTED where the sizes
// do not add up to a number of bytes.
absl::StatusOr<Plan> MakePlan(Graph graph, bool in_order);

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_PLAN_H_
