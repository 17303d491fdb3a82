#include "callbridge/tools/module_program.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "callbridge/runtime/helper_program.h"

namespace callbridge {

bool IsLibrary(const std::string& path) {
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
