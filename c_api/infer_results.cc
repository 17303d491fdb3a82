// The parts of callbridge.h that ask an operator for its results' dimensions and its scratch
// memory.
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "callbridge/abi/attributes.h"
#include "callbridge/abi/call_site.h"
#include "callbridge/adapters/target.h"
#include "callbridge/c_api/arguments.h"
#include "callbridge/c_api/callbridge.h"
#include "callbridge/c_api/ffi_context.h"
#include "callbridge/c_api/from_c.h"
#include "callbridge/c_api/to_c.h"
#include "callbridge/mindspore_aot/aot_targets.h"

using callbridge::Attributes;
using callbridge::CheckArray;
using callbridge::mindspore_aot::Dimensions;

callbridge_error* callbridge_infer_dimensions(const callbridge_target* target,
                                              const callbridge_ffi_attributes* attributes,
                                              const callbridge_dimensions* operands,
                                              size_t operand_count, size_t result_count,
                                              callbridge_dimensions_visitor* visit, void* user) {
  return callbridge::WithoutExceptions({{"target", target}, {"visit", visit}}, [&] {
    absl::StatusOr<callbridge::Target> known = callbridge::FromC(*target);
    if (!known.ok()) return known.status();
    absl::Status list =
        CheckArray("operands", operands, "operand_count", operand_count, sizeof(*operands));
    if (!list.ok()) return list;
    std::vector<Dimensions> given;
    for (size_t i = 0; i < operand_count; ++i) {
      list = CheckArray(absl::StrCat("operands[", i, "].sizes"), operands[i].sizes,
                        absl::StrCat("operands[", i, "].count"), operands[i].count,
                        sizeof(*operands[i].sizes));
      if (!list.ok()) return list;
      given.emplace_back(operands[i].sizes, operands[i].sizes + operands[i].count);
    }
    absl::StatusOr<std::vector<Dimensions>> inferred = callbridge::mindspore_aot::InferDimensions(
        *known, attributes != nullptr ? attributes->Get() : Attributes(), std::move(given),
        result_count);
    if (!inferred.ok()) return inferred.status();
    for (const Dimensions& result : *inferred) {
      const callbridge_dimensions dimensions = {result.data(), result.size()};
      visit(user, &dimensions);
    }
    return absl::OkStatus();
  });
}

callbridge_error* callbridge_infer_scratch_bytes(const callbridge_target* target,
                                                 const callbridge_site* site, int64_t* bytes) {
  return callbridge::WithoutExceptions({{"target", target}, {"site", site}, {"bytes", bytes}}, [&] {
    absl::StatusOr<callbridge::Target> known = callbridge::FromC(*target);
    if (!known.ok()) return known.status();
    absl::StatusOr<callbridge::CallSite> call_site = callbridge::FromC(*site, *known);
    if (!call_site.ok()) return call_site.status();
    absl::StatusOr<uint64_t> inferred =
        callbridge::mindspore_aot::InferScratchBytes(*known, *call_site);
    if (!inferred.ok()) return inferred.status();
    *bytes = static_cast<int64_t>(*inferred);
    return absl::OkStatus();
  });
}
