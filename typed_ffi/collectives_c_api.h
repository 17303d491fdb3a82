// XLA's FFI Collectives extension, version 0.2 (jaxlib 0.12.0.1): gives handlers the communicators
// and memory windows that XLA owns. Found by XLA_FFI_InvokeContext_FindExtension. c_api.h has the
// rules.
//
// Standard headers alone, C99 or C++: this header goes into other people's builds.
#ifndef CALLBRIDGE_TYPED_FFI_COLLECTIVES_C_API_H_
#define CALLBRIDGE_TYPED_FFI_COLLECTIVES_C_API_H_

#ifdef XLA_FFI_API_COLLECTIVES_C_API_H_
#error "XLA's own xla/ffi/api/collectives_c_api.h was included before callbridge's: use one"
#endif

#include <stddef.h>
#include <stdint.h>

#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/frozen.h"

#ifdef __cplusplus
extern "C" {
#endif

#define XLA_FFI_Extension_Collectives 129
#define XLA_FFI_Extension_Collectives_MajorVersion 0
#define XLA_FFI_Extension_Collectives_MinorVersion 2

// ---- Who takes part -----------------------------------------------------------------------------

// The numbers of xla::CollectiveOpGroupMode.
typedef enum XLA_FFI_CollectiveGroupMode CALLBRIDGE_OPEN_ENUM {
  XLA_FFI_GROUP_CROSS_REPLICA = 0,
  XLA_FFI_GROUP_CROSS_PARTITION = 1,
  XLA_FFI_GROUP_CROSS_REPLICA_AND_PARTITION = 2,
  XLA_FFI_GROUP_FLATTENED_ID = 3,
} XLA_FFI_CollectiveGroupMode;

typedef struct XLA_FFI_ReplicaGroup {
  const int64_t* ids;
  size_t size;
} XLA_FFI_ReplicaGroup;
CALLBRIDGE_FROZEN_2(XLA_FFI_ReplicaGroup, 16, ids, 0, size, 8);

struct XLA_FFI_Collectives_Extension;
typedef struct XLA_FFI_CollectivesState XLA_FFI_CollectivesState;  // the runtime's

// ---- Communicators: requested at PREPARE, there from INITIALIZE on ------------------------------

typedef struct XLA_FFI_Communicator XLA_FFI_Communicator;  // an ncclComm_t on CUDA; XLA's

struct XLA_FFI_Communicator_Request_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_CollectiveGroupMode group_mode;
  const XLA_FFI_ReplicaGroup* groups;
  size_t num_groups;
  int64_t communication_id;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Communicator_Request_Args, communication_id);
CALLBRIDGE_FROZEN_4(XLA_FFI_Communicator_Request_Args, 48, group_mode, 16, groups, 24, num_groups,
                    32, communication_id, 40);
typedef XLA_FFI_Error* XLA_FFI_Communicator_Request(
    const struct XLA_FFI_Collectives_Extension* self, XLA_FFI_Communicator_Request_Args* args);

struct XLA_FFI_Communicator_Get_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_CollectiveGroupMode group_mode;
  const XLA_FFI_ReplicaGroup* groups;
  size_t num_groups;
  int64_t communication_id;
  XLA_FFI_Communicator* communicator;  // out
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Communicator_Get_Args, communicator);
CALLBRIDGE_FROZEN_5(XLA_FFI_Communicator_Get_Args, 56, group_mode, 16, groups, 24, num_groups, 32,
                    communication_id, 40, communicator, 48);
typedef XLA_FFI_Error* XLA_FFI_Communicator_Get(const struct XLA_FFI_Collectives_Extension* self,
                                                XLA_FFI_Communicator_Get_Args* args);

// ---- Windows: memory that all of a group can reach ----------------------------------------------

typedef struct XLA_FFI_Window XLA_FFI_Window;  // an ncclWindow_t on CUDA; XLA's

// Memory that is already allocated.
typedef struct XLA_FFI_CollectiveMemoryRegion {
  const void* buffer;
  size_t byte_size;
  uint64_t flags;
} XLA_FFI_CollectiveMemoryRegion;
CALLBRIDGE_FROZEN_3(XLA_FFI_CollectiveMemoryRegion, 24, buffer, 0, byte_size, 8, flags, 16);

struct XLA_FFI_Window_Request_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_CollectiveGroupMode group_mode;
  const XLA_FFI_ReplicaGroup* groups;
  size_t num_groups;
  int64_t communication_id;
  const XLA_FFI_CollectiveMemoryRegion* regions;
  size_t num_regions;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Window_Request_Args, num_regions);
CALLBRIDGE_FROZEN_6(XLA_FFI_Window_Request_Args, 64, group_mode, 16, groups, 24, num_groups, 32,
                    communication_id, 40, regions, 48, num_regions, 56);
typedef XLA_FFI_Error* XLA_FFI_Window_Request(const struct XLA_FFI_Collectives_Extension* self,
                                              XLA_FFI_Window_Request_Args* args);

struct XLA_FFI_Window_Get_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_CollectiveGroupMode group_mode;
  const XLA_FFI_ReplicaGroup* groups;
  size_t num_groups;
  int64_t communication_id;
  const void* buffer;      // of a region that was requested
  XLA_FFI_Window* window;  // out
  size_t window_offset;    // out: where `buffer` is in it, in bytes
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Window_Get_Args, window_offset);
CALLBRIDGE_FROZEN_7(XLA_FFI_Window_Get_Args, 72, group_mode, 16, groups, 24, num_groups, 32,
                    communication_id, 40, buffer, 48, window, 56, window_offset, 64);
typedef XLA_FFI_Error* XLA_FFI_Window_Get(const struct XLA_FFI_Collectives_Extension* self,
                                          XLA_FFI_Window_Get_Args* args);

// ---- The extension ------------------------------------------------------------------------------

// The functions for windows exist since version 0.2.
struct XLA_FFI_Collectives_Extension {
  XLA_FFI_Extension extension_base;
  XLA_FFI_CollectivesState* state;
  XLA_FFI_Communicator_Request* request_communicator;
  XLA_FFI_Communicator_Get* get_communicator;
  XLA_FFI_Window_Request* request_window;
  XLA_FFI_Window_Get* get_window;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Collectives_Extension, get_window);
CALLBRIDGE_FROZEN_5(XLA_FFI_Collectives_Extension, 72, state, 32, request_communicator, 40,
                    get_communicator, 48, request_window, 56, get_window, 64);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // CALLBRIDGE_TYPED_FFI_COLLECTIVES_C_API_H_
