// TargetTable: the targets of a module's custom calls, by name and platform.
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
#include "callbridge/c_api/callbridge_device.h"

namespace callbridge::client {

// Where a program's custom calls run: on the host, or on a CUDA device.
struct CallPlace {
  const callbridge_device* device = nullptr;  // null: the host
  bool synchronizes = false;                  // as in callbridge_execution_context

  const char* platform() const { return device != nullptr ? "CUDA" : "Host"; }
};

class TargetTable {
 public:
  // Returns the targets that are registered in this process at the time of the call.
  static absl::StatusOr<TargetTable> OfProcess();

  // Adds a library's targets, which replace those of the same name. The library must outlive what
  // is compiled with this table.
  absl::Status Add(const callbridge_library* library);

  // The device must outlive what is compiled with this table.
  void set_place(const CallPlace& place) { place_ = place; }
  const CallPlace& place() const { return place_; }

  // Returns the target of that name. If the name is both a typed handler's and an untyped
  // function's, `typed` chooses. Returns NOT_FOUND, which names the target, the platform and what
  // is registered. The result refers to this table's texts.
  absl::StatusOr<callbridge_target> Find(absl::string_view name, absl::string_view platform,
                                         bool typed) const;

 private:
  // One library's targets of one name. Functions of unknown ABI count as untyped.
  struct Named {
    std::optional<callbridge_target> typed;
    std::optional<callbridge_target> untyped;
  };
  using Key = std::pair<std::string, std::string>;  // name and platform

  std::map<Key, Named> targets_;
  CallPlace place_;
};

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_TARGET_TABLE_H_
