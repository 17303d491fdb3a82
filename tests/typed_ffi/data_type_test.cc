// The numbers, names, sizes and C++ types of element types and errors. Compiled with XLA's genuine
// headers too, GENUINE, less what only callbridge's have.
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <sstream>
#include <string>
#include <type_traits>

#include "xla/ffi/api/ffi.h"

namespace {

namespace ffi = xla::ffi;
using ffi::DataType;

template <typename T>
std::string Printed(T value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

struct Row {
  DataType dtype;
  DataType constant;
  int number;
  size_t width;
  const char* name;
};
#define ROW(name, number, width) \
  { DataType::name, ffi::name, number, width, #name }
constexpr Row kRows[] = {ROW(PRED, 1, 1),
                         ROW(S8, 2, 1),
                         ROW(S16, 3, 2),
                         ROW(S32, 4, 4),
                         ROW(S64, 5, 8),
                         ROW(U8, 6, 1),
                         ROW(U16, 7, 2),
                         ROW(U32, 8, 4),
                         ROW(U64, 9, 8),
                         ROW(F16, 10, 2),
                         ROW(F32, 11, 4),
                         ROW(F64, 12, 8),
                         ROW(C64, 15, 8),
                         ROW(BF16, 16, 2),
                         ROW(TOKEN, 17, 0),
                         ROW(C128, 18, 16),
                         ROW(F8E5M2, 19, 1),
                         ROW(F8E4M3FN, 20, 1),
                         ROW(S4, 21, 1),
                         ROW(U4, 22, 1),
                         ROW(S2, 26, 1),
                         ROW(U2, 27, 1),
                         ROW(F8E4M3B11FNUZ, 23, 1),
                         ROW(F8E5M2FNUZ, 24, 1),
                         ROW(F8E4M3FNUZ, 25, 1),
                         ROW(F8E4M3, 28, 1),
                         ROW(F8E3M4, 29, 1),
                         ROW(S1, 30, 1),
                         ROW(U1, 31, 1),
                         ROW(F4E2M1FN, 32, 1),
                         ROW(F8E8M0FNU, 33, 1)};

TEST(DataTypeTest, NumbersSizesAndNames) {
  for (const Row& row : kRows) {
    EXPECT_EQ(row.dtype, row.constant) << row.name;
    EXPECT_EQ(static_cast<int>(row.dtype), row.number) << row.name;
    EXPECT_EQ(ffi::ByteWidth(row.dtype), row.width) << row.name;
    EXPECT_EQ(Printed(row.dtype), row.name);
    EXPECT_EQ(Printed(static_cast<XLA_FFI_DataType>(row.number)), row.name);
  }
  EXPECT_EQ(ffi::ByteWidth(DataType::INVALID), 0u);
  EXPECT_EQ(Printed(DataType::INVALID), "INVALID");
}

TEST(DataTypeTest, PartsOfComplexTypes) {
  for (const Row& row : kRows) {
    const bool f32 = row.dtype == DataType::F32, f64 = row.dtype == DataType::F64;
    EXPECT_EQ(ffi::ToComplex(row.dtype), f32   ? DataType::C64
                                         : f64 ? DataType::C128
                                               : DataType::INVALID)
        << row.name;
    const bool c64 = row.dtype == DataType::C64, c128 = row.dtype == DataType::C128;
    const DataType part = c64 ? DataType::F32 : c128 ? DataType::F64 : row.dtype;
    EXPECT_EQ(ffi::ToReal(row.dtype), part) << row.name;
    EXPECT_EQ(ffi::ToImag(row.dtype), part) << row.name;
  }
  static_assert(ffi::IsComplexType<DataType::C64>() && ffi::IsComplexType<DataType::C128>());
  static_assert(!ffi::IsComplexType<DataType::F32>() && !ffi::IsComplexType<DataType::S8>());
}

template <DataType dtype, typename T>
constexpr bool kIs = std::is_same_v<ffi::NativeType<dtype>, T>;
static_assert(kIs<DataType::PRED, bool> && kIs<DataType::S8, int8_t> &&
              kIs<DataType::S16, int16_t> && kIs<DataType::S32, int32_t> &&
              kIs<DataType::S64, int64_t> && kIs<DataType::U8, uint8_t> &&
              kIs<DataType::U16, uint16_t> && kIs<DataType::U32, uint32_t> &&
              kIs<DataType::U64, uint64_t> && kIs<DataType::F16, uint16_t> &&
              kIs<DataType::F32, float> && kIs<DataType::F64, double> &&
              kIs<DataType::BF16, uint16_t> && kIs<DataType::C64, std::complex<float>> &&
              kIs<DataType::C128, std::complex<double>> && kIs<DataType::TOKEN, void>);

TEST(EnumsTest, ErrorCodesAreXlas) {
  using ffi::ErrorCode;
  constexpr ErrorCode kCodes[] = {ErrorCode::kOk,
                                  ErrorCode::kCancelled,
                                  ErrorCode::kUnknown,
                                  ErrorCode::kInvalidArgument,
                                  ErrorCode::kDeadlineExceeded,
                                  ErrorCode::kNotFound,
                                  ErrorCode::kAlreadyExists,
                                  ErrorCode::kPermissionDenied,
                                  ErrorCode::kResourceExhausted,
                                  ErrorCode::kFailedPrecondition,
                                  ErrorCode::kAborted,
                                  ErrorCode::kOutOfRange,
                                  ErrorCode::kUnimplemented,
                                  ErrorCode::kInternal,
                                  ErrorCode::kUnavailable,
                                  ErrorCode::kDataLoss,
                                  ErrorCode::kUnauthenticated};
  for (int i = 0; i < 17; ++i) EXPECT_EQ(static_cast<int>(kCodes[i]), i);
}

TEST(EnumsTest, StagesAreXlas) {
  using ffi::ExecutionStage;
  constexpr ExecutionStage kStages[] = {ExecutionStage::kInstantiate, ExecutionStage::kPrepare,
                                        ExecutionStage::kInitialize, ExecutionStage::kExecute,
                                        ExecutionStage::kRecord};
  constexpr const char* kNames[] = {"instantiate", "prepare", "initialize", "execute", "record"};
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(static_cast<int>(kStages[i]), i);
#ifndef GENUINE
    EXPECT_EQ(Printed(static_cast<XLA_FFI_ExecutionStage>(i)), kNames[i]);
#else
    (void)kNames;
#endif
  }
}

#ifndef GENUINE

// The bits of types that C++ has not.
static_assert(kIs<DataType::F8E3M4, uint8_t> && kIs<DataType::F8E4M3, uint8_t> &&
              kIs<DataType::F8E4M3B11FNUZ, uint8_t> && kIs<DataType::F8E4M3FN, uint8_t> &&
              kIs<DataType::F8E4M3FNUZ, uint8_t> && kIs<DataType::F8E5M2, uint8_t> &&
              kIs<DataType::F8E5M2FNUZ, uint8_t> && kIs<DataType::F8E8M0FNU, uint8_t>);

TEST(EnumsTest, ArePrintedByName) {
  EXPECT_EQ(Printed(XLA_FFI_ArgType_BUFFER), "buffer");
  EXPECT_EQ(Printed(static_cast<XLA_FFI_ArgType>(0)), "unknown (0)");
  EXPECT_EQ(Printed(XLA_FFI_RetType_BUFFER), "buffer");
  EXPECT_EQ(Printed(static_cast<XLA_FFI_RetType>(2)), "unknown (2)");
  EXPECT_EQ(Printed(XLA_FFI_AttrType_ARRAY), "array");
  EXPECT_EQ(Printed(XLA_FFI_AttrType_DICTIONARY), "dictionary");
  EXPECT_EQ(Printed(XLA_FFI_AttrType_SCALAR), "scalar");
  EXPECT_EQ(Printed(XLA_FFI_AttrType_STRING), "string");
  EXPECT_EQ(Printed(static_cast<XLA_FFI_AttrType>(77)), "unknown (77)");
  EXPECT_EQ(Printed(static_cast<XLA_FFI_DataType>(77)), "unknown (77)");
  EXPECT_EQ(Printed(static_cast<XLA_FFI_ExecutionStage>(9)), "unknown (9)");
  EXPECT_EQ(ffi::ByteWidth(static_cast<DataType>(99)), 0u);
}

XLA_FFI_Error* Handler(XLA_FFI_CallFrame*) { return nullptr; }

// That values differ where any one part of them does.
TEST(CValuesTest, EveryPartCounts) {
  const XLA_FFI_Handler_Bundle bundle = {};
  for (XLA_FFI_Handler* XLA_FFI_Handler_Bundle::*stage :
       {&XLA_FFI_Handler_Bundle::instantiate, &XLA_FFI_Handler_Bundle::prepare,
        &XLA_FFI_Handler_Bundle::initialize, &XLA_FFI_Handler_Bundle::execute,
        &XLA_FFI_Handler_Bundle::record}) {
    XLA_FFI_Handler_Bundle other = {};
    other.*stage = Handler;
    EXPECT_TRUE(other == other);
    EXPECT_FALSE(other == bundle);
    EXPECT_TRUE(other != bundle);
  }
  EXPECT_FALSE(bundle != bundle);

  EXPECT_TRUE((XLA_FFI_TypeId{3} == XLA_FFI_TypeId{3}));
  EXPECT_TRUE((XLA_FFI_TypeId{3} != XLA_FFI_TypeId{4}));

  XLA_FFI_Metadata metadata = {};
  EXPECT_TRUE(metadata == XLA_FFI_Metadata());
  EXPECT_FALSE(metadata != XLA_FFI_Metadata());
  metadata.api_version.major_version = 1;
  EXPECT_TRUE(metadata != XLA_FFI_Metadata());
  EXPECT_TRUE(metadata.api_version != XLA_FFI_Api_Version());
  metadata = {};
  metadata.api_version.minor_version = 1;
  EXPECT_TRUE(metadata != XLA_FFI_Metadata());
  EXPECT_FALSE(metadata.api_version == XLA_FFI_Api_Version());
  metadata = {};
  metadata.traits = 1;
  EXPECT_TRUE(metadata != XLA_FFI_Metadata());
  metadata = {};
  metadata.state_type_id.type_id = 1;
  EXPECT_TRUE(metadata != XLA_FFI_Metadata());
}

#endif  // GENUINE

}  // namespace
