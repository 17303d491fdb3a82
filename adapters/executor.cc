#include "callbridge/adapters/executor.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/abi/xla_floating_point.h"
#include "callbridge/adapters/bind.h"
#include "callbridge/typed_ffi/host/runtime_services.h"
#include "callbridge/typed_ffi/host/thread_pool.h"

namespace callbridge {
namespace {

// Checks that the arrays have the bytes of `leaves`.
absl::Status CheckArrays(const char* what, absl::Span<const Shape* const> leaves,
                         absl::Span<const HostArray> arrays) {
  if (leaves.size() != arrays.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the call site declares ", leaves.size(), " ", what,
                     "s (leaves of tuples counted), but the call has ", arrays.size()));
  }
  for (size_t i = 0; i < leaves.size(); ++i) {
    absl::StatusOr<int64_t> needed = leaves[i]->ByteSize();
    if (!needed.ok()) return needed.status();
    if (static_cast<uint64_t>(*needed) != arrays[i].size_bytes) {
      return absl::InvalidArgumentError(absl::StrCat(
          what, " ", i, " (leaves of tuples counted) is declared ", ShapeText(*leaves[i]),
          ", which has ", *needed, " bytes, but its array has ", arrays[i].size_bytes));
    }
  }
  return absl::OkStatus();
}

std::vector<const Shape*> LeavesOf(absl::Span<const Shape> shapes) {
  std::vector<const Shape*> leaves;
  for (const Shape& shape : shapes) {
    for (const Shape* leaf : shape.Leaves()) leaves.push_back(leaf);
  }
  return leaves;
}

std::vector<void*> PointersOf(absl::Span<const Shape* const> leaves,
                              absl::Span<const HostArray> arrays) {
  std::vector<void*> pointers;
  pointers.reserve(arrays.size());
  for (size_t i = 0; i < arrays.size(); ++i) {
    pointers.push_back(leaves[i]->IsToken() ? nullptr : arrays[i].data);
  }
  return pointers;
}

}  // namespace

absl::Status CheckArraysOfSite(const CallSite& site, absl::Span<const HostArray> operands,
                               absl::Span<const HostArray> results) {
  absl::Status checked = CheckArrays("operand", LeavesOf(site.operands), operands);
  return checked.ok() ? CheckArrays("result", site.result.Leaves(), results) : checked;
}

ExecutionContext WithServicesOfXlaCpu(const ExecutionContext& context,
                                      host::RuntimeServices& services) {
  ExecutionContext with_services = context;
  if (context.services == nullptr) {
    services.device_ordinal = 0;
    services.run_id = host::NewRunId();
    services.thread_pool = &host::ProcessThreads();
    with_services.services = &services;
  }
  return with_services;
}

absl::Status Execute(const CallSite& site, const Target& target,
                     absl::Span<const HostArray> operands, absl::Span<const HostArray> results,
                     const ExecutionContext& context) {
  absl::Status checked = CheckArraysOfSite(site, operands, results);
  if (!checked.ok()) return checked;
  std::vector<void*> operand_pointers = PointersOf(LeavesOf(site.operands), operands);
  std::vector<void*> result_pointers = PointersOf(site.result.Leaves(), results);
  absl::StatusOr<BoundCall> call = Bind(site, target);
  if (!call.ok()) return call.status();
  return ExecuteAsXlaCpu(*call, {absl::MakeSpan(operand_pointers), absl::MakeSpan(result_pointers)},
                         context);
}

absl::Status ExecuteAsXlaCpu(const BoundCall& call, const CallBuffers& buffers,
                             const ExecutionContext& context) {
  host::RuntimeServices services;
  const ExecutionContext with_services = WithServicesOfXlaCpu(context, services);
  XlaFloatingPoint floating_point;
  return call.Execute(buffers, with_services);
}

absl::Status ExecuteWithServicesOfXlaCpu(const BoundCall& call, const CallBuffers& buffers,
                                         const ExecutionContext& context) {
  host::RuntimeServices services;
  ExecutionContext with_services = WithServicesOfXlaCpu(context, services);
  if (context.services == nullptr) services.thread_pool = &host::ProcessThreadsInSchedulersMode();
  return call.Execute(buffers, with_services);
}

}  // namespace callbridge
