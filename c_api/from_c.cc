#include "callbridge/c_api/from_c.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/adapters/target_abis.h"
#include "callbridge/c_api/arguments.h"
#include "callbridge/c_api/ffi_context.h"
#include "callbridge/c_api/struct_size.h"
#include "callbridge/loader/target_library.h"

namespace callbridge {
namespace {

static_assert(sizeof(callbridge_array) == sizeof(HostArray) &&
                  offsetof(callbridge_array, data) == offsetof(HostArray, data) &&
                  offsetof(callbridge_array, size_bytes) == offsetof(HostArray, size_bytes),
              "FromC() hands arrays over as they are");

// What keeps all of a target's functions callable: the library that holds them, or one each where
// stages lie in others. Null where none is callbridge's.
std::shared_ptr<const void> LibrariesOf(const callbridge_target& target,
                                        const XLA_FFI_Handler_Bundle& stages) {
  using Libraries = std::vector<std::shared_ptr<const TargetLibrary>>;
  const auto library = TargetLibrary::Holding(target.address);
  Libraries others;
  for (XLA_FFI_Handler* stage :
       {stages.instantiate, stages.prepare, stages.initialize, stages.record}) {
    if (stage == nullptr) continue;
    auto other = TargetLibrary::Holding(reinterpret_cast<const void*>(stage));
    if (other != nullptr && other != library) others.push_back(std::move(other));
  }
  if (others.empty()) return library;
  others.push_back(library);
  return std::make_shared<const Libraries>(std::move(others));
}

absl::StatusOr<Shape> ParseField(const std::string& field, const char* text) {
  if (text == nullptr) return NullError(field);
  absl::StatusOr<Shape> shape = ParseShape(text);
  if (shape.ok()) return shape;
  return absl::InvalidArgumentError(absl::StrCat(field, ": ", shape.status().message()));
}

XLA_FFI_Handler_Bundle StagesFromC(const callbridge_target& target) {
  if (!KnowsField(target, target.record)) return {};
  XLA_FFI_Handler_Bundle stages = {};
  stages.instantiate = reinterpret_cast<XLA_FFI_Handler*>(target.instantiate);
  stages.prepare = reinterpret_cast<XLA_FFI_Handler*>(target.prepare);
  stages.initialize = reinterpret_cast<XLA_FFI_Handler*>(target.initialize);
  stages.record = reinterpret_cast<XLA_FFI_Handler*>(target.record);
  return stages;
}

XLA_FFI_Handler_Traits TraitsFromC(const callbridge_target& target) {
  if (!KnowsField(target, target.command_buffer_compatible)) return 0;
  return target.command_buffer_compatible != 0 ? XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE
                                               : 0;
}

}  // namespace

absl::StatusOr<Target> FromC(const callbridge_target& target) {
  absl::Status size = CheckStructSize("callbridge_target", target);
  if (!size.ok()) return size;
  if (target.name == nullptr) return NullError("callbridge_target.name");
  if (target.platform == nullptr) return NullError("callbridge_target.platform");
  if (target.api_version != CALLBRIDGE_API_VERSION_UNSPECIFIED &&
      FindTargetAbi(target.api_version) == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("callbridge_target.api_version is ",
                                                   target.api_version, ", but must be one of ",
                                                   ApiVersionNumbers()));
  }
  absl::StatusOr<Platform> platform = ParsePlatform(target.platform);
  if (!platform.ok()) return platform.status();
  const XLA_FFI_Handler_Bundle stages = StagesFromC(target);
  return Target{target.name,
                *platform,
                static_cast<ApiVersion>(target.api_version),
                target.api_version_is_proved != 0,
                target.address,
                LibrariesOf(target, stages),
                stages,
                TraitsFromC(target)};
}

absl::StatusOr<CallSite> FromC(const callbridge_site& site) {
  absl::Status size = CheckStructSize("callbridge_site", site);
  if (!size.ok()) return size;
  absl::Status lists =
      CheckArray("callbridge_site.operands", site.operands, "callbridge_site.operand_count",
                 site.operand_count, sizeof(*site.operands));
  if (lists.ok()) {
    lists = CheckArray("callbridge_site.opaque", site.opaque, "callbridge_site.opaque_size",
                       site.opaque_size);
  }
  if (!lists.ok()) return lists;
  if (site.tuple_layout != CALLBRIDGE_TUPLE_LAYOUT_NESTED &&
      site.tuple_layout != CALLBRIDGE_TUPLE_LAYOUT_FLAT) {
    return absl::InvalidArgumentError(absl::StrCat("callbridge_site.tuple_layout is ",
                                                   site.tuple_layout, ", but must be 0 or 1"));
  }
  CallSite call_site;
  call_site.tuple_layout = static_cast<TupleLayout>(site.tuple_layout);
  for (size_t i = 0; i < site.operand_count; ++i) {
    absl::StatusOr<Shape> operand = ParseField(absl::StrCat("operand ", i), site.operands[i]);
    if (!operand.ok()) return operand.status();
    call_site.operands.push_back(*std::move(operand));
  }
  absl::StatusOr<Shape> result = ParseField("result", site.result);
  if (!result.ok()) return result.status();
  call_site.result = *std::move(result);
  if (site.opaque_size > 0) call_site.opaque.assign(site.opaque, site.opaque_size);
  if (KnowsField(site, site.attributes) && site.attributes != nullptr) {
    call_site.attributes = site.attributes->Get();
  }
  if (KnowsField(site, site.release) && site.release != nullptr) call_site.release = site.release;
  if (KnowsField(site, site.operator_info) && site.operator_info != nullptr) {
    call_site.operator_info = site.operator_info->info;
  }
  if (KnowsField(site, site.scratch_bytes)) {
    if (site.scratch_bytes < 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "callbridge_site.scratch_bytes is ", site.scratch_bytes, ", but must not be negative"));
    }
    call_site.scratch_bytes = static_cast<uint64_t>(site.scratch_bytes);
  }
  return call_site;
}

absl::StatusOr<CallSite> FromC(const callbridge_site& site, const Target& target) {
  absl::StatusOr<CallSite> call_site = FromC(site);
  if (call_site.ok()) {
    call_site->target_name = target.name;
    call_site->platform = target.platform;
    call_site->api_version = target.api_version;
  }
  return call_site;
}

absl::Span<const HostArray> FromC(const callbridge_array* arrays, size_t count) {
  return {reinterpret_cast<const HostArray*>(arrays), count};
}

}  // namespace callbridge
