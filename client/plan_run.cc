#include <cxxabi.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"
#include "absl/container/inlined_vector.h"
#include "callbridge/abi/aligned_memory.h"
#include "callbridge/abi/own_threads.h"
#include "callbridge/abi/xla_floating_point.h"
#include "callbridge/c_api/callbridge_ffi.h"
#include "callbridge/client/plan.h"

namespace callbridge::client {
namespace {

class Run {
 public:
  Run(const Plan& plan, absl::Span<const callbridge_array> parameters,
      absl::Span<const callbridge_array> results, void* arena)
      : plan_(plan) {
    absl::InlinedVector<char*, 64> bases;
    bases.reserve(plan.bases.count);
    bases.push_back(nullptr);
    bases.push_back(static_cast<char*>(arena));
    for (const callbridge_array& array : parameters)
      bases.push_back(static_cast<char*>(array.data));
    for (const callbridge_array& array : results) bases.push_back(static_cast<char*>(array.data));
    for (size_t i = 0; i < plan.constants.size(); ++i) {
      bases.push_back(static_cast<char*>(plan.constants.at(i)));
    }
    pointers_.reserve(plan.places.size());
    for (const Address& address : plan.places) {
      pointers_.push_back(bases[address.base] + address.offset);
    }
    places_ = pointers_.data();
  }

  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  absl::Status InOrder() const {
    XlaFloatingPoint floating_point;
    Pointers pointers = MakePointers();
    const PlannedStep* step = plan_.steps.data();
    const Place* array = plan_.arrays.data();
    for (const Batch& batch : plan_.batches) {
      WritePointers(array, batch.arrays, pointers.data());
      array += batch.arrays;
      void** next = pointers.data();
      for (const PlannedStep* const end = step + batch.steps; step != end; ++step) {
        absl::Status status = DoWith(next, *step);
        if (ABSL_PREDICT_FALSE(!status.ok())) return status;
        next += step->array_count;
      }
    }
    return absl::OkStatus();
  }

  // Receives the pointers of a step or of a batch. Each thread has its own.
  using Pointers = absl::InlinedVector<void*, 256>;
  Pointers MakePointers() const { return Pointers(plan_.most_arrays); }

  absl::Status Do(const PlannedStep& step, void** pointers) const {
    WritePointers(plan_.arrays.data() + step.first_array, step.array_count, pointers);
    return DoWith(pointers, step);
  }

  void Copy(const Move& move) const {
    memcpy(places_[move.to], places_[move.from], move.size_bytes);
  }

 private:
  // They are written anew for each run, because targets may change them.
  void WritePointers(const Place* array, size_t count, void** pointers) const {
    char* const* const places = places_;
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
      pointers[i] = places[array[i]];
      pointers[i + 1] = places[array[i + 1]];
      pointers[i + 2] = places[array[i + 2]];
      pointers[i + 3] = places[array[i + 3]];
    }
    for (; i < count; ++i) pointers[i] = places[array[i]];
  }

  absl::Status DoWith(void** pointers, const PlannedStep& planned) const {
    void** const results = pointers + planned.operand_count;
    if (ABSL_PREDICT_FALSE(planned.only_call == nullptr)) {
      return DoOther(planned, pointers, results);
    }
    callbridge_error* error =
        callbridge_call_execute_unchecked(planned.only_call, pointers, results);
    return ABSL_PREDICT_TRUE(error == nullptr) ? absl::OkStatus()
                                               : planned.step.call.ErrorOf(error);
  }

  ABSL_ATTRIBUTE_NOINLINE absl::Status DoOther(const PlannedStep& planned, void** operands,
                                               void** results) const {
    for (const Move& move : planned.copies) Copy(move);
    const Step& step = planned.step;
    switch (step.kind) {
      case Step::Kind::kWait:
        break;
      case Step::Kind::kCopy:
        step.copy.Run(operands[0], results[0]);
        break;
      case Step::Kind::kElementwise:
        step.kernel(operands[0], operands[planned.operand_count - 1], results[0], step.count);
        break;
      case Step::Kind::kCustomCall:
        return step.call.Execute({operands, planned.operand_count}, {results, step.results.size()},
                                 run_id_);
    }
    return absl::OkStatus();
  }

  const Plan& plan_;
  absl::InlinedVector<char*, 64> pointers_;
  char* const* places_ = nullptr;  // of pointers_, which is not asked each time where it lies
  const int64_t run_id_ = callbridge_ffi_new_run_id();
};

// Distributes the steps of a run to threads.
class ThreadedRun {
 public:
  ThreadedRun(const Plan& plan, const Run& run)
      : plan_(plan), run_(run), missing_(plan.steps.size()), left_(plan.steps.size()) {
    ready_ = Ready(std::greater<>(), WithRoomFor(plan.steps.size()));
    for (size_t i = 0; i < plan.steps.size(); ++i) {
      missing_[i] = plan.steps[i].predecessors;
      if (missing_[i] == 0) ready_.push(static_cast<int>(i));
    }
  }

  absl::Status On(int threads) {
    const size_t useful = std::min(plan_.steps.size(), static_cast<size_t>(std::max(threads, 1)));
    // Allocated before any thread starts, because threads must not throw.
    std::vector<Run::Pointers> pointers(std::max<size_t>(useful, 1), run_.MakePointers());
    {
      Joined others;
      for (size_t i = 1; i < useful; ++i) {
        // If the system has no more threads, those that run do all the work.
        if (!AddOwnThread(others.threads, [this, mine = &pointers[i]] { Work(*mine); })) break;
      }
      Work(pointers[0]);
    }
    if (thrown_ != nullptr) std::rethrow_exception(thrown_);
    return status_;
  }

 private:
  // The caller's thread may be cancelled in a target; the other threads must not outlive the run.
  struct Joined {
    ~Joined() {
      for (std::thread& thread : threads) thread.join();
    }
    std::vector<std::thread> threads;
  };
  using Ready = std::priority_queue<int, std::vector<int>, std::greater<>>;

  static std::vector<int> WithRoomFor(size_t steps) {
    std::vector<int> room;
    room.reserve(steps);
    return room;
  }

  void Work(Run::Pointers& pointers) {
    XlaFloatingPoint floating_point;
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return !ready_.empty() || IsOver(); });
      if (IsOver()) return;
      const int step = ready_.top();
      ready_.pop();
      lock.unlock();
      absl::Status status = Do(step, pointers);
      lock.lock();
      Finish(step, std::move(status));
    }
  }

  absl::Status Do(int step, Run::Pointers& pointers) {
    try {
      return run_.Do(plan_.steps[step], pointers.data());
    } catch (abi::__forced_unwind&) {
      // The target ended its thread, or another thread cancelled it; the others must not wait for
      // this step.
      const std::lock_guard<std::mutex> lock(mutex_);
      Finish(step, absl::CancelledError("the thread that runs a custom call was ended in it"));
      throw;
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex_);
      thrown_ = std::current_exception();
      return absl::OkStatus();
    }
  }

  bool IsOver() const { return left_ == 0 || !status_.ok() || thrown_ != nullptr; }

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
  // All members below are guarded by the mutex.
  std::vector<int> missing_;  // number of predecessors that are not done, by step
  Ready ready_;
  size_t left_;
  absl::Status status_;
  int failed_ = 0;
  std::exception_ptr thrown_;  // rethrown at the end of the run, if not null
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
  const Run run(plan, parameters, results, arena.data());
  absl::Status status = threads > 1 ? ThreadedRun(plan, run).On(threads) : run.InOrder();
  if (!status.ok()) return status;
  for (const Move& move : plan.result_copies) run.Copy(move);
  return absl::OkStatus();
}

}  // namespace callbridge::client
