#include "callbridge/adapters/entry_points/typed_to_untyped.h"

#include <string>

#include "absl/base/optimization.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "callbridge/abi/ended_thread.h"
#include "callbridge/abi/site_descriptor.h"
#include "callbridge/adapters/exports/call_error.h"
#include "callbridge/adapters/recorded_call.h"
#include "callbridge/adapters/typed_frame.h"
#include "callbridge/typed_ffi/runtime_versions.h"

namespace callbridge {
namespace {

void AnswerMetadata(const EntryTarget& entry, XLA_FFI_Metadata& metadata) {
  typed_ffi::ReportLowestVersion(metadata.api_version);
  metadata.traits = entry.traits;
}

// Returns the bytes of the descriptor attribute. JAX makes a string of Python bytes and an array of
// a NumPy array; an attribute of any other type is not a descriptor.
absl::optional<absl::string_view> FindSiteDescriptor(const XLA_FFI_Attrs& attrs) {
  for (int64_t i = 0; i < attrs.size; ++i) {
    const XLA_FFI_ByteSpan& name = *attrs.names[i];
    if (absl::string_view(name.ptr, name.len) != kSiteDescriptorAttribute) continue;
    if (attrs.types[i] == XLA_FFI_AttrType_STRING) {
      const auto& text = *static_cast<const XLA_FFI_ByteSpan*>(attrs.attrs[i]);
      return absl::string_view(text.ptr, text.len);
    }
    if (attrs.types[i] == XLA_FFI_AttrType_ARRAY) {
      const auto& array = *static_cast<const XLA_FFI_Array*>(attrs.attrs[i]);
      if (array.dtype == XLA_FFI_DataType_U8) {
        return absl::string_view(static_cast<const char*>(array.data), array.size);
      }
    }
    return absl::string_view();
  }
  return absl::nullopt;
}

// A target sees no attribute but the descriptor.
absl::Status RefuseAttributes(const EntryTarget& entry, const XLA_FFI_Attrs& attrs) {
  std::string text;
  for (int64_t i = 0; i < attrs.size; ++i) {
    const absl::string_view name(attrs.names[i]->ptr, attrs.names[i]->len);
    if (name != kSiteDescriptorAttribute) absl::StrAppend(&text, text.empty() ? "" : ", ", name);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("the call site has attributes (", text, "), but custom call \"", entry.name,
                   "\" is untyped and takes none: pass bytes as its opaque"));
}

// A token's data pointer is null on some runtimes and not on others; targets get null.
void* DataPointer(const XLA_FFI_Buffer& buffer) {
  return buffer.dtype == XLA_FFI_DataType_TOKEN ? nullptr : buffer.data;
}

// Writes the data pointers of `size` arguments or results. Returns false if one of them is not a
// buffer.
template <typename Type>
bool GatherPointers(int64_t size, const Type* types, Type buffer, void* const* buffers,
                    void** pointers) {
  for (int64_t i = 0; i < size; ++i) {
    if (types[i] != buffer) return false;
    pointers[i] = DataPointer(*static_cast<const XLA_FFI_Buffer*>(buffers[i]));
  }
  return true;
}

std::string TypeName(int64_t type) {
  return IsPrimitiveType(type) ? std::string(PrimitiveTypeName(static_cast<PrimitiveType>(type)))
                               : absl::StrCat("type number ", type);
}

absl::Status CheckTypes(const char* what, absl::Span<const PrimitiveType> declared,
                        void* const* buffers) {
  for (size_t i = 0; i < declared.size(); ++i) {
    const int32_t given = static_cast<const XLA_FFI_Buffer*>(buffers[i])->dtype;
    // The FFI of older XLAs has no number for elements of less than a byte.
    if (given == static_cast<int32_t>(declared[i]) || given == XLA_FFI_DataType_INVALID) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        what, " ", i, " (leaves of tuples counted) is declared ", PrimitiveTypeName(declared[i]),
        " by the call site, but came as ", TypeName(given)));
  }
  return absl::OkStatus();
}

// Returns the plan for a call whose attributes hold `descriptor`. Sets `opaque` to a part of it.
absl::StatusOr<const CallPlan*> FindPlan(EntryTarget& entry, const XLA_FFI_CallFrame& frame,
                                         absl::string_view descriptor, const CallBuffers& buffers,
                                         absl::string_view& opaque) {
  absl::StatusOr<SiteDescriptorParts> parts = SplitSiteDescriptor(descriptor);
  if (!parts.ok()) return parts.status();
  absl::StatusOr<const SitePlan*> site = entry.site_plans.Find(parts->tree);
  if (!site.ok()) return site.status();
  const SitePlan& plan = **site;
  absl::Status checked = CheckLeafCounts(plan.call, buffers);
  if (checked.ok()) checked = CheckTypes("operand", plan.operand_types, frame.args.args);
  if (checked.ok()) checked = CheckTypes("result", plan.result_types, frame.rets.rets);
  if (!checked.ok()) return checked;
  opaque = parts->opaque;
  return &plan.call;
}

// For an ABI whose functions get the counts, which only the frame has.
absl::Status CallWithCounts(const EntryTarget& entry, const CallBuffers& buffers,
                            const ExecutionContext& context) {
  const CallPlan plan = {entry.abi.run_with_tables, entry.function,
                         PointerTables::ForLeaves(buffers.operands.size()),
                         PointerTables::ForLeaves(buffers.results.size())};
  return plan.run(plan, {}, buffers.operands.data(), buffers.results.data(), context);
}

// `pointers` has room for the data pointers of the arguments and results.
absl::Status CallWithPointers(void** pointers, EntryTarget& entry, const XLA_FFI_CallFrame& frame,
                              const ExecutionContext& context) {
  void** results = pointers + frame.args.size;
  const XLA_FFI_Args& args = frame.args;
  const XLA_FFI_Rets& rets = frame.rets;
  if (!GatherPointers(args.size, args.types, XLA_FFI_ArgType_BUFFER, args.args, pointers) ||
      !GatherPointers(rets.size, rets.types, XLA_FFI_RetType_BUFFER, rets.rets, results)) {
    return absl::InvalidArgumentError(
        absl::StrCat("custom call \"", entry.name,
                     "\" takes buffers only, but has an argument or result of another kind"));
  }
  const CallBuffers buffers{{pointers, static_cast<size_t>(frame.args.size)},
                            {results, static_cast<size_t>(frame.rets.size)}};
  const absl::optional<absl::string_view> descriptor = FindSiteDescriptor(frame.attrs);
  if (ABSL_PREDICT_FALSE(frame.attrs.size != static_cast<int64_t>(descriptor.has_value()))) {
    return RefuseAttributes(entry, frame.attrs);
  }
  if (!descriptor.has_value()) {
    if (entry.abi.is_gpu()) {
      return entry.abi.call_on_gpu(entry.function, context.stream, pointers, {});
    }
    if (entry.abi.takes_leaves) return CallWithCounts(entry, buffers, context);
    const CallPlan& plan = buffers.results.size() == 1 ? entry.array_result : entry.list_result;
    return plan.run(plan, {}, pointers, results, context);
  }
  absl::string_view opaque;
  absl::StatusOr<const CallPlan*> plan = FindPlan(entry, frame, *descriptor, buffers, opaque);
  if (!plan.ok()) return plan.status();
  return (*plan)->run(**plan, opaque, pointers, results, context);
}

// Whether the call is of the stage EXECUTE. On a GPU not by the number of jaxlib 0.4.30, whose
// function for the stream is elsewhere in the API table.
bool IsServedStage(const XLA_FFI_CallFrame& frame, const EntryTarget& entry) {
  return entry.abi.is_gpu() ? frame.stage == XLA_FFI_ExecutionStage_EXECUTE
                            : typed_ffi::IsExecuteStage(frame);
}

// Calls the target, whose buffers and stream the frame has.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline absl::Status CallTarget(const XLA_FFI_CallFrame& frame,
                                                            EntryTarget& entry,
                                                            const ExecutionContext& context) {
  const auto size = static_cast<size_t>(frame.args.size + frame.rets.size);
  return WithPointers<&CallWithPointers>(size, entry, frame, context);
}

absl::Status CallRecordedTarget(const XLA_FFI_CallFrame& frame, EntryTarget& entry,
                                const ExecutionContext& context) {
  const RecordedCall call(context.stream);
  absl::Status status = CallTarget(frame, entry, context);
  if (ABSL_PREDICT_TRUE(!call.is_captured()) || !status.ok()) return status;
  return call.Check(frame, absl::StrCat("custom call \"", entry.name, "\""));
}

// `Call` calls the target.
template <absl::Status (*Call)(const XLA_FFI_CallFrame&, EntryTarget&, const ExecutionContext&)>
ABSL_ATTRIBUTE_ALWAYS_INLINE inline XLA_FFI_Error* CallInFull(XLA_FFI_CallFrame* frame,
                                                              EntryTarget& entry) {
  if (XLA_FFI_Metadata* metadata = MetadataQuery(*frame)) {
    AnswerMetadata(entry, *metadata);
    return nullptr;
  }
  if (ABSL_PREDICT_FALSE(!IsServedStage(*frame, entry))) {
    return MakeError(*frame->api, absl::InvalidArgumentError(absl::StrCat(
                                      "custom call \"", entry.name,
                                      "\" serves the execute stage only, but was called at stage ",
                                      frame->stage)));
  }
  ExecutionContext context;
  if (entry.abi.is_gpu()) {
    if (XLA_FFI_Error* error = GetStream(*frame, context.stream)) return error;
  }
  const absl::Status status = RequiringThread([&] { return Call(*frame, entry, context); });
  return ABSL_PREDICT_TRUE(status.ok()) ? nullptr : MakeError(*frame->api, status);
}

}  // namespace

XLA_FFI_Error* MakeError(const XLA_FFI_Api& api, const absl::Status& status) {
  return exports::MakeError(api, static_cast<XLA_FFI_Error_Code>(status.code()),
                            std::string(status.message()));
}

XLA_FFI_Error* CallUntypedTargetFromTypedInFull(XLA_FFI_CallFrame* frame, EntryTarget& entry) {
  return CallInFull<&CallTarget>(frame, entry);
}

namespace {

XLA_FFI_Error* CallRecordedTargetInFull(XLA_FFI_CallFrame* frame, EntryTarget& entry) {
  return CallInFull<&CallRecordedTarget>(frame, entry);
}

}  // namespace

UntypedAbi::TypedEntry TypedEntryFor(const Target& target, const UntypedAbi& abi) {
  return IsRecorded(target.platform, target.traits) ? &CallRecordedTargetInFull : abi.typed_entry;
}

}  // namespace callbridge
