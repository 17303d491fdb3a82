#include "callbridge/mindspore_aot/aot_operator.h"

#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/caught_exception.h"

namespace callbridge {
namespace mindspore_aot {
namespace {

std::unique_ptr<ExtraObject> MakeExtra(const AotOperator& aot, AttributeValues attributes) {
  return aot.has_old_string ? MakeExtraOfOldString(std::move(attributes))
                            : MakeExtraOfNewString(std::move(attributes));
}

// As MindSpore says it, since users search for it.
absl::Status Returned(const AotOperator& aot, absl::string_view suffix, int code) {
  return absl::InternalError(absl::StrCat(
      "Return value from CPU AOT kernel(", aot.path, ")'s function(", aot.name, suffix, ") is ",
      code, ". Any return value not equal to 0 will be treated as user defined error code"));
}

// For a catch (...) block.
absl::Status Threw(const AotOperator& aot, absl::string_view suffix) {
  return absl::InternalError(absl::StrCat("AOT kernel(", aot.path, ")'s function(", aot.name,
                                          suffix, ") threw ", DescribeCaughtException()));
}

// A std::vector as it lies in memory.
struct VectorFields {
  const char* begin;
  const char* end;
  const char* capacity;
};
static_assert(sizeof(VectorFields) == sizeof(std::vector<int64_t>));

// Returns whether `fields` could be a vector of numbers: sizes of arrays are no addresses.
bool IsVector(const VectorFields& fields) {
  constexpr uintptr_t kLowestAddress = 1 << 16;
  const auto begin = reinterpret_cast<uintptr_t>(fields.begin);
  const auto end = reinterpret_cast<uintptr_t>(fields.end);
  const auto capacity = reinterpret_cast<uintptr_t>(fields.capacity);
  if (begin == 0) return end == 0 && capacity == 0;
  return begin >= kLowestAddress && begin <= end && end <= capacity &&
         begin % alignof(int64_t) == 0 && (end - begin) % sizeof(int64_t) == 0;
}

bool IsVectorOfVectors(const VectorFields& fields) {
  const auto size = static_cast<size_t>(fields.end - fields.begin);
  if (size % sizeof(VectorFields) != 0) return false;
  for (const char* at = fields.begin; at != fields.end; at += sizeof(VectorFields)) {
    VectorFields list;
    std::memcpy(&list, at, sizeof(list));
    if (!IsVector(list)) return false;
  }
  return true;
}

// Returns the vector that lies in memory so, which owns what `fields` did.
template <typename Vector>
Vector ToVector(const VectorFields& fields) {
  Vector vector;
  std::memcpy(static_cast<void*>(&vector), &fields, sizeof(fields));
  return vector;
}

// Calls FInferShape of several outputs. Calls it as a function that returns the fields of a vector,
// which the calling conventions of all machines do alike, so that the list of numbers that the
// FInferShape of one output returns is not taken for a list of lists. Throws what it throws.
absl::StatusOr<std::vector<std::vector<int64_t>>> InferSeveral(const AotOperator& aot, int* ndims,
                                                               int64_t** shapes, void* extra) {
  using Function = VectorFields(int* ndims, int64_t** shapes, void* extra);
  const auto function = reinterpret_cast<Function*>(reinterpret_cast<void*>(aot.infer_shape));
  const VectorFields fields = function(ndims, shapes, extra);
  if (IsVectorOfVectors(fields)) return ToVector<std::vector<std::vector<int64_t>>>(fields);
  const auto numbers = ToVector<std::vector<int64_t>>(fields);
  return absl::InvalidArgumentError(
      absl::StrCat("AOT kernel(", aot.path, ")'s function(", aot.name, "InferShape) returned ",
                   numbers.size(), " numbers, the shape of one output, for several outputs"));
}

absl::Status CheckInferred(const AotOperator& aot, size_t outputs,
                           const std::vector<std::vector<int64_t>>& shapes) {
  const auto error = [&](auto&&... parts) {
    return absl::InvalidArgumentError(absl::StrCat("AOT kernel(", aot.path, ")'s function(",
                                                   aot.name, "InferShape) returned ", parts...));
  };
  if (shapes.size() != outputs) {
    return error(shapes.size(), " shapes for ", outputs, " outputs");
  }
  for (const std::vector<int64_t>& shape : shapes) {
    for (const int64_t dimension : shape) {
      if (dimension < -2) return error("the dimension ", dimension);
      if (dimension == -2 && shape.size() != 1) {
        return error("a shape of ", shape.size(),
                     " dimensions in which -2, an unknown rank, is one");
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

int64_t* PaddingShape() {
  static int64_t zeros[kPadding];
  return zeros;
}

absl::StatusOr<std::vector<std::vector<int64_t>>> InferOutputShapes(
    const AotOperator& aot, const AttributeValues& attributes, size_t outputs, int* ndims,
    int64_t** shapes) {
  if (aot.infer_shape == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat(aot.path, ":", aot.name, " has no function ", aot.name,
                     "InferShape that would say what it returns: say it in the call"));
  }
  const std::unique_ptr<ExtraObject> extra = MakeExtra(aot, attributes);
  std::vector<std::vector<int64_t>> inferred;
  try {
    if (outputs == 1) {
      inferred.push_back(aot.infer_shape(ndims, shapes, extra->get()));
    } else {
      absl::StatusOr<std::vector<std::vector<int64_t>>> several =
          InferSeveral(aot, ndims, shapes, extra->get());
      if (!several.ok()) return several.status();
      inferred = *std::move(several);
    }
  } catch (...) {
    return Threw(aot, "InferShape");
  }
  absl::Status status = CheckInferred(aot, outputs, inferred);
  if (!status.ok()) return status;
  return inferred;
}

AotSite::AotSite(const AotOperator& aot, AttributeValues attributes)
    : aot_(aot), extra_(MakeExtra(aot, std::move(attributes))) {}

absl::Status AotSite::CallInit(const AotTensors& tensors) {
  if (aot_.init == nullptr) return absl::OkStatus();
  extra_->Reset();
  std::vector<int> ndims(tensors.ndims, tensors.ndims + tensors.count);
  ndims.resize(tensors.count + kPadding, 0);
  std::vector<int64_t*> shapes(tensors.shapes, tensors.shapes + tensors.count);
  shapes.resize(tensors.count + kPadding, PaddingShape());
  std::vector<const char*> dtypes(tensors.dtypes, tensors.dtypes + tensors.count);
  dtypes.resize(tensors.count + kPadding, "");
  try {
    const int code = aot_.init(ndims.data(), shapes.data(), dtypes.data(), extra_->get());
    if (code != 0) return Returned(aot_, "Init", code);
  } catch (...) {
    return Threw(aot_, "Init");
  }
  for (const size_t size : extra_->workspace()) {
    if (size > static_cast<size_t>(std::numeric_limits<ptrdiff_t>::max())) {
      return absl::InvalidArgumentError(absl::StrCat("AOT kernel(", aot_.path, ")'s function(",
                                                     aot_.name, "Init) asked for a workspace of ",
                                                     size, " bytes"));
    }
  }
  return absl::OkStatus();
}

absl::Status AotSite::Initialize(const AotTensors& tensors) {
  if (is_initialized()) return absl::OkStatus();
  const std::lock_guard<std::mutex> lock(initializing_);
  if (is_initialized_.load(std::memory_order_relaxed)) return absl::OkStatus();
  absl::Status status = CallInit(tensors);
  if (status.ok()) is_initialized_.store(true, std::memory_order_release);
  return status;
}

absl::Status AotSite::Run(const AotTensors& tensors, void* stream) const {
  const size_t count = tensors.count + extra_->workspace().size();
  try {
    const int code = aot_.function(static_cast<int>(count), tensors.data, tensors.ndims,
                                   tensors.shapes, tensors.dtypes, stream, extra_->get());
    return code == 0 ? absl::OkStatus() : Returned(aot_, "", code);
  } catch (...) {
    return Threw(aot_, "");
  }
}

}  // namespace mindspore_aot
}  // namespace callbridge
