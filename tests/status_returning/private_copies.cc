#include "tests/status_returning/private_copies.h"

#include <cstring>
#include <new>
#include <optional>
#include <string>

namespace callbridge {
namespace {

using Optional = std::optional<std::string>;
static_assert(sizeof(Optional) == 40, "");

void SetOptionalSuccess(void* status) { static_cast<Optional*>(status)->reset(); }
void SetOptionalFailure(void* status, const char* message, size_t message_len) {
  *static_cast<Optional*>(status) = std::string(message, strnlen(message, message_len));
}

// What absl::optional is without std::optional: a flag and a union.
struct AbslOptional {
  bool engaged;
  union {
    char dummy;
    std::string message;
  };

  void Reset() {
    if (engaged) message.~basic_string();
    engaged = false;
  }
  void Set(std::string value) {
    if (engaged) {
      message = std::move(value);
    } else {
      new (&message) std::string(std::move(value));
      engaged = true;
    }
  }
  AbslOptional() = delete;
  ~AbslOptional() = delete;
};
static_assert(sizeof(AbslOptional) == 40, "");

void SetAbslSuccess(void* status) { static_cast<AbslOptional*>(status)->Reset(); }
void SetAbslFailure(void* status, const char* message, size_t message_len) {
  static_cast<AbslOptional*>(status)->Set(std::string(message, strnlen(message, message_len)));
}

}  // namespace

StatusFunctions OptionalCopy() { return {"optional", &SetOptionalSuccess, &SetOptionalFailure}; }
StatusFunctions AbslOptionalCopy() { return {"absl optional", &SetAbslSuccess, &SetAbslFailure}; }

}  // namespace callbridge
