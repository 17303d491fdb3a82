// Reads std::string of libstdc++'s old ABI (_GLIBCXX_USE_CXX11_ABI=0) from code that is compiled
// with the new one.
#ifndef CALLBRIDGE_STATUS_RETURNING_OLD_STRING_H_
#define CALLBRIDGE_STATUS_RETURNING_OLD_STRING_H_

#include <cstddef>

namespace callbridge {

// `string` is the address of a std::string of the old ABI.
const char* OldStringData(const void* string);
size_t OldStringSize(const void* string);
void DestroyOldString(void* string);

}  // namespace callbridge

#endif  // CALLBRIDGE_STATUS_RETURNING_OLD_STRING_H_
