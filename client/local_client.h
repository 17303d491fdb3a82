// xla::LocalClient: the client for devices of this process. The host's processor is the only one.
#ifndef CALLBRIDGE_CLIENT_LOCAL_CLIENT_H_
#define CALLBRIDGE_CLIENT_LOCAL_CLIENT_H_

#include "callbridge/abi/exported.h"
#include "callbridge/client/client.h"

namespace xla {
inline namespace callbridge_v1 {

class CALLBRIDGE_EXPORTED LocalClient : public Client {
 public:
  int device_count() const { return 1; }
  int default_device_ordinal() const { return 0; }
  bool device_ordinal_supported(int device_ordinal) const { return device_ordinal == 0; }

 private:
  friend class ClientLibrary;
  LocalClient() = default;
};

}  // namespace callbridge_v1
}  // namespace xla

#endif  // CALLBRIDGE_CLIENT_LOCAL_CLIENT_H_
