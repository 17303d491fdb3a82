#include "callbridge/client/plan_run.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>
#include <queue>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "callbridge/client/aligned_memory.h"
#include "callbridge/runtime/xla_floating_point.h"

namespace callbridge::client {
namespace {

int64_t NewRunId() {
  static std::atomic<int64_t> last{0};
  return ++last;
}

// Lists of pointers for one call, on the stack unless they are long.
class PointerLists {
 public:
  explicit PointerLists(size_t count) {
    if (count > few_.size()) many_.resize(count);
  }
  void** data() { return many_.empty() ? few_.data() : many_.data(); }

 private:
  std::array<void*, 64> few_;
  std::vector<void*> many_;
};

class Run {
 public:
  Run(const Plan& plan, absl::Span<const callbridge_array> parameters,
      absl::Span<const callbridge_array> results, void* arena)
      : plan_(plan),
        parameters_(parameters),
        results_(results),
        arena_(static_cast<char*>(arena)) {}

  absl::Status InOrder() {
    XlaFloatingPoint floating_point;
    for (const PlannedStep& step : plan_.steps) {
      absl::Status status = Do(step);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status Do(const PlannedStep& planned) const {
    for (const Move& move : planned.copies) Copy(move);
    switch (planned.step.kind) {
      case Step::Kind::kWait:
        return absl::OkStatus();
      case Step::Kind::kCopy:
        planned.step.copy.Run(At(planned.operands[0]), At(planned.results[0]));
        return absl::OkStatus();
      case Step::Kind::kElementwise:
        planned.step.kernel(At(planned.operands.front()), At(planned.operands.back()),
                            At(planned.results[0]), planned.step.count);
        return absl::OkStatus();
      case Step::Kind::kCustomCall:
        break;
    }
    PointerLists lists(planned.operands.size() + planned.results.size());
    void** const operands = lists.data();
    void** const results = operands + planned.operands.size();
    for (size_t i = 0; i < planned.operands.size(); ++i) operands[i] = At(planned.operands[i]);
    for (size_t i = 0; i < planned.results.size(); ++i) results[i] = At(planned.results[i]);
    return planned.step.call.Execute({operands, planned.operands.size()},
                                     {results, planned.results.size()}, run_id_);
  }

  void Copy(const Move& move) const { memcpy(At(move.to), At(move.from), move.size_bytes); }

 private:
  void* At(const Location& location) const {
    switch (location.memory) {
      case Location::Memory::kNone:
        return nullptr;
      case Location::Memory::kParameter:
        return parameters_[location.index].data;
      case Location::Memory::kConstant:
        return plan_.constants.at(location.index);
      case Location::Memory::kResult:
        return results_[location.index].data;
      case Location::Memory::kArena:
        return arena_ + location.index;
    }
    return nullptr;
  }

  const Plan& plan_;
  const absl::Span<const callbridge_array> parameters_;
  const absl::Span<const callbridge_array> results_;
  char* const arena_;
  const int64_t run_id_ = NewRunId();
};

// Gives the steps of a run to threads.
class ThreadedRun {
 public:
  ThreadedRun(const Plan& plan, const Run& run)
      : plan_(plan), run_(run), missing_(plan.steps.size()), left_(plan.steps.size()) {
    for (size_t i = 0; i < plan.steps.size(); ++i) {
      missing_[i] = plan.steps[i].predecessors;
      if (missing_[i] == 0) ready_.push(static_cast<int>(i));
    }
  }

  absl::Status On(int threads) {
    std::vector<std::thread> others;
    const size_t useful = std::min(plan_.steps.size(), static_cast<size_t>(std::max(threads, 1)));
    for (size_t i = 1; i < useful; ++i) {
      try {
        others.emplace_back([this] { Work(); });
      } catch (const std::system_error&) {
        // There are no more threads; those that there are do all the work.
        break;
      }
    }
    Work();
    for (std::thread& thread : others) thread.join();
    return status_;
  }

 private:
  void Work() {
    XlaFloatingPoint floating_point;
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return !ready_.empty() || IsOver(); });
      if (IsOver()) return;
      const int step = ready_.top();
      ready_.pop();
      lock.unlock();
      absl::Status status = run_.Do(plan_.steps[step]);
      lock.lock();
      Finish(step, std::move(status));
    }
  }

  bool IsOver() const { return left_ == 0 || !status_.ok(); }

  void Finish(int step, absl::Status status) {
    --left_;
    if (!status.ok()) {
      if (status_.ok() || step < failed_) {
        status_ = std::move(status);
        failed_ = step;
      }
    } else {
      for (int successor : plan_.steps[step].successors) {
        if (--missing_[successor] == 0) ready_.push(successor);
      }
    }
    changed_.notify_all();
  }

  const Plan& plan_;
  const Run& run_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // All below under the mutex.
  std::vector<int> missing_;  // predecessors that are not done, by step
  std::priority_queue<int, std::vector<int>, std::greater<>> ready_;
  size_t left_;
  absl::Status status_;
  int failed_ = 0;
};

}  // namespace

absl::Status RunPlan(const Plan& plan, absl::Span<const callbridge_array> parameters,
                     absl::Span<const callbridge_array> results, int threads) {
  AlignedMemory arena;
  if (plan.uses_arena) {
    absl::StatusOr<AlignedMemory> allocated = AlignedMemory::Allocate(plan.arena_bytes);
    if (!allocated.ok()) return allocated.status();
    arena = *std::move(allocated);
  }
  Run run(plan, parameters, results, arena.data());
  absl::Status status = threads > 1 ? ThreadedRun(plan, run).On(threads) : run.InOrder();
  if (!status.ok()) return status;
  for (const Move& move : plan.result_copies) run.Copy(move);
  return absl::OkStatus();
}

}  // namespace callbridge::client
