#include "callbridge/client/step_order.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace callbridge::client {
namespace {

std::vector<bool> FindNeeded(const Graph& graph,
                             const std::vector<std::vector<StepId>>& predecessors) {
  std::vector<bool> needed(graph.steps.size());
  std::vector<StepId> pending;
  const auto need = [&](StepId step) {
    if (step == kNoStep || needed[step]) return;
    needed[step] = true;
    pending.push_back(step);
  };
  for (ValueId result : graph.results) need(graph.values[result].producer);
  for (size_t i = 0; i < graph.steps.size(); ++i) {
    if (graph.steps[i].has_effect) need(static_cast<StepId>(i));
  }
  while (!pending.empty()) {
    const StepId step = pending.back();
    pending.pop_back();
    for (StepId predecessor : predecessors[step]) need(predecessor);
  }
  return needed;
}

}  // namespace

std::vector<StepId> Predecessors(const Graph& graph, StepId step) {
  std::vector<StepId> predecessors = graph.steps[step].after;
  for (ValueId operand : graph.steps[step].operands) {
    if (graph.values[operand].producer != kNoStep) {
      predecessors.push_back(graph.values[operand].producer);
    }
  }
  std::sort(predecessors.begin(), predecessors.end());
  predecessors.erase(std::unique(predecessors.begin(), predecessors.end()), predecessors.end());
  return predecessors;
}

std::vector<StepId> OrderSteps(const Graph& graph) {
  std::vector<std::vector<StepId>> predecessors;
  for (size_t i = 0; i < graph.steps.size(); ++i) {
    predecessors.push_back(Predecessors(graph, static_cast<StepId>(i)));
  }
  const std::vector<bool> needed = FindNeeded(graph, predecessors);
  std::vector<std::vector<StepId>> successors(graph.steps.size());
  std::vector<size_t> missing(graph.steps.size());
  using Candidate = std::pair<Step::Hint, StepId>;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> ready;
  for (size_t i = 0; i < graph.steps.size(); ++i) {
    if (!needed[i]) continue;
    missing[i] = predecessors[i].size();
    for (StepId predecessor : predecessors[i]) {
      successors[predecessor].push_back(static_cast<StepId>(i));
    }
    if (missing[i] == 0) ready.push({graph.steps[i].hint, static_cast<StepId>(i)});
  }
  std::vector<StepId> order;
  while (!ready.empty()) {
    const StepId step = ready.top().second;
    ready.pop();
    order.push_back(step);
    for (StepId successor : successors[step]) {
      if (--missing[successor] == 0) ready.push({graph.steps[successor].hint, successor});
    }
  }
  return order;
}

}  // namespace callbridge::client
