#include "tests/gpu/driver/graphs.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include "tests/gpu/driver/entry.h"
#include "tests/gpu/driver/events.h"

namespace standin {
namespace {

CUresult CheckDependencies(const Graph* graph, const CUgraphNode* nodes, size_t count) {
  if (!Graphs().Has(graph) || (count > 0 && nodes == nullptr)) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i) {
    if (!Nodes().Has(nodes[i]) || nodes[i]->graph != graph) return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult Add(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
             Operation operation) {
  if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard<std::recursive_mutex> order(OrderOfStreams());
  RETURN_IF_ERROR(CheckDependencies(graph, after, count));
  RETURN_IF_ERROR(Check(operation));
  if (auto* child = std::get_if<ChildGraph>(&operation)) {
    if (!Graphs().Has(child->graph)) return CUDA_ERROR_INVALID_VALUE;
    if (!child->is_moved) child->graph = Clone(*child->graph);
  }
  *node = AddNode(graph, std::move(operation), std::vector<Node*>(after, after + count));
  return CUDA_SUCCESS;
}

// Fills a caller's array as the cuGraphGet functions do: `count` is its size, then how many there
// are.
CUresult GiveNodes(const std::vector<Node*>& from, CUgraphNode* nodes, size_t* count) {
  if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (nodes != nullptr) {
    const size_t filled = std::min(*count, from.size());
    std::copy_n(from.begin(), filled, nodes);
    std::fill(nodes + filled, nodes + *count, nullptr);
  }
  if (nodes == nullptr || *count > from.size()) *count = from.size();
  return CUDA_SUCCESS;
}

std::vector<Node*> DependentOn(const Node* node) {
  std::vector<Node*> dependent;
  for (Node* other : node->graph->nodes) {
    if (std::find(other->after.begin(), other->after.end(), node) != other->after.end()) {
      dependent.push_back(other);
    }
  }
  return dependent;
}

CUresult Edges(const Graph* graph, CUgraphNode* from, CUgraphNode* to, size_t* count) {
  if (!Graphs().Has(graph) || count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::vector<Node*> froms, tos;
  for (Node* node : graph->nodes) {
    for (Node* before : node->after) {
      froms.push_back(before);
      tos.push_back(node);
    }
  }
  size_t same = *count;
  RETURN_IF_ERROR(GiveNodes(froms, from, count));
  return GiveNodes(tos, to, &same);
}

CUresult AddEdges(const Graph* graph, const CUgraphNode* from, const CUgraphNode* to,
                  size_t count) {
  RETURN_IF_ERROR(CheckDependencies(graph, from, count));
  RETURN_IF_ERROR(CheckDependencies(graph, to, count));
  for (size_t i = 0; i < count; ++i) to[i]->after.push_back(from[i]);
  return CUDA_SUCCESS;
}

void Destroy(Graph* graph) {
  for (Node* node : graph->nodes) {
    const auto* child = std::get_if<ChildGraph>(&node->operation);
    if (child != nullptr && child->graph != nullptr) Destroy(child->graph);
    Nodes().Remove(node);
  }
  Graphs().Remove(graph);
}

}  // namespace

Handles<Graph>& Graphs() {
  static Handles<Graph>& graphs = *new Handles<Graph>("graph");
  return graphs;
}

Handles<Node>& Nodes() {
  static Handles<Node>& nodes = *new Handles<Node>(nullptr);
  return nodes;
}

Node* AddNode(Graph* graph, Operation operation, std::vector<Node*> after) {
  return graph->nodes.emplace_back(
      Nodes().Add(new Node{graph, std::move(operation), std::move(after), {}}));
}

Graph* Clone(const Graph& graph) {
  Graph* clone = Graphs().Add(new Graph);
  std::map<const Node*, Node*> clones;
  for (const Node* node : graph.nodes) {
    Operation operation = node->operation;
    auto* child = std::get_if<ChildGraph>(&operation);
    if (child != nullptr && child->graph != nullptr) child->graph = Clone(*child->graph);
    clones[node] = AddNode(clone, std::move(operation), {});
  }
  for (const Node* node : graph.nodes) {
    for (const Node* before : node->after) clones[node]->after.push_back(clones[before]);
  }
  return clone;
}

CUresult OperationFrom(const CUgraphNodeParams& params, Operation* operation) {
  switch (params.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: {
      const CUDA_KERNEL_NODE_PARAMS& kernel = params.kernel;
      const unsigned grid[] = {kernel.gridDimX, kernel.gridDimY, kernel.gridDimZ};
      const unsigned block[] = {kernel.blockDimX, kernel.blockDimY, kernel.blockDimZ};
      CUfunction function = kernel.func != nullptr ? kernel.func : kernel.kern;
      return MakeLaunch(function, grid, block, kernel.sharedMemBytes, kernel.kernelParams,
                        kernel.extra, &operation->emplace<Launch>());
    }
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return FromParams(params.memcpy.copyParams, &operation->emplace<Copy>());
    case CU_GRAPH_NODE_TYPE_MEMSET: {
      const CUDA_MEMSET_NODE_PARAMS& memset = params.memset;
      operation->emplace<Fill>(Fill{memset.dst, memset.value, memset.elementSize, memset.width,
                                    memset.height, memset.pitch});
      return CUDA_SUCCESS;
    }
    case CU_GRAPH_NODE_TYPE_HOST:
      *operation = HostCall{params.host.fn, params.host.userData};
      return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_GRAPH:
      *operation = ChildGraph{params.graph.graph, nullptr,
                              params.graph.ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE};
      return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_EMPTY:
      *operation = Nothing{};
      return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      *operation = WaitEvent{params.event};
      return Events().Has(params.event) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      *operation = RecordEvent{params.event};
      return Events().Has(params.event) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    default:
      ledger::Note("graph node of type " + std::to_string(params.type) + " refused");
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

DRIVER_FUNCTION(cuGraphCreate, CUgraph* graph, unsigned flags) {
  ENTER();
  if (graph == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  *graph = Graphs().Add(new Graph);
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuGraphDestroy, CUgraph graph) {
  ENTER();
  const std::lock_guard<std::recursive_mutex> order(OrderOfStreams());
  if (!Graphs().Has(graph)) return CUDA_ERROR_INVALID_VALUE;
  Destroy(graph);
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuGraphClone, CUgraph* clone, CUgraph graph) {
  ENTER();
  const std::lock_guard<std::recursive_mutex> order(OrderOfStreams());
  if (clone == nullptr || !Graphs().Has(graph)) return CUDA_ERROR_INVALID_VALUE;
  *clone = Clone(*graph);
  return CUDA_SUCCESS;
}

static CUresult AddNodeOf(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
                          const CUgraphNodeParams* params) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Operation operation;
  RETURN_IF_ERROR(OperationFrom(*params, &operation));
  return Add(node, graph, after, count, std::move(operation));
}

DRIVER_FUNCTION(cuGraphAddNode, CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                size_t count, CUgraphNodeParams* params) {
  ENTER();
  return AddNodeOf(node, graph, after, count, params);
}

DRIVER_FUNCTION(cuGraphAddNode_v2, CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                const void*, size_t count, CUgraphNodeParams* params) {
  ENTER();
  return AddNodeOf(node, graph, after, count, params);
}

static CUresult AddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                              size_t count, const CUDA_KERNEL_NODE_PARAMS& params) {
  CUgraphNodeParams all = {};
  all.type = CU_GRAPH_NODE_TYPE_KERNEL;
  all.kernel = params;
  return AddNodeOf(node, graph, after, count, &all);
}

DRIVER_FUNCTION(cuGraphAddKernelNode_v2, CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                size_t count, const CUDA_KERNEL_NODE_PARAMS* params) {
  ENTER();
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return AddKernelNode(node, graph, after, count, *params);
}

DRIVER_FUNCTION(cuGraphAddMemcpyNode, CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                size_t count, const CUDA_MEMCPY3D* params, CUcontext context) {
  ENTER();
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!Contexts().Has(context)) return CUDA_ERROR_INVALID_CONTEXT;
  Copy copy;
  RETURN_IF_ERROR(FromParams(*params, &copy));
  return Add(node, graph, after, count, copy);
}

DRIVER_FUNCTION(cuGraphAddMemsetNode, CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                size_t count, const CUDA_MEMSET_NODE_PARAMS* params, CUcontext context) {
  ENTER();
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!Contexts().Has(context)) return CUDA_ERROR_INVALID_CONTEXT;
  CUgraphNodeParams all = {};
  all.type = CU_GRAPH_NODE_TYPE_MEMSET;
  all.memset = *params;
  return AddNodeOf(node, graph, after, count, &all);
}

DRIVER_FUNCTION(cuGraphAddHostNode, CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                size_t count, const CUDA_HOST_NODE_PARAMS* params) {
  ENTER();
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return Add(node, graph, after, count, HostCall{params->fn, params->userData});
}

DRIVER_FUNCTION(cuGraphAddChildGraphNode, CUgraphNode* node, CUgraph graph,
                const CUgraphNode* after, size_t count, CUgraph child) {
  ENTER();
  return Add(node, graph, after, count, ChildGraph{child});
}

DRIVER_FUNCTION(cuGraphAddEmptyNode, CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                size_t count) {
  ENTER();
  return Add(node, graph, after, count, Nothing{});
}

DRIVER_FUNCTION(cuGraphAddDependencies, CUgraph graph, const CUgraphNode* from,
                const CUgraphNode* to, size_t count) {
  ENTER();
  return AddEdges(graph, from, to, count);
}

DRIVER_FUNCTION(cuGraphAddDependencies_v2, CUgraph graph, const CUgraphNode* from,
                const CUgraphNode* to, const void*, size_t count) {
  ENTER();
  return AddEdges(graph, from, to, count);
}

DRIVER_FUNCTION(cuGraphDestroyNode, CUgraphNode node) {
  ENTER();
  const std::lock_guard<std::recursive_mutex> order(OrderOfStreams());
  if (!Nodes().Has(node)) return CUDA_ERROR_INVALID_VALUE;
  for (Node* other : DependentOn(node)) {
    other->after.erase(std::remove(other->after.begin(), other->after.end(), node),
                       other->after.end());
  }
  std::vector<Node*>& nodes = node->graph->nodes;
  nodes.erase(std::remove(nodes.begin(), nodes.end(), node), nodes.end());
  Nodes().Remove(node);
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuGraphGetNodes, CUgraph graph, CUgraphNode* nodes, size_t* count) {
  ENTER();
  if (!Graphs().Has(graph)) return CUDA_ERROR_INVALID_VALUE;
  return GiveNodes(graph->nodes, nodes, count);
}

DRIVER_FUNCTION(cuGraphGetRootNodes, CUgraph graph, CUgraphNode* nodes, size_t* count) {
  ENTER();
  if (!Graphs().Has(graph)) return CUDA_ERROR_INVALID_VALUE;
  std::vector<Node*> roots;
  for (Node* node : graph->nodes) {
    if (node->after.empty()) roots.push_back(node);
  }
  return GiveNodes(roots, nodes, count);
}

DRIVER_FUNCTION(cuGraphGetEdges, CUgraph graph, CUgraphNode* from, CUgraphNode* to, size_t* count) {
  ENTER();
  return Edges(graph, from, to, count);
}

DRIVER_FUNCTION(cuGraphGetEdges_v2, CUgraph graph, CUgraphNode* from, CUgraphNode* to, void*,
                size_t* count) {
  ENTER();
  return Edges(graph, from, to, count);
}

DRIVER_FUNCTION(cuGraphNodeGetDependencies, CUgraphNode node, CUgraphNode* nodes, size_t* count) {
  ENTER();
  return Nodes().Has(node) ? GiveNodes(node->after, nodes, count) : CUDA_ERROR_INVALID_VALUE;
}

DRIVER_FUNCTION(cuGraphNodeGetDependencies_v2, CUgraphNode node, CUgraphNode* nodes, void*,
                size_t* count) {
  ENTER();
  return Nodes().Has(node) ? GiveNodes(node->after, nodes, count) : CUDA_ERROR_INVALID_VALUE;
}

DRIVER_FUNCTION(cuGraphNodeGetDependentNodes, CUgraphNode node, CUgraphNode* nodes, size_t* count) {
  ENTER();
  return Nodes().Has(node) ? GiveNodes(DependentOn(node), nodes, count) : CUDA_ERROR_INVALID_VALUE;
}

DRIVER_FUNCTION(cuGraphNodeGetType, CUgraphNode node, CUgraphNodeType* type) {
  ENTER();
  if (!Nodes().Has(node) || type == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *type = TypeOf(node->operation);
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuGraphKernelNodeGetParams_v2, CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* params) {
  ENTER();
  if (!Nodes().Has(node) || params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  auto* launch = std::get_if<Launch>(&node->operation);
  if (launch == nullptr) return CUDA_ERROR_INVALID_VALUE;
  node->parameters.clear();
  for (std::string& parameter : launch->parameters) node->parameters.push_back(parameter.data());
  *params = {launch->function,        launch->grid[0],  launch->grid[1],  launch->grid[2],
             launch->block[0],        launch->block[1], launch->block[2], launch->shared,
             node->parameters.data(), nullptr,          nullptr,          nullptr};
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuGraphMemcpyNodeGetParams, CUgraphNode node, CUDA_MEMCPY3D* params) {
  ENTER();
  if (!Nodes().Has(node) || params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const auto* copy = std::get_if<Copy>(&node->operation);
  if (copy == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *params = ToParams(*copy);
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuGraphHostNodeGetParams, CUgraphNode node, CUDA_HOST_NODE_PARAMS* params) {
  ENTER();
  if (!Nodes().Has(node) || params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const auto* call = std::get_if<HostCall>(&node->operation);
  if (call == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *params = {call->function, call->data};
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuGraphChildGraphNodeGetGraph, CUgraphNode node, CUgraph* graph) {
  ENTER();
  if (!Nodes().Has(node) || graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const auto* child = std::get_if<ChildGraph>(&node->operation);
  if (child == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *graph = child->graph;
  return CUDA_SUCCESS;
}

// An outline: a line a node.
DRIVER_FUNCTION(cuGraphDebugDotPrint, CUgraph graph, const char* path, unsigned) {
  ENTER();
  if (!Graphs().Has(graph) || path == nullptr) return CUDA_ERROR_INVALID_VALUE;
  FILE* file = fopen(path, "w");
  if (file == nullptr) return CUDA_ERROR_UNKNOWN;
  fprintf(file, "digraph {\n");
  for (const Node* node : graph->nodes) {
    fprintf(file, "  \"%p\" [label=\"type %d\"];\n", static_cast<const void*>(node),
            TypeOf(node->operation));
    for (const Node* before : node->after) {
      fprintf(file, "  \"%p\" -> \"%p\";\n", static_cast<const void*>(before),
              static_cast<const void*>(node));
    }
  }
  fprintf(file, "}\n");
  fclose(file);
  return CUDA_SUCCESS;
}

}  // namespace standin
