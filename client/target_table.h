// The targets that a module's custom calls find, by name and platform.
#ifndef CALLBRIDGE_CLIENT_TARGET_TABLE_H_
#define CALLBRIDGE_CLIENT_TARGET_TABLE_H_

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/c_api/callbridge.h"

namespace callbridge::client {

class TargetTable {
 public:
  // What is registered in this process at the time of the call.
  static absl::StatusOr<TargetTable> OfProcess();

  // Adds a library's targets; they go before those of the same name that are there. The library
  // must outlive what is compiled with this table.
  absl::Status Add(const callbridge_library* library);

  // Of a name that is both a typed handler's and an untyped function's, the one that `typed` says;
  // else whichever there is. NOT_FOUND names the target, the platform and what is registered. The
  // result refers to texts of this table.
  absl::StatusOr<callbridge_target> Find(absl::string_view name, absl::string_view platform,
                                         bool typed) const;

 private:
  // What one library has by one name. Functions of unknown ABI are among the untyped ones.
  struct Named {
    std::optional<callbridge_target> typed;
    std::optional<callbridge_target> untyped;
  };
  using Key = std::pair<std::string, std::string>;  // name and platform

  std::map<Key, Named> targets_;
};

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_TARGET_TABLE_H_
