// Helpers that callbridge finds at run time: programs, for what must not happen in this process; a
// library, for what only some files need.
#ifndef CALLBRIDGE_LOADER_HELPER_PROGRAM_H_
#define CALLBRIDGE_LOADER_HELPER_PROGRAM_H_

#include <string>

#include "absl/status/statusor.h"

namespace callbridge {

// The path of the helper `name`: what the environment's `variable` says, or else beside callbridge
// (the build tree), or else in ../libexec/callbridge from there (installed). FAILED_PRECONDITION
// says where it is not.
absl::StatusOr<std::string> FindHelperProgram(const std::string& name, const char* variable);

// The same for a library, which is installed in the lib beside bin and libexec.
absl::StatusOr<std::string> FindHelperLibrary(const std::string& name, const char* variable);

// The absolute path of the libcallbridge.so that this process has loaded; empty if it has none.
// Helper programs that open a file get it as their last argument.
std::string LoadedCallbridge();

// What a helper program does with that path before it opens a file that may need libcallbridge.so:
// opens it, so that ld.so finds it under its name as in the process that asks. Empty is ignored.
void OpenLoadedCallbridge(const char* path);

// The folder that holds the Python package callbridge: installed, beside libexec; in a source tree,
// beside build. CALLBRIDGE_PYTHON_FOLDER goes before both.
absl::StatusOr<std::string> FindPythonFolder();

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_HELPER_PROGRAM_H_
