// JsonValue: a JSON text (RFC 8259), read.
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

  // std::monostate is null. Numbers without a fraction and an exponent are int64_t.
  std::variant<std::monostate, bool, int64_t, double, std::string, List, Object> value;

  template <typename T>
  const T* get() const {
    return std::get_if<T>(&value);
  }
  bool is_null() const { return value.index() == 0; }

  // Returns the member of an object; null if this is none, or has no such member or a null one.
  const JsonValue* Find(const std::string& name) const;
  // Returns "a list", "a string" and so on.
  std::string KindText() const;
};

// Reads one value, nested at most 32 deep. Returns INVALID_ARGUMENT, which says what was expected
// at which byte, counted from 1, if `text` is not JSON, and for integers that are no int64_t.
absl::StatusOr<JsonValue> ParseJson(absl::string_view text);

}  // namespace mindspore_aot
}  // namespace callbridge

#endif  // CALLBRIDGE_MINDSPORE_AOT_JSON_VALUE_H_
