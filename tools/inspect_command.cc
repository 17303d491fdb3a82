#include "callbridge/tools/inspect_command.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "callbridge/loader/elf_file.h"
#include "callbridge/loader/elf_sections.h"
#include "callbridge/loader/files.h"
#include "callbridge/loader/inspection.h"
#include "callbridge/loader/typed_probe.h"
#include "callbridge/loader/unnamed_functions.h"
#include "callbridge/loader/verdict.h"
#include "callbridge/mindspore_aot/aot_library.h"
#include "callbridge/tools/command_line.h"
#include "callbridge/tools/inspection_json.h"
#include "callbridge/tools/inspection_text.h"
#include "callbridge/tools/operator_inspection.h"
#include "callbridge/tools/standard_output.h"

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

// Returns what a function that others do not find by a name is called: by its address, with the
// name that the file's own symbols have for it. Returns "" if such a name has a type, which tells
// that it is no handler: mangled names begin with "_".
std::string UnexportedName(const FunctionNames& names, uint64_t address) {
  std::string text = absl::StrCat("function at 0x", absl::Hex(address));
  const std::vector<std::string> own = names.At(address);
  if (own.empty()) return text;
  for (const std::string& name : own) {
    if (!absl::StartsWith(name, "_")) return absl::StrCat(text, " (", name, ")");
  }
  return "";
}

// Asks the functions of a file that others do not find by name, and adds those that prove to be
// typed; or, if the file cannot be opened, the first one.
void ProbeUnexported(const std::string& path, std::set<uint64_t> asked,
                     std::vector<ProbedFunction>& probed) {
  absl::StatusOr<std::string> bytes = ReadRegularFile(path);
  if (!bytes.ok()) return;
  const absl::StatusOr<ElfFile> file = ElfFile::Parse(*std::move(bytes));
  if (!file.ok()) return;
  const FunctionNames names(*file);
  for (const uint64_t address : AddressTakenFunctions(*file)) {
    const std::string name = UnexportedName(names, address);
    if (name.empty() || !asked.insert(address).second) continue;
    const TypedAnswer answer = ProbeTyped(path, address);
    const bool is_opened = !absl::StartsWith(answer.evidence, kCannotBeOpened);
    if (is_opened && answer.verdict != TypedVerdict::kTyped) continue;
    probed.push_back({name, answer, /*has_symbol=*/false});
    if (!is_opened) return;
  }
}

std::vector<ProbedFunction> Probe(const Inspection& inspection) {
  std::vector<ProbedFunction> probed;
  if (inspection.kind != FileKind::kSharedLibrary) return probed;
  std::set<uint64_t> asked;
  const auto ask = [&](const std::string& symbol, uint64_t address) {
    probed.push_back({symbol, ProbeTyped(inspection.path, address)});
    asked.insert(address);
  };
  for (const auto& [key, function] : inspection.symbols.functions) {
    if (function.on_host == ApiVersion::kTypedFfi) ask(function.symbol, function.address);
  }
  for (const UntypedFunction& function : PossibleHandlers(inspection)) {
    ask(function.name, function.address);
  }
  // Only where no name tells of a handler: a function that is not a handler may do anything.
  const bool has_named = std::any_of(probed.begin(), probed.end(), [](const ProbedFunction& one) {
    return one.answer.verdict == TypedVerdict::kTyped;
  });
  if (inspection.mentions_typed_ffi && !has_named) {
    ProbeUnexported(inspection.path, std::move(asked), probed);
  }
  return probed;
}

std::vector<std::string> TypedSymbols(const std::vector<ProbedFunction>& probed) {
  std::vector<std::string> symbols;
  for (const ProbedFunction& function : probed) {
    if (!function.has_symbol) continue;
    if (function.answer.verdict == TypedVerdict::kTyped) symbols.push_back(function.symbol);
  }
  return symbols;
}

absl::StatusOr<InspectedFile> InspectFile(const std::string& path, bool probe) {
  absl::StatusOr<Inspection> inspection = Inspect(path);
  if (!inspection.ok()) return inspection.status();
  InspectedFile file{*std::move(inspection), {}, {}, {}};
  if (probe) file.probed = Probe(file.inspection);
  file.operators = FindOperators(file.inspection);
  file.verdict = JudgeOperators(file.inspection, file.operators,
                                Judge(file.inspection, TypedSymbols(file.probed)));
  return file;
}

absl::StatusOr<InspectedFile> InspectOperator(const std::string& name) {
  absl::StatusOr<NamedOperator> named = InspectNamedOperator(name);
  if (!named.ok()) return named.status();
  return InspectedFile{
      std::move(named->inspection), std::move(named->verdict), {}, std::move(named->operators)};
}

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
                                             ? InspectOperator(path)
                                             : InspectFile(path, options.probe);
    if (file.ok()) {
      files.push_back(*std::move(file));
    } else {
      result = Failure(
          absl::Status(file.status().code(), absl::StrCat(path, ": ", file.status().message())));
    }
  }
  const absl::Status printed = PrintToStandardOutput(options.json ? JsonOf(files) : TextOf(files));
  return printed.ok() ? result : Failure(printed);
}

}  // namespace callbridge
