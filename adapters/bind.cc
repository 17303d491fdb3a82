#include "callbridge/adapters/bind.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/operator_info.h"
#include "callbridge/adapters/operator_check.h"
#include "callbridge/adapters/typed_call.h"

namespace callbridge {

BoundCall::BoundCall(CallPlan plan, absl::string_view opaque, std::shared_ptr<const void> library)
    : plan_(std::move(plan)),
      opaque_bytes_(new char[opaque.size()]),
      opaque_(opaque_bytes_.get(), opaque.size()),
      library_(std::move(library)) {
  std::copy(opaque.begin(), opaque.end(), opaque_bytes_.get());
}

BoundCall::BoundCall(CallPlan plan, std::shared_ptr<const TypedCall> typed)
    : plan_(std::move(plan)), typed_(std::move(typed)) {}

absl::StatusOr<BoundCall> Bind(const CallSite& site, const Target& target,
                               const ExecutionContext& context) {
  if (site.platform != target.platform) {
    return absl::NotFoundError(absl::StrCat(
        "custom call \"", target.name, "\" is registered for ", PlatformName(target.platform),
        ", but the call is made on ", PlatformName(site.platform)));
  }
  if (target.address == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("custom call \"", target.name, "\" has a null address"));
  }
  if (site.operator_info != nullptr) {
    absl::Status allowed = CheckOperator(site, target);
    if (!allowed.ok()) return allowed;
    CallSite checked = site;
    checked.attributes.SetMissing(site.operator_info->defaults);
    checked.operator_info = nullptr;
    return Bind(checked, target, context);
  }
  Target known = target;
  if (known.api_version == ApiVersion::kUnspecified) known.api_version = site.api_version;
  if (known.api_version == ApiVersion::kTypedFfi) {
    absl::StatusOr<std::shared_ptr<const TypedCall>> typed =
        InstantiateTyped(site, known, context.services);
    if (!typed.ok()) return typed.status();
    CallPlan plan = PlanTypedCall(**typed, site);
    return BoundCall(std::move(plan), *std::move(typed));
  }
  absl::StatusOr<const UntypedAbi*> abi = FindUntypedAbi(known);
  if (!abi.ok()) return abi.status();
  if (!site.attributes.values().empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the call site has attributes, but custom call \"", target.name,
                     "\" is untyped and takes none: pass bytes as its opaque"));
  }
  if (!site.release.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the call site names the release \"", site.release, "\", but custom call \"", target.name,
        "\" is untyped, and all releases call it alike: leave the release out"));
  }
  return BoundCall(PlanCall(**abi, target.address, site.operands, site.result, site.tuple_layout),
                   site.opaque, target.library);
}

}  // namespace callbridge
