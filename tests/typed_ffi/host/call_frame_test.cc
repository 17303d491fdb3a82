// What a handler sees of its attributes and buffers.
#include "callbridge/typed_ffi/host/call_frame.h"

#include <complex>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/typed_ffi/host/attributes.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace host {
namespace {

std::string Name(const XLA_FFI_Attrs& attrs, int i) {
  return std::string(attrs.names[i]->ptr, attrs.names[i]->len);
}

TEST(AttributesTest, AreSortedByNameAndNest) {
  const int32_t n = 3;
  const std::complex<double> z(1, 2);
  const int64_t array[] = {4, 5};
  EncodedAttributes encoded(
      Attributes()
          .SetString("z", absl::string_view("a\0b", 3))
          .SetScalar("b", PrimitiveType::kS32, &n)
          .SetScalar("B", PrimitiveType::kC128, &z)
          .SetArray("a", PrimitiveType::kS64, array, 2)
          .SetArray("none", PrimitiveType::kF32, nullptr, 0)
          .SetDictionary("ab", Attributes().SetScalar("x", PrimitiveType::kS32, &n)));
  const XLA_FFI_Attrs& attrs = encoded.get();
  ASSERT_EQ(attrs.size, 6);
  EXPECT_EQ(attrs.struct_size, 48u);
  const char* const kNames[] = {"B", "a", "ab", "b", "none", "z"};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(Name(attrs, i), kNames[i]);

  const auto& scalar = *static_cast<const XLA_FFI_Scalar*>(attrs.attrs[0]);
  EXPECT_EQ(attrs.types[0], XLA_FFI_AttrType_SCALAR);
  EXPECT_EQ(scalar.dtype, XLA_FFI_DataType_C128);
  EXPECT_EQ(*static_cast<const std::complex<double>*>(scalar.value), z);
  const auto& values = *static_cast<const XLA_FFI_Array*>(attrs.attrs[1]);
  EXPECT_EQ(attrs.types[1], XLA_FFI_AttrType_ARRAY);
  EXPECT_EQ(values.size, 2u);
  EXPECT_EQ(static_cast<const int64_t*>(values.data)[1], 5);
  const auto& inner = *static_cast<const XLA_FFI_Attrs*>(attrs.attrs[2]);
  EXPECT_EQ(attrs.types[2], XLA_FFI_AttrType_DICTIONARY);
  ASSERT_EQ(inner.size, 1);
  EXPECT_EQ(Name(inner, 0), "x");
  EXPECT_EQ(static_cast<const XLA_FFI_Array*>(attrs.attrs[4])->size, 0u);
  const auto& text = *static_cast<const XLA_FFI_ByteSpan*>(attrs.attrs[5]);
  EXPECT_EQ(attrs.types[5], XLA_FFI_AttrType_STRING);
  EXPECT_EQ(std::string(text.ptr, text.len), std::string("a\0b", 3));
}

TEST(AttributesTest, ANameThatIsSetAgainGetsTheNewValue) {
  EncodedAttributes encoded(Attributes().SetString("a", "old").SetString("a", "new"));
  ASSERT_EQ(encoded.get().size, 1);
  EXPECT_EQ(static_cast<const XLA_FFI_ByteSpan*>(encoded.get().attrs[0])->ptr[0], 'n');
  EXPECT_EQ(EncodedAttributes::None().size, 0);
}

TEST(CallFrameTest, LeavesAreArgumentsInPreorder) {
  const CallFrame frame({*ParseShape("(f32[2,3],(token[],()))"), *ParseShape("s8[]")},
                        {*ParseShape("(u8[4],pred[])")}, Attributes());
  ASSERT_EQ(frame.argument_count(), 3u);
  ASSERT_EQ(frame.result_count(), 2u);
  int memory[5] = {};
  void* operands[] = {&memory[0], nullptr, &memory[2]};
  void* results[] = {&memory[3], &memory[4]};
  std::vector<void*> storage((frame.StorageSize() + 7) / 8);
  const XLA_FFI_CallFrame& call =
      frame.Write(storage.data(), {absl::MakeSpan(operands), absl::MakeSpan(results)});
  EXPECT_EQ(call.struct_size, 168u);
  EXPECT_EQ(call.future, nullptr);
  ASSERT_EQ(call.args.size, 3);
  ASSERT_EQ(call.rets.size, 2);
  const auto arg = [&](int i) { return *static_cast<const XLA_FFI_Buffer*>(call.args.args[i]); };
  const auto ret = [&](int i) { return *static_cast<const XLA_FFI_Buffer*>(call.rets.rets[i]); };
  EXPECT_EQ(arg(0).dtype, XLA_FFI_DataType_F32);
  ASSERT_EQ(arg(0).rank, 2);
  EXPECT_EQ(arg(0).dims[1], 3);
  EXPECT_EQ(arg(0).data, &memory[0]);
  EXPECT_EQ(arg(1).dtype, XLA_FFI_DataType_TOKEN);
  EXPECT_EQ(arg(1).rank, 0);
  EXPECT_EQ(arg(2).data, &memory[2]);
  EXPECT_EQ(ret(0).dtype, XLA_FFI_DataType_U8);
  EXPECT_EQ(ret(1).data, &memory[4]);
}

// Its lists are shared up to some length, and its own beyond.
TEST(CallFrameTest, OfAnyLengthAllAreBuffersOfTheirOwnShapes) {
  for (size_t count : {0, 1, 15, 16, 17, 40}) {
    std::vector<Shape> shapes;
    for (size_t i = 0; i < count; ++i)
      shapes.push_back(*ParseShape(absl::StrCat("s16[", i, ",", i + 1, "]")));
    for (size_t results : {size_t{0}, count}) {
      CallFrame made(shapes, absl::MakeSpan(shapes).first(results), Attributes());
      const CallFrame frame = std::move(made);
      std::vector<void*> buffers(count + results);
      for (void*& buffer : buffers) buffer = &buffer;
      std::vector<void*> storage((frame.StorageSize() + 7) / 8);
      const absl::Span<void*> all = absl::MakeSpan(buffers);
      const XLA_FFI_CallFrame& call =
          frame.Write(storage.data(), {all.first(count), all.subspan(count)});
      ASSERT_EQ(call.args.size, static_cast<int64_t>(count));
      ASSERT_EQ(call.rets.size, static_cast<int64_t>(results));
      EXPECT_EQ(call.args.struct_size, 40u);
      EXPECT_EQ(call.rets.struct_size, 40u);
      EXPECT_EQ(call.attrs.struct_size, 48u);
      EXPECT_EQ(call.attrs.size, 0);
      const auto expect = [&](const void* given, int64_t i, void* data) {
        const auto& buffer = *static_cast<const XLA_FFI_Buffer*>(given);
        EXPECT_EQ(buffer.struct_size, 48u);
        EXPECT_EQ(buffer.dtype, XLA_FFI_DataType_S16);
        ASSERT_EQ(buffer.rank, 2);
        EXPECT_EQ(buffer.dims[0], i);
        EXPECT_EQ(buffer.dims[1], i + 1);
        EXPECT_EQ(buffer.data, data);
      };
      for (size_t i = 0; i < count; ++i) {
        EXPECT_EQ(call.args.types[i], XLA_FFI_ArgType_BUFFER) << i << " of " << count;
        expect(call.args.args[i], static_cast<int64_t>(i), buffers[i]);
      }
      for (size_t i = 0; i < results; ++i) {
        EXPECT_EQ(call.rets.types[i], XLA_FFI_RetType_BUFFER) << i << " of " << count;
        expect(call.rets.rets[i], static_cast<int64_t>(i), buffers[count + i]);
      }
    }
  }
}

TEST(CallFrameTest, WithoutBuffersItHasItsAttributes) {
  const CallFrame frame({*ParseShape("f32[]")}, {*ParseShape("f32[]")},
                        Attributes().SetString("a", "b"));
  const XLA_FFI_CallFrame bare = frame.WithoutBuffers();
  EXPECT_EQ(bare.struct_size, 168u);
  EXPECT_EQ(bare.extension_start, nullptr);
  EXPECT_EQ(bare.args.size, 0);
  EXPECT_EQ(bare.rets.size, 0);
  ASSERT_EQ(bare.attrs.size, 1);
  EXPECT_EQ(Name(bare.attrs, 0), "a");
  void* data[2] = {};
  std::vector<void*> storage((frame.StorageSize() + 7) / 8);
  const XLA_FFI_CallFrame& call =
      frame.Write(storage.data(), {absl::MakeSpan(data).first(1), absl::MakeSpan(data).subspan(1)});
  ASSERT_EQ(call.attrs.size, 1);
  const auto& scalar = *static_cast<const XLA_FFI_Buffer*>(call.args.args[0]);
  EXPECT_EQ(scalar.rank, 0);
  EXPECT_NE(scalar.dims, nullptr) << "scalars have an address too";
}

TEST(AttributesTest, ArraysHaveTheirType) {
  const uint16_t numbers[] = {1, 2, 3};
  EncodedAttributes encoded(
      Attributes().SetArray("a", PrimitiveType::kU16, numbers, 3).SetString("e", ""));
  const auto& array = *static_cast<const XLA_FFI_Array*>(encoded.get().attrs[0]);
  EXPECT_EQ(array.dtype, XLA_FFI_DataType_U16);
  EXPECT_EQ(array.size, 3u);
  EXPECT_EQ(static_cast<const uint16_t*>(array.data)[2], 3);
  EXPECT_EQ(static_cast<const XLA_FFI_ByteSpan*>(encoded.get().attrs[1])->len, 0u);
}

}  // namespace
}  // namespace host
}  // namespace callbridge
