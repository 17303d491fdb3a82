// What is wrong with a table that ld.so would trust.
#ifndef CALLBRIDGE_LOADER_TABLE_ERROR_H_
#define CALLBRIDGE_LOADER_TABLE_ERROR_H_

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace callbridge {

// INVALID_ARGUMENT, to stand behind the file's name.
inline absl::Status TableError(absl::string_view table, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("has a bad ", table, ": ", what));
}

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_TABLE_ERROR_H_
