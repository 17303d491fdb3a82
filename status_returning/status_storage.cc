#include "callbridge/status_returning/status_storage.h"

#include <cstring>
#include <string>

#include "callbridge/abi/failure_status.h"
#include "callbridge/status_returning/custom_call_status.h"
#include "callbridge/status_returning/custom_call_status_internal.h"
#include "callbridge/status_returning/old_string.h"

namespace callbridge {
namespace {

// Returns the string of an absl::optional<std::string>, which follows its flag.
const std::string& AbslOptionalString(const uint64_t* words) {
  return *reinterpret_cast<const std::string*>(words + 1);
}

bool LowestByteIsSet(uint64_t word) { return (word & 0xFF) != 0; }

}  // namespace

StatusStorage::Layout StatusStorage::FindLayout() const {
  // A string at 0 overwrites the canary of the first word with its pointer; one of the new ABI also
  // overwrites that of the second word, with its size.
  if (words_[0] >> 8 == kCanary) return Layout::kAbslOptional;
  return words_[1] >> 8 == kCanary ? Layout::kOldString : Layout::kOptional;
}

bool StatusStorage::HasFailed(Layout layout) const {
  switch (layout) {
    case Layout::kOptional:
      return LowestByteIsSet(words_[4]);
    case Layout::kOldString:
      return LowestByteIsSet(words_[1]);
    case Layout::kAbslOptional:
      return LowestByteIsSet(words_[0]);
  }
  return false;
}

absl::Status StatusStorage::ReportedStatus() const {
  const Layout layout = FindLayout();
  if (!HasFailed(layout)) return absl::OkStatus();
  switch (layout) {
    case Layout::kOptional:
      return CustomCallFailed(*reinterpret_cast<const XlaCustomCallStatus*>(words_)->message);
    case Layout::kOldString:
      return CustomCallFailed({OldStringData(words_), OldStringSize(words_)});
    case Layout::kAbslOptional:
      return CustomCallFailed(AbslOptionalString(words_));
  }
  return absl::OkStatus();
}

void StatusStorage::Clear() {
  const Layout layout = FindLayout();
  if (!HasFailed(layout)) return;
  switch (layout) {
    case Layout::kOptional:
      reinterpret_cast<XlaCustomCallStatus*>(words_)->message.reset();
      break;
    case Layout::kOldString:
      DestroyOldString(words_);
      break;
    case Layout::kAbslOptional:
      AbslOptionalString(words_).~basic_string();
      break;
  }
}

}  // namespace callbridge

void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus* status) {
  if (status != nullptr) status->message.reset();
}

void XlaCustomCallStatusSetFailure(XlaCustomCallStatus* status, const char* message,
                                   size_t message_len) {
  if (status == nullptr) return;
  status->message.emplace();
  if (message != nullptr) status->message->assign(message, strnlen(message, message_len));
}
