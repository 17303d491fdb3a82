#include "callbridge/adapters/foreign_headers.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <iterator>

#include "absl/strings/str_cat.h"

namespace callbridge {
namespace {

using typed_ffi::Facility;
using typed_ffi::kNewestVersion;
using typed_ffi::kRuntimeVersions;
using typed_ffi::RuntimeVersion;

// ---- The table that a handler is lent to answer. jaxlib 0.4.30's has no version, so its slots lie
// 24 bytes lower than in all later ones; both tables are one here. Which slot an error was made
// through tells which it was.

enum class MadeThrough { kNothing, kSlotOf0430, kLaterSlot };
thread_local MadeThrough made_through;
char the_error;  // what an XLA_FFI_Error* leads to; nobody looks inside

template <MadeThrough kSlot>
XLA_FFI_Error* MakeError(XLA_FFI_Error_Create_Args*) {
  made_through = kSlot;
  return reinterpret_cast<XLA_FFI_Error*>(&the_error);
}

XLA_FFI_Error* DoNothing(void*) { return nullptr; }

class LentApi {
 public:
  explicit LentApi(int minor) {
    slots_.fill(reinterpret_cast<void*>(&DoNothing));
    Put(0, sizeof(slots_));
    Put(offsetof(XLA_FFI_Api, extension_start), nullptr);
    Put(offsetof(XLA_FFI_Api, api_version),
        XLA_FFI_Api_Version{XLA_FFI_Api_Version_STRUCT_SIZE, nullptr, 0, minor});
    // Its version's own extension_start, which is null in the later tables, is in 0.4.30's the slot
    // that errors are made through.
    constexpr auto kErrorCreate = static_cast<int>(Facility::kErrorCreate);
    Put(kRuntimeVersions[0].slots[kErrorCreate], &MakeError<MadeThrough::kSlotOf0430>);
    Put(kRuntimeVersions[1].slots[kErrorCreate], &MakeError<MadeThrough::kLaterSlot>);
  }

  const XLA_FFI_Api* get() const { return reinterpret_cast<const XLA_FFI_Api*>(slots_.data()); }

 private:
  template <typename T>
  void Put(size_t offset, T value) {
    std::memcpy(reinterpret_cast<char*>(slots_.data()) + offset, &value, sizeof(value));
  }

  std::array<void*, 64> slots_;
};

// No runtime has it, so headers that want exactly their own say so.
constexpr int kMinorOfNobody = 99;
constexpr int kUnwritten = -1;

struct Answer {
  MadeThrough made_through = MadeThrough::kNothing;
  XLA_FFI_Metadata metadata;
};

Answer Ask(XLA_FFI_Handler* handler, size_t struct_size, const LentApi& api) {
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
  made_through = MadeThrough::kNothing;
  handler(&frame);
  answer.made_through = made_through;
  return answer;
}

// A size that every handler of XLA's headers refuses before anything else.
constexpr size_t kSizeOfNobody = 1;

// The version that it says it has, to a runtime of version 0.`minor`.
XLA_FFI_Api_Version AskVersion(XLA_FFI_Handler* handler, int minor) {
  return Ask(handler, XLA_FFI_CallFrame_STRUCT_SIZE, LentApi(minor)).metadata.api_version;
}

// ---- Which headers run where by themselves, by rows of kRuntimeVersions (facts: measured on the
// runtimes themselves). Of the rows of version 0.1 one can run on another, but which one a handler
// was built with cannot be told: 0.4.34's futures are in other slots than 0.4.38's, and 0.6 has run
// ids. From 0.8 on a runtime serves all versions from there up to its own.

struct Runtimes {
  int first, last;
};
constexpr int kNewest = typed_ffi::kRuntimeVersionCount - 1;
constexpr Runtimes kRunsAsItIs[] = {{0, 0},       {1, 1},       {1, 0},       {1, 0},      {1, 0},
                                    {5, kNewest}, {6, kNewest}, {7, kNewest}, {8, kNewest}};
static_assert(std::size(kRunsAsItIs) == typed_ffi::kRuntimeVersionCount, "one for each row");

}  // namespace

absl::StatusOr<ForeignHeaders> RecognizeHeaders(XLA_FFI_Handler* handler) {
  switch (Ask(handler, kSizeOfNobody, LentApi(kMinorOfNobody)).made_through) {
    case MadeThrough::kSlotOf0430:
      return ForeignHeaders{&kRuntimeVersions[0]};
    case MadeThrough::kLaterSlot:
      break;
    case MadeThrough::kNothing:
      return absl::FailedPreconditionError(
          "the handler does not check its call frame's size as XLA's headers do: it was written by "
          "hand, and which versions of XLA FFI it runs on cannot be told");
  }
  const XLA_FFI_Api_Version version = AskVersion(handler, kMinorOfNobody);
  // jaxlib 0.4.31's headers know no metadata, and refuse the table's version.
  if (version.minor_version == kUnwritten) return ForeignHeaders{&kRuntimeVersions[1]};
  if (version.major_version == 0) {
    for (const RuntimeVersion* row = &kNewestVersion; row != &kRuntimeVersions[1]; --row) {
      if (row->minor != version.minor_version) continue;
      const bool adapts = row->minor > 1 && AskVersion(handler, 1).minor_version == 1;
      return ForeignHeaders{row, adapts};
    }
  }
  return absl::UnimplementedError(
      absl::StrCat("the handler was built with headers of XLA FFI ", version.major_version, ".",
                   version.minor_version, "; callbridge knows those up to 0.",
                   static_cast<int>(kNewestVersion.minor), " (", kNewestVersion.releases, ")"));
}

bool RunsAsItIs(const ForeignHeaders& headers, const RuntimeVersion& runtime) {
  if (headers.adapts) return true;
  const Runtimes& runtimes = kRunsAsItIs[headers.version - kRuntimeVersions];
  const auto row = static_cast<int>(&runtime - kRuntimeVersions);
  return runtimes.first <= row && row <= runtimes.last;
}

ForeignMetadata AskForeignMetadata(XLA_FFI_Handler* handler, const RuntimeVersion& headers) {
  if (headers.metadata_size == 0) return {};
  const LentApi api(headers.minor);
  const Answer answer = Ask(handler, XLA_FFI_CallFrame_STRUCT_SIZE, api);
  return {answer.metadata.traits, answer.metadata.state_type_id,
          answer.made_through != MadeThrough::kNothing};
}

}  // namespace callbridge
