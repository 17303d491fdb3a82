// Executables of graphs: instantiated, updated, launched.
#include <algorithm>
#include <set>
#include <utility>

#include "tests/gpu/driver/entry.h"
#include "tests/gpu/driver/graphs.h"

namespace standin {
namespace {

Handles<GraphExec>& GraphExecs() {
  static Handles<GraphExec>& execs = *new Handles<GraphExec>("executable graph");
  return execs;
}

// Null if the nodes come after each other in a circle.
std::shared_ptr<const Plan> MakePlan(const Graph& graph) {
  auto plan = std::make_shared<Plan>();
  std::set<const Node*> planned;
  while (planned.size() < graph.nodes.size()) {
    const size_t before = planned.size();
    for (const Node* node : graph.nodes) {
      const bool is_ready =
          std::all_of(node->after.begin(), node->after.end(),
                      [&](const Node* other) { return planned.count(other) > 0; });
      if (!is_ready || !planned.insert(node).second) continue;
      Operation operation = node->operation;
      auto* child = std::get_if<ChildGraph>(&operation);
      if (child != nullptr && child->graph != nullptr) {
        child->plan = MakePlan(*child->graph);
        if (child->plan == nullptr) return nullptr;
      }
      plan->steps.push_back({std::move(operation), node, {node->after.begin(), node->after.end()}});
    }
    if (planned.size() == before) return nullptr;
  }
  return plan;
}

CUresult Instantiate(CUgraphExec* exec, CUgraph graph) {
  if (exec == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard<std::recursive_mutex> order(OrderOfStreams());
  if (!Graphs().Has(graph)) return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<const Plan> plan = MakePlan(*graph);
  if (plan == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *exec = GraphExecs().Add(new GraphExec{std::move(plan)});
  return CUDA_SUCCESS;
}

// Replaces what a node does.
// Sets `changed` to a copy of the plan where `node` has the operation: a node of the graph, or of
// one that was moved into it. Returns CUDA_ERROR_NOT_FOUND if it is neither.
CUresult Change(const Plan& plan, const Node* node, const Operation& operation,
                std::shared_ptr<const Plan>* changed) {
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const Operation& old = plan.steps[i].operation;
    const auto* child = std::get_if<ChildGraph>(&old);
    Operation with = operation;
    if (plan.steps[i].node == node) {
      if (TypeOf(old) != TypeOf(operation)) return CUDA_ERROR_INVALID_VALUE;
      if (child != nullptr &&
          child->plan->steps.size() != std::get<ChildGraph>(operation).plan->steps.size()) {
        return CUDA_ERROR_INVALID_VALUE;
      }
    } else {
      if (child == nullptr) continue;
      ChildGraph inner = *child;
      const CUresult result = Change(*child->plan, node, operation, &inner.plan);
      if (result == CUDA_ERROR_NOT_FOUND) continue;
      RETURN_IF_ERROR(result);
      with = std::move(inner);
    }
    auto copy = std::make_shared<Plan>(plan);
    copy->steps[i].operation = std::move(with);
    *changed = std::move(copy);
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_NOT_FOUND;
}

CUresult SetOperation(CUgraphExec exec, const Node* node, Operation operation) {
  const std::lock_guard<std::recursive_mutex> order(OrderOfStreams());
  if (!GraphExecs().Has(exec)) return CUDA_ERROR_INVALID_VALUE;
  RETURN_IF_ERROR(Check(operation));
  if (auto* child = std::get_if<ChildGraph>(&operation)) {
    if (!Graphs().Has(child->graph)) return CUDA_ERROR_INVALID_VALUE;
    child->plan = MakePlan(*child->graph);
    if (child->plan == nullptr) return CUDA_ERROR_INVALID_VALUE;
  }
  const CUresult result = Change(*exec->plan, node, operation, &exec->plan);
  return result == CUDA_ERROR_NOT_FOUND ? CUDA_ERROR_INVALID_VALUE : result;
}

// By node: which one, in the order of the plan.
std::vector<std::set<size_t>> Topology(const Plan& plan) {
  std::vector<std::set<size_t>> topology;
  for (const Plan::Step& step : plan.steps) {
    std::set<size_t>& before = topology.emplace_back();
    for (size_t i = 0; i < plan.steps.size(); ++i) {
      if (std::find(step.after.begin(), step.after.end(), plan.steps[i].node) != step.after.end())
        before.insert(i);
    }
  }
  return topology;
}

CUresult Update(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo* info) {
  *info = {};
  const std::lock_guard<std::recursive_mutex> order(OrderOfStreams());
  if (!GraphExecs().Has(exec) || !Graphs().Has(graph)) return CUDA_ERROR_INVALID_VALUE;
  const std::shared_ptr<const Plan> with = MakePlan(*graph);
  if (with == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (with->steps.size() != exec->plan->steps.size() || Topology(*with) != Topology(*exec->plan)) {
    info->result = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  }
  auto plan = std::make_shared<Plan>(*exec->plan);
  for (size_t i = 0; i < plan->steps.size(); ++i) {
    if (TypeOf(plan->steps[i].operation) != TypeOf(with->steps[i].operation)) {
      info->result = CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
      info->errorNode = const_cast<Node*>(with->steps[i].node);
      return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    }
    plan->steps[i].operation = with->steps[i].operation;
  }
  exec->plan = std::move(plan);
  return CUDA_SUCCESS;
}

}  // namespace

CUresult RunPlan(const Plan& plan, Context* context) {
  for (const Plan::Step& step : plan.steps) RETURN_IF_ERROR(Run(step.operation, context));
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuGraphInstantiateWithFlags, CUgraphExec* exec, CUgraph graph, uint64_t) {
  ENTER();
  return Instantiate(exec, graph);
}

DRIVER_FUNCTION(cuGraphInstantiate_v2, CUgraphExec* exec, CUgraph graph, CUgraphNode* error_node,
                char* log, size_t log_size) {
  ENTER();
  if (error_node != nullptr) *error_node = nullptr;
  if (log != nullptr && log_size > 0) *log = '\0';
  return Instantiate(exec, graph);
}

DRIVER_FUNCTION(cuGraphInstantiateWithParams, CUgraphExec* exec, CUgraph graph,
                CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
  ENTER();
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  params->hErrNode_out = nullptr;
  params->result_out = 0;
  return Instantiate(exec, graph);
}

DRIVER_FUNCTION(cuGraphExecDestroy, CUgraphExec exec) {
  ENTER();
  return GraphExecs().Remove(exec) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

DRIVER_FUNCTION(cuGraphExecGetFlags, CUgraphExec exec, uint64_t* flags) {
  ENTER();
  if (!GraphExecs().Has(exec) || flags == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *flags = 0;
  return CUDA_SUCCESS;
}

DRIVER_FUNCTION(cuGraphExecUpdate, CUgraphExec exec, CUgraph graph, CUgraphNode* error_node,
                CUgraphExecUpdateResult* result) {
  ENTER();
  CUgraphExecUpdateResultInfo info;
  const CUresult status = Update(exec, graph, &info);
  if (error_node != nullptr) *error_node = info.errorNode;
  if (result != nullptr) *result = info.result;
  return status;
}

DRIVER_FUNCTION(cuGraphExecUpdate_v2, CUgraphExec exec, CUgraph graph,
                CUgraphExecUpdateResultInfo* info) {
  ENTER();
  if (info == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return Update(exec, graph, info);
}

static CUresult SetParams(CUgraphExec exec, CUgraphNode node, const CUgraphNodeParams& params) {
  Operation operation;
  RETURN_IF_ERROR(OperationFrom(params, &operation));
  return SetOperation(exec, node, std::move(operation));
}

DRIVER_FUNCTION(cuGraphExecNodeSetParams, CUgraphExec exec, CUgraphNode node,
                CUgraphNodeParams* params) {
  ENTER();
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return SetParams(exec, node, *params);
}

DRIVER_FUNCTION(cuGraphExecKernelNodeSetParams_v2, CUgraphExec exec, CUgraphNode node,
                const CUDA_KERNEL_NODE_PARAMS* params) {
  ENTER();
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUgraphNodeParams all = {};
  all.type = CU_GRAPH_NODE_TYPE_KERNEL;
  all.kernel = *params;
  return SetParams(exec, node, all);
}

DRIVER_FUNCTION(cuGraphExecMemcpyNodeSetParams, CUgraphExec exec, CUgraphNode node,
                const CUDA_MEMCPY3D* params, CUcontext context) {
  ENTER();
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!Contexts().Has(context)) return CUDA_ERROR_INVALID_CONTEXT;
  Copy copy;
  RETURN_IF_ERROR(FromParams(*params, &copy));
  return SetOperation(exec, node, copy);
}

DRIVER_FUNCTION(cuGraphExecMemsetNodeSetParams, CUgraphExec exec, CUgraphNode node,
                const CUDA_MEMSET_NODE_PARAMS* params, CUcontext context) {
  ENTER();
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!Contexts().Has(context)) return CUDA_ERROR_INVALID_CONTEXT;
  CUgraphNodeParams all = {};
  all.type = CU_GRAPH_NODE_TYPE_MEMSET;
  all.memset = *params;
  return SetParams(exec, node, all);
}

DRIVER_FUNCTION(cuGraphExecHostNodeSetParams, CUgraphExec exec, CUgraphNode node,
                const CUDA_HOST_NODE_PARAMS* params) {
  ENTER();
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return SetOperation(exec, node, HostCall{params->fn, params->userData});
}

DRIVER_FUNCTION(cuGraphExecChildGraphNodeSetParams, CUgraphExec exec, CUgraphNode node,
                CUgraph child) {
  ENTER();
  return SetOperation(exec, node, ChildGraph{child});
}

DRIVER_FUNCTION(cuGraphLaunch, CUgraphExec exec, CUstream stream) {
  ENTER();
  if (!GraphExecs().Has(exec)) return CUDA_ERROR_INVALID_VALUE;
  Operation operation = ChildGraph{nullptr, exec->plan};
  return Issue(stream, std::move(operation));
}

DRIVER_FUNCTION(cuGraphUpload, CUgraphExec exec, CUstream handle) {
  ENTER();
  if (!GraphExecs().Has(exec)) return CUDA_ERROR_INVALID_VALUE;
  Stream* stream;
  return FindStream(handle, &stream);
}

}  // namespace standin
