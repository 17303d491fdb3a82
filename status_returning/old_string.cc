// The only file that is compiled with the old string ABI. It must not include a header with strings
// in its interface.
#define _GLIBCXX_USE_CXX11_ABI 0

#include "callbridge/status_returning/old_string.h"

#include <string>

static_assert(sizeof(std::string) == 8, "libstdc++'s old string ABI");

namespace callbridge {

const char* OldStringData(const void* string) {
  return static_cast<const std::string*>(string)->data();
}

size_t OldStringSize(const void* string) { return static_cast<const std::string*>(string)->size(); }

void DestroyOldString(void* string) { static_cast<std::string*>(string)->~basic_string(); }

}  // namespace callbridge
