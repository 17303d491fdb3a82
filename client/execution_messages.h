// What the old client's methods take and return beside data. In XLA these are messages of a
// protocol between processes; here they are only what programs say with them.
#ifndef CALLBRIDGE_CLIENT_EXECUTION_MESSAGES_H_
#define CALLBRIDGE_CLIENT_EXECUTION_MESSAGES_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "callbridge/abi/exported.h"
#include "callbridge/hlo/xla_data_proto.h"

namespace callbridge::client {
class Executable;
}  // namespace callbridge::client

namespace xla {
inline namespace callbridge_v1 {

// A compiled computation. Copies are the same one.
class CALLBRIDGE_EXPORTED ExecutionHandle {
 public:
  // Of none: executing it is an error.
  ExecutionHandle() = default;

 private:
  friend class Client;
  explicit ExecutionHandle(std::shared_ptr<const ::callbridge::client::Executable> executable)
      : executable_(std::move(executable)) {}

  std::shared_ptr<const ::callbridge::client::Executable> executable_;
};

// The one device there is.
class CALLBRIDGE_EXPORTED DeviceHandle {
 public:
  int64_t handle() const { return 0; }
  int64_t device_count() const { return 1; }
};

class CALLBRIDGE_EXPORTED ExecutionOptions {
 public:
  // The result's layouts, in place of those that the computation says.
  const ShapeProto& shape_with_output_layout() const { return shape_with_output_layout_; }
  ShapeProto* mutable_shape_with_output_layout() { return &shape_with_output_layout_; }
  bool has_shape_with_output_layout() const {
    return shape_with_output_layout_.element_type() != PRIMITIVE_TYPE_INVALID;
  }

 private:
  ShapeProto shape_with_output_layout_;
};

class CALLBRIDGE_EXPORTED ExecutionProfile {
 public:
  int64_t compute_time_ns() const { return compute_time_ns_; }
  void set_compute_time_ns(int64_t value) { compute_time_ns_ = value; }

 private:
  int64_t compute_time_ns_ = 0;
};

}  // namespace callbridge_v1
}  // namespace xla

#endif  // CALLBRIDGE_CLIENT_EXECUTION_MESSAGES_H_
