// Runs callbridge-module, a separate program for commands on modules with the same command line.
//
// It links to the shared libraries, as users' programs do. callbridge has the libraries' code
// linked in; a process with both would have two registries.
#ifndef CALLBRIDGE_TOOLS_MODULE_PROGRAM_H_
#define CALLBRIDGE_TOOLS_MODULE_PROGRAM_H_

#include <string>

#include "callbridge/tools/exit_status.h"

namespace callbridge {

// Returns true if `run` should treat the file as a library: a regular file that begins as ELF files
// do, or one that cannot be opened, so that the loader reports why. Does not read other files,
// since a pipe can be read only once: callbridge-module does that.
bool IsLibrary(const std::string& path);

// Replaces this process by callbridge-module. Returns only if it is not found: not beside
// callbridge, not in ../libexec/callbridge, and not where the environment variable
// CALLBRIDGE_MODULE says.
ExitStatus BecomeModuleProgram(char** argv);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_MODULE_PROGRAM_H_
