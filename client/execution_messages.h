// Parameters and results of the old client's methods. In XLA these are messages of a protocol
// between processes; here they are plain classes with the same accessors.
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

// A compiled computation. Copies refer to the same one.
class CALLBRIDGE_EXPORTED ExecutionHandle {
 public:
  // A handle without a computation; executing it is an error.
  ExecutionHandle() = default;

 private:
  friend class Client;
  explicit ExecutionHandle(std::shared_ptr<const ::callbridge::client::Executable> executable)
      : executable_(std::move(executable)) {}

  std::shared_ptr<const ::callbridge::client::Executable> executable_;
};

// The only device.
class CALLBRIDGE_EXPORTED DeviceHandle {
 public:
  int64_t handle() const { return 0; }
  int64_t device_count() const { return 1; }
};

class CALLBRIDGE_EXPORTED ExecutionOptions {
 public:
  // The result's layouts, instead of those that the computation has.
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
