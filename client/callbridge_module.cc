#include "callbridge/client/callbridge_module.h"

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "callbridge/abi/failure_status.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/c_api/arguments.h"
#include "callbridge/client/executable.h"
#include "callbridge/client/target_table.h"
#include "callbridge/hlo/hlo_proto.h"
#include "callbridge/hlo/hlo_text.h"
#include "callbridge/hlo/opcode.h"
#include "callbridge/hlo/stablehlo_text.h"
#include "callbridge/hlo/upgrade.h"

struct callbridge_module {
  xla::HloModuleProto proto;
};

struct callbridge_program {
  std::unique_ptr<callbridge::client::Executable> executable;
  std::vector<std::string> parameters;
  std::string result;
};

namespace {

namespace client = callbridge::client;
namespace hlo = callbridge::hlo;

using callbridge::CheckArrays;
using callbridge::CheckPointers;
using callbridge::NullError;
using callbridge::Pointer;

callbridge_error* ToC(const absl::Status& status) {
  if (status.ok()) return nullptr;
  return callbridge_error_create(static_cast<int32_t>(status.code()), status.message().data(),
                                 status.message().size());
}

// Returns the error of what `function` returns or throws, after CheckPointers(required).
template <typename Function>
callbridge_error* WithoutExceptions(std::initializer_list<Pointer> required, Function function) {
  try {
    const absl::Status checked = CheckPointers(required);
    return ToC(checked.ok() ? function() : checked);
  } catch (...) {
    const absl::Status caught = callbridge::CaughtStatus();
    const absl::string_view message =
        absl::IsResourceExhausted(caught) ? "out of memory" : caught.message();
    return callbridge_error_create(static_cast<int32_t>(caught.code()), message.data(),
                                   message.size());
  }
}

absl::StatusOr<std::string> Write(const xla::HloModuleProto& proto, int32_t form) {
  switch (form) {
    case CALLBRIDGE_MODULE_HLO_PROTO:
      return hlo::SerializeModule(proto);
    case CALLBRIDGE_MODULE_HLO_TEXT:
      return hlo::PrintHloText(proto);
    case CALLBRIDGE_MODULE_STABLEHLO_TEXT:
      return hlo::PrintStableHloText(proto);
    default:
      return absl::InvalidArgumentError(
          absl::StrCat("form is ", form,
                       ", and must be one of CALLBRIDGE_MODULE_HLO_PROTO (0), ..._HLO_TEXT (1) ",
                       "and ..._STABLEHLO_TEXT (2)"));
  }
}

}  // namespace

callbridge_error* callbridge_module_read(const char* bytes, size_t size,
                                         callbridge_module** module) {
  return WithoutExceptions({{"module", module}}, [&] {
    absl::Status checked = callbridge::CheckArray("bytes", bytes, "size", size);
    if (!checked.ok()) return checked;
    absl::StatusOr<xla::HloModuleProto> proto = hlo::ReadModule(absl::string_view(bytes, size));
    if (!proto.ok()) return proto.status();
    *module = new callbridge_module{*std::move(proto)};
    return absl::OkStatus();
  });
}

void callbridge_module_destroy(callbridge_module* module) { delete module; }

callbridge_error* callbridge_module_write(const callbridge_module* module, int32_t form,
                                          callbridge_bytes_sink* sink, void* user) {
  return WithoutExceptions({{"module", module}, {"sink", sink}}, [&] {
    const absl::StatusOr<std::string> bytes = Write(module->proto, form);
    if (!bytes.ok()) return bytes.status();
    sink(user, bytes->data(), bytes->size());
    return absl::OkStatus();
  });
}

callbridge_error* callbridge_module_custom_calls(const callbridge_module* module,
                                                 callbridge_custom_call_sink* sink, void* user) {
  return WithoutExceptions({{"module", module}, {"sink", sink}}, [&] {
    for (const xla::HloComputationProto& computation : module->proto.computations()) {
      for (const xla::HloInstructionProto& instruction : computation.instructions()) {
        if (!hlo::IsCustomCall(instruction)) continue;
        const std::string& target = instruction.custom_call_target();
        sink(user, target.data(), target.size(), instruction.custom_call_api_version());
      }
    }
    return absl::OkStatus();
  });
}

callbridge_error* callbridge_module_upgrade(const callbridge_module* module,
                                            callbridge_module** upgraded) {
  return WithoutExceptions({{"module", module}, {"upgraded", upgraded}}, [&] {
    absl::StatusOr<xla::HloModuleProto> proto = hlo::Upgrade(module->proto);
    if (!proto.ok()) return proto.status();
    *upgraded = new callbridge_module{*std::move(proto)};
    return absl::OkStatus();
  });
}

callbridge_error* callbridge_module_calls_left(const callbridge_module* module,
                                               callbridge_call_left_sink* sink, void* user) {
  return WithoutExceptions({{"module", module}, {"sink", sink}}, [&] {
    std::vector<hlo::CallLeftAlone> left;
    absl::Status upgraded = hlo::Upgrade(module->proto, &left).status();
    if (!upgraded.ok()) return upgraded;
    for (const hlo::CallLeftAlone& call : left) {
      sink(user, call.instruction.c_str(), call.target.c_str(), call.reason.c_str());
    }
    return absl::OkStatus();
  });
}

namespace {

absl::Status Compile(const callbridge_module* module, const callbridge_library* const* libraries,
                     size_t library_count, int32_t threads, const client::CallPlace& place,
                     callbridge_program** program) {
  absl::Status checked =
      callbridge::CheckArray("libraries", libraries, "library_count", library_count, sizeof(void*));
  for (size_t i = 0; checked.ok() && i < library_count; ++i) {
    if (libraries[i] == nullptr) checked = NullError(absl::StrCat("libraries[", i, "]"));
  }
  if (!checked.ok()) return checked;
  if (threads < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("threads is ", threads, ", and must be 1 or more"));
  }
  absl::StatusOr<client::TargetTable> targets = client::TargetTable::OfProcess();
  if (!targets.ok()) return targets.status();
  targets->set_place(place);
  for (const callbridge_library* library : absl::MakeSpan(libraries, library_count)) {
    if (absl::Status added = targets->Add(library); !added.ok()) return added;
  }
  client::ExecutableOptions options;
  options.threads = threads;
  absl::StatusOr<std::unique_ptr<client::Executable>> executable =
      client::Executable::Compile(module->proto, *targets, options);
  if (!executable.ok()) return executable.status();
  auto compiled = std::make_unique<callbridge_program>();
  compiled->executable = *std::move(executable);
  for (const callbridge::Shape& parameter : compiled->executable->parameters()) {
    compiled->parameters.push_back(callbridge::ShapeText(parameter));
  }
  compiled->result = callbridge::ShapeText(compiled->executable->result());
  *program = compiled.release();
  return absl::OkStatus();
}

}  // namespace

callbridge_error* callbridge_program_compile(const callbridge_module* module,
                                             const callbridge_library* const* libraries,
                                             size_t library_count, int32_t threads,
                                             callbridge_program** program) {
  return WithoutExceptions({{"module", module}, {"program", program}}, [&] {
    return Compile(module, libraries, library_count, threads, {}, program);
  });
}

callbridge_error* callbridge_program_compile_on_device(const callbridge_module* module,
                                                       const callbridge_library* const* libraries,
                                                       size_t library_count, int32_t threads,
                                                       const callbridge_device* device,
                                                       int32_t synchronizes,
                                                       callbridge_program** program) {
  return WithoutExceptions({{"module", module}, {"device", device}, {"program", program}}, [&] {
    return Compile(module, libraries, library_count, threads, {device, synchronizes != 0}, program);
  });
}

void callbridge_program_destroy(callbridge_program* program) { delete program; }

size_t callbridge_program_parameter_count(const callbridge_program* program) {
  return program != nullptr ? program->parameters.size() : 0;
}

const char* callbridge_program_parameter(const callbridge_program* program, size_t index) {
  return index < callbridge_program_parameter_count(program) ? program->parameters[index].c_str()
                                                             : nullptr;
}

const char* callbridge_program_result(const callbridge_program* program) {
  return program != nullptr ? program->result.c_str() : nullptr;
}

callbridge_error* callbridge_program_execute(const callbridge_program* program,
                                             const callbridge_array* parameters,
                                             size_t parameter_count,
                                             const callbridge_array* results, size_t result_count) {
  return WithoutExceptions({{"program", program}}, [&] {
    absl::Status checked = CheckArrays("parameters", parameters, parameter_count);
    if (checked.ok()) checked = CheckArrays("results", results, result_count);
    if (!checked.ok()) return checked;
    return program->executable->Execute(absl::MakeConstSpan(parameters, parameter_count),
                                        absl::MakeConstSpan(results, result_count));
  });
}
