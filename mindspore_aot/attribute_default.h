// The attributes of operator information: their types' names and their defaults.
#ifndef CALLBRIDGE_MINDSPORE_AOT_ATTRIBUTE_DEFAULT_H_
#define CALLBRIDGE_MINDSPORE_AOT_ATTRIBUTE_DEFAULT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/operator_info.h"
#include "callbridge/mindspore_aot/json_value.h"

namespace callbridge {
namespace mindspore_aot {

// Reads a type's name, as callbridge_operator_info.h lists them.
absl::StatusOr<OperatorInfo::AttributeType> ParseAttributeType(absl::string_view name);

// Sets `name` to a value of that type. Integers become floats where the type has floats. Returns
// INVALID_ARGUMENT if `value` is no attribute, not of that type, or does not fit it.
absl::Status SetDefault(const std::string& name, const JsonValue& value,
                        const OperatorInfo::AttributeType& type, Attributes* defaults);

// Reads a default that is written as a text: "1", "True", "1,2,3".
absl::StatusOr<JsonValue> ParseDefaultText(absl::string_view text,
                                           const OperatorInfo::AttributeType& type);

}  // namespace mindspore_aot
}  // namespace callbridge

#endif  // CALLBRIDGE_MINDSPORE_AOT_ATTRIBUTE_DEFAULT_H_
