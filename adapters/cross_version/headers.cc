#include "callbridge/adapters/cross_version/headers.h"

#include <cstddef>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "callbridge/adapters/probe_api.h"

namespace callbridge {
namespace {

using typed_ffi::kNewestVersion;
using typed_ffi::kRuntimeVersions;
using typed_ffi::RuntimeVersion;
using MadeThrough = ProbeApi::MadeThrough;

constexpr int kUnwritten = -1;

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
  ProbeApi::TakeMadeThrough();
  handler(&frame);
  answer.made_through = ProbeApi::TakeMadeThrough();
  return answer;
}

// The version that it says it has, to a runtime of version 0.`minor`.
XLA_FFI_Api_Version AskVersion(XLA_FFI_Handler* handler, int minor) {
  return Ask(handler, XLA_FFI_CallFrame_STRUCT_SIZE, ProbeApi(minor)).metadata.api_version;
}

// ---- Which headers run where by themselves, by rows of kRuntimeVersions (facts: measured on the
// runtimes themselves). Of the rows of version 0.1 one can run on another, but which one a handler
// was built with cannot be told: 0.4.34's futures are in other slots than 0.4.38's, and 0.6 has run
// ids. From 0.8 on a runtime serves all versions from there up to its own. 0.4.30 and 0.4.31 serve
// none: their XLA:CPU crashes where a handler asks for scratch memory or state.

struct Runtimes {
  int first, last;
};
constexpr int kNewest = typed_ffi::kRuntimeVersionCount - 1;
constexpr Runtimes kRunsAsItIs[] = {{1, 0},       {1, 0},       {1, 0},       {1, 0},      {1, 0},
                                    {5, kNewest}, {6, kNewest}, {7, kNewest}, {8, kNewest}};
static_assert(std::size(kRunsAsItIs) == typed_ffi::kRuntimeVersionCount, "one for each row");

}  // namespace

absl::StatusOr<HandlerHeaders> RecognizeHeaders(XLA_FFI_Handler* handler) {
  switch (Ask(handler, kRefusedFrameSize, ProbeApi(ProbeApi::kUnknownMinor)).made_through) {
    case MadeThrough::kSlotOf0430:
      return HandlerHeaders{&kRuntimeVersions[0]};
    case MadeThrough::kLaterSlot:
      break;
    case MadeThrough::kNothing:
      return absl::FailedPreconditionError(
          "the handler does not check its call frame's size as XLA's headers do: it was written by "
          "hand, and which versions of XLA FFI it runs on cannot be told");
  }
  const XLA_FFI_Api_Version version = AskVersion(handler, ProbeApi::kUnknownMinor);
  // jaxlib 0.4.31's headers know no metadata, and refuse the table's version.
  if (version.minor_version == kUnwritten) return HandlerHeaders{&kRuntimeVersions[1]};
  // Only what adapts has the version of a runtime that is older than metadata.
  if (AskVersion(handler, 0).minor_version == 0) return HandlerHeaders{&kNewestVersion, true};
  if (version.major_version == 0) {
    for (const RuntimeVersion* row = &kNewestVersion; row != &kRuntimeVersions[1]; --row) {
      if (row->minor == version.minor_version) return HandlerHeaders{row};
    }
  }
  return absl::UnimplementedError(
      absl::StrCat("the handler was built with headers of XLA FFI ", version.major_version, ".",
                   version.minor_version, "; callbridge knows those up to 0.",
                   static_cast<int>(kNewestVersion.minor), " (", kNewestVersion.releases, ")"));
}

bool RunsAsItIs(const HandlerHeaders& headers, const RuntimeVersion& runtime) {
  if (headers.adapts) return true;
  const Runtimes& runtimes = kRunsAsItIs[headers.version - kRuntimeVersions];
  const auto row = static_cast<int>(&runtime - kRuntimeVersions);
  return runtimes.first <= row && row <= runtimes.last;
}

ReportedMetadata ReadReportedMetadata(XLA_FFI_Handler* handler, const RuntimeVersion& headers) {
  if (headers.metadata_size == 0) return {};
  const ProbeApi api(headers.minor);
  const Answer answer = Ask(handler, XLA_FFI_CallFrame_STRUCT_SIZE, api);
  return {answer.metadata.traits, answer.metadata.state_type_id,
          answer.made_through != MadeThrough::kNothing};
}

}  // namespace callbridge
