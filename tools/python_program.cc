#include "callbridge/tools/python_program.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "callbridge/loader/child_process.h"

namespace callbridge {
namespace {

constexpr char kLibrary[] = CALLBRIDGE_LIBRARY;  // its SONAME

// Lets Python find the callbridge package and the library that this program uses.
absl::Status SetEnvironment() {
  const absl::StatusOr<std::string> folder = FindPythonFolder();
  if (!folder.ok()) return folder.status();
  const absl::StatusOr<std::string> library = FindHelperLibrary(kLibrary, "CALLBRIDGE_LIBRARY");
  if (!library.ok()) return library.status();
  const char* given = std::getenv("PYTHONPATH");
  const std::string path =
      given == nullptr || *given == '\0' ? *folder : absl::StrCat(*folder, ":", given);
  setenv("PYTHONPATH", path.c_str(), /*overwrite=*/1);
  // A folder with a ':' in its name is two in PYTHONPATH.
  setenv("CALLBRIDGE_PYTHON_FOLDER", folder->c_str(), /*overwrite=*/1);
  setenv("CALLBRIDGE_LIBRARY", library->c_str(), /*overwrite=*/1);
  return absl::OkStatus();
}

// With -c and -m, Python looks for modules in the working folder first, where a jax.py or a json.py
// may be anything. (The options that prevent that need Python 3.11, or drop PYTHONPATH too.)
constexpr char kProgram[] =
    "import os, sys; folder = os.environ['CALLBRIDGE_PYTHON_FOLDER']; "
    "sys.path = [folder, *(path for path in sys.path if path and path != folder)]; "
    "from callbridge._core._output import guarded; from callbridge.MODULE import main; "
    "sys.exit(guarded(main, *sys.argv[1:]))";

}  // namespace

ExitStatus BecomePython(absl::string_view module, const std::vector<std::string>& words,
                        absl::string_view reason, absl::string_view python) {
  absl::Status found = SetEnvironment();
  if (!found.ok()) return Failure(found);
  const char* declared = std::getenv("CALLBRIDGE_PYTHON");
  const char* program = declared == nullptr ? "python3" : declared;
  std::vector<std::string> command = {program, "-c",
                                      absl::StrReplaceAll(kProgram, {{"MODULE", module}})};
  command.insert(command.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(program, arguments.data());
  return Failure(absl::FailedPreconditionError(
      absl::StrCat(reason, " ", program, " cannot be started: ", std::strerror(errno), "; install ",
                   python, ", or set CALLBRIDGE_PYTHON to one that has it")));
}

}  // namespace callbridge
