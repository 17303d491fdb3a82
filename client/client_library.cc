#include "callbridge/client/client_library.h"

#include "absl/strings/str_cat.h"

namespace xla {
inline namespace callbridge_v1 {

LocalClientOptions::LocalClientOptions(se::Platform* platform, int number_of_replicas,
                                       int intra_op_parallelism_threads,
                                       const std::optional<std::set<int>>& allowed_devices)
    : platform_(platform),
      number_of_replicas_(number_of_replicas),
      intra_op_parallelism_threads_(intra_op_parallelism_threads),
      allowed_devices_(allowed_devices) {}

LocalClientOptions& LocalClientOptions::set_platform(se::Platform* platform) {
  platform_ = platform;
  return *this;
}

LocalClientOptions& LocalClientOptions::set_number_of_replicas(int number_of_replicas) {
  number_of_replicas_ = number_of_replicas;
  return *this;
}

LocalClientOptions& LocalClientOptions::set_intra_op_parallelism_threads(int num_threads) {
  intra_op_parallelism_threads_ = num_threads;
  return *this;
}

LocalClientOptions& LocalClientOptions::set_allowed_devices(
    const std::optional<std::set<int>>& allowed_devices) {
  allowed_devices_ = allowed_devices;
  return *this;
}

StatusOr<LocalClient*> ClientLibrary::GetOrCreateLocalClient(
    se::Platform* platform, const std::optional<std::set<int>>& allowed_devices) {
  return GetOrCreateLocalClient(LocalClientOptions(platform, 1, -1, allowed_devices));
}

StatusOr<LocalClient*> ClientLibrary::GetOrCreateLocalClient(const LocalClientOptions& options) {
  if (options.platform() != nullptr) {
    return absl::UnimplementedError(
        "the embedded runtime has the host as its only platform: pass null, or run the program "
        "on XLA");
  }
  if (options.number_of_replicas() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected 1 replica, since the host is the only device, but got ",
                     options.number_of_replicas()));
  }
  if (options.allowed_devices().has_value() && options.allowed_devices()->count(0) == 0) {
    return absl::InvalidArgumentError(
        "expected device 0, the only one, to be among the allowed devices");
  }
  static LocalClient* const client = new LocalClient();
  return client;
}

LocalClient* ClientLibrary::LocalClientOrDie() { return GetOrCreateLocalClient().ValueOrDie(); }

}  // namespace callbridge_v1
}  // namespace xla
