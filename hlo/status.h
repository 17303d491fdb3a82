// xla::Status and xla::StatusOr, and the TF_ macros that pass errors on.
#ifndef CALLBRIDGE_HLO_STATUS_H_
#define CALLBRIDGE_HLO_STATUS_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/exported.h"

namespace xla {
inline namespace callbridge_v1 {

using Status = absl::Status;
using absl::OkStatus;

namespace internal {

// Writes the message to stderr and ends the process. The old API does so where it has no way to
// return an error: ValueOrDie() of an error, an index out of range.
[[noreturn]] CALLBRIDGE_EXPORTED void Die(absl::string_view message);

// Returns list[index]. Ends the process and names `what` if the index is out of range.
template <typename List>
auto& ElementAt(List& list, int64_t index, absl::string_view what) {
  if (index < 0 || static_cast<size_t>(index) >= list.size()) {
    Die(absl::StrCat("there is no ", what, " ", index, ": there are ", list.size(), ", from 0"));
  }
  return list[static_cast<size_t>(index)];
}

}  // namespace internal

// absl::StatusOr<T> with the old names for taking the value. Converts from and to
// absl::StatusOr<T>.
template <typename T>
class StatusOr : public absl::StatusOr<T> {
 public:
  using absl::StatusOr<T>::StatusOr;
  StatusOr() = default;
  StatusOr(const absl::StatusOr<T>& other) : absl::StatusOr<T>(other) {}
  StatusOr(absl::StatusOr<T>&& other) : absl::StatusOr<T>(std::move(other)) {}

  // Returns the value. Ends the process with the status on stderr if there is no value.
  const T& ValueOrDie() const& {
    Check();
    return **this;
  }
  T& ValueOrDie() & {
    Check();
    return **this;
  }
  T&& ValueOrDie() && {
    Check();
    return std::move(**this);
  }
  // Moves the value out. Ends the process with the status on stderr if there is no value.
  T ConsumeValueOrDie() {
    Check();
    return std::move(**this);
  }

 private:
  void Check() const {
    if (!this->ok()) internal::Die(this->status().ToString());
  }
};

}  // namespace callbridge_v1
}  // namespace xla

#ifndef TF_RETURN_IF_ERROR
#define TF_RETURN_IF_ERROR(...)                              \
  do {                                                       \
    ::absl::Status callbridge_status_ = (__VA_ARGS__);       \
    if (!callbridge_status_.ok()) return callbridge_status_; \
  } while (0)
#endif

#ifndef TF_CHECK_OK
#define TF_CHECK_OK(...)                                                               \
  do {                                                                                 \
    ::absl::Status callbridge_status_ = (__VA_ARGS__);                                 \
    if (!callbridge_status_.ok()) ::xla::internal::Die(callbridge_status_.ToString()); \
  } while (0)
#endif

#ifndef TF_ASSIGN_OR_RETURN
#define CALLBRIDGE_JOIN_AGAIN(a, b) a##b
#define CALLBRIDGE_JOIN(a, b) CALLBRIDGE_JOIN_AGAIN(a, b)
#define TF_ASSIGN_OR_RETURN(left, ...) \
  CALLBRIDGE_ASSIGN_OR_RETURN(CALLBRIDGE_JOIN(callbridge_status_or_, __LINE__), left, __VA_ARGS__)
#define CALLBRIDGE_ASSIGN_OR_RETURN(status_or, left, ...) \
  auto&& status_or = (__VA_ARGS__);                       \
  if (!status_or.ok()) return status_or.status();         \
  left = std::move(status_or).value()
#endif

#endif  // CALLBRIDGE_HLO_STATUS_H_
