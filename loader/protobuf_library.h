// ProtobufLibrary: libcallbridge_client.so, opened for the messages and the protobuf that it has.
#ifndef CALLBRIDGE_LOADER_PROTOBUF_LIBRARY_H_
#define CALLBRIDGE_LOADER_PROTOBUF_LIBRARY_H_

#include <string>

#include "absl/status/statusor.h"

namespace callbridge {

class ProtobufLibrary {
 public:
  // The one that the process has loaded already, or else what the environment's CALLBRIDGE_CLIENT
  // says, or the one beside callbridge (the build tree, lib), or that in the lib to which bin and
  // libexec belong. It stays loaded for good, and nothing of it enters the global symbol scope; nor
  // does it bind to a protobuf that is there. FAILED_PRECONDITION says why it cannot be opened.
  // Thread-safe.
  static absl::StatusOr<ProtobufLibrary> Open();

  // What it or its libprotobuf exports under that name; null if nothing.
  void* Find(const std::string& symbol) const;

 private:
  explicit ProtobufLibrary(void* handle) : handle_(handle) {}

  void* handle_;  // of dlopen
};

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_PROTOBUF_LIBRARY_H_
