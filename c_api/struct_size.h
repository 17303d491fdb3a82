// The rule by which the C API's structs grow: the caller says how much of one it knows.
#ifndef CALLBRIDGE_C_API_STRUCT_SIZE_H_
#define CALLBRIDGE_C_API_STRUCT_SIZE_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "callbridge/c_api/first_sizes.h"

namespace callbridge {

// Returns INVALID_ARGUMENT if `given` is smaller than the struct's first version.
template <typename Struct>
absl::Status CheckStructSize(const char* name, const Struct& given) {
  if (given.struct_size >= kFirstSize<Struct>) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, ".struct_size is ", given.struct_size,
                                                 ", but must be at least ", kFirstSize<Struct>,
                                                 ": set it to sizeof(", name, ")"));
}

// Returns whether `given` is large enough to hold `field`, which a version after the first
// appended. Ask before each use of such a field.
template <typename Struct, typename Field>
bool KnowsField(const Struct& given, const Field& field) {
  const auto end = reinterpret_cast<const char*>(&field + 1);
  return given.struct_size >= static_cast<size_t>(end - reinterpret_cast<const char*>(&given));
}

}  // namespace callbridge

#endif  // CALLBRIDGE_C_API_STRUCT_SIZE_H_
