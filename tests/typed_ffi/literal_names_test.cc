// Names of attributes that the compiler knows: compiled with optimisation, which then compares them
// by words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "callbridge/typed_ffi/binding/ffi.h"
#include "tests/typed_ffi/fake_runtime.h"

namespace {

using ::callbridge::typed_ffi::kRuntimeVersionCount;
using ::callbridge::typed_ffi::testing::FakeRuntime;
using ::callbridge::typed_ffi::testing::TakeText;
using namespace xla::ffi;  // NOLINT(google-build-using-namespace)

constexpr char kLetters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP";

// A handler with one attribute, whose name is the first `size` letters.
template <size_t size>
XLA_FFI_Error* Wants(XLA_FFI_CallFrame* frame) {
  // NOLINTBEGIN(bugprone-string-constructor): a name may be empty.
  CALLBRIDGE_FFI_CALL_HANDLER(
      frame, [](int64_t) { return Error::Success(); },
      Ffi::Bind().Attr<int64_t>(std::string_view(kLetters, size)));
  // NOLINTEND(bugprone-string-constructor)
}

// Whether it takes an attribute of that name.
template <size_t size>
bool Finds(const std::vector<char>& name) {
  static FakeRuntime& runtime = *new FakeRuntime(kRuntimeVersionCount - 1);
  int64_t value = 1;
  XLA_FFI_Scalar scalar = {XLA_FFI_DataType_S64, &value};
  XLA_FFI_ByteSpan span = {name.empty() ? "" : name.data(), name.size()};
  XLA_FFI_ByteSpan* names[] = {&span};
  XLA_FFI_AttrType types[] = {XLA_FFI_AttrType_SCALAR};
  void* values[] = {&scalar};
  XLA_FFI_CallFrame frame = {};
  frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
  frame.api = runtime.api();
  frame.stage = XLA_FFI_ExecutionStage_EXECUTE;
  frame.attrs = {XLA_FFI_Attrs_STRUCT_SIZE, nullptr, 1, types, names, values};
  return TakeText(Wants<size>(&frame)).empty();
}

template <size_t size>
void ExpectEveryByteCounts() {
  // On the heap and no longer than it is, so that a sanitizer sees who reads more.
  std::vector<char> name(kLetters, kLetters + size);
  name.shrink_to_fit();
  EXPECT_TRUE(Finds<size>(name)) << size;
  for (size_t i = 0; i < size; ++i) {
    std::vector<char> other = name;
    other[i] ^= 1;
    EXPECT_FALSE(Finds<size>(other)) << "byte " << i << " of " << size;
  }
  name.push_back(kLetters[size]);
  EXPECT_FALSE(Finds<size>(name)) << "longer than " << size;
  if (size == 0) return;
  name.resize(size - 1);
  EXPECT_FALSE(Finds<size>(name)) << "shorter than " << size;
}

template <size_t... sizes>
void ExpectEveryByteCountsOf(std::index_sequence<sizes...>) {
  (ExpectEveryByteCounts<sizes>(), ...);
}

TEST(LiteralNamesTest, EveryByteCountsOfEveryLength) {
  ExpectEveryByteCountsOf(std::make_index_sequence<40>());
}

std::array<int32_t, 9> got;
XLA_FFI_DEFINE_HANDLER(
    kHandler,
    [](int32_t a, int32_t b, int32_t c, int32_t d, int32_t e, int32_t f, int32_t g, int32_t h,
       int32_t i) {
      got = {a, b, c, d, e, f, g, h, i};
      return Error::Success();
    },
    Ffi::Bind()
        .Attr<int32_t>("seven__")
        .Attr<int32_t>("a")
        .Attr<int32_t>("seventeen letters")
        .Attr<int32_t>("two")
        .Attr<int32_t>("fours")
        .Attr<int32_t>("thirty-three letters, all in one_")
        .Attr<int32_t>("nine_name")
        .Attr<int32_t>("to")
        .Attr<int32_t>("eight_up"));

// Each is found where XLA puts it, which sorts them by name.
TEST(LiteralNamesTest, OfAHandler) {
  const std::vector<std::string> sorted = {"a",
                                           "eight_up",
                                           "fours",
                                           "nine_name",
                                           "seven__",
                                           "seventeen letters",
                                           "thirty-three letters, all in one_",
                                           "to",
                                           "two"};
  std::vector<int32_t> numbers = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<XLA_FFI_Scalar> scalars;
  for (int32_t& number : numbers) scalars.push_back({XLA_FFI_DataType_S32, &number});
  std::vector<XLA_FFI_ByteSpan> spans;
  for (const std::string& name : sorted) spans.push_back({name.data(), name.size()});
  std::vector<XLA_FFI_ByteSpan*> names;
  std::vector<void*> values;
  for (size_t i = 0; i < sorted.size(); ++i) {
    names.push_back(&spans[i]);
    values.push_back(&scalars[i]);
  }
  std::vector<XLA_FFI_AttrType> types(9, XLA_FFI_AttrType_SCALAR);
  XLA_FFI_CallFrame frame = {};
  frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
  frame.stage = XLA_FFI_ExecutionStage_EXECUTE;
  frame.attrs = {XLA_FFI_Attrs_STRUCT_SIZE, nullptr, 9, types.data(), names.data(), values.data()};
  ASSERT_EQ(kHandler(&frame), nullptr);
  EXPECT_THAT(got, ::testing::ElementsAre(5, 1, 6, 9, 3, 7, 4, 8, 2));
}

}  // namespace
