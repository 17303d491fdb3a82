// The rule by which the C API's structs grow: the caller says how much of one it knows.
#ifndef CALLBRIDGE_C_API_STRUCT_SIZE_H_
#define CALLBRIDGE_C_API_STRUCT_SIZE_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace callbridge {

// INVALID_ARGUMENT where `given` is less than the `needed` bytes that the struct's first version
// had.
inline absl::Status CheckStructSize(const char* name, size_t given, size_t needed) {
  if (given >= needed) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, ".struct_size is ", given,
                                                 ", but must be at least ", needed,
                                                 ": set it to sizeof(", name, ")"));
}

// Whether the caller knows a field of `given` that a version after the first appended.
template <typename Struct, typename Field>
bool KnowsField(const Struct& given, const Field& field) {
  const auto end = reinterpret_cast<const char*>(&field + 1);
  return given.struct_size >= static_cast<size_t>(end - reinterpret_cast<const char*>(&given));
}

}  // namespace callbridge

#endif  // CALLBRIDGE_C_API_STRUCT_SIZE_H_
