// The steps of a graph that are needed, in an order in which they can run.
#ifndef CALLBRIDGE_CLIENT_STEP_ORDER_H_
#define CALLBRIDGE_CLIENT_STEP_ORDER_H_

#include <vector>

#include "callbridge/client/graph.h"

namespace callbridge::client {

// The steps that this one stands behind, sorted, each once.
std::vector<StepId> Predecessors(const Graph& graph, StepId step);

// Those with an effect, those that make the results, and what they need. Each stands behind its
// predecessors; among those that could be next, calls with the hint kEarliest come first and with
// kLatest last, else what the module has first.
std::vector<StepId> OrderSteps(const Graph& graph);

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_STEP_ORDER_H_
