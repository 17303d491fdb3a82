// JsonValue: a JSON text (RFC 8259), read. nlohmann::json's own values end the process if memory
// runs out, since their destructors allocate; only its reader is used.
#ifndef CALLBRIDGE_MINDSPORE_AOT_JSON_VALUE_H_
#define CALLBRIDGE_MINDSPORE_AOT_JSON_VALUE_H_

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace callbridge {
namespace mindspore_aot {

struct JsonValue {
  using List = std::vector<JsonValue>;
  // Of several members of one name, the last one.
  using Object = std::map<std::string, JsonValue>;

  // std::monostate is null. A number without a fraction and an exponent is a uint64_t, or an
  // int64_t if it is negative; a double if it is none of these.
  std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string, List, Object> value;

  template <typename T>
  const T* get() const {
    return std::get_if<T>(&value);
  }
  bool is_null() const { return value.index() == 0; }

  // Returns the member of an object; null if this is not an object, or has no such member or a null
  // one.
  const JsonValue* Find(const std::string& name) const;
  // Returns what it is, for messages: "true", "1.5", "\"x\"", "a list of 3".
  std::string Text() const;
};

// Reads one value, nested at most 32 deep. Returns INVALID_ARGUMENT, which says where, if `text` is
// not JSON.
absl::StatusOr<JsonValue> ParseJson(absl::string_view text);

}  // namespace mindspore_aot
}  // namespace callbridge

#endif  // CALLBRIDGE_MINDSPORE_AOT_JSON_VALUE_H_
