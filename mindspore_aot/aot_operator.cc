#include "callbridge/mindspore_aot/aot_operator.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <limits>
#include <new>
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

// Returns whether there is memory at `address`.
bool IsMapped(const char* address) {
  const auto page_size = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t page = reinterpret_cast<uintptr_t>(address) / page_size * page_size;
  unsigned char is_resident = 0;
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return mincore(reinterpret_cast<void*>(page), 1, &is_resident) == 0;
}

bool IsVectorOfVectors(const VectorFields& fields) {
  const auto size = static_cast<size_t>(fields.end - fields.begin);
  if (size % sizeof(VectorFields) != 0) return false;
  for (const char* at = fields.begin; at != fields.end; at += sizeof(VectorFields)) {
    VectorFields list;
    std::memcpy(&list, at, sizeof(list));
    if (!IsVector(list) || (list.begin != nullptr && !IsMapped(list.begin))) return false;
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

// Returns whether numbers could only be the lists of several outputs: sizes of arrays are no
// addresses. Shapes of three zeros look as empty lists.
bool HasAddresses(const VectorFields& fields) {
  if (!IsVectorOfVectors(fields)) return false;
  for (const char* at = fields.begin; at != fields.end; at += sizeof(VectorFields)) {
    VectorFields list;
    std::memcpy(&list, at, sizeof(list));
    if (list.begin != nullptr) return true;
  }
  return false;
}

template <typename... Parts>
absl::Status WronglyInferred(const AotOperator& aot, const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat("AOT kernel(", aot.path, ")'s function(", aot.name,
                                                 "InferShape) returned ", parts...));
}

// Calls FInferShape as a function that returns the fields of a vector, which the calling
// conventions of all machines do alike, so that neither what the FInferShape of one output returns
// is taken for what that of several outputs does, nor the other way round. Throws what it throws.
absl::StatusOr<VectorFields> CallInferShape(const AotOperator& aot, int* ndims, int64_t** shapes,
                                            void* extra) {
  using Function = VectorFields(int* ndims, int64_t** shapes, void* extra);
  const auto function = reinterpret_cast<Function*>(reinterpret_cast<void*>(aot.infer_shape));
  // A function of another type leaves what was there before.
  alignas(VectorFields) char memory[sizeof(VectorFields)];
  std::memset(memory, 0xff, sizeof(memory));
  asm volatile("" : : "r"(memory) : "memory");
  const VectorFields fields = *new (memory) VectorFields(function(ndims, shapes, extra));
  if (IsVector(fields)) return fields;
  return WronglyInferred(aot,
                         "what is no std::vector of int64_t, nor one of such: expected "
                         "std::vector<int64_t>, or for several outputs "
                         "std::vector<std::vector<int64_t>>");
}

absl::StatusOr<std::vector<int64_t>> InferOne(const AotOperator& aot, int* ndims, int64_t** shapes,
                                              void* extra) {
  const absl::StatusOr<VectorFields> fields = CallInferShape(aot, ndims, shapes, extra);
  if (!fields.ok()) return fields.status();
  if (!HasAddresses(*fields)) return ToVector<std::vector<int64_t>>(*fields);
  const auto lists = ToVector<std::vector<std::vector<int64_t>>>(*fields);
  return WronglyInferred(aot, lists.size(),
                         " lists of numbers, the shapes of several outputs, for ",
                         "one output: expected std::vector<int64_t>; the call of an operator of ",
                         "several outputs has a tuple as its result");
}

absl::StatusOr<std::vector<std::vector<int64_t>>> InferSeveral(const AotOperator& aot, int* ndims,
                                                               int64_t** shapes, void* extra) {
  const absl::StatusOr<VectorFields> fields = CallInferShape(aot, ndims, shapes, extra);
  if (!fields.ok()) return fields.status();
  if (IsVectorOfVectors(*fields)) return ToVector<std::vector<std::vector<int64_t>>>(*fields);
  const auto numbers = ToVector<std::vector<int64_t>>(*fields);
  return WronglyInferred(aot, numbers.size(),
                         " numbers, the shape of one output, for several outputs");
}

absl::Status CheckInferred(const AotOperator& aot, size_t outputs,
                           const std::vector<std::vector<int64_t>>& shapes) {
  const auto error = [&](const auto&... parts) { return WronglyInferred(aot, parts...); };
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
      absl::StatusOr<std::vector<int64_t>> one = InferOne(aot, ndims, shapes, extra->get());
      if (!one.ok()) return one.status();
      inferred.push_back(*std::move(one));
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
