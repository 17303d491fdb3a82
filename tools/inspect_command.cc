#include "callbridge/tools/inspect_command.h"

#include <string>
#include <utility>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "callbridge/loader/inspected_file.h"
#include "callbridge/loader/inspection_json.h"
#include "callbridge/mindspore_aot/aot_library.h"
#include "callbridge/mindspore_aot/operator_inspection.h"
#include "callbridge/tools/command_line.h"
#include "callbridge/tools/inspection_text.h"
#include "callbridge/tools/standard_files.h"

namespace callbridge {
namespace {

constexpr char kInspectDescription[] =
    "Describes FILE: its custom calls and their ABIs, what it needs, what is missing, and what to "
    "type next";

constexpr char kInspectFooter[] =
    R"(FILE is a shared library, a Python extension module, an object file, an archive or a program, for
Linux on x86-64 or aarch64. None of its code runs: the command reads its tables, and if FILE is for
this machine asks ld.so, in the mode that runs nothing, where the libraries are that FILE needs.

FILE:FUNCTION is an AOT operator of MindSpore, of a library or of a source file (.cc, .cpp, .cu), which
is compiled.

The type in a function's mangled C++ name tells its ABI. Functions without one (extern "C") and
functions of stripped files show no ABI.

--probe runs code of FILE, in a separate process: its constructors, and each function that may be a
typed FFI handler, which it asks for metadata: of a file without an exported handler, all whose address
is taken and whose names have no type. A function that is not a handler may do anything.

Examples
  callbridge inspect libold.so
  callbridge inspect --json _lapack.so
  callbridge inspect ./add.so:CustomAdd

Exit status: 0 on success, 1 if a FILE could not be inspected, 2 if the command line is wrong.)";

}  // namespace

CLI::App* AddInspectCommand(CLI::App* app, InspectOptions* options) {
  CLI::App* inspect = app->add_subcommand("inspect", kInspectDescription);
  inspect->footer(kInspectFooter);
  TakeEachUnchanged(inspect->add_option("FILE", options->files, "The files"))
      ->type_name("")
      ->required();
  inspect->add_flag("--json", options->json, "Print JSON: a list with one object for each FILE");
  inspect->add_flag("--probe", options->probe, "Ask functions whether they are typed FFI handlers");
  return inspect;
}

ExitStatus RunInspect(const InspectOptions& options) {
  ExitStatus result = kSuccess;
  std::vector<InspectedFile> files;
  for (const std::string& path : options.files) {
    absl::StatusOr<InspectedFile> file = mindspore_aot::NamesAotOperator(path)
                                             ? mindspore_aot::InspectOperator(path)
                                             : InspectFile(path, options.probe);
    if (file.ok()) {
      files.push_back(*std::move(file));
    } else {
      result = FailureInLines(
          absl::Status(file.status().code(), absl::StrCat(path, ": ", file.status().message())));
    }
  }
  const absl::Status printed = PrintToStandardOutput(options.json ? JsonOf(files) : TextOf(files));
  return printed.ok() ? result : Failure(printed);
}

}  // namespace callbridge
