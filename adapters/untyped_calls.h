// Makes an UntypedAbi from a type `Calls` whose static function Call() calls a target. These are
// templates, so that the path from Execute(), and from either entry point, to the target is two
// calls.
#ifndef CALLBRIDGE_ADAPTERS_UNTYPED_CALLS_H_
#define CALLBRIDGE_ADAPTERS_UNTYPED_CALLS_H_

#include <algorithm>
#include <cstddef>

#include "absl/types/span.h"
#include "callbridge/adapters/call_plan.h"
#include "callbridge/adapters/entry_points/typed_to_untyped.h"
#include "callbridge/adapters/entry_points/untyped_to_untyped.h"
#include "callbridge/adapters/pointer_block.h"
#include "callbridge/adapters/untyped_abi.h"

namespace callbridge {

// ---- Calls with a list of operands, and `out` ----

template <typename Calls>
absl::Status RunArrayResult(const CallPlan& plan, const absl::string_view& opaque, void** operands,
                            void** results, const ExecutionContext&) {
  return Calls::Call(plan.callee, *results, operands, opaque);
}

template <typename Calls>
absl::Status RunListResult(const CallPlan& plan, const absl::string_view& opaque, void** operands,
                           void** results, const ExecutionContext&) {
  return Calls::Call(plan.callee, results, operands, opaque);
}

template <typename Calls>
absl::Status CallWithTables(void** slots, const CallPlan& plan, const absl::string_view& opaque,
                            void** operands, void** results) {
  void** in = plan.operands.Fill(operands, slots);
  void* out = plan.result.is_single_leaf()
                  ? *results
                  : plan.result.Fill(results, slots + plan.operands.slot_count());
  return Calls::Call(plan.callee, out, in, opaque);
}

template <typename Calls>
absl::Status RunWithTables(const CallPlan& plan, const absl::string_view& opaque, void** operands,
                           void** results, const ExecutionContext&) {
  const size_t slots = size_t{plan.operands.slot_count()} + plan.result.slot_count();
  return WithPointers<&CallWithTables<Calls>>(slots, plan, opaque, operands, results);
}

// For Calls::Call(function, out, in, opaque).
template <typename Calls>
constexpr UntypedAbi WithTables(const TargetAbi& row, bool needs_proof = false) {
  return {row,
          needs_proof,
          /*takes_leaves=*/false,
          nullptr,
          &RunArrayResult<Calls>,
          &RunListResult<Calls>,
          &RunWithTables<Calls>,
          &CallUntyped<Calls>,
          &CallTyped<Calls, FirstArgument::kOut>};
}

// ---- Calls with one list: the operands' leaves, then the result's ----

inline size_t LeafCount(const CallPlan& plan) {
  return size_t{plan.operands.leaf_count()} + plan.result.leaf_count();
}

inline void CopyPointers(const CallPlan& plan, void** operands, void** results, void** list) {
  void** next = std::copy(operands, operands + plan.operands.leaf_count(), list);
  std::copy(results, results + plan.result.leaf_count(), next);
}

template <typename Calls>
absl::Status CallWithStream(void** list, const CallPlan& plan, const absl::string_view& opaque,
                            void** operands, void** results, const ExecutionContext& context) {
  CopyPointers(plan, operands, results, list);
  return Calls::Call(plan.callee, context.stream, list, opaque);
}

template <typename Calls>
absl::Status RunWithStream(const CallPlan& plan, const absl::string_view& opaque, void** operands,
                           void** results, const ExecutionContext& context) {
  return WithPointers<&CallWithStream<Calls>>(LeafCount(plan), plan, opaque, operands, results,
                                              context);
}

// For Calls::Call(function, stream, buffers, opaque), on GPU.
template <typename Calls>
constexpr UntypedAbi WithStream(const TargetAbi& row, bool needs_proof = false) {
  return {row,
          needs_proof,
          /*takes_leaves=*/true,
          &Calls::Call,
          &RunWithStream<Calls>,
          &RunWithStream<Calls>,
          &RunWithStream<Calls>,
          &CallUntyped<Calls>,
          &CallTyped<Calls, FirstArgument::kStream>};
}

template <typename Calls>
absl::Status CallWithCount(void** list, const CallPlan& plan, const absl::string_view& opaque,
                           void** operands, void** results) {
  CopyPointers(plan, operands, results, list);
  return Calls::Call(plan.callee, absl::MakeSpan(list, LeafCount(plan)), opaque);
}

template <typename Calls>
absl::Status RunWithCount(const CallPlan& plan, const absl::string_view& opaque, void** operands,
                          void** results, const ExecutionContext&) {
  return WithPointers<&CallWithCount<Calls>>(LeafCount(plan), plan, opaque, operands, results);
}

// For Calls::Call(function, buffers, opaque) on Host, where `buffers` is a span.
template <typename Calls>
constexpr UntypedAbi WithCount(const TargetAbi& row) {
  return {row,
          /*needs_proof=*/false,
          /*takes_leaves=*/true,
          nullptr,
          &RunWithCount<Calls>,
          &RunWithCount<Calls>,
          &RunWithCount<Calls>,
          &CallUntypedByDescriptor,
          &CallUntypedTargetFromTypedInFull};
}

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_UNTYPED_CALLS_H_
