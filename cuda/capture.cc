#include "callbridge/cuda/capture.h"

#include "absl/status/statusor.h"
#include "callbridge/cuda/driver.h"

namespace callbridge {
namespace cuda {

CaptureProgress CaptureProgress::Of(void* stream) {
  const CaptureProgress unknown;
  const absl::StatusOr<const Driver*> found = Driver::Get();
  if (!found.ok()) return unknown;
  const Driver& driver = **found;
  if (!driver.stream_get_capture_info.is_there()) return unknown;
  CaptureProgress progress;
  GraphHandle graph = nullptr;
  const NodeHandle* dependencies = nullptr;
  // CUDA_ERROR_LOSSY_QUERY if a dependency is one of a programmatic launch.
  const Result asked =
      driver.stream_get_capture_info.Call(static_cast<StreamHandle>(stream), &progress.status_,
                                          nullptr, &graph, &dependencies, &progress.dependencies_);
  if (asked != result::kSuccess) return unknown;
  if (!progress.is_active()) return progress;
  if (progress.dependencies_ != 0) progress.first_dependency_ = dependencies[0];
  const Result counted = driver.graph_get_nodes.Call(graph, nullptr, &progress.nodes_);
  return counted == result::kSuccess ? progress : unknown;
}

}  // namespace cuda
}  // namespace callbridge
