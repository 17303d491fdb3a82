// Opens AOT operators as MindSpore's ops.Custom names them: "./add.so:CustomAdd".
#ifndef CALLBRIDGE_MINDSPORE_AOT_AOT_LIBRARY_H_
#define CALLBRIDGE_MINDSPORE_AOT_AOT_LIBRARY_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/loader/target_library.h"
#include "callbridge/mindspore_aot/aot_operator.h"

namespace callbridge {
namespace mindspore_aot {

// The environment variable that names the folder which operators may come from.
inline constexpr char kAllowedFolderVariable[] = "MS_CUSTOM_AOT_WHITE_LIST";

struct AotName {
  std::string path;
  std::string function;
};

// Splits "PATH:FUNCTION" at its last colon. Returns INVALID_ARGUMENT if there is none, or if one of
// the two is empty.
absl::StatusOr<AotName> ParseAotName(absl::string_view text);

// Returns whether `text` names an operator and not a file: no file has that name, and it ends with
// a colon and a name of C.
bool NamesAotOperator(const std::string& text);

// Returns OK if the file at `path` may be used: if kAllowedFolderVariable is not set, or names the
// file's folder or one above it. Links are resolved in both. Returns PERMISSION_DENIED otherwise,
// and if the variable is set and names no folder.
absl::Status CheckIsAllowed(const std::string& path);

// Opens the file at `name.path` (OpenAotFile()), and finds the functions of the operator. Operators
// of one file share its static variables, whatever path names it, as long as it is not changed.
// Fails as CheckIsAllowed() and OpenAotFile(), and returns NOT_FOUND if the library exports no such
// function. What the functions take cannot be seen in their names: F must be a function as
// AotOperator has it.
absl::StatusOr<AotOperator> OpenAotOperator(const AotName& name, const LoadOptions& options = {});

}  // namespace mindspore_aot
}  // namespace callbridge

#endif  // CALLBRIDGE_MINDSPORE_AOT_AOT_LIBRARY_H_
