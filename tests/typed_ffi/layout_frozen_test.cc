// What the headers of typed_ffi/ do not freeze beside each struct: the sizes that go into
// `struct_size`, and the numbers. There is no test code here: if it compiles, it passes. A newer
// API version adds lines; of those that are here it changes only its minor number and the sizes
// that grew with it.
#include <type_traits>

#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/collectives_c_api.h"
#include "callbridge/typed_ffi/old_api_tables.h"
#include "callbridge/typed_ffi/record_c_api.h"

// ---- struct_size: less than sizeof, where XLA's is ----------------------------------------------

static_assert(XLA_FFI_Api_STRUCT_SIZE == 208);
static_assert(XLA_FFI_Api_Version_STRUCT_SIZE == 24);
static_assert(XLA_FFI_Args_STRUCT_SIZE == 40);
static_assert(XLA_FFI_Attrs_STRUCT_SIZE == 48);
static_assert(XLA_FFI_Buffer_STRUCT_SIZE == 48);
static_assert(XLA_FFI_CallFrame_STRUCT_SIZE == 168);
static_assert(XLA_FFI_Collectives_Extension_STRUCT_SIZE == 72);
static_assert(XLA_FFI_Communicator_Get_Args_STRUCT_SIZE == 56);
static_assert(XLA_FFI_Communicator_Request_Args_STRUCT_SIZE == 48);
static_assert(XLA_FFI_CustomOptions_Get_Args_STRUCT_SIZE == 32);
static_assert(XLA_FFI_DeviceMemory_Allocate_Args_STRUCT_SIZE == 48);
static_assert(XLA_FFI_DeviceMemory_Free_Args_STRUCT_SIZE == 40);
static_assert(XLA_FFI_DeviceOrdinal_Get_Args_STRUCT_SIZE == 28);
static_assert(XLA_FFI_Error_Create_Args_STRUCT_SIZE == 28);
static_assert(XLA_FFI_Error_Destroy_Args_STRUCT_SIZE == 24);
static_assert(XLA_FFI_Error_GetDetails_Args_STRUCT_SIZE == 36);
static_assert(XLA_FFI_Extension_STRUCT_SIZE == 32);
static_assert(XLA_FFI_ExtensionId_STRUCT_SIZE == 16);
static_assert(XLA_FFI_Future_Create_Args_STRUCT_SIZE == 16);
static_assert(XLA_FFI_Future_SetAvailable_Args_STRUCT_SIZE == 24);
static_assert(XLA_FFI_Future_SetError_Args_STRUCT_SIZE == 32);
static_assert(XLA_FFI_Handler_Register_Args_STRUCT_SIZE == 92);
static_assert(XLA_FFI_InternalExtension_STRUCT_SIZE == 24);
static_assert(XLA_FFI_InvokeContext_FindExtension_Args_STRUCT_SIZE == 40);
static_assert(XLA_FFI_InvokeContext_Get_Args_STRUCT_SIZE == 40);
static_assert(XLA_FFI_Metadata_STRUCT_SIZE == 36);
static_assert(XLA_FFI_Metadata_Extension_STRUCT_SIZE == 32);
static_assert(XLA_FFI_Record_Extension_STRUCT_SIZE == 40);
static_assert(XLA_FFI_Rets_STRUCT_SIZE == 40);
static_assert(XLA_FFI_RunId_Get_Args_STRUCT_SIZE == 32);
static_assert(XLA_FFI_State_Get_Args_STRUCT_SIZE == 48);
static_assert(XLA_FFI_State_Set_Args_STRUCT_SIZE == 48);
static_assert(XLA_FFI_Stream_Get_Args_STRUCT_SIZE == 32);
static_assert(XLA_FFI_ThreadPool_NumThreads_Args_STRUCT_SIZE == 32);
static_assert(XLA_FFI_ThreadPool_Schedule_Args_STRUCT_SIZE == 40);
static_assert(XLA_FFI_TypeInfo_STRUCT_SIZE == 24);
static_assert(XLA_FFI_Type_Register_Args_STRUCT_SIZE == 40);
static_assert(XLA_FFI_Window_Get_Args_STRUCT_SIZE == 72);
static_assert(XLA_FFI_Window_Request_Args_STRUCT_SIZE == 64);

namespace callbridge::typed_ffi::old {
static_assert(XLA_FFI_Api_0_10_2_STRUCT_SIZE == 192);
static_assert(XLA_FFI_Api_0_4_30_STRUCT_SIZE == 64);
static_assert(XLA_FFI_Api_0_4_31_STRUCT_SIZE == 88);
static_assert(XLA_FFI_Api_0_4_34_STRUCT_SIZE == 88);
static_assert(XLA_FFI_Api_0_4_38_STRUCT_SIZE == 88);
static_assert(XLA_FFI_Api_0_6_2_STRUCT_SIZE == 192);
static_assert(XLA_FFI_Api_0_8_3_STRUCT_SIZE == 192);
static_assert(XLA_FFI_CallFrame_0_4_30_STRUCT_SIZE == 168);
static_assert(XLA_FFI_Error_GetMessage_Args_STRUCT_SIZE == 32);
static_assert(XLA_FFI_Handler_Register_Args_0_4_30_STRUCT_SIZE == 76);
static_assert(XLA_FFI_Handler_Register_Args_0_4_31_STRUCT_SIZE == 84);
static_assert(XLA_FFI_Metadata_0_4_34_STRUCT_SIZE == 36);
static_assert(XLA_FFI_State_Get_Args_0_4_31_STRUCT_SIZE == 40);
static_assert(XLA_FFI_State_Set_Args_0_4_31_STRUCT_SIZE == 48);
static_assert(XLA_FFI_State_Set_Args_0_8_3_STRUCT_SIZE == 40);
static_assert(XLA_FFI_TypeId_Register_Args_STRUCT_SIZE == 40);
static_assert(XLA_FFI_ExecutionStage_0_4_30_PREPARE == 0);
static_assert(XLA_FFI_ExecutionStage_0_4_30_INITIALIZE == 1);
static_assert(XLA_FFI_ExecutionStage_0_4_30_EXECUTE == 2);
}  // namespace callbridge::typed_ffi::old

// ---- Versions -----------------------------------------------------------------------------------

static_assert(XLA_FFI_API_MAJOR == 0);
static_assert(XLA_FFI_API_MINOR == 5);
static_assert(XLA_FFI_Extension_Collectives == 129);
static_assert(XLA_FFI_Extension_Collectives_MajorVersion == 0);
static_assert(XLA_FFI_Extension_Collectives_MinorVersion == 2);
static_assert(XLA_FFI_Extension_Record == 128);
static_assert(XLA_FFI_Extension_Record_MajorVersion == 0);
static_assert(XLA_FFI_Extension_Record_MinorVersion == 2);

// ---- Enums --------------------------------------------------------------------------------------

static_assert(XLA_FFI_Extension_Metadata == 1);
static_assert(XLA_FFI_DataType_INVALID == 0);
static_assert(XLA_FFI_DataType_PRED == 1);
static_assert(XLA_FFI_DataType_S8 == 2);
static_assert(XLA_FFI_DataType_S16 == 3);
static_assert(XLA_FFI_DataType_S32 == 4);
static_assert(XLA_FFI_DataType_S64 == 5);
static_assert(XLA_FFI_DataType_U8 == 6);
static_assert(XLA_FFI_DataType_U16 == 7);
static_assert(XLA_FFI_DataType_U32 == 8);
static_assert(XLA_FFI_DataType_U64 == 9);
static_assert(XLA_FFI_DataType_F16 == 10);
static_assert(XLA_FFI_DataType_F32 == 11);
static_assert(XLA_FFI_DataType_F64 == 12);
static_assert(XLA_FFI_DataType_C64 == 15);
static_assert(XLA_FFI_DataType_BF16 == 16);
static_assert(XLA_FFI_DataType_TOKEN == 17);
static_assert(XLA_FFI_DataType_C128 == 18);
static_assert(XLA_FFI_DataType_F8E5M2 == 19);
static_assert(XLA_FFI_DataType_F8E4M3FN == 20);
static_assert(XLA_FFI_DataType_S4 == 21);
static_assert(XLA_FFI_DataType_U4 == 22);
static_assert(XLA_FFI_DataType_F8E4M3B11FNUZ == 23);
static_assert(XLA_FFI_DataType_F8E5M2FNUZ == 24);
static_assert(XLA_FFI_DataType_F8E4M3FNUZ == 25);
static_assert(XLA_FFI_DataType_S2 == 26);
static_assert(XLA_FFI_DataType_U2 == 27);
static_assert(XLA_FFI_DataType_F8E4M3 == 28);
static_assert(XLA_FFI_DataType_F8E3M4 == 29);
static_assert(XLA_FFI_DataType_S1 == 30);
static_assert(XLA_FFI_DataType_U1 == 31);
static_assert(XLA_FFI_DataType_F4E2M1FN == 32);
static_assert(XLA_FFI_DataType_F8E8M0FNU == 33);
static_assert(XLA_FFI_Error_Code_OK == 0);
static_assert(XLA_FFI_Error_Code_CANCELLED == 1);
static_assert(XLA_FFI_Error_Code_UNKNOWN == 2);
static_assert(XLA_FFI_Error_Code_INVALID_ARGUMENT == 3);
static_assert(XLA_FFI_Error_Code_DEADLINE_EXCEEDED == 4);
static_assert(XLA_FFI_Error_Code_NOT_FOUND == 5);
static_assert(XLA_FFI_Error_Code_ALREADY_EXISTS == 6);
static_assert(XLA_FFI_Error_Code_PERMISSION_DENIED == 7);
static_assert(XLA_FFI_Error_Code_RESOURCE_EXHAUSTED == 8);
static_assert(XLA_FFI_Error_Code_FAILED_PRECONDITION == 9);
static_assert(XLA_FFI_Error_Code_ABORTED == 10);
static_assert(XLA_FFI_Error_Code_OUT_OF_RANGE == 11);
static_assert(XLA_FFI_Error_Code_UNIMPLEMENTED == 12);
static_assert(XLA_FFI_Error_Code_INTERNAL == 13);
static_assert(XLA_FFI_Error_Code_UNAVAILABLE == 14);
static_assert(XLA_FFI_Error_Code_DATA_LOSS == 15);
static_assert(XLA_FFI_Error_Code_UNAUTHENTICATED == 16);
static_assert(XLA_FFI_ExecutionStage_INSTANTIATE == 0);
static_assert(XLA_FFI_ExecutionStage_PREPARE == 1);
static_assert(XLA_FFI_ExecutionStage_INITIALIZE == 2);
static_assert(XLA_FFI_ExecutionStage_EXECUTE == 3);
static_assert(XLA_FFI_ExecutionStage_RECORD == 4);
static_assert(XLA_FFI_ArgType_BUFFER == 1);
static_assert(XLA_FFI_RetType_BUFFER == 1);
static_assert(XLA_FFI_AttrType_ARRAY == 1);
static_assert(XLA_FFI_AttrType_DICTIONARY == 2);
static_assert(XLA_FFI_AttrType_SCALAR == 3);
static_assert(XLA_FFI_AttrType_STRING == 4);
static_assert(XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE == 1);
static_assert(XLA_FFI_GROUP_CROSS_REPLICA == 0);
static_assert(XLA_FFI_GROUP_CROSS_PARTITION == 1);
static_assert(XLA_FFI_GROUP_CROSS_REPLICA_AND_PARTITION == 2);
static_assert(XLA_FFI_GROUP_FLATTENED_ID == 3);
static_assert(XLA_FFI_RecordAction_Create == 0);
static_assert(XLA_FFI_RecordAction_Update == 1);
static_assert(XLA_FFI_SourceFormat_PTX == 0);
static_assert(XLA_FFI_SourceFormat_CUBIN == 1);
static_assert(XLA_FFI_SourceFormat_FUNCTION_PTR == 2);
static_assert(XLA_FFI_KernelArgType_DevicePtr == 0);
static_assert(XLA_FFI_KernelArgType_HostValue == 1);

// Four bytes each, and any number of a later version is a value.
template <typename Enum>
constexpr bool kOpen = std::is_same_v<std::underlying_type_t<Enum>, int> && sizeof(Enum) == 4;
static_assert(kOpen<XLA_FFI_InternalExtension_Type> && kOpen<XLA_FFI_Error_Code>);
static_assert(kOpen<XLA_FFI_DataType> && kOpen<XLA_FFI_ExecutionStage>);
static_assert(kOpen<XLA_FFI_ArgType> && kOpen<XLA_FFI_RetType> && kOpen<XLA_FFI_AttrType>);
static_assert(kOpen<XLA_FFI_CollectiveGroupMode> && kOpen<XLA_FFI_RecordAction>);
static_assert(kOpen<XLA_FFI_SourceFormat> && kOpen<XLA_FFI_KernelArgType>);
static_assert(sizeof(XLA_FFI_Handler_Traits) == 4);
