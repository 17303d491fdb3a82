// xla::StatusOr: absl's, with the old names for taking the value out of it.
#ifndef CALLBRIDGE_HLO_STATUSOR_H_
#define CALLBRIDGE_HLO_STATUSOR_H_

#include <type_traits>
#include <utility>

#include "absl/status/statusor.h"
#include "callbridge/hlo/status.h"

namespace xla {
inline namespace callbridge_v1 {

// Converts from and to absl::StatusOr<T>.
template <typename T>
class StatusOr : public absl::StatusOr<T> {
 public:
  using absl::StatusOr<T>::StatusOr;
  StatusOr() = default;
  StatusOr(const absl::StatusOr<T>& other) : absl::StatusOr<T>(other) {}
  StatusOr(absl::StatusOr<T>&& other) : absl::StatusOr<T>(std::move(other)) {}

  // The value, or the end of the process with the status.
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

#endif  // CALLBRIDGE_HLO_STATUSOR_H_
