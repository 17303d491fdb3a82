// XLA's Collectives extension in C++ (jaxlib 0.11.1 and newer): the communicators and memory
// windows that XLA owns. As in XLA the names are internal; declare your own:
//
//   using Communicator = ffi::internal::CommunicatorContextBase<ffi::internal::ErrorPolicy>;
//   using Collectives = ffi::internal::CollectivesExtensionBase<Communicator>;
//   ... Ffi::BindPrepare().Ctx<ffi::Extension<Collectives>>() ...
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_COLLECTIVES_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_COLLECTIVES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "callbridge/typed_ffi/binding/api_functions.h"
#include "callbridge/typed_ffi/binding/extension.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/binding/runtime_errors.h"
#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/collectives_c_api.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN

// How the ids in a group of devices count, by XLA's names.
enum class GroupMode {
  kCrossReplica = XLA_FFI_GROUP_CROSS_REPLICA,
  kCrossPartition = XLA_FFI_GROUP_CROSS_PARTITION,
  kCrossReplicaAndPartition = XLA_FFI_GROUP_CROSS_REPLICA_AND_PARTITION,
  kFlattenedId = XLA_FFI_GROUP_FLATTENED_ID,
};

// Memory that is already allocated. Sizes and offsets in bytes.
struct CollectiveMemoryRegion {
  const void* buffer;  // where it begins
  size_t byte_size;    // in bytes
  uint64_t flags = 0;  // XLA's; 0 for none
};

// A window of memory that is shared with peers, and the offset in it in bytes.
struct WindowLookup {
  XLA_FFI_Window* window;  // owned by XLA
  size_t offset;           // of the buffer in the window, in bytes
};

namespace internal {

// The collectives of one call. Request communicators and windows at the prepare stage, a group's
// communicator before its windows; they exist from the initialize stage on. XLA owns both.
template <typename ErrorPolicy>
class CommunicatorContextBase {
 public:
  using Status = typename ErrorPolicy::Status;
  template <typename T>
  using StatusOr = typename ErrorPolicy::template StatusOr<T>;
  using Groups = std::vector<std::vector<int64_t>>;

  CommunicatorContextBase(const XLA_FFI_Api* api, const XLA_FFI_Collectives_Extension* extension)
      : api_(api), extension_(extension) {}

  Status RequestCommunicator(GroupMode group_mode, const Groups& groups, int64_t communication_id) {
    Call<XLA_FFI_Communicator_Request_Args> call(group_mode, groups, communication_id);
    return ToStatus(extension_->request_communicator(extension_, &call.args));
  }

  StatusOr<XLA_FFI_Communicator*> GetCommunicator(GroupMode group_mode, const Groups& groups,
                                                  int64_t communication_id) {
    Call<XLA_FFI_Communicator_Get_Args> call(group_mode, groups, communication_id);
    if (XLA_FFI_Error* error = extension_->get_communicator(extension_, &call.args)) {
      return ErrorPolicy::TakeError(api_, error);
    }
    return call.args.communicator;
  }

  Status RequestWindow(GroupMode group_mode, const Groups& groups, int64_t communication_id,
                       const std::vector<CollectiveMemoryRegion>& regions) {
    std::vector<XLA_FFI_CollectiveMemoryRegion> c_regions;
    c_regions.reserve(regions.size());
    for (const CollectiveMemoryRegion& region : regions) {
      c_regions.push_back({region.buffer, region.byte_size, region.flags});
    }
    Call<XLA_FFI_Window_Request_Args> call(group_mode, groups, communication_id);
    call.args.regions = c_regions.data();
    call.args.num_regions = c_regions.size();
    return ToStatus(extension_->request_window(extension_, &call.args));
  }

  // `buffer` must be in a region that was requested.
  StatusOr<WindowLookup> GetWindow(GroupMode group_mode, const Groups& groups,
                                   int64_t communication_id, const void* buffer) {
    Call<XLA_FFI_Window_Get_Args> call(group_mode, groups, communication_id);
    call.args.buffer = buffer;
    if (XLA_FFI_Error* error = extension_->get_window(extension_, &call.args)) {
      return ErrorPolicy::TakeError(api_, error);
    }
    return WindowLookup{call.args.window, call.args.window_offset};
  }

 private:
  // Fills the fields that all requests have. Borrows the groups' ids.
  template <typename Args>
  struct Call {
    Call(GroupMode group_mode, const Groups& groups, int64_t communication_id) {
      c_groups.reserve(groups.size());
      for (const std::vector<int64_t>& group : groups) {
        c_groups.push_back({group.data(), group.size()});
      }
      args.struct_size = sizeof(Args);
      args.group_mode = static_cast<XLA_FFI_CollectiveGroupMode>(group_mode);
      args.groups = c_groups.data();
      args.num_groups = c_groups.size();
      args.communication_id = communication_id;
    }

    std::vector<XLA_FFI_ReplicaGroup> c_groups;
    Args args = {};
  };

  Status ToStatus(XLA_FFI_Error* error) {
    return error == nullptr ? ErrorPolicy::Ok() : ErrorPolicy::TakeError(api_, error);
  }

  const XLA_FFI_Api* api_;
  const XLA_FFI_Collectives_Extension* extension_;
};

template <typename CommunicatorContext>
struct CollectivesExtensionBase {
  using Type = CommunicatorContext;
  using CExtension = XLA_FFI_Collectives_Extension;

  static constexpr auto kName = "CollectivesExtension";
  static constexpr int32_t kExtensionType = XLA_FFI_Extension_Collectives;
  static constexpr int32_t kMajorVersion = XLA_FFI_Extension_Collectives_MajorVersion;
  static constexpr int32_t kMinorVersion = XLA_FFI_Extension_Collectives_MinorVersion;

  static Type Create(const XLA_FFI_Api* api, const CExtension* extension) {
    return Type(api, extension);
  }
};

}  // namespace internal

CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_COLLECTIVES_H_
