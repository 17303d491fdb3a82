#include "callbridge/tools/run_command.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "callbridge/abi/call_site.h"
#include "callbridge/abi/operator_info.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/adapters/device_executor.h"
#include "callbridge/adapters/executor.h"
#include "callbridge/adapters/target_abis.h"
#include "callbridge/cuda/device.h"
#include "callbridge/cuda/stream.h"
#include "callbridge/loader/target_library.h"
#include "callbridge/mindspore_aot/aot_library.h"
#include "callbridge/mindspore_aot/aot_targets.h"
#include "callbridge/mindspore_aot/operator_info_json.h"
#include "callbridge/tools/array.h"
#include "callbridge/tools/call_arrays.h"
#include "callbridge/tools/child_run.h"
#include "callbridge/tools/file_bytes.h"
#include "callbridge/tools/packed_elements.h"
#include "callbridge/tools/result_text.h"
#include "callbridge/tools/standard_files.h"

namespace callbridge {
namespace {

// Returns what a library registered, "do_custom_call on Host, scale on CUDA", or what to do if that
// is nothing.
std::string TargetNames(const TargetLibrary& library) {
  if (library.targets().empty()) return "nothing: name a function that it exports, and its --abi";
  return absl::StrJoin(library.targets(), ", ", [](std::string* text, const LibraryTarget& target) {
    absl::StrAppend(text, target.registered.name, " on ", target.registered.platform);
  });
}

absl::StatusOr<std::shared_ptr<TargetLibrary>> LoadLibrary(const RunOptions& options) {
  LoadOptions load;
  load.isolate = options.isolate;
  return TargetLibrary::Load(options.file, load);
}

ExitStatus MissingTarget(const RunOptions& options) {
  const absl::StatusOr<std::shared_ptr<TargetLibrary>> library = LoadLibrary(options);
  if (!library.ok()) return Failure(library.status());
  return UsageError(
      absl::StrCat("TARGET is required; ", options.file, " registers ", TargetNames(**library)));
}

// Returns an error if the options do not fit together, else "".
std::string FindUsageError(const RunOptions& options, bool is_operator) {
  if (!options.result.has_value()) {
    return is_operator ? "" : "--result is required: the shape that the target returns";
  }
  if (absl::Status sizes = CheckElementSizes(*options.result); !sizes.ok()) {
    return absl::StrCat("--result: ", sizes.message());
  }
  return FindOutputUsageError(options.outputs, *options.result);
}

// Returns how the library shows the target's ABI, or that it does not.
std::string EvidenceOf(const TargetLibrary& library, const Target& target) {
  for (const LibraryTarget& candidate : library.targets()) {
    if (candidate.registered.name == target.name &&
        candidate.registered.address == target.address) {
      return candidate.evidence;
    }
  }
  return "";
}

struct FoundTarget {
  Target target;
  std::string evidence;
};

// Returns the target that the library registers, or else the function that it exports under that
// name, if its ABI is known.
absl::StatusOr<FoundTarget> FindUndeclared(const TargetLibrary& library,
                                           const RunOptions& options) {
  absl::StatusOr<Target> target = library.Find(*options.target, options.platform, options.abi);
  if (target.ok()) {
    std::string evidence = EvidenceOf(library, *target);
    return FoundTarget{*std::move(target), std::move(evidence)};
  }
  const absl::StatusOr<LibraryTarget> function =
      library.Function(*options.target, options.platform);
  if (!function.ok()) return library.targets().empty() ? function.status() : target.status();
  if (function->api_version == ApiVersion::kUnspecified &&
      options.abi == ApiVersion::kUnspecified) {
    return absl::NotFoundError(absl::StrCat(
        library.path(), ": exports a function ", *options.target,
        " but does not register it, and its symbol does not tell its ABI: declare it with --abi (",
        TargetAbiNames(), ")"));
  }
  return FoundTarget{library.ToTarget(*function, options.platform), function->evidence};
}

// Returns the target, with the ABI that the library shows or else --abi declares.
absl::StatusOr<FoundTarget> FindTarget(const TargetLibrary& library, const RunOptions& options) {
  absl::StatusOr<FoundTarget> registered_or_exported = FindUndeclared(library, options);
  if (!registered_or_exported.ok()) return registered_or_exported;
  FoundTarget found = *std::move(registered_or_exported);
  if (options.abi == ApiVersion::kUnspecified) return found;
  if (!found.target.api_version_is_proved) {
    found.target.api_version = options.abi;
    found.evidence = "declared by --abi";
  } else if (found.target.api_version != options.abi) {
    return absl::InvalidArgumentError(
        absl::StrCat(found.target.name, " is ", ApiVersionName(found.target.api_version), " (",
                     found.evidence, "), not ", ApiVersionName(options.abi), ": leave --abi out"));
  }
  return found;
}

// What an HLO module can hold, and what no declaration is long enough for: a device has no end.
constexpr size_t kMostOpaque = INT32_MAX;
constexpr size_t kMostOperatorInfo = size_t{64} << 20;

absl::StatusOr<std::string> LoadOpaque(const RunOptions& options) {
  return options.opaque_file.has_value() ? ReadFile(*options.opaque_file, kMostOpaque)
                                         : options.opaque;
}

absl::StatusOr<std::shared_ptr<const OperatorInfo>> LoadOperatorInfo(const RunOptions& options) {
  if (!options.operator_info_file.has_value()) return nullptr;
  absl::StatusOr<std::string> json = ReadFile(*options.operator_info_file, kMostOperatorInfo);
  if (!json.ok()) return json.status();
  absl::StatusOr<OperatorInfo> info = mindspore_aot::ParseOperatorInfo(*json);
  if (info.ok()) return std::make_shared<const OperatorInfo>(*std::move(info));
  return absl::Status(info.status().code(),
                      absl::StrCat(*options.operator_info_file, ": ", info.status().message()));
}

std::vector<HostArray> HostArrays(std::vector<Array>* arrays) {
  std::vector<HostArray> host_arrays;
  for (Array& array : *arrays) {
    host_arrays.push_back({array.memory.data(), array.memory.size()});
  }
  return host_arrays;
}

// Returns the AOT operator `options.file`.
absl::StatusOr<FoundTarget> LoadOperator(const RunOptions& options) {
  LoadOptions load;
  load.isolate = options.isolate;
  absl::StatusOr<std::vector<LibraryTarget>> targets =
      mindspore_aot::LoadAotTargets(options.file, load);
  if (!targets.ok()) return targets.status();
  for (const LibraryTarget& candidate : *targets) {
    if (candidate.registered.platform != PlatformName(options.platform)) continue;
    FoundTarget found;
    found.target.name = candidate.registered.name;
    found.target.platform = options.platform;
    found.target.api_version = candidate.api_version;
    found.target.api_version_is_proved = true;
    found.target.address = candidate.registered.address;
    found.target.stages = candidate.stages;
    found.evidence = candidate.evidence;
    return found;
  }
  return absl::NotFoundError(absl::StrCat(
      options.file, " is an AOT operator, which has no form for ", PlatformName(options.platform)));
}

// Returns the shape that --result says, or that an AOT operator infers for `site`.
absl::StatusOr<Shape> ResultShape(const FoundTarget& found, const CallSite& site,
                                  const RunOptions& options) {
  if (options.result.has_value()) return PackedShape(*options.result);
  absl::StatusOr<Shape> inferred = mindspore_aot::InferResult(found.target, site);
  if (!inferred.ok()) return inferred.status();
  if (const std::string wrong = FindOutputUsageError(options.outputs, *inferred); !wrong.empty()) {
    return absl::InvalidArgumentError(wrong);
  }
  return PackedShape(*inferred);
}

// Executes the call where the options say.
absl::Status Execute(const CallSite& site, const Target& target,
                     const std::vector<HostArray>& operands, const std::vector<HostArray>& results,
                     const RunOptions& options) {
  if (!options.device.has_value()) return Execute(site, target, operands, results);
  absl::StatusOr<std::shared_ptr<const cuda::Device>> device = cuda::Device::Open(*options.device);
  if (!device.ok()) return device.status();
  const absl::StatusOr<std::unique_ptr<const cuda::Stream>> stream =
      cuda::Stream::Create(*std::move(device));
  if (!stream.ok()) return stream.status();
  return ExecuteOnDevice(site, target, operands, results, {}, **stream, options.synchronizes);
}

// Returns where a crash of the call is, and what the user can check.
std::string InItsCall(const FoundTarget& found, const CallSite& site) {
  const std::string operands = absl::StrJoin(
      site.operands, ", ",
      [](std::string* text, const Shape& shape) { absl::StrAppend(text, ShapeText(shape)); });
  return absl::StrCat(
      "in its call; ",
      operands.empty() ? "it had no operands" : absl::StrCat("its operands were ", operands),
      "; does it take them? It was called as ", ApiVersionName(found.target.api_version),
      found.evidence.empty() ? "" : absl::StrCat(" (", found.evidence, ")"), ", with the result ",
      ShapeText(site.result));
}

// `files` are the operands.
absl::StatusOr<CallRecord> Call(const FoundTarget& found, const std::vector<Operand>& files,
                                const RunOptions& options, ForeignCode& foreign) {
  CallSite site;
  site.target_name = found.target.name;
  site.platform = options.platform;
  site.api_version = options.abi;
  site.tuple_layout = options.tuple_layout;
  site.attributes = options.attributes;
  absl::StatusOr<std::string> opaque = LoadOpaque(options);
  if (!opaque.ok()) return opaque.status();
  site.opaque = *std::move(opaque);
  absl::StatusOr<std::shared_ptr<const OperatorInfo>> info = LoadOperatorInfo(options);
  if (!info.ok()) return info.status();
  site.operator_info = *std::move(info);
  absl::StatusOr<LoadedOperands> operands = LoadOperands(files);
  if (!operands.ok()) return operands.status();
  site.operands = operands->shapes;
  foreign.Begins(found.target.name, "when it was asked for the shape of its result");
  absl::StatusOr<Shape> result = ResultShape(found, site, options);
  if (!result.ok()) return result.status();
  site.result = *std::move(result);
  absl::StatusOr<std::vector<Array>> results = MakeResultArrays(site.result);
  if (!results.ok()) return results.status();
  foreign.Begins(found.target.name, InItsCall(found, site));
  const absl::Status executed =
      Execute(site, found.target, HostArrays(&operands->leaves), HostArrays(&*results), options);
  foreign.Begins(options.file, "after the call, at the end of the process");
  if (!executed.ok()) return executed;
  absl::StatusOr<ReturnedValue> returned =
      FinishResult(site.result, *std::move(results), options.outputs);
  if (!returned.ok()) return returned.status();
  return CallRecord{found.target, found.evidence, *std::move(returned)};
}

ExitStatus RunHere(const RunOptions& options, ForeignCode& foreign) {
  const bool is_operator = mindspore_aot::NamesAotOperator(options.file);
  foreign.Begins(options.file, "while it was loaded");
  if (!is_operator && !options.target.has_value()) return MissingTarget(options);
  if (const std::string wrong = FindUsageError(options, is_operator); !wrong.empty()) {
    return UsageError(wrong);
  }
  // Open as long as the call.
  absl::StatusOr<std::shared_ptr<TargetLibrary>> library = nullptr;
  if (!is_operator) library = LoadLibrary(options);
  if (!library.ok()) return Failure(library.status());
  const absl::StatusOr<FoundTarget> found =
      is_operator ? LoadOperator(options) : FindTarget(**library, options);
  if (!found.ok()) return is_operator ? FailureInLines(found.status()) : Failure(found.status());
  const absl::StatusOr<std::vector<Operand>> files =
      OperandsFrom(is_operator ? options.target : std::nullopt, options.operands);
  if (!files.ok()) return Failure(files.status());
  foreign.Begins("callbridge", "before the call");
  const absl::StatusOr<CallRecord> call = Call(*found, *files, options, foreign);
  if (!call.ok()) return Failure(call.status());
  if (absl::Status status = PrintToStandardOutput(options.json ? JsonOf(*call) : TextOf(*call));
      !status.ok()) {
    return Failure(status);
  }
  return kSuccess;
}

}  // namespace

ExitStatus Run(const RunOptions& options) {
  if (!options.libraries.empty()) {
    return UsageError(
        absl::StrCat("--library is for modules, and ", options.file, " is a library"));
  }
  return RunForeignCode(!options.in_process,
                        [&](ForeignCode& foreign) { return RunHere(options, foreign); });
}

}  // namespace callbridge
