#define _GLIBCXX_USE_CXX11_ABI 0

#include <cstring>
#include <optional>
#include <string>

#include "tests/status_returning/private_copies.h"

namespace callbridge {
namespace {

using Status = std::optional<std::string>;
static_assert(sizeof(Status) == 16, "");

void SetSuccess(void* status) { static_cast<Status*>(status)->reset(); }
void SetFailure(void* status, const char* message, size_t message_len) {
  *static_cast<Status*>(status) = std::string(message, strnlen(message, message_len));
}

}  // namespace

StatusFunctions OldStringCopy() { return {"old string", &SetSuccess, &SetFailure}; }

}  // namespace callbridge
