#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/client/c_status.h"
#include "callbridge/tools/array.h"
#include "callbridge/tools/call_arrays.h"
#include "callbridge/tools/child_run.h"
#include "callbridge/tools/module_commands.h"
#include "callbridge/tools/module_file.h"
#include "callbridge/tools/packed_elements.h"
#include "callbridge/tools/result_text.h"
#include "callbridge/tools/standard_files.h"

namespace callbridge {
namespace {

// Distinguishes HLO text from a proto as hlo/ does.
bool IsHloText(absl::string_view bytes) {
  const absl::string_view text = absl::StripLeadingAsciiWhitespace(bytes);
  return absl::StartsWith(text, "HloModule") || absl::StartsWith(text, "//") ||
         absl::StartsWith(text, "/*");
}

// The file may be of any kind. Reads it only once, because a pipe cannot be read again.
absl::StatusOr<ModulePointer> ReadModuleToRun(const std::string& path) {
  const absl::StatusOr<std::string> bytes = ReadModuleBytes(path);
  if (!bytes.ok()) return bytes.status();
  if (absl::StartsWith(*bytes, "\177ELF")) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": expected a regular file to load a library from; copy this one into one"));
  }
  absl::StatusOr<ModulePointer> module = ReadModule(*bytes, path);
  if (module.ok() || absl::IsUnimplemented(module.status()) || IsHloText(*bytes)) return module;
  if (IsStableHlo(*bytes)) {
    return absl::UnimplementedError(absl::StrCat(
        path, ": expected HLO, which the embedded runtime runs, found StableHLO; run it on XLA"));
  }
  const absl::string_view why =
      absl::StripPrefix(module.status().message(), absl::StrCat(path, ": "));
  return absl::Status(
      module.status().code(),
      absl::StrCat(path, ": not a library (not an ELF file), and not a module: ", why));
}

// Returns an error if an option does not apply to modules, else "".
std::string FindUsageError(const RunOptions& options) {
  const bool of_a_target =
      options.result.has_value() || !options.opaque.empty() || options.opaque_file.has_value() ||
      !options.attributes.values().empty() || options.abi != ApiVersion::kUnspecified ||
      (options.platform != Platform::kHost && !options.device.has_value()) ||
      options.tuple_layout != TupleLayout::kNested || options.operator_info_file.has_value();
  if (!of_a_target) return "";
  return absl::StrCat(
      "--result, --opaque, --opaque-file, --attribute, --abi, --platform, --tuple-layout and "
      "--operator-info are for a library's target, but ",
      options.file, " is a module, whose calls have these themselves");
}

absl::Status CheckParameters(const callbridge_program& program, const std::vector<Shape>& given) {
  const size_t count = callbridge_program_parameter_count(&program);
  if (given.size() != count) {
    return absl::InvalidArgumentError(absl::StrCat("the module has ", count, " parameters, but ",
                                                   given.size(), " operands were given"));
  }
  for (size_t i = 0; i < count; ++i) {
    const char* text = callbridge_program_parameter(&program, i);
    const absl::StatusOr<Shape> declared = ParseShape(text);
    if (!declared.ok()) return declared.status();
    const absl::StatusOr<Shape> expected = declared->WithoutLayouts();
    const absl::StatusOr<Shape> came = given[i].WithoutLayouts();
    if (!expected.ok() || !came.ok() || *expected != *came) {
      return absl::InvalidArgumentError(absl::StrCat("parameter ", i, " of the module is ", text,
                                                     ", but the operand is ", ShapeText(given[i])));
    }
  }
  return absl::OkStatus();
}

std::vector<callbridge_array> Lend(std::vector<Array>* arrays) {
  std::vector<callbridge_array> services;
  for (Array& array : *arrays) services.push_back({array.memory.data(), array.memory.size()});
  return services;
}

// Returns where a crash of the module's run is.
std::string InItsRun(const std::vector<CustomCall>& calls, const std::vector<Shape>& operands) {
  std::set<std::string> targets;
  for (const CustomCall& call : calls) targets.insert(call.target);
  return absl::StrCat("in its run; its custom calls are of ", absl::StrJoin(targets, ", "),
                      ", its operands were ",
                      absl::StrJoin(operands, ", ", [](std::string* text, const Shape& shape) {
                        absl::StrAppend(text, ShapeText(shape));
                      }));
}

absl::StatusOr<ProgramRecord> Execute(const callbridge_program& program,
                                      const std::vector<CustomCall>& calls, const Shape& result,
                                      const RunOptions& options, ForeignCode& foreign) {
  const absl::StatusOr<std::vector<Operand>> operands =
      OperandsFrom(options.target, options.operands);
  if (!operands.ok()) return operands.status();
  absl::StatusOr<LoadedOperands> loaded = LoadOperands(*operands);
  if (!loaded.ok()) return loaded.status();
  // The embedded runtime uses a byte for each element.
  for (Array& leaf : loaded->leaves) {
    absl::StatusOr<Array> unpacked = UnpackElements(std::move(leaf));
    if (!unpacked.ok()) return unpacked.status();
    leaf = *std::move(unpacked);
  }
  if (absl::Status same = CheckParameters(program, loaded->shapes); !same.ok()) return same;
  absl::StatusOr<std::vector<Array>> results = MakeResultArrays(result);
  if (!results.ok()) return results.status();
  foreign.Begins(options.file, InItsRun(calls, loaded->shapes));
  const std::vector<callbridge_array> in = Lend(&loaded->leaves);
  const std::vector<callbridge_array> out = Lend(&*results);
  absl::Status executed = client::TakeStatus(
      callbridge_program_execute(&program, in.data(), in.size(), out.data(), out.size()));
  foreign.Begins(options.file, "after its run, at the end of the process");
  if (!executed.ok()) return executed;
  // In elements of less than a byte the embedded runtime extends the sign; NumPy has zeros there.
  for (Array& leaf : *results) {
    absl::StatusOr<Array> packed = PackElements(std::move(leaf));
    if (!packed.ok()) return packed.status();
    leaf = *std::move(packed);
  }
  absl::StatusOr<ReturnedValue> value = FinishResult(result, *std::move(results), options.outputs);
  if (!value.ok()) return value.status();
  return ProgramRecord{options.file, *std::move(value)};
}

ExitStatus RunHere(const RunOptions& options, ForeignCode& foreign) {
  const absl::StatusOr<ModulePointer> module = ReadModuleToRun(options.file);
  if (!module.ok()) return Failure(module.status());
  if (const std::string wrong = FindUsageError(options); !wrong.empty()) return UsageError(wrong);
  const absl::StatusOr<std::vector<CustomCall>> calls = CustomCalls(**module);
  if (!calls.ok()) return Failure(calls.status());
  absl::StatusOr<DevicePointer> device = DevicePointer();  // destroyed after the program
  if (options.device.has_value()) device = OpenDevice(*options.device);
  if (!device.ok()) return Failure(device.status());
  foreign.Begins(absl::StrCat("a library of ", options.file), "while it was loaded");
  const absl::StatusOr<ProgramPointer> program = CompileModule(
      **module, options.libraries, options.isolate, device->get(), options.synchronizes);
  if (absl::IsUnimplemented(program.status())) {
    return FailureInLines(
        absl::UnimplementedError(absl::StrCat(options.file, ": ", program.status().message())));
  }
  if (!program.ok()) return FailureInLines(program.status());
  const absl::StatusOr<Shape> result = ParseShape(callbridge_program_result(program->get()));
  if (!result.ok()) return Failure(result.status());
  if (const std::string wrong = FindOutputUsageError(options.outputs, *result); !wrong.empty()) {
    return UsageError(wrong);
  }
  const absl::StatusOr<ProgramRecord> record =
      Execute(**program, *calls, *result, options, foreign);
  if (!record.ok()) return Failure(record.status());
  const absl::Status printed =
      PrintToStandardOutput(options.json ? JsonOf(*record) : TextOf(*record));
  return printed.ok() ? kSuccess : Failure(printed);
}

}  // namespace

ExitStatus RunModule(const RunOptions& options) {
  return RunForeignCode(!options.in_process,
                        [&](ForeignCode& foreign) { return RunHere(options, foreign); });
}

}  // namespace callbridge
