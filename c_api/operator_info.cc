// The part of callbridge.h for operator information.
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "callbridge/adapters/operator_check.h"
#include "callbridge/c_api/arguments.h"
#include "callbridge/c_api/callbridge_operator_info.h"
#include "callbridge/c_api/from_c.h"
#include "callbridge/c_api/to_c.h"
#include "callbridge/mindspore_aot/operator_info_json.h"

using callbridge::Attributes;
using callbridge::CallSite;
using callbridge::FromC;
using callbridge::OperatorInfo;
using callbridge::Target;
using callbridge::WithoutExceptions;

namespace {

using Kind = Attributes::Value::Kind;

int32_t NumberOf(Kind kind) {
  switch (kind) {
    case Kind::kArray:
      return CALLBRIDGE_ATTRIBUTE_ARRAY;
    case Kind::kDictionary:
      return CALLBRIDGE_ATTRIBUTE_DICTIONARY;
    case Kind::kScalar:
      return CALLBRIDGE_ATTRIBUTE_SCALAR;
    case Kind::kString:
      return CALLBRIDGE_ATTRIBUTE_STRING;
  }
  return 0;
}

size_t CountOf(const Attributes::Value& value) {
  switch (value.kind) {
    case Kind::kDictionary:
      return value.dictionary->values().size();
    case Kind::kString:
      return value.bytes.size();
    default:
      return value.size;
  }
}

void Visit(const Attributes& attributes, callbridge_attribute_visitor* visit, void* user) {
  for (const auto& [name, value] : attributes.values()) {
    visit(user, name.c_str(), NumberOf(value.kind), static_cast<int32_t>(value.type),
          value.bytes.data(), CountOf(value));
    if (value.dictionary != nullptr) Visit(*value.dictionary, visit, user);
  }
}

}  // namespace

callbridge_error* callbridge_operator_info_create(const char* json, size_t json_size,
                                                  callbridge_operator_info** info) {
  return WithoutExceptions({{"info", info}}, [&] {
    absl::Status checked = callbridge::CheckArray("json", json, "json_size", json_size);
    if (!checked.ok()) return checked;
    absl::StatusOr<OperatorInfo> parsed =
        callbridge::mindspore_aot::ParseOperatorInfo({json_size > 0 ? json : "", json_size});
    if (!parsed.ok()) return parsed.status();
    *info = new callbridge_operator_info{std::make_shared<const OperatorInfo>(*std::move(parsed))};
    return absl::OkStatus();
  });
}

void callbridge_operator_info_destroy(callbridge_operator_info* info) { delete info; }

callbridge_error* callbridge_operator_info_check(const callbridge_target* target,
                                                 const callbridge_site* site) {
  return WithoutExceptions({{"target", target}, {"site", site}}, [&] {
    absl::StatusOr<Target> known = FromC(*target);
    if (!known.ok()) return known.status();
    absl::StatusOr<CallSite> call_site = FromC(*site, *known);
    if (!call_site.ok()) return call_site.status();
    return callbridge::CheckOperator(*call_site, *known);
  });
}

callbridge_error* callbridge_operator_info_visit_defaults(const callbridge_operator_info* info,
                                                          callbridge_attribute_visitor* visit,
                                                          void* user) {
  return WithoutExceptions({{"info", info}, {"visit", visit}}, [&] {
    Visit(info->info->defaults, visit, user);
    return absl::OkStatus();
  });
}
