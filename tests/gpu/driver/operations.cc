#include "tests/gpu/driver/operations.h"

#include <string.h>

#include <algorithm>
#include <utility>

#include "tests/gpu/driver/capture.h"
#include "tests/gpu/driver/entry.h"
#include "tests/gpu/driver/events.h"
#include "tests/gpu/driver/graphs.h"
#include "tests/gpu/driver/memory.h"

namespace standin {
namespace {

template <typename... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <typename... F>
Overloaded(F...) -> Overloaded<F...>;

// The bytes from an operand's first to its last.
size_t Extent(size_t width, size_t height, size_t depth, size_t pitch, size_t slice) {
  return width == 0 || height == 0 || depth == 0
             ? 0
             : (depth - 1) * slice + (height - 1) * pitch + width;
}

size_t ToExtent(const Copy& copy) {
  return Extent(copy.width, copy.height, copy.depth, copy.to_pitch, copy.to_slice);
}
size_t FromExtent(const Copy& copy) {
  return Extent(copy.width, copy.height, copy.depth, copy.from_pitch, copy.from_slice);
}
size_t ExtentOf(const Fill& fill) {
  return Extent(fill.width * fill.element_size, fill.height, 1, fill.pitch, 0);
}

CUresult RunCopy(const Copy& copy) {
  const size_t size = ToExtent(copy);
  if (size == 0) return CUDA_SUCCESS;
  char* to = static_cast<char*>(memory::Reach(copy.to, size));
  const char* from = copy.staged != nullptr
                         ? copy.staged->data()
                         : static_cast<const char*>(memory::Reach(copy.from, FromExtent(copy)));
  if (to == nullptr || from == nullptr) return CUDA_ERROR_ILLEGAL_ADDRESS;
  for (size_t z = 0; z < copy.depth; ++z) {
    for (size_t y = 0; y < copy.height; ++y) {
      memmove(to + z * copy.to_slice + y * copy.to_pitch,
              from + z * copy.from_slice + y * copy.from_pitch, copy.width);
    }
  }
  return CUDA_SUCCESS;
}

CUresult RunFill(const Fill& fill) {
  const size_t size = ExtentOf(fill);
  if (size == 0) return CUDA_SUCCESS;
  char* to = static_cast<char*>(memory::Reach(fill.to, size));
  if (to == nullptr) return CUDA_ERROR_ILLEGAL_ADDRESS;
  for (size_t y = 0; y < fill.height; ++y) {
    for (size_t x = 0; x < fill.width; ++x) {
      memcpy(to + y * fill.pitch + x * fill.element_size, &fill.value, fill.element_size);
    }
  }
  return CUDA_SUCCESS;
}

// A device address must be allocated.
CUresult CheckRange(uint64_t address, size_t size) {
  if (size == 0) return CUDA_SUCCESS;
  return address == 0 || memory::Reach(address, size) == nullptr ? CUDA_ERROR_INVALID_VALUE
                                                                 : CUDA_SUCCESS;
}

}  // namespace

CUresult Check(const Operation& operation) {
  return std::visit(
      Overloaded{[](const Copy& copy) {
                   RETURN_IF_ERROR(CheckRange(copy.to, ToExtent(copy)));
                   return copy.staged != nullptr ? CUDA_SUCCESS
                                                 : CheckRange(copy.from, FromExtent(copy));
                 },
                 [](const Fill& fill) {
                   if (fill.element_size != 1 && fill.element_size != 2 && fill.element_size != 4) {
                     return CUDA_ERROR_INVALID_VALUE;
                   }
                   if (fill.to % fill.element_size != 0) return CUDA_ERROR_INVALID_VALUE;
                   return CheckRange(fill.to, ExtentOf(fill));
                 },
                 [](const HostCall& call) {
                   return call.function == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
                 },
                 [](const auto&) { return CUDA_SUCCESS; }},
      operation);
}

CUresult Run(const Operation& operation, Context* context) {
  return std::visit(
      Overloaded{[&](const Launch& launch) { return RunLaunch(launch, context); },
                 [](const Copy& copy) { return RunCopy(copy); },
                 [](const Fill& fill) { return RunFill(fill); },
                 [](const HostCall& call) {
                   const InHostFunction in_host_function;
                   call.function(call.data);
                   return CUDA_SUCCESS;
                 },
                 [&](const ChildGraph& child) { return RunPlan(*child.plan, context); },
                 [](const Nothing&) { return CUDA_SUCCESS; },
                 [](const WaitEvent& wait) {
                   WaitFor(wait.event);
                   return CUDA_SUCCESS;
                 },
                 [](const RecordEvent& record) {
                   RecordNow(record.event);
                   return CUDA_SUCCESS;
                 }},
      operation);
}

CUresult Issue(CUstream handle, Operation operation, std::shared_ptr<Completion>* done) {
  Stream* stream;
  RETURN_IF_ERROR(FindStream(handle, &stream));
  RETURN_IF_ERROR(Check(operation));
  const std::lock_guard<std::recursive_mutex> order(OrderOfStreams());
  RETURN_IF_ERROR(RefuseImplicit(stream));
  if (stream->capture != nullptr) {
    if (done != nullptr) *done = nullptr;
    return AddToCapture(stream, std::move(operation));
  }
  std::shared_ptr<Completion> completion = stream->Submit(
      [operation = std::move(operation)](Context* context) { return Run(operation, context); });
  if (done != nullptr) *done = std::move(completion);
  return CUDA_SUCCESS;
}

}  // namespace standin
