// Graphs and their executables.
#ifndef CALLBRIDGE_TESTS_GPU_DRIVER_GRAPHS_H_
#define CALLBRIDGE_TESTS_GPU_DRIVER_GRAPHS_H_

#include <memory>
#include <vector>

#include "tests/gpu/driver/driver_types.h"
#include "tests/gpu/driver/ledger.h"
#include "tests/gpu/driver/operations.h"

namespace standin {

class Node {
 public:
  Graph* graph;
  Operation operation;
  std::vector<Node*> after;
  std::vector<void*> parameters;  // of a launch, as cuGraphKernelNodeGetParams returns them
};

class Graph {
 public:
  std::vector<Node*> nodes;
};

// The nodes of a graph in an order in which they can run.
struct Plan {
  struct Step {
    Operation operation;
    const Node* node;
    std::vector<const Node*> after;
  };
  std::vector<Step> steps;
};

class GraphExec {
 public:
  std::shared_ptr<const Plan> plan;  // replaced when it is updated: launches keep theirs
};

Handles<Graph>& Graphs();
Handles<Node>& Nodes();

Node* AddNode(Graph* graph, Operation operation, std::vector<Node*> after);
CUresult RunPlan(const Plan& plan, Context* context);

// A copy of `graph` that the caller owns.
Graph* Clone(const Graph& graph);

// What cuGraphAddNode and cuGraphExecNodeSetParams take.
CUresult OperationFrom(const CUgraphNodeParams& params, Operation* operation);

}  // namespace standin

#endif  // CALLBRIDGE_TESTS_GPU_DRIVER_GRAPHS_H_
