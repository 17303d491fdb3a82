// Orders the steps of a graph that are needed.
#ifndef CALLBRIDGE_CLIENT_STEP_ORDER_H_
#define CALLBRIDGE_CLIENT_STEP_ORDER_H_

#include <vector>

#include "callbridge/client/graph.h"

namespace callbridge::client {

// Returns the steps after which this one runs, sorted, without duplicates.
std::vector<StepId> Predecessors(const Graph& graph, StepId step);

// Returns the steps with effects, those that make the results, and all that these need, each after
// its predecessors. Of those that could be next, calls with the hint kEarliest come first and those
// with kLatest last; else the module's order decides.
std::vector<StepId> OrderSteps(const Graph& graph);

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_STEP_ORDER_H_
