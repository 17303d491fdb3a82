#include "callbridge/client/plan.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <unordered_map>
#include <utility>

#include "callbridge/client/arena_layout.h"

namespace callbridge::client {
namespace {

// ---- The order of the steps ----

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

// Returns the steps after which this one runs, sorted, without duplicates.
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

// Returns the steps with effects, those that make the results, and all that these need, each after
// its predecessors. Of those that could be next, calls with the hint kEarliest come first and those
// with kLatest last; else the module's order decides.
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

// ---- The memory of the values ----

// Where a value is.
struct Location {
  enum class Memory { kNone, kParameter, kConstant, kResult, kArena };

  Memory memory = Memory::kNone;
  // The leaf's index, the place in the pool, or the offset in the arena.
  size_t index = 0;
};
using Memory = Location::Memory;

constexpr int kToTheEnd = std::numeric_limits<int>::max();
constexpr int kNever = -1;

class Planner {
 public:
  Planner(Graph graph, bool in_order)
      : graph_(std::move(graph)),
        in_order_(in_order),
        order_(OrderSteps(graph_)),
        position_(graph_.steps.size(), -1),
        last_read_(graph_.values.size(), kNever),
        readers_(graph_.values.size()),
        result_of_(graph_.values.size(), kNoResult),
        locations_(graph_.values.size()) {}

  absl::StatusOr<Plan> Run() {
    FindReaders();
    CountBases();
    for (size_t i = 0; i < graph_.values.size(); ++i) PlaceGiven(graph_.values[i], locations_[i]);
    plan_.steps.resize(order_.size());
    for (size_t i = 0; i < order_.size(); ++i) {
      absl::Status planned = PlanStep(static_cast<int>(i));
      if (!planned.ok()) return planned;
    }
    for (size_t i = 0; i < graph_.results.size(); ++i) {
      const ValueId bytes = BytesOf(graph_.results[i]);
      const Value& value = graph_.values[bytes];
      plan_.result_sizes.push_back(value.size_bytes);
      const Location& location = locations_[bytes];
      const bool is_there = location.memory == Memory::kResult && location.index == i;
      if (is_there || value.size_bytes == 0) continue;
      plan_.result_copies.push_back(
          {PlaceOf(location), PlaceOf({Memory::kResult, i}), value.size_bytes});
    }
    plan_.arena_bytes = arena_.size();
    plan_.parameters = std::move(graph_.parameters);
    plan_.result = std::move(graph_.result);
    plan_.constants = std::move(graph_.constants);
    for (size_t i = 0; i < order_.size(); ++i) {
      PlannedStep& planned = plan_.steps[i];
      planned.step = std::move(graph_.steps[order_[i]]);
      if (planned.step.kind == Step::Kind::kCustomCall && planned.copies.empty()) {
        planned.only_call = planned.step.call.untyped_host_call();
      }
    }
    return std::move(plan_);
  }

 private:
  // Few enough to stay in the nearest cache, and a run's stack.
  static constexpr size_t kBatchArrays = 256;
  static constexpr size_t kNoResult = std::numeric_limits<size_t>::max();

  ValueId BytesOf(ValueId value) const { return graph_.values[value].bytes_of; }

  void FindReaders() {
    for (size_t i = 0; i < order_.size(); ++i) {
      const int position = static_cast<int>(i);
      position_[order_[i]] = position;
      for (ValueId operand : graph_.steps[order_[i]].operands) {
        const ValueId bytes = BytesOf(operand);
        last_read_[bytes] = position;
        if (readers_[bytes].empty() || readers_[bytes].back() != position) {
          readers_[bytes].push_back(position);
        }
      }
    }
    for (size_t i = 0; i < graph_.results.size(); ++i) {
      const ValueId bytes = BytesOf(graph_.results[i]);
      last_read_[bytes] = kToTheEnd;
      if (result_of_[bytes] == kNoResult) result_of_[bytes] = i;
    }
  }

  void CountBases() {
    for (const Value& value : graph_.values) {
      if (value.source != Value::Source::kParameter) continue;
      if (value.index == plan_.parameter_sizes.size()) {
        plan_.parameter_sizes.push_back(value.size_bytes);
      }
    }
    Bases& bases = plan_.bases;
    bases.results = Bases::kParameters + plan_.parameter_sizes.size();
    bases.constants = bases.results + graph_.results.size();
    bases.count = bases.constants + graph_.constants.size();
  }

  Address AddressOf(const Location& location) const {
    switch (location.memory) {
      case Memory::kNone:
        break;
      case Memory::kParameter:
        return {Bases::kParameters + location.index, 0};
      case Memory::kConstant:
        return {plan_.bases.constants + location.index, 0};
      case Memory::kResult:
        return {plan_.bases.results + location.index, 0};
      case Memory::kArena:
        return {Bases::kArena, location.index};
    }
    return {Bases::kNull, 0};
  }

  Place PlaceOf(const Location& location) {
    const Address address = AddressOf(location);
    const auto [known, is_new] = places_.try_emplace({address.base, address.offset},
                                                     static_cast<Place>(plan_.places.size()));
    if (is_new) plan_.places.push_back(address);
    return known->second;
  }

  static void PlaceGiven(const Value& value, Location& location) {
    if (value.source == Value::Source::kParameter) location = {Memory::kParameter, value.index};
    if (value.source == Value::Source::kConstant) location = {Memory::kConstant, value.index};
    if (value.is_token) location = {};
  }

  absl::Status PlanStep(int position) {
    const StepId id = order_[position];
    const Step& step = graph_.steps[id];
    PlannedStep& planned = plan_.steps[position];
    std::vector<int> predecessors;
    for (StepId predecessor : Predecessors(graph_, id)) {
      predecessors.push_back(position_[predecessor]);
    }
    const size_t first_array = plan_.arrays.size();
    const size_t array_count = step.operands.size() + step.results.size();
    if (first_array + array_count > std::numeric_limits<uint32_t>::max()) {
      return absl::ResourceExhaustedError("the module's steps have 2^32 operands and results");
    }
    planned.first_array = static_cast<uint32_t>(first_array);
    planned.array_count = static_cast<uint32_t>(array_count);
    planned.operand_count = static_cast<uint32_t>(step.operands.size());
    for (ValueId operand : step.operands) {
      plan_.arrays.push_back(PlaceOf(locations_[BytesOf(operand)]));
    }
    std::unordered_map<ValueId, int> uses;
    if (!step.aliases.empty()) {
      for (ValueId operand : step.operands) ++uses[BytesOf(operand)];
    }
    for (const auto& [operand, result] : step.aliases) {
      const bool is_only_use = uses[BytesOf(step.operands[operand])] == 1;
      absl::Status placed =
          PlaceAliased(position, operand, result, is_only_use, planned, predecessors);
      if (!placed.ok()) return placed;
    }
    for (ValueId result : step.results) {
      absl::Status placed = PlaceResult(result);
      if (!placed.ok()) return placed;
      plan_.arrays.push_back(PlaceOf(locations_[result]));
    }
    AddToBatch(planned);
    if (in_order_) GiveBackUnneeded(position);
    std::sort(predecessors.begin(), predecessors.end());
    predecessors.erase(std::unique(predecessors.begin(), predecessors.end()), predecessors.end());
    planned.predecessors = static_cast<int>(predecessors.size());
    for (int predecessor : predecessors) plan_.steps[predecessor].successors.push_back(position);
    return absl::OkStatus();
  }

  void AddToBatch(const PlannedStep& step) {
    std::vector<Batch>& batches = plan_.batches;
    if (batches.empty() || batches.back().arrays + step.array_count > kBatchArrays) {
      batches.emplace_back();
    }
    ++batches.back().steps;
    batches.back().arrays += step.array_count;
    plan_.most_arrays = std::max<size_t>(plan_.most_arrays, batches.back().arrays);
  }

  // Gives the result the operand's own memory if no later step reads the operand. Otherwise gives
  // it memory of its own with a copy of the operand, which the call gets as both.
  absl::Status PlaceAliased(int position, size_t operand_place, size_t result_place,
                            bool is_only_use, PlannedStep& planned,
                            std::vector<int>& predecessors) {
    const Step& step = graph_.steps[order_[position]];
    const ValueId operand = BytesOf(step.operands[operand_place]);
    const ValueId result = step.results[result_place];
    const Location from = locations_[operand];
    if (from.memory == Memory::kArena && last_read_[operand] == position && is_only_use) {
      for (int reader : readers_[operand]) {
        if (reader != position) predecessors.push_back(reader);
      }
      locations_[result] = from;
      // The result owns the memory now.
      locations_[operand] = {};
      return absl::OkStatus();
    }
    absl::Status placed = PlaceResult(result);
    if (!placed.ok()) return placed;
    const size_t size = graph_.values[operand].size_bytes;
    const Place to = PlaceOf(locations_[result]);
    if (size > 0) planned.copies.push_back({PlaceOf(from), to, size});
    plan_.arrays[planned.first_array + operand_place] = to;
    return absl::OkStatus();
  }

  absl::Status PlaceResult(ValueId result) {
    const Value& value = graph_.values[result];
    Location& location = locations_[result];
    if (value.is_token || location.memory != Memory::kNone) return absl::OkStatus();
    if (result_of_[result] != kNoResult) {
      location = {Memory::kResult, result_of_[result]};
      return absl::OkStatus();
    }
    absl::StatusOr<size_t> offset = arena_.Take(value.size_bytes);
    if (!offset.ok()) return offset.status();
    plan_.uses_arena = true;
    location = {Memory::kArena, *offset};
    return absl::OkStatus();
  }

  // Returns the memory of what this step is the last to read, and of what it makes and no step
  // reads.
  void GiveBackUnneeded(int position) {
    const Step& step = graph_.steps[order_[position]];
    for (ValueId operand : step.operands) GiveBackUnread(BytesOf(operand), position);
    for (ValueId result : step.results) GiveBackUnread(result, kNever);
  }

  void GiveBackUnread(ValueId value, int last_read) {
    Location& location = locations_[value];
    if (last_read_[value] != last_read || location.memory != Memory::kArena) return;
    arena_.GiveBack(location.index, graph_.values[value].size_bytes);
    location = {};
  }

  Graph graph_;
  const bool in_order_;
  const std::vector<StepId> order_;
  std::vector<int> position_;  // by step
  // By value, for those with bytes of their own: positions of the steps that read them.
  std::vector<int> last_read_;
  std::vector<std::vector<int>> readers_;
  std::vector<size_t> result_of_;
  std::vector<Location> locations_;
  ArenaLayout arena_;
  std::map<std::pair<size_t, size_t>, Place> places_;
  Plan plan_;
};

}  // namespace

absl::StatusOr<Plan> MakePlan(Graph graph, bool in_order) {
  return Planner(std::move(graph), in_order).Run();
}

}  // namespace callbridge::client
