// What a stream runs and a graph's nodes are.
#ifndef CALLBRIDGE_TESTS_GPU_DRIVER_OPERATIONS_H_
#define CALLBRIDGE_TESTS_GPU_DRIVER_OPERATIONS_H_

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "tests/gpu/driver/driver_types.h"
#include "tests/gpu/driver/streams.h"

namespace standin {

struct Plan;  // of a graph: graphs.h

struct Launch {
  Function* function = nullptr;
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned shared = 0;
  std::vector<std::string> parameters;  // the bytes of each
};

// Addresses are the host's or a device's. All sizes in bytes.
struct Copy {
  uint64_t to = 0;
  uint64_t from = 0;
  size_t width = 0;
  size_t height = 1;
  size_t depth = 1;
  size_t to_pitch = 0;
  size_t to_slice = 0;
  size_t from_pitch = 0;
  size_t from_slice = 0;
  std::shared_ptr<const std::string> staged = nullptr;  // what `from` held when the copy was called
};

struct Fill {
  uint64_t to = 0;
  unsigned value = 0;
  unsigned element_size = 1;
  size_t width = 0;  // in elements
  size_t height = 1;
  size_t pitch = 0;
};

struct HostCall {
  CUhostFn function = nullptr;
  void* data = nullptr;
};

struct ChildGraph {
  Graph* graph = nullptr;  // of a node; null where an executable was launched into a capture
  std::shared_ptr<const Plan> plan = {};  // of an executable
  bool is_moved = false;                  // the caller's own nodes are in it, no copies of them
};

struct Nothing {};
struct WaitEvent {
  CUevent event = nullptr;
};
struct RecordEvent {
  CUevent event = nullptr;
};

// In the order of CUgraphNodeType.
using Operation =
    std::variant<Launch, Copy, Fill, HostCall, ChildGraph, Nothing, WaitEvent, RecordEvent>;

inline CUgraphNodeType TypeOf(const Operation& operation) {
  return static_cast<CUgraphNodeType>(operation.index());
}

// What is wrong with an operation when it is given to the driver.
CUresult Check(const Operation& operation);
// Runs it on this thread. An error is one that a context is lost by.
CUresult Run(const Operation& operation, Context* context);

// Submits to a stream, or adds a node to the graph that the stream is capturing. `done`, unless
// null, becomes null if captured.
CUresult Issue(CUstream stream, Operation operation, std::shared_ptr<Completion>* done = nullptr);

CUresult FromParams(const CUDA_MEMCPY3D& params, Copy* copy);
CUDA_MEMCPY3D ToParams(const Copy& copy);
// kernels.cc: fails if `function` is none, or parameters are missing.
CUresult MakeLaunch(CUfunction function, const unsigned grid[3], const unsigned block[3],
                    unsigned shared, void** parameters, void** extra, Launch* launch);
CUresult RunLaunch(const Launch& launch, Context* context);

}  // namespace standin

#endif  // CALLBRIDGE_TESTS_GPU_DRIVER_OPERATIONS_H_
