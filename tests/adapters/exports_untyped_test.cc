// What a typed handler is shown and provided where CALLBRIDGE_EXPORT_UNTYPED calls it.
#include <cstddef>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "callbridge/export.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using callbridge::ExportOptions;

static std::function<XLA_FFI_Error*(XLA_FFI_CallFrame*)> in_the_call;
extern "C" XLA_FFI_Error* Typed(XLA_FFI_CallFrame* frame) { return in_the_call(frame); }

CALLBRIDGE_EXPORT_UNTYPED(arrays, Typed,
                          ExportOptions().Shapes("f32[2,3], s8[], token[] -> u16[7]"));
CALLBRIDGE_EXPORT_UNTYPED(tuples, Typed,
                          ExportOptions()
                              .Shapes("(), (f32[1],((f32[2]),f32[3])), f32[4] -> (f32[5])")
                              .OpaqueAttribute("config"));
CALLBRIDGE_EXPORT_UNTYPED(
    tuples_flat, Typed,
    ExportOptions().Shapes("(), (f32[1],((f32[2]),f32[3])), f32[4] -> (f32[5])").FlatTuples());
CALLBRIDGE_EXPORT_UNTYPED(on_gpu, Typed,
                          ExportOptions().Shapes("(f32[1],f32[2]) -> (f32[3],f32[4])").Gpu());

namespace callbridge {
namespace {

char bytes[64];
void* At(int i) { return &bytes[i]; }

const XLA_FFI_Buffer& Argument(const XLA_FFI_CallFrame& frame, int i) {
  EXPECT_EQ(frame.args.types[i], XLA_FFI_ArgType_BUFFER);
  return *static_cast<const XLA_FFI_Buffer*>(frame.args.args[i]);
}
const XLA_FFI_Buffer& Result(const XLA_FFI_CallFrame& frame, int i) {
  EXPECT_EQ(frame.rets.types[i], XLA_FFI_RetType_BUFFER);
  return *static_cast<const XLA_FFI_Buffer*>(frame.rets.rets[i]);
}
void ExpectBuffer(const XLA_FFI_Buffer& buffer, XLA_FFI_DataType type,
                  const std::vector<int64_t>& dims, void* data) {
  EXPECT_EQ(buffer.struct_size, size_t{XLA_FFI_Buffer_STRUCT_SIZE});
  EXPECT_EQ(buffer.dtype, type);
  EXPECT_EQ(std::vector<int64_t>(buffer.dims, buffer.dims + buffer.rank), dims);
  EXPECT_EQ(buffer.data, data);
}

class ExportsUntypedTest : public ::testing::Test {
 protected:
  ~ExportsUntypedTest() override { in_the_call = nullptr; }

  // "OK", or what the status has then.
  using Function = void(void*, const void**, const char*, size_t, XlaCustomCallStatus*);
  static std::string Call(Function* function, void* first, std::vector<const void*> list,
                          const std::string& opaque = "") {
    XlaCustomCallStatus status;
    function(first, list.data(), opaque.data(), opaque.size(), &status);
    return status.message.value_or("OK");
  }
  static std::string CallArrays(const std::string& opaque = "") {
    return Call(&arrays, At(9), {At(0), At(1), nullptr}, opaque);
  }
};

TEST_F(ExportsUntypedTest, TheFrameIsOneOfTheNewestRuntime) {
  int calls = 0;
  in_the_call = [&](XLA_FFI_CallFrame* frame) -> XLA_FFI_Error* {
    ++calls;
    EXPECT_EQ(frame->struct_size, size_t{XLA_FFI_CallFrame_STRUCT_SIZE});
    EXPECT_EQ(frame->extension_start, nullptr);
    EXPECT_EQ(frame->api->struct_size, size_t{XLA_FFI_Api_STRUCT_SIZE});
    EXPECT_EQ(frame->api->api_version.struct_size, size_t{XLA_FFI_Api_Version_STRUCT_SIZE});
    EXPECT_EQ(frame->api->api_version.major_version, XLA_FFI_API_MAJOR);
    EXPECT_EQ(frame->api->api_version.minor_version, XLA_FFI_API_MINOR);
    EXPECT_EQ(frame->stage, XLA_FFI_ExecutionStage_EXECUTE);
    EXPECT_EQ(frame->future, nullptr);
    EXPECT_EQ(frame->args.struct_size, size_t{XLA_FFI_Args_STRUCT_SIZE});
    EXPECT_EQ(frame->rets.struct_size, size_t{XLA_FFI_Rets_STRUCT_SIZE});
    EXPECT_EQ(frame->attrs.struct_size, size_t{XLA_FFI_Attrs_STRUCT_SIZE});
    EXPECT_EQ(frame->args.size, 3);
    EXPECT_EQ(frame->rets.size, 1);
    ExpectBuffer(Argument(*frame, 0), XLA_FFI_DataType_F32, {2, 3}, At(0));
    ExpectBuffer(Argument(*frame, 1), XLA_FFI_DataType_S8, {}, At(1));
    ExpectBuffer(Argument(*frame, 2), XLA_FFI_DataType_TOKEN, {}, nullptr);
    ExpectBuffer(Result(*frame, 0), XLA_FFI_DataType_U16, {7}, At(9));
    return nullptr;
  };
  EXPECT_EQ(CallArrays(), "OK");
  EXPECT_EQ(calls, 1);
}

TEST_F(ExportsUntypedTest, TuplesAreReadLeafByLeaf) {
  int calls = 0;
  in_the_call = [&](XLA_FFI_CallFrame* frame) -> XLA_FFI_Error* {
    ++calls;
    EXPECT_EQ(frame->args.size, 4);
    for (int i = 0; i < 4; ++i) {
      ExpectBuffer(Argument(*frame, i), XLA_FFI_DataType_F32, {i + 1}, At(i + 1));
    }
    ExpectBuffer(Result(*frame, 0), XLA_FFI_DataType_F32, {5}, At(5));
    return nullptr;
  };
  const void* innermost[] = {At(2)};
  const void* inner[] = {innermost, At(3)};
  const void* outer[] = {At(1), inner};
  void* result[] = {At(5)};
  EXPECT_EQ(Call(&tuples, result, {nullptr, outer, At(4)}), "OK");
  EXPECT_EQ(Call(&tuples_flat, result, {At(1), At(2), At(3), At(4)}), "OK");
  EXPECT_EQ(calls, 2);
}

TEST_F(ExportsUntypedTest, OnAGpuThereIsOneListAndTheStream) {
  int stream = 0, calls = 0;
  in_the_call = [&](XLA_FFI_CallFrame* frame) -> XLA_FFI_Error* {
    ++calls;
    for (int i = 0; i < 2; ++i) {
      ExpectBuffer(Argument(*frame, i), XLA_FFI_DataType_F32, {i + 1}, At(i));
      ExpectBuffer(Result(*frame, i), XLA_FFI_DataType_F32, {i + 3}, At(i + 2));
    }
    XLA_FFI_Stream_Get_Args args = {XLA_FFI_Stream_Get_Args_STRUCT_SIZE, nullptr, frame->ctx,
                                    nullptr};
    EXPECT_EQ(frame->api->XLA_FFI_Stream_Get(&args), nullptr);
    EXPECT_EQ(args.stream, &stream);
    return nullptr;
  };
  EXPECT_EQ(Call(&on_gpu, &stream, {At(0), At(1), At(2), At(3)}), "OK");
  EXPECT_EQ(calls, 1);
}

TEST_F(ExportsUntypedTest, AnOpaqueThatIsNotEmptyIsTheOnlyAttribute) {
  std::string seen;
  in_the_call = [&](XLA_FFI_CallFrame* frame) -> XLA_FFI_Error* {
    seen = std::to_string(frame->attrs.size);
    for (int i = 0; i < frame->attrs.size; ++i) {
      EXPECT_EQ(frame->attrs.types[i], XLA_FFI_AttrType_STRING);
      const auto& value = *static_cast<XLA_FFI_ByteSpan*>(frame->attrs.attrs[i]);
      seen += ";" + std::string(frame->attrs.names[i]->ptr, frame->attrs.names[i]->len) + "=" +
              std::string(value.ptr, value.len);
    }
    return nullptr;
  };
  CallArrays();
  EXPECT_EQ(seen, "0");
  CallArrays(std::string("a\0b", 3));
  EXPECT_EQ(seen, std::string("1;opaque=a\0b", 12));
  const void* pair[] = {At(1), nullptr};
  const void* inner[] = {pair, At(3)};
  pair[1] = inner;
  const void* innermost[] = {At(2)};
  inner[0] = innermost;
  void* result[] = {At(5)};
  Call(&tuples, result, {nullptr, pair, At(4)}, "x");
  EXPECT_EQ(seen, "1;config=x");
}

// ---- What it may ask for

XLA_FFI_Error* MakeError(const XLA_FFI_Api& api, XLA_FFI_Error_Code code, const char* text) {
  XLA_FFI_Error_Create_Args args = {XLA_FFI_Error_Create_Args_STRUCT_SIZE, nullptr, text, code};
  return api.XLA_FFI_Error_Create(&args);
}
// "code: text" of an error that is gone afterwards.
std::string TakeText(const XLA_FFI_Api& api, XLA_FFI_Error* error) {
  if (error == nullptr) return "OK";
  XLA_FFI_Error_GetDetails_Args details = {};
  details.struct_size = XLA_FFI_Error_GetDetails_Args_STRUCT_SIZE;
  details.error = error;
  api.XLA_FFI_Error_GetDetails(&details);
  const std::string text = std::to_string(details.errc) + ": " + details.message;
  XLA_FFI_Error_Destroy_Args args = {XLA_FFI_Error_Destroy_Args_STRUCT_SIZE, nullptr, error};
  api.XLA_FFI_Error_Destroy(&args);
  return text;
}

TEST_F(ExportsUntypedTest, ErrorsCanBeReadDroppedAndReturned) {
  in_the_call = [](XLA_FFI_CallFrame* frame) {
    EXPECT_EQ(TakeText(*frame->api, MakeError(*frame->api, XLA_FFI_Error_Code_DATA_LOSS, "one")),
              "15: one");
    return MakeError(*frame->api, XLA_FFI_Error_Code_DATA_LOSS, "two");
  };
  EXPECT_EQ(CallArrays(), "two");
}

TEST_F(ExportsUntypedTest, OnHostThereIsNoStream) {
  in_the_call = [](XLA_FFI_CallFrame* frame) {
    XLA_FFI_Stream_Get_Args args = {XLA_FFI_Stream_Get_Args_STRUCT_SIZE, nullptr, frame->ctx,
                                    nullptr};
    EXPECT_EQ(TakeText(*frame->api, frame->api->XLA_FFI_Stream_Get(&args)),
              "12: a call on Host has no stream");
    return frame->api->XLA_FFI_Stream_Get(&args);
  };
  EXPECT_EQ(CallArrays(), "a call on Host has no stream");
}

TEST_F(ExportsUntypedTest, WhatIsNotLentIsUnimplemented) {
  int asked = 0;
  in_the_call = [&](XLA_FFI_CallFrame* frame) -> XLA_FFI_Error* {
    const XLA_FFI_Api& api = *frame->api;
    const auto expect_not_lent = [&](XLA_FFI_Error* error) {
      ++asked;
      EXPECT_EQ(TakeText(api, error),
                "12: an untyped call provides no thread pool, scratch memory, user data, state, "
                "run id, device ordinal, options or extensions: call the handler by typed FFI")
          << asked;
    };
    expect_not_lent(api.XLA_FFI_Handler_Register(nullptr));
    expect_not_lent(api.XLA_FFI_Type_Register(nullptr));
    expect_not_lent(api.XLA_FFI_InvokeContext_Get(nullptr));
    expect_not_lent(api.XLA_FFI_State_Set(nullptr));
    expect_not_lent(api.XLA_FFI_State_Get(nullptr));
    expect_not_lent(api.XLA_FFI_DeviceMemory_Allocate(nullptr));
    expect_not_lent(api.XLA_FFI_DeviceMemory_Free(nullptr));
    expect_not_lent(api.XLA_FFI_ThreadPool_Schedule(nullptr));
    expect_not_lent(api.XLA_FFI_ThreadPool_NumThreads(nullptr));
    expect_not_lent(api.XLA_FFI_RunId_Get(nullptr));
    expect_not_lent(api.XLA_FFI_DeviceOrdinal_Get(nullptr));
    expect_not_lent(api.XLA_FFI_InvokeContext_FindExtension(nullptr));
    expect_not_lent(api.XLA_FFI_CustomOptions_Get(nullptr));
    return nullptr;
  };
  EXPECT_EQ(CallArrays(), "OK");
  EXPECT_EQ(asked, 13);
}

// ---- Futures

XLA_FFI_Future* CreateFuture(const XLA_FFI_Api& api) {
  XLA_FFI_Future_Create_Args args = {XLA_FFI_Future_Create_Args_STRUCT_SIZE, nullptr, nullptr};
  EXPECT_EQ(api.XLA_FFI_Future_Create(&args), nullptr);
  return args.future;
}
// With an error where `text` is not null.
void Complete(const XLA_FFI_Api& api, XLA_FFI_Future* future, const char* text) {
  if (text == nullptr) {
    XLA_FFI_Future_SetAvailable_Args args = {XLA_FFI_Future_SetAvailable_Args_STRUCT_SIZE, nullptr,
                                             future};
    EXPECT_EQ(api.XLA_FFI_Future_SetAvailable(&args), nullptr);
    return;
  }
  XLA_FFI_Future_SetError_Args args = {XLA_FFI_Future_SetError_Args_STRUCT_SIZE, nullptr, future,
                                       MakeError(api, XLA_FFI_Error_Code_ABORTED, text)};
  EXPECT_EQ(api.XLA_FFI_Future_SetError(&args), nullptr);
}

TEST_F(ExportsUntypedTest, AFutureIsWaitedForWheneverItIsCompleted) {
  for (const char* text : {static_cast<const char*>(nullptr), "failed"}) {
    for (bool later : {false, true}) {
      std::thread completing;
      in_the_call = [&](XLA_FFI_CallFrame* frame) -> XLA_FFI_Error* {
        frame->future = CreateFuture(*frame->api);
        const auto complete = [api = frame->api, future = frame->future, text] {
          Complete(*api, future, text);
        };
        if (later) {
          completing = std::thread(complete);
        } else {
          complete();
        }
        return nullptr;
      };
      EXPECT_EQ(CallArrays(), text == nullptr ? "OK" : text);
      if (later) completing.join();
    }
  }
}

}  // namespace
}  // namespace callbridge
