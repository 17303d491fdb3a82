// XLA's Record extension in C++ (jaxlib 0.11.1 and newer): a handler of the record stage puts
// commands into a graph, which XLA launches later, instead of running them. As in XLA the names are
// internal; declare your own:
//
//   using RecordContext = ffi::internal::RecordContextBase<ffi::internal::ErrorPolicy>;
//   using Record = ffi::internal::RecordExtensionBase<RecordContext>;
//   ... Ffi::BindRecord().Ctx<ffi::Extension<Record>>() ...
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_RECORD_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_RECORD_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "callbridge/typed_ffi/binding/extension.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/binding/runtime_errors.h"
#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/record_c_api.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN

// A kernel's argument: an address on the device, or `size` bytes of host memory, which are copied.
struct DevicePointer {
  void* ptr;  // its address, on the device
};
// Host memory, which the command copies.
struct HostValue {
  const void* ptr;  // where they are; read when the command is recorded
  size_t size;      // in bytes
};
// One argument of a kernel.
using KernelArg = std::variant<DevicePointer, HostValue>;

// What a kernel's source is.
enum class SourceFormat {
  kPtx = XLA_FFI_SourceFormat_PTX,
  kCubin = XLA_FFI_SourceFormat_CUBIN,
  kFunctionPtr = XLA_FFI_SourceFormat_FUNCTION_PTR,
};

// Whether commands are recorded for the first time, or changed for other buffers.
enum class RecordAction {
  kCreate = XLA_FFI_RecordAction_Create,
  kUpdate = XLA_FFI_RecordAction_Update,
};

namespace internal {
template <typename ErrorPolicy>
class RecordContextBase;
}  // namespace internal

// The commands that a call has recorded. The runtime owns the memory, which has room for
// capacity().
class BoundedCommandVector {
 public:
  // Borrows a frame's list with room for `max_commands`, and its number of commands.
  BoundedCommandVector(const XLA_FFI_Command** commands, int64_t* num_commands,
                       int64_t max_commands)
      : commands_(commands), num_commands_(num_commands), max_commands_(max_commands) {}

  // Returns a command, which the runtime owns. Does not check `index`.
  const XLA_FFI_Command* operator[](size_t index) const { return commands_[index]; }
  // Whether there is room for commands.
  bool has_storage() const { return commands_ != nullptr; }
  // Returns the number of commands that are recorded.
  int64_t size() const { return *num_commands_; }
  // Returns the number of commands that a call may record.
  int64_t capacity() const { return max_commands_; }

 private:
  template <typename>
  friend class internal::RecordContextBase;

  bool Append(const XLA_FFI_Command* command) {
    if (!has_storage() || size() >= capacity()) return false;
    commands_[(*num_commands_)++] = command;
    return true;
  }

  const XLA_FFI_Command** commands_;
  int64_t* num_commands_;
  int64_t max_commands_;
};

namespace internal {

// The recording of one call. A command runs after its dependencies, a container of commands.
template <typename ErrorPolicy>
class RecordContextBase {
 public:
  using Status = typename ErrorPolicy::Status;
  template <typename T>
  using StatusOr = typename ErrorPolicy::template StatusOr<T>;
  using Commands = std::initializer_list<const XLA_FFI_Command*>;

  RecordContextBase(const XLA_FFI_Api* api, const XLA_FFI_RecordFrame* frame)
      : api_(api), frame_(frame) {}

  // Whether to record commands, or to update the arguments of those recorded last time.
  RecordAction action() const { return static_cast<RecordAction>(frame_->action); }

  BoundedCommandVector commands() const {
    return BoundedCommandVector(frame_->commands, frame_->num_commands, frame_->max_commands);
  }

  // `args` is a container of KernelArg, or of addresses on the device. `kernel_size` in bytes, 0
  // for a function pointer.
  template <typename Args, typename Dependencies = Commands>
  StatusOr<const XLA_FFI_Command*> CreateLaunch(const char* kernel_name, const void* kernel_data,
                                                size_t kernel_size, SourceFormat format,
                                                XLA_FFI_LaunchDims launch_dims,
                                                uint32_t shared_mem_bytes, bool uses_pdl,
                                                const Args& args,
                                                const Dependencies& dependencies = {}) {
    if (kernel_data == nullptr) {
      return ErrorPolicy::FromErrorCode(XLA_FFI_Error_Code_INVALID_ARGUMENT,
                                        "CreateLaunch: the kernel's data or function is null");
    }
    const std::vector<XLA_FFI_KernelArg> c_args = ToKernelArgs(args);
    const XLA_FFI_KernelArgs kernel_args = {c_args.data(), static_cast<int64_t>(c_args.size())};
    const XLA_FFI_Command* command = nullptr;
    XLA_FFI_Error* error = frame_->api->create_launch(
        frame_->record_ctx, kernel_name, kernel_data, static_cast<int64_t>(kernel_size),
        static_cast<XLA_FFI_SourceFormat>(format), launch_dims, shared_mem_bytes, uses_pdl ? 1 : 0,
        &kernel_args, std::data(dependencies), static_cast<uint32_t>(std::size(dependencies)),
        &command);
    return Recorded("CreateLaunch", error, command);
  }

  template <typename Args>
  Status UpdateLaunch(const XLA_FFI_Command* command, const Args& args) {
    const std::vector<XLA_FFI_KernelArg> c_args = ToKernelArgs(args);
    const XLA_FFI_KernelArgs kernel_args = {c_args.data(), static_cast<int64_t>(c_args.size())};
    return ToStatus(frame_->api->update_launch(frame_->record_ctx, command, &kernel_args));
  }

  // `size` in bytes.
  template <typename Dependencies = Commands>
  StatusOr<const XLA_FFI_Command*> CreateMemcpyD2D(void* dst, void* src, size_t size,
                                                   Dependencies dependencies = {}) {
    const XLA_FFI_Command* command = nullptr;
    XLA_FFI_Error* error = frame_->api->create_memcpy_d2d(
        frame_->record_ctx, dst, src, static_cast<int64_t>(size), std::data(dependencies),
        static_cast<uint32_t>(std::size(dependencies)), &command);
    return Recorded("CreateMemcpyD2D", error, command);
  }

  Status UpdateMemcpyD2D(const XLA_FFI_Command* command, void* dst, void* src, size_t size) {
    return ToStatus(frame_->api->update_memcpy_d2d(frame_->record_ctx, command, dst, src,
                                                   static_cast<int64_t>(size)));
  }

  // Joins its dependencies into one command.
  template <typename Dependencies = Commands>
  StatusOr<const XLA_FFI_Command*> CreateEmptyCommand(Dependencies dependencies = {}) {
    const XLA_FFI_Command* command = nullptr;
    XLA_FFI_Error* error =
        frame_->api->create_empty_command(frame_->record_ctx, std::data(dependencies),
                                          static_cast<uint32_t>(std::size(dependencies)), &command);
    return Recorded("CreateEmptyCommand", error, command);
  }

  // Makes XLA capture what the handler's execute stage does to the stream instead.
  Status RequestStreamCapture() {
    return ToStatus(frame_->api->request_stream_capture(frame_->record_ctx));
  }

 private:
  static XLA_FFI_KernelArg ToKernelArg(const void* address) {
    return {address, 0, XLA_FFI_KernelArgType_DevicePtr};
  }
  static XLA_FFI_KernelArg ToKernelArg(const KernelArg& arg) {
    if (const auto* device = std::get_if<DevicePointer>(&arg)) return ToKernelArg(device->ptr);
    const HostValue& host = *std::get_if<HostValue>(&arg);
    return {host.ptr, static_cast<int64_t>(host.size), XLA_FFI_KernelArgType_HostValue};
  }

  template <typename Args>
  static std::vector<XLA_FFI_KernelArg> ToKernelArgs(const Args& args) {
    std::vector<XLA_FFI_KernelArg> c_args;
    c_args.reserve(std::size(args));
    for (const auto& arg : args) c_args.push_back(ToKernelArg(arg));
    return c_args;
  }

  Status ToStatus(XLA_FFI_Error* error) {
    return error == nullptr ? ErrorPolicy::Ok() : ErrorPolicy::TakeError(api_, error);
  }

  StatusOr<const XLA_FFI_Command*> Recorded(const char* what, XLA_FFI_Error* error,
                                            const XLA_FFI_Command* command) {
    if (error != nullptr) return ErrorPolicy::TakeError(api_, error);
    if (command == nullptr) {
      return ErrorPolicy::FromErrorCode(
          XLA_FFI_Error_Code_INTERNAL,
          std::string(what) + ": the runtime returned neither a command nor an error");
    }
    if (!commands().Append(command)) {
      return ErrorPolicy::FromErrorCode(XLA_FFI_Error_Code_RESOURCE_EXHAUSTED,
                                        std::string(what) + ": a call may record at most " +
                                            std::to_string(frame_->max_commands) + " commands");
    }
    return command;
  }

  const XLA_FFI_Api* api_;
  const XLA_FFI_RecordFrame* frame_;
};

template <typename RecordContext>
struct RecordExtensionBase {
  using Type = RecordContext;
  using CExtension = XLA_FFI_Record_Extension;

  static constexpr auto kName = "RecordExtension";
  static constexpr int32_t kExtensionType = XLA_FFI_Extension_Record;
  static constexpr int32_t kMajorVersion = XLA_FFI_Extension_Record_MajorVersion;
  static constexpr int32_t kMinorVersion = XLA_FFI_Extension_Record_MinorVersion;

  static Type Create(const XLA_FFI_Api* api, const CExtension* extension) {
    return Type(api, extension->record_frame);
  }
};

}  // namespace internal

// Returns the C struct around a frame, for callers that attach one to a call.
inline XLA_FFI_Record_Extension BuildRecordCExtension(XLA_FFI_RecordFrame* frame) {
  XLA_FFI_Record_Extension extension = {};
  extension.extension_base = MakeExtensionHeader<internal::RecordExtensionBase<void>>();
  extension.record_frame = frame;
  return extension;
}

CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_RECORD_H_
