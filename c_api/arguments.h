// What every C function checks of its arguments before it uses them.
#ifndef CALLBRIDGE_C_API_ARGUMENTS_H_
#define CALLBRIDGE_C_API_ARGUMENTS_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "callbridge/c_api/callbridge.h"

namespace callbridge {

// A pointer that must not be null, and its parameter's name.
struct Pointer {
  template <typename T>
  Pointer(const char* name, T* pointer) : name(name), is_null(pointer == nullptr) {}

  const char* name;
  bool is_null;
};

inline absl::Status NullError(absl::string_view name) {
  return absl::InvalidArgumentError(absl::StrCat(name, " is null"));
}

// Returns INVALID_ARGUMENT if one is null, and names the first.
inline absl::Status CheckPointers(std::initializer_list<Pointer> pointers) {
  for (const Pointer& pointer : pointers) {
    if (pointer.is_null) return NullError(pointer.name);
  }
  return absl::OkStatus();
}

// Checks an array of `count` elements of `element_bytes` each; `data` may be null if there are
// none. Returns INVALID_ARGUMENT if it is null, or no object can have so many bytes.
inline absl::Status CheckArray(absl::string_view name, const void* data,
                               absl::string_view count_name, size_t count,
                               size_t element_bytes = 1) {
  if (count == 0) return absl::OkStatus();
  if (data == nullptr) return NullError(name);
  const size_t most = static_cast<size_t>(PTRDIFF_MAX) / element_bytes;
  if (count <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(count_name, " is ", count,
                                                 ", but memory holds at most ", most,
                                                 " elements of ", element_bytes, " bytes"));
}

// Returns INVALID_ARGUMENT if the list or the data of an element is null but must not be, and names
// it.
inline absl::Status CheckArrays(const char* name, const callbridge_array* arrays, size_t count) {
  absl::Status list =
      CheckArray(name, arrays, absl::StrCat("the count of ", name), count, sizeof(*arrays));
  for (size_t i = 0; list.ok() && i < count; ++i) {
    if (arrays[i].data == nullptr && arrays[i].size_bytes > 0) {
      return NullError(absl::StrCat(name, "[", i, "].data"));
    }
  }
  return list;
}

}  // namespace callbridge

#endif  // CALLBRIDGE_C_API_ARGUMENTS_H_
