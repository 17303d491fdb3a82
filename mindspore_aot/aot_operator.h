// AotOperator: a MindSpore AOT custom operator, which is up to three functions of a library; and
// AotSite, one call site of it.
#ifndef CALLBRIDGE_MINDSPORE_AOT_AOT_OPERATOR_H_
#define CALLBRIDGE_MINDSPORE_AOT_AOT_OPERATOR_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "callbridge/mindspore_aot/extra_object.h"

namespace callbridge {
namespace mindspore_aot {

struct AotOperator {
  // Parameters are the inputs, the outputs, then the workspaces. `ndims`, `shapes` and `dtypes`
  // describe inputs and outputs alone; a workspace has 0, null and null.
  using Function = int(int nparam, void** params, int* ndims, int64_t** shapes, const char** dtypes,
                       void* stream, void* extra);
  using Init = int(int* ndims, int64_t** shapes, const char** dtypes, void* extra);
  // Returns the shape of the output. That of an operator of several outputs has another type: it
  // returns a std::vector of their shapes.
  using InferShape = std::vector<int64_t>(int* ndims, int64_t** shapes, void* extra);

  std::string path;                     // "./add.so", for messages
  std::string name;                     // "CustomAdd"
  std::string content;                  // of the file: AotFile::content
  Function* function = nullptr;         // F
  Init* init = nullptr;                 // FInit, or null
  InferShape* infer_shape = nullptr;    // FInferShape, or null
  bool has_old_string = true;           // the std::string of AotExtra, as the library has it
  std::shared_ptr<const void> library;  // keeps the functions loaded
};

// FInit and FInferShape are not told how many tensors there are. Behind the last one their lists
// have this many more of rank 0 and of no type, whose shapes begin with as many zeros, so that a
// function that expects more tensors than a call has finds no wild pointers.
inline constexpr size_t kPadding = 16;
// The shape of such a tensor.
int64_t* PaddingShape();

// The tensors of a call: inputs, then outputs. Nothing is owned; each list has `count` entries.
struct AotTensors {
  size_t count = 0;
  void** data = nullptr;  // with room for the workspaces behind it
  int* ndims = nullptr;   // likewise, as the two below
  int64_t** shapes = nullptr;
  const char** dtypes = nullptr;
};

// Infers the shapes of an operator's outputs. `ndims` and `shapes` are those of the inputs, with
// padding; -1 is a
// dimension that is not known, and the single dimension -2 a rank that is not. Returns
// FAILED_PRECONDITION if the operator has no FInferShape, INTERNAL if that throws, and
// INVALID_ARGUMENT if it returns another number of shapes, a list of shapes for one output, what is
// no vector, or a dimension below -2.
absl::StatusOr<std::vector<std::vector<int64_t>>> InferOutputShapes(
    const AotOperator& aot, const AttributeValues& attributes, size_t outputs, int* ndims,
    int64_t** shapes);

// One call site: its attributes, and what FInit made there. Thread-safe.
class AotSite {
 public:
  // `aot` must outlive the site.
  AotSite(const AotOperator& aot, AttributeValues attributes);
  AotSite(const AotSite&) = delete;
  AotSite& operator=(const AotSite&) = delete;

  // Runs FInit with the first tensors that it gets, once: shapes and types of a call site do not
  // change. Others wait meanwhile. After a failure the next call tries again, on a new object.
  // Returns INTERNAL if FInit returns another number than 0 or throws, and INVALID_ARGUMENT if it
  // asks for a workspace of more than 2^63 - 1 bytes, as one computed from a dimension of -1 is.
  // Allocates and locks nothing once it has succeeded.
  absl::Status Initialize(const AotTensors& tensors);
  // Whether Initialize() has succeeded.
  bool is_initialized() const { return is_initialized_.load(std::memory_order_acquire); }

  // The sizes of the workspaces. Valid after Initialize() succeeded.
  absl::Span<const size_t> workspaces() const { return extra_->workspace(); }

  // Calls F. `tensors` have the workspaces behind them. Returns INTERNAL if F returns another
  // number than 0, or throws.
  absl::Status Run(const AotTensors& tensors, void* stream) const;

 private:
  absl::Status CallInit(const AotTensors& tensors);

  const AotOperator& aot_;
  const std::unique_ptr<ExtraObject> extra_;
  std::mutex initializing_;
  std::atomic<bool> is_initialized_{false};
};

}  // namespace mindspore_aot
}  // namespace callbridge

#endif  // CALLBRIDGE_MINDSPORE_AOT_AOT_OPERATOR_H_
