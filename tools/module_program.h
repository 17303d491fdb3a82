// Modules are left to a program of its own, callbridge-module, which reads the same command line.
//
// It stands on the shared libraries, as every other user's program does; this one has callbridge's
// floors in it, and a process with both would have two registries.
#ifndef CALLBRIDGE_TOOLS_MODULE_PROGRAM_H_
#define CALLBRIDGE_TOOLS_MODULE_PROGRAM_H_

#include <string>

#include "callbridge/tools/exit_status.h"

namespace callbridge {

// Whether `run` is given a library: a regular file that begins as ELF files do. What cannot be
// opened counts as one, so that the loader says why. Other files are not touched, since what they
// have can be read once only: callbridge-module does that.
bool IsLibrary(const std::string& path);

// Becomes callbridge-module. Returns only if there is none: beside callbridge, in
// ../libexec/callbridge, or where the environment's CALLBRIDGE_MODULE says.
ExitStatus BecomeModuleProgram(char** argv);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_MODULE_PROGRAM_H_
