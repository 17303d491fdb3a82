#include "callbridge/adapters/device_executor.h"

#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "callbridge/cuda/memory.h"
#include "callbridge/typed_ffi/host/runtime_services.h"

namespace callbridge {

using cuda::CurrentContext;
using cuda::DeviceMemory;
using cuda::Stream;

// ---- Services

void* DeviceScratch::Allocate(size_t size, size_t alignment) {
  absl::StatusOr<void*> data = alignment <= kAlignment
                                   ? cuda::Allocate(stream_, size)
                                   : absl::UnimplementedError(absl::StrCat(
                                         "scratch memory of a CUDA device is aligned to ",
                                         kAlignment, " bytes, but ", alignment, " were asked for"));
  if (data.ok()) return *data;
  const std::lock_guard<std::mutex> lock(mutex_);
  failure_ = data.status();
  return nullptr;
}

void DeviceScratch::Free(void* data, size_t) {
  const absl::Status freed = cuda::Free(stream_, data);
  if (freed.ok()) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (free_error_.ok()) free_error_ = freed;
}

absl::Status DeviceScratch::Failure(size_t) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return failure_;
}

absl::Status DeviceScratch::free_error() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return free_error_;
}

DeviceContext::DeviceContext(const ExecutionContext& context, const Stream& stream)
    : scratch_(stream), context_(context) {
  if (context.services != nullptr) services_ = *context.services;
  if (!services_.stream.has_value()) services_.stream = stream.handle();
  if (!services_.device_ordinal.has_value()) services_.device_ordinal = stream.device()->ordinal();
  if (!services_.run_id.has_value()) services_.run_id = host::NewRunId();
  if (services_.scratch == nullptr) services_.scratch = &scratch_;
  context_.services = &services_;
  context_.stream = stream.handle();
}

// ---- Calls

namespace {

absl::Status Prefixed(const char* what, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(what, ": ", status.message()));
}

absl::Status CheckPointers(const char* what, absl::Span<void* const> pointers,
                           const cuda::Device& device) {
  for (size_t i = 0; i < pointers.size(); ++i) {
    absl::Status checked = device.CheckPointer(absl::StrCat(what, " ", i), pointers[i]);
    if (!checked.ok()) return checked;
  }
  return absl::OkStatus();
}

// Copies of arrays of the host, one for all arrays at one place: aliases stay aliases.
class DeviceArrays {
 public:
  explicit DeviceArrays(const Stream& stream) : stream_(stream) {}

  // Appends the pointers of the copies to `pointers`.
  absl::Status Add(absl::Span<const HostArray> arrays, std::vector<void*>& pointers) {
    for (const HostArray& array : arrays) {
      if (array.data == nullptr && array.size_bytes == 0) {
        pointers.push_back(nullptr);
        continue;
      }
      void*& copy = copies_[{array.data, array.size_bytes}];
      if (copy == nullptr) {
        absl::StatusOr<DeviceMemory> made = DeviceMemory::Allocate(stream_, array.size_bytes);
        if (!made.ok()) return made.status();
        absl::Status copied = stream_.CopyToDevice(made->data(), array.data, array.size_bytes);
        if (!copied.ok()) return copied;
        copy = made->data();
        memory_.push_back(*std::move(made));
      }
      pointers.push_back(copy);
    }
    return absl::OkStatus();
  }

 private:
  const Stream& stream_;
  std::vector<DeviceMemory> memory_;
  std::map<std::pair<void*, size_t>, void*> copies_;
};

void SetTokensToNull(absl::Span<const Shape> shapes, std::vector<HostArray>& arrays) {
  auto array = arrays.begin();
  for (const Shape& shape : shapes) {
    for (const Shape* leaf : shape.Leaves()) {
      if (leaf->IsToken()) *array = HostArray();
      ++array;
    }
  }
}

}  // namespace

absl::Status CheckBeforeCall(const CallBuffers& buffers, const Stream& stream) {
  const absl::Status before = stream.Synchronize();
  if (!before.ok()) {
    return Prefixed("what was enqueued on the CUDA stream before this call failed", before);
  }
  absl::Status checked = stream.CheckDevice();
  if (checked.ok()) checked = CheckPointers("operand", buffers.operands, *stream.device());
  if (checked.ok()) checked = CheckPointers("result", buffers.results, *stream.device());
  return checked;
}

absl::Status SynchronizeAfterCall(absl::Status status, const Stream& stream) {
  const absl::Status done = stream.Synchronize();
  if (done.ok()) return status;
  if (status.ok()) return Prefixed("what this call enqueued on the CUDA stream failed", done);
  return absl::Status(status.code(), absl::StrCat(status.message(),
                                                  "; and what it enqueued on the CUDA stream "
                                                  "failed: ",
                                                  done.message()));
}

absl::Status ExecuteOnDevice(const BoundCall& call, const CallBuffers& buffers,
                             const ExecutionContext& context, const Stream& stream,
                             bool synchronizes) {
  const CurrentContext current(*stream.device());
  if (!current.status().ok()) return current.status();
  if (synchronizes) {
    absl::Status checked = CheckBeforeCall(buffers, stream);
    if (!checked.ok()) return checked;
  }
  const DeviceContext provided(context, stream);
  absl::Status status = call.Execute(buffers, provided.get());
  if (status.ok()) status = provided.scratch().free_error();
  return synchronizes ? SynchronizeAfterCall(std::move(status), stream) : status;
}

absl::Status ExecuteOnDevice(const BoundCall& call, absl::Span<const HostArray> operands,
                             absl::Span<const HostArray> results, const ExecutionContext& context,
                             const Stream& stream, bool synchronizes) {
  const auto execute = [&]() -> absl::Status {
    DeviceArrays arrays(stream);
    std::vector<void*> in;
    std::vector<void*> out;
    absl::Status status = arrays.Add(operands, in);
    // The results' arrays too: what the target does not write is as it was, as on the host.
    if (status.ok()) status = arrays.Add(results, out);
    if (!status.ok()) return status;
    std::vector<void*> passed = out;  // a target may write into the lists
    status = ExecuteOnDevice(call, {absl::MakeSpan(in), absl::MakeSpan(passed)}, context, stream,
                             synchronizes);
    for (size_t i = 0; status.ok() && i < results.size(); ++i) {
      status = stream.CopyToHost(results[i].data, out[i], results[i].size_bytes);
    }
    return status;
  };
  absl::Status status = execute();
  // Also after a failure, since copies of the caller's memory may be going on.
  const absl::Status done = stream.Synchronize();
  return status.ok() ? done : status;
}

absl::StatusOr<BoundCall> BindOnDevice(const CallSite& site, const Target& target,
                                       const ExecutionContext& context,
                                       const cuda::Device& device) {
  if (target.platform != Platform::kCuda) {
    return absl::InvalidArgumentError(absl::StrCat("custom call \"", target.name, "\" is for ",
                                                   PlatformName(target.platform),
                                                   ", but a CUDA device runs those for CUDA"));
  }
  const CurrentContext current(device);
  if (!current.status().ok()) return current.status();
  return Bind(site, target, context);
}

absl::Status ExecuteOnDevice(const CallSite& site, const Target& target,
                             absl::Span<const HostArray> operands,
                             absl::Span<const HostArray> results, const ExecutionContext& context,
                             const Stream& stream, bool synchronizes) {
  absl::Status checked = CheckArraysOfSite(site, operands, results);
  if (!checked.ok()) return checked;
  // The state of a handler is deleted in the context in which it was made.
  const CurrentContext current(*stream.device());
  if (!current.status().ok()) return current.status();
  const absl::StatusOr<BoundCall> call = BindOnDevice(site, target, {}, *stream.device());
  if (!call.ok()) return call.status();
  std::vector<HostArray> in(operands.begin(), operands.end());
  std::vector<HostArray> out(results.begin(), results.end());
  SetTokensToNull(site.operands, in);
  SetTokensToNull({&site.result, 1}, out);
  return ExecuteOnDevice(*call, in, out, context, stream, synchronizes);
}

}  // namespace callbridge
