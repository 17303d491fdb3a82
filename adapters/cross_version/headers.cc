#include "callbridge/adapters/cross_version/headers.h"

#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "callbridge/adapters/probe_api.h"

namespace callbridge {
namespace {

using typed_ffi::kNewestVersion;
using typed_ffi::kOldestVersion;
using typed_ffi::RuntimeVersion;
using MadeThrough = ProbeApi::MadeThrough;

constexpr int kUnwritten = -1;
// A number of operands and results that no handler takes. Headers without metadata, which take the
// query for a call, refuse it before they run the user's code.
constexpr int64_t kRefusedCount = -1;

struct Answer {
  MadeThrough made_through = MadeThrough::kNothing;
  XLA_FFI_Metadata metadata;
};

Answer Ask(XLA_FFI_Handler* handler, size_t struct_size, const ProbeApi& api) {
  Answer answer = {};
  answer.metadata.struct_size = XLA_FFI_Metadata_STRUCT_SIZE;
  answer.metadata.api_version = {XLA_FFI_Api_Version_STRUCT_SIZE, nullptr, kUnwritten, kUnwritten};
  XLA_FFI_Metadata_Extension extension = {
      {XLA_FFI_Metadata_Extension_STRUCT_SIZE, XLA_FFI_Extension_Metadata, nullptr},
      &answer.metadata};
  XLA_FFI_CallFrame frame = {};
  frame.struct_size = struct_size;
  frame.extension_start = &extension.extension_base;
  frame.api = api.get();
  frame.stage = XLA_FFI_ExecutionStage_EXECUTE;
  frame.args.size = kRefusedCount;
  frame.rets.size = kRefusedCount;
  ProbeApi::TakeMadeThrough();
  handler(&frame);
  answer.made_through = ProbeApi::TakeMadeThrough();
  return answer;
}

// The API version that a handler reports to a runtime of version 0.`minor`.
XLA_FFI_Api_Version AskVersion(XLA_FFI_Handler* handler, int minor) {
  return Ask(handler, XLA_FFI_CallFrame_STRUCT_SIZE, ProbeApi(minor)).metadata.api_version;
}

}  // namespace

absl::StatusOr<HandlerHeaders> RecognizeHeaders(XLA_FFI_Handler* handler) {
  // A handler that answers makes no error here: in some libraries that crashes, since their own
  // copy of libstdc++ formats the numbers in its text by the locale of another one.
  const XLA_FFI_Api_Version version = AskVersion(handler, ProbeApi::kUnknownMinor);
  if (version.major_version == kUnwritten) {
    switch (Ask(handler, kRefusedFrameSize, ProbeApi(ProbeApi::kUnknownMinor)).made_through) {
      case MadeThrough::kTableWithoutVersion:
        return HandlerHeaders{&kOldestVersion};
      case MadeThrough::kTableWithVersion:
        // Headers without metadata refused the table's version.
        return HandlerHeaders{&typed_ffi::NewestWithoutMetadata()};
      case MadeThrough::kNothing:
        return absl::FailedPreconditionError(
            "the handler does not check its call frame's size as XLA's headers do: it was written "
            "by hand, and callbridge cannot tell which versions of XLA FFI it runs on");
    }
  }
  // Written by hand: XLA's headers of that version have no metadata.
  if (HasApiVersion(kOldestVersion, version)) {
    return HandlerHeaders{&typed_ffi::NewestWithoutMetadata()};
  }
  // Only a handler that adapts reports the version of a runtime without metadata, to that one.
  if (HasApiVersion(kOldestVersion, AskVersion(handler, kOldestVersion.minor))) {
    return HandlerHeaders{&kNewestVersion, true};
  }
  if (const RuntimeVersion* row = typed_ffi::NewestWithApiVersion(version))
    return HandlerHeaders{row};
  return absl::UnimplementedError(
      absl::StrCat("the handler was built with headers of XLA FFI ", version.major_version, ".",
                   version.minor_version, "; callbridge knows those up to 0.",
                   static_cast<int>(kNewestVersion.minor), " (", kNewestVersion.releases, ")"));
}

bool RunsNatively(const HandlerHeaders& headers, const RuntimeVersion& runtime, bool makes_state) {
  if (headers.adapts) return true;
  return typed_ffi::RunsNatively(*headers.version, runtime, makes_state);
}

bool TakesDeviceOrdinal(XLA_FFI_Handler* handler) {
  const ProbeApi api(ProbeApi::kUnknownMinor);
  const Answer answer = Ask(handler, XLA_FFI_CallFrame_STRUCT_SIZE, api);
  return (answer.metadata.traits & typed_ffi::kTakesDeviceOrdinal) != 0;
}

ReportedMetadata ReadReportedMetadata(XLA_FFI_Handler* handler, const RuntimeVersion& headers) {
  if (headers.metadata_size == 0) return {};
  const ProbeApi api(headers.minor);
  const Answer answer = Ask(handler, XLA_FFI_CallFrame_STRUCT_SIZE, api);
  return {answer.metadata.traits, answer.metadata.state_type_id,
          answer.made_through != MadeThrough::kNothing};
}

}  // namespace callbridge
