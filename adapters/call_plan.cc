#include "callbridge/adapters/call_plan.h"

#include <cstddef>

#include "absl/strings/str_cat.h"

namespace callbridge {
namespace {

UntypedAbi::Run ChooseRun(const UntypedAbi& abi, const PointerTables& operands,
                          const PointerTables& result) {
  if (abi.takes_leaves || operands.slot_count() > 0 || result.slot_count() > 0)
    return abi.run_with_tables;
  return result.is_single_leaf() ? abi.run_array_result : abi.run_list_result;
}

absl::Status CheckLeafCount(const char* what, size_t declared, size_t given) {
  if (declared == given) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the call site declares ", declared, " ", what,
                                                 " (leaves of tuples counted), but the call has ",
                                                 given));
}

}  // namespace

CallPlan PlanCall(const UntypedAbi& abi, void* function, absl::Span<const Shape> operands,
                  const Shape& result, TupleLayout tuple_layout) {
  PointerTables operand_tables = PointerTables::ForOperands(operands, tuple_layout);
  PointerTables result_tables = PointerTables::ForResult(result, tuple_layout);
  UntypedAbi::Run run = ChooseRun(abi, operand_tables, result_tables);
  return {run, function, std::move(operand_tables), std::move(result_tables)};
}

absl::Status CheckLeafCounts(const CallPlan& plan, const CallBuffers& buffers) {
  absl::Status operands =
      CheckLeafCount("operands", plan.operands.leaf_count(), buffers.operands.size());
  if (!operands.ok()) return operands;
  return CheckLeafCount("results", plan.result.leaf_count(), buffers.results.size());
}

}  // namespace callbridge
