#include "callbridge/client/bound_custom_call.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/abi/site_descriptor.h"
#include "callbridge/c_api/callbridge_ffi.h"
#include "callbridge/client/attribute_text.h"
#include "callbridge/client/c_status.h"

namespace callbridge::client {
namespace {

// An old module does not set api_version, which means version 1.
int32_t VersionOf(const xla::HloInstructionProto& instruction) {
  const int version = instruction.custom_call_api_version();
  return version == xla::API_VERSION_UNSPECIFIED ? CALLBRIDGE_API_VERSION_ORIGINAL : version;
}

// What the call calls: `target` as far as it is known, and else as the instruction says.
absl::Status ResolveVersion(int32_t version, callbridge_target& target) {
  const bool typed_call = version == CALLBRIDGE_API_VERSION_TYPED_FFI;
  if (target.api_version == CALLBRIDGE_API_VERSION_UNSPECIFIED) target.api_version = version;
  const bool typed_target = target.api_version == CALLBRIDGE_API_VERSION_TYPED_FFI;
  if (typed_target && !typed_call) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the call is untyped (api_version ", version,
        "), but the target is a typed handler; set API_VERSION_TYPED_FFI, and pass attributes "
        "instead of the opaque"));
  }
  if (typed_target || !typed_call) return absl::OkStatus();
  callbridge_entry_points entry_points = {};
  entry_points.struct_size = sizeof entry_points;
  absl::Status found = TakeStatus(callbridge_target_entry_points(&target, &entry_points));
  if (!found.ok()) return found;
  target.address = entry_points.typed;
  target.api_version = CALLBRIDGE_API_VERSION_TYPED_FFI;
  target.api_version_is_proved = 1;
  target.instantiate = target.prepare = target.initialize = target.record = nullptr;
  return absl::OkStatus();
}

// Calls of version 3 by a program that calls the target through callbridge have a site descriptor
// as their opaque, and flat operands and results, if the target expects others.
absl::Status ResolveDescriptor(int32_t version, const std::string& opaque,
                               callbridge_target& target) {
  if (version != CALLBRIDGE_API_VERSION_STATUS_RETURNING_UNIFIED ||
      !IsSiteDescriptor(opaque.data(), opaque.size())) {
    return absl::OkStatus();
  }
  callbridge_entry_points entry_points = {};
  entry_points.struct_size = sizeof entry_points;
  absl::Status found = TakeStatus(callbridge_target_entry_points(&target, &entry_points));
  if (!found.ok()) return found;
  target.address = entry_points.untyped;
  target.api_version = CALLBRIDGE_API_VERSION_STATUS_RETURNING_UNIFIED;
  target.api_version_is_proved = 1;
  return absl::OkStatus();
}

void AddLeafSizes(absl::Span<const Shape> shapes, std::vector<size_t>& sizes) {
  for (const Shape& shape : shapes) {
    for (const Shape* leaf : shape.Leaves()) {
      // The plan has given each a place, so it has a size.
      sizes.push_back(static_cast<size_t>(leaf->ByteSize().value_or(0)));
    }
  }
}

std::vector<callbridge_array> Arrays(absl::Span<void* const> pointers,
                                     const std::vector<size_t>& sizes) {
  std::vector<callbridge_array> arrays;
  arrays.reserve(pointers.size());
  for (size_t i = 0; i < pointers.size(); ++i) arrays.push_back({pointers[i], sizes[i]});
  return arrays;
}

}  // namespace

absl::Status BoundCustomCall::Named(const absl::Status& status) const {
  return absl::Status(status.code(), absl::StrCat(status.message(), " (instruction \"",
                                                  instruction_, "\", target \"", target_, "\")"));
}

absl::Status BoundCustomCall::ErrorOf(callbridge_error* error) const {
  return Named(TakeStatus(error));
}

absl::StatusOr<BoundCustomCall> BoundCustomCall::Bind(const xla::HloInstructionProto& instruction,
                                                      const TargetTable& targets,
                                                      absl::Span<const Shape> operands,
                                                      const Shape& result) {
  BoundCustomCall bound;
  bound.instruction_ = instruction.name();
  bound.target_ = instruction.custom_call_target();
  const int32_t version = VersionOf(instruction);
  const std::string& opaque = instruction.backend_config();
  ParsedAttributes attributes;
  if (version == CALLBRIDGE_API_VERSION_TYPED_FFI) {
    absl::StatusOr<ParsedAttributes> parsed = ParseAttributes(opaque);
    if (!parsed.ok()) return bound.Named(parsed.status());
    attributes = *std::move(parsed);
  }
  // A typed call with a site descriptor was an untyped one before the upgrade.
  const bool wants_typed = version == CALLBRIDGE_API_VERSION_TYPED_FFI &&
                           attributes.names.count(kSiteDescriptorAttribute) == 0;
  absl::StatusOr<callbridge_target> target =
      targets.Find(bound.target_, targets.place().platform(), wants_typed);
  if (!target.ok()) return bound.Named(target.status());
  absl::Status resolved = ResolveVersion(version, *target);
  if (resolved.ok()) resolved = ResolveDescriptor(version, opaque, *target);
  if (!resolved.ok()) return bound.Named(resolved);
  bound.is_typed_ = target->api_version == CALLBRIDGE_API_VERSION_TYPED_FFI;

  std::vector<std::string> texts;
  texts.reserve(operands.size());
  for (const Shape& operand : operands) texts.push_back(ShapeText(operand));
  std::vector<const char*> text_pointers;
  text_pointers.reserve(texts.size());
  for (const std::string& text : texts) text_pointers.push_back(text.c_str());
  const std::string result_text = ShapeText(result);

  callbridge_site site = {};
  site.struct_size = sizeof site;
  site.tuple_layout = CALLBRIDGE_TUPLE_LAYOUT_NESTED;
  site.operands = text_pointers.data();
  site.operand_count = text_pointers.size();
  site.result = result_text.c_str();
  if (bound.is_typed_) {
    site.attributes = attributes.values.get();
  } else {
    site.opaque = opaque.data();
    site.opaque_size = opaque.size();
  }
  bound.place_ = targets.place();
  callbridge_execution_context context = {};
  context.struct_size = sizeof context;
  context.device = bound.place_.device;
  if (bound.place_.device != nullptr) {
    AddLeafSizes(operands, bound.operand_sizes_);
    AddLeafSizes(absl::MakeConstSpan(&result, 1), bound.result_sizes_);
  }
  callbridge_call* call = nullptr;
  absl::Status status = TakeStatus(callbridge_call_bind(&*target, &site, &context, &call));
  if (!status.ok()) return bound.Named(status);
  bound.call_.reset(call);
  return bound;
}

absl::Status BoundCustomCall::Execute(absl::Span<void*> operands, absl::Span<void*> results,
                                      int64_t run_id) const {
  if (is_typed_) return ExecuteTyped(operands, results, run_id);
  if (place_.device != nullptr) return ExecuteOnDevice(operands, results, nullptr);
  callbridge_error* error = callbridge_call_execute(call_.get(), operands.data(), operands.size(),
                                                    results.data(), results.size(), nullptr);
  return error == nullptr ? absl::OkStatus() : ErrorOf(error);
}

absl::Status BoundCustomCall::ExecuteTyped(absl::Span<void*> operands, absl::Span<void*> results,
                                           int64_t run_id) const {
  // XLA:CPU passes 0.
  static constexpr int32_t kDeviceOrdinal = 0;
  callbridge_runtime_services services = {};
  services.struct_size = sizeof services;
  services.run_id = &run_id;
  if (place_.device != nullptr) return ExecuteOnDevice(operands, results, &services);
  services.device_ordinal = &kDeviceOrdinal;
  services.thread_pool = callbridge_ffi_process_threads();
  callbridge_execution_context context = {};
  context.struct_size = sizeof context;
  context.services = &services;
  callbridge_error* error = callbridge_call_execute(call_.get(), operands.data(), operands.size(),
                                                    results.data(), results.size(), &context);
  return error == nullptr ? absl::OkStatus() : ErrorOf(error);
}

absl::Status BoundCustomCall::ExecuteOnDevice(absl::Span<void*> operands, absl::Span<void*> results,
                                              const callbridge_runtime_services* services) const {
  const std::vector<callbridge_array> in = Arrays(operands, operand_sizes_);
  const std::vector<callbridge_array> out = Arrays(results, result_sizes_);
  callbridge_execution_context context = {};
  context.struct_size = sizeof context;
  context.services = services;
  context.device = place_.device;
  context.synchronizes = place_.synchronizes ? 1 : 0;
  callbridge_error* error = callbridge_call_execute_with_copies(call_.get(), in.data(), in.size(),
                                                                out.data(), out.size(), &context);
  return error == nullptr ? absl::OkStatus() : ErrorOf(error);
}

}  // namespace callbridge::client
