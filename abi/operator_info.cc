#include "callbridge/abi/operator_info.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace callbridge {
namespace {

using AttributeType = OperatorInfo::AttributeType;
using Presence = OperatorInfo::Presence;
using ValueKind = Attributes::Value::Kind;

bool IsInteger(PrimitiveType type) {
  switch (type) {
    case PrimitiveType::kS1:
    case PrimitiveType::kS2:
    case PrimitiveType::kS4:
    case PrimitiveType::kS8:
    case PrimitiveType::kS16:
    case PrimitiveType::kS32:
    case PrimitiveType::kS64:
    case PrimitiveType::kU1:
    case PrimitiveType::kU2:
    case PrimitiveType::kU4:
    case PrimitiveType::kU8:
    case PrimitiveType::kU16:
    case PrimitiveType::kU32:
    case PrimitiveType::kU64:
      return true;
    default:
      return false;
  }
}

bool IsFloat(PrimitiveType type) {
  return IsArrayElement(type) && !IsInteger(type) && type != PrimitiveType::kPred &&
         type != PrimitiveType::kC64 && type != PrimitiveType::kC128;
}

bool FitsElement(const AttributeType& type, PrimitiveType element) {
  switch (type.elements) {
    case AttributeType::Elements::kBools:
      return element == PrimitiveType::kPred;
    case AttributeType::Elements::kIntegers:
      return IsInteger(element);
    case AttributeType::Elements::kFloats:
      return IsFloat(element);
    case AttributeType::Elements::kExact:
      return element == type.exact;
  }
  return false;
}

absl::Status CheckOrder(absl::string_view what, const std::vector<OperatorInfo::Value>& values) {
  for (size_t i = 1; i < values.size(); ++i) {
    if (values[i - 1].presence == Presence::kOptional &&
        values[i].presence != Presence::kOptional) {
      return absl::InvalidArgumentError(
          absl::StrCat(what, " ", i, " must be optional, since ", what, " ", i - 1,
                       " is: only the last ones of a call may be missing"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

bool Fits(const AttributeType& type, const Attributes::Value& value) {
  switch (type.kind) {
    case AttributeType::Kind::kAny:
      return true;
    case AttributeType::Kind::kScalar:
      return value.kind == ValueKind::kScalar && FitsElement(type, value.type);
    case AttributeType::Kind::kArray:
      return value.kind == ValueKind::kArray && FitsElement(type, value.type);
    case AttributeType::Kind::kString:
      return value.kind == ValueKind::kString;
  }
  return false;
}

std::string AttributeText(const Attributes::Value& value) {
  switch (value.kind) {
    case ValueKind::kScalar:
      return std::string(PrimitiveTypeName(value.type));
    case ValueKind::kArray:
      return absl::StrCat(PrimitiveTypeName(value.type), "[", value.size, "]");
    case ValueKind::kString:
      return "a string";
    case ValueKind::kDictionary:
      return "a dictionary";
  }
  return "unknown";
}

absl::Status CheckOperatorInfo(const OperatorInfo& info) {
  const size_t count = info.operands.size() + info.results.size();
  for (size_t i = 0; i < info.combinations.size(); ++i) {
    if (info.combinations[i].size() == count) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("combination ", i + 1, " has ", info.combinations[i].size(),
                     " entries: expected ", count, ", one for each of the ", info.operands.size(),
                     " operands and ", info.results.size(), " results"));
  }
  absl::Status order = CheckOrder("operand", info.operands);
  if (order.ok()) order = CheckOrder("result", info.results);
  if (!order.ok()) return order;
  std::map<absl::string_view, const AttributeType*> types;
  for (const OperatorInfo::Attribute& attribute : info.attributes) {
    if (!types.emplace(attribute.name, &attribute.type).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("duplicate attribute \"", attribute.name, "\""));
    }
  }
  for (const auto& [name, value] : info.defaults.values()) {
    const auto type = types.find(name);
    if (type == types.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the default of attribute \"", name, "\", which is not declared"));
    }
    if (!Fits(*type->second, value)) {
      return absl::InvalidArgumentError(absl::StrCat("attribute \"", name, "\" is declared as ",
                                                     type->second->name, ", but its value is ",
                                                     AttributeText(value)));
    }
  }
  return absl::OkStatus();
}

}  // namespace callbridge
