#include "callbridge/adapters/untyped_abi.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "callbridge/adapters/abis/host_original.h"
#include "callbridge/adapters/abis/host_status_returning.h"
#include "callbridge/adapters/abis/opaque_status_returning.h"
#include "callbridge/adapters/call_plan.h"
#include "callbridge/adapters/pointer_block.h"
#include "callbridge/adapters/typed_to_untyped_entry.h"
#include "callbridge/adapters/untyped_to_untyped_entry.h"

namespace callbridge {
namespace {

template <typename Abi>
absl::Status RunArrayResult(const CallPlan& plan, const absl::string_view& opaque,
                            const CallBuffers& buffers, const ExecutionContext&) {
  return Abi::Call(plan.function, *buffers.results.data(), buffers.operands.data(), opaque);
}

template <typename Abi>
absl::Status RunListResult(const CallPlan& plan, const absl::string_view& opaque,
                           const CallBuffers& buffers, const ExecutionContext&) {
  return Abi::Call(plan.function, buffers.results.data(), buffers.operands.data(), opaque);
}

template <typename Abi>
absl::Status CallWithTables(void** slots, const CallPlan& plan, const absl::string_view& opaque,
                            const CallBuffers& buffers) {
  void** in = plan.operands.Fill(buffers.operands.data(), slots);
  void* out = plan.result.is_single_leaf()
                  ? *buffers.results.data()
                  : plan.result.Fill(buffers.results.data(), slots + plan.operands.slot_count());
  return Abi::Call(plan.function, out, in, opaque);
}

template <typename Abi>
absl::Status RunWithTables(const CallPlan& plan, const absl::string_view& opaque,
                           const CallBuffers& buffers, const ExecutionContext&) {
  const size_t slots = size_t{plan.operands.slot_count()} + plan.result.slot_count();
  return WithPointers<&CallWithTables<Abi>>(slots, plan, opaque, buffers);
}

absl::Status CallGpu(void** pointers, const CallPlan& plan, const absl::string_view& opaque,
                     const CallBuffers& buffers, const ExecutionContext& context) {
  void** results = std::copy(buffers.operands.begin(), buffers.operands.end(), pointers);
  std::copy(buffers.results.begin(), buffers.results.end(), results);
  return OpaqueStatusReturning::Call(plan.function, context.stream, pointers, opaque);
}

// GPU targets get one list: the operands' leaves, then the result's.
absl::Status RunGpu(const CallPlan& plan, const absl::string_view& opaque,
                    const CallBuffers& buffers, const ExecutionContext& context) {
  return WithPointers<&CallGpu>(buffers.operands.size() + buffers.results.size(), plan, opaque,
                                buffers, context);
}

XLA_FFI_Error* CallTypedOnGpu(XLA_FFI_CallFrame* frame, EntryTarget& entry) {
  return CallUntypedTargetFromTypedInFull(entry, frame);
}

template <typename Abi>
constexpr UntypedAbi Host(ApiVersion version, bool proved) {
  return {false,
          version,
          proved,
          &Abi::Call,
          &RunArrayResult<Abi>,
          &RunListResult<Abi>,
          &RunWithTables<Abi>,
          &CallUntyped<Abi>,
          &CallTyped<Abi>};
}

constexpr UntypedAbi Gpu(ApiVersion version, bool proved) {
  return {true,           version, proved,  &OpaqueStatusReturning::Call,
          &RunGpu,        &RunGpu, &RunGpu, &CallUntyped<OpaqueStatusReturning>,
          &CallTypedOnGpu};
}

// On Host only proof spares a function the status. On GPU all versions are called alike.
constexpr UntypedAbi kUntypedAbis[] = {
    Host<HostOriginal>(ApiVersion::kOriginal, true),
    Host<HostStatusReturning>(ApiVersion::kOriginal, false),
    Host<HostStatusReturning>(ApiVersion::kStatusReturning, true),
    Host<HostStatusReturning>(ApiVersion::kStatusReturning, false),
    Host<OpaqueStatusReturning>(ApiVersion::kStatusReturningUnified, true),
    Host<OpaqueStatusReturning>(ApiVersion::kStatusReturningUnified, false),
    Gpu(ApiVersion::kUnspecified, false),
};

// The row that serves what is known of the target.
bool Serves(const UntypedAbi& abi, const Target& target) {
  if (abi.gpu != IsGpu(target.platform)) return false;
  if (abi.gpu) return target.api_version != ApiVersion::kTypedFfi;
  return abi.api_version == target.api_version && abi.proved == target.api_version_is_proved;
}

}  // namespace

absl::StatusOr<const UntypedAbi*> FindUntypedAbi(const Target& target) {
  const auto* abi = std::find_if(std::begin(kUntypedAbis), std::end(kUntypedAbis),
                                 [&](const UntypedAbi& row) { return Serves(row, target); });
  if (abi != std::end(kUntypedAbis)) return abi;
  return absl::InvalidArgumentError(absl::StrCat(
      "the ABI of custom call \"", target.name, "\" on ", PlatformName(target.platform),
      " is not known, and calling it wrong could crash: declare it (original, "
      "status_returning or status_returning_unified)"));
}

}  // namespace callbridge
