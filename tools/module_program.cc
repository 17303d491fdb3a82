#include "callbridge/tools/module_program.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "callbridge/loader/child_process.h"

namespace callbridge {

bool IsLibrary(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return std::filesystem::is_directory(status);
  }
  std::ifstream file(path, std::ios::binary);
  std::string magic(4, '\0');
  if (!file.read(&magic[0], static_cast<std::streamsize>(magic.size()))) return !file.is_open();
  return magic == "\177ELF";
}

ExitStatus BecomeModuleProgram(char** argv) {
  const absl::StatusOr<std::string> program =
      FindHelperProgram("callbridge-module", "CALLBRIDGE_MODULE");
  if (!program.ok()) return Failure(program.status());
  execv(program->c_str(), argv);
  return Failure(absl::FailedPreconditionError(absl::StrCat(*program, ": ", std::strerror(errno))));
}

}  // namespace callbridge
