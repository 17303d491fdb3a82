// StatusStorage: the XlaCustomCallStatus of one call.
//
// Some binaries hold private copies of the status functions, which write the object in the layout
// of the headers that they were built with. So it is storage that serves all three layouts that
// exist:
//
// clang-format off
//   kOptional      std::optional<std::string>, new string ABI    string at 0, flag at 32
//   kOldString     the same with _GLIBCXX_USE_CXX11_ABI=0        string (one pointer) at 0, flag at 8
//   kAbslOptional  absl::optional under C++14, its first layout  flag at 0, string at 8
// clang-format on
//
// All three flags start as 0. Every byte that no copy reads before it writes it holds a canary; the
// canaries that are overwritten afterwards tell the layout. The flags alone do not, since a
// string's bytes lie where other layouts have their flags. One target whose copies have different
// layouts is not served.
#ifndef CALLBRIDGE_STATUS_RETURNING_STATUS_STORAGE_H_
#define CALLBRIDGE_STATUS_RETURNING_STATUS_STORAGE_H_

#include <cstdint>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "callbridge/status_returning/custom_call_status.h"

namespace callbridge {

// Neither movable nor thread-safe. Allocates nothing unless the target writes a message.
class StatusStorage {
 public:
  StatusStorage() {
    words_[0] = kFlagAndCanary;
    words_[1] = kFlagAndCanary;
    words_[4] = 0;
  }
  // Frees the message, in the layout that wrote it.
  ~StatusStorage() {
    if (ABSL_PREDICT_FALSE(IsTouched())) Clear();
  }
  StatusStorage(const StatusStorage&) = delete;
  StatusStorage& operator=(const StatusStorage&) = delete;

  // Returns the pointer to pass to the target.
  XlaCustomCallStatus* get() { return reinterpret_cast<XlaCustomCallStatus*>(words_); }

  // Returns OK, or the failure that the target reported.
  absl::Status ToStatus() const {
    return ABSL_PREDICT_TRUE(!IsTouched()) ? absl::OkStatus() : ReportedStatus();
  }

 private:
  enum class Layout { kOptional, kOldString, kAbslOptional };

  // Seven bytes that cannot be part of an address, a size or a short string's length.
  static constexpr uint64_t kCanary = 0xCA11B41D6E5747;
  // A flag of 0 in the lowest byte.
  static constexpr uint64_t kFlagAndCanary = kCanary << 8;

  // Setting a message changes the first eight bytes in every layout, and they stay changed.
  bool IsTouched() const { return words_[0] != kFlagAndCanary; }
  Layout FindLayout() const;
  bool HasFailed(Layout layout) const;
  absl::Status ReportedStatus() const;
  void Clear();

  // Bytes 16 to 31 are not initialised: only strings lie there.
  uint64_t words_[5];
};

}  // namespace callbridge

#endif  // CALLBRIDGE_STATUS_RETURNING_STATUS_STORAGE_H_
