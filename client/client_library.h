// xla::ClientLibrary: returns the client of this process.
#ifndef CALLBRIDGE_CLIENT_CLIENT_LIBRARY_H_
#define CALLBRIDGE_CLIENT_CLIENT_LIBRARY_H_

#include <optional>
#include <set>

#include "callbridge/abi/exported.h"
#include "callbridge/client/local_client.h"
#include "callbridge/hlo/status.h"

namespace stream_executor {
// A kind of device. The embedded runtime has only the host, which is null.
class Platform;
}  // namespace stream_executor

namespace xla {
inline namespace callbridge_v1 {

namespace se = ::stream_executor;

// Options are stored and have no effect: there is one device and no other platform.
class CALLBRIDGE_EXPORTED LocalClientOptions {
 public:
  LocalClientOptions(se::Platform* platform = nullptr, int number_of_replicas = 1,
                     int intra_op_parallelism_threads = -1,
                     const std::optional<std::set<int>>& allowed_devices = std::nullopt);

  LocalClientOptions& set_platform(se::Platform* platform);
  se::Platform* platform() const { return platform_; }
  LocalClientOptions& set_number_of_replicas(int number_of_replicas);
  int number_of_replicas() const { return number_of_replicas_; }
  LocalClientOptions& set_intra_op_parallelism_threads(int num_threads);
  int intra_op_parallelism_threads() const { return intra_op_parallelism_threads_; }
  LocalClientOptions& set_allowed_devices(const std::optional<std::set<int>>& allowed_devices);
  const std::optional<std::set<int>>& allowed_devices() const { return allowed_devices_; }

 private:
  se::Platform* platform_;
  int number_of_replicas_;
  int intra_op_parallelism_threads_;
  std::optional<std::set<int>> allowed_devices_;
};

class CALLBRIDGE_EXPORTED ClientLibrary {
 public:
  ClientLibrary() = delete;

  // Returns the same client each time; it lives as long as the process. Returns UNIMPLEMENTED for a
  // platform other than the host, INVALID_ARGUMENT if device 0 is not allowed or replicas are
  // requested.
  static StatusOr<LocalClient*> GetOrCreateLocalClient(
      se::Platform* platform = nullptr,
      const std::optional<std::set<int>>& allowed_devices = std::nullopt);
  static StatusOr<LocalClient*> GetOrCreateLocalClient(const LocalClientOptions& options);
  static LocalClient* LocalClientOrDie();
};

}  // namespace callbridge_v1
}  // namespace xla

#endif  // CALLBRIDGE_CLIENT_CLIENT_LIBRARY_H_
