#include "callbridge/mindspore_aot/aot_library.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "callbridge/mindspore_aot/aot_file.h"

namespace callbridge {
namespace mindspore_aot {
namespace {

namespace fs = std::filesystem;

}  // namespace

absl::StatusOr<AotName> ParseAotName(absl::string_view text) {
  const size_t colon = text.rfind(':');
  AotName name;
  if (colon != absl::string_view::npos) {
    name.path = std::string(text.substr(0, colon));
    name.function = std::string(text.substr(colon + 1));
  }
  if (name.path.empty() || name.function.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", text, "\": expected PATH:FUNCTION, as in ./add.so:CustomAdd"));
  }
  return name;
}

bool NamesAotOperator(const std::string& text) {
  const absl::StatusOr<AotName> name = ParseAotName(text);
  if (!name.ok()) return false;
  const std::string& function = name->function;
  const auto is_in_names = [](char c) { return absl::ascii_isalnum(c) || c == '_'; };
  std::error_code error;
  return !absl::ascii_isdigit(function[0]) &&
         std::all_of(function.begin(), function.end(), is_in_names) && !fs::exists(text, error);
}

absl::Status CheckIsAllowed(const std::string& path) {
  const char* allowed = std::getenv(kAllowedFolderVariable);
  if (allowed == nullptr) return absl::OkStatus();
  std::error_code error;
  const fs::path folder = fs::canonical(allowed, error);
  if (error || !fs::is_directory(folder, error)) {
    return absl::PermissionDeniedError(absl::StrCat(kAllowedFolderVariable, " is \"", allowed,
                                                    "\", which is no folder: name the folder that "
                                                    "AOT operators may come from, or unset it"));
  }
  const fs::path file = fs::canonical(path, error);
  if (error) return absl::NotFoundError(absl::StrCat(path, ": ", error.message()));
  for (fs::path above = file.parent_path();; above = above.parent_path()) {
    if (above == folder) return absl::OkStatus();
    if (above == above.parent_path()) break;
  }
  return absl::PermissionDeniedError(
      absl::StrCat("by ", kAllowedFolderVariable, " the legal path for the file is ",
                   folder.native(), ", but the file is ", file.native()));
}

absl::StatusOr<AotOperator> OpenAotOperator(const AotName& name, const LoadOptions& options) {
  absl::Status allowed = CheckIsAllowed(name.path);
  if (!allowed.ok()) return allowed;
  absl::StatusOr<AotFile> file = OpenAotFile(name.path, options);
  if (!file.ok()) return file.status();
  AotOperator aot;
  aot.path = name.path;
  aot.name = name.function;
  aot.content = file->content;
  aot.has_old_string = file->has_old_string;
  aot.library = file->library;
  const auto exported = [&](const char* suffix) {
    return file->library->Exported(absl::StrCat(name.function, suffix));
  };
  aot.function = reinterpret_cast<AotOperator::Function*>(exported(""));
  aot.init = reinterpret_cast<AotOperator::Init*>(exported("Init"));
  aot.infer_shape = reinterpret_cast<AotOperator::InferShape*>(exported("InferShape"));
  if (aot.function == nullptr) {
    return absl::NotFoundError(
        absl::StrCat(name.path, ": undefined symbol: ", name.function,
                     ": an AOT operator is a function that the library exports as extern \"C\"",
                     file->library->FunctionLike(name.function)));
  }
  return aot;
}

}  // namespace mindspore_aot
}  // namespace callbridge
