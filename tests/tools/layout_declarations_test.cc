#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/tools/layout/layout_forms.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

// The declarations for a tuple of operands and a result, which may be left out.
std::string Declarations(size_t plan, const std::string& text, const std::string& result = "") {
  const Shape operands = *ParseShape(text);
  const Shape result_shape = *ParseShape(result.empty() ? "()" : result);
  const std::vector<LayoutPlan> plans = PlanLayouts(
      operands.tuple_elements(), result.empty() ? nullptr : &result_shape, std::nullopt);
  return absl::StrCat("\n", absl::StrJoin(DeclarationsOf(plans[plan]), "\n"), "\n");
}

constexpr char kDocumented[] = "((f32[32],(f32[64],f32[128]),f32[256]))";

TEST(DeclarationsOf, TheDocumentedExample) {
  EXPECT_EQ(Declarations(0, kDocumented, "(f32[512],f32[1024])"), R"(
const void* const* p0 = (const void* const*)in[0];
const float* p0_0 = (const float*)p0[0];              // f32[32]
const void* const* p0_1 = (const void* const*)p0[1];
const float* p0_1_0 = (const float*)p0_1[0];          // f32[64]
const float* p0_1_1 = (const float*)p0_1[1];          // f32[128]
const float* p0_2 = (const float*)p0[2];              // f32[256]
void** r = (void**)out;
float* r_0 = (float*)r[0];                            // f32[512]
float* r_1 = (float*)r[1];                            // f32[1024]
)");
  EXPECT_EQ(Declarations(1, kDocumented, "(f32[512],f32[1024])"), R"(
const float* p0_0 = (const float*)in[0];    // f32[32]
const float* p0_1_0 = (const float*)in[1];  // f32[64]
const float* p0_1_1 = (const float*)in[2];  // f32[128]
const float* p0_2 = (const float*)in[3];    // f32[256]
void** r = (void**)out;
float* r_0 = (float*)r[0];                  // f32[512]
float* r_1 = (float*)r[1];                  // f32[1024]
)");
  EXPECT_EQ(Declarations(2, kDocumented, "f32[512]"), R"(
const float* p0_0 = (const float*)buffers[0];    // f32[32]
const float* p0_1_0 = (const float*)buffers[1];  // f32[64]
const float* p0_1_1 = (const float*)buffers[2];  // f32[128]
const float* p0_2 = (const float*)buffers[3];    // f32[256]
float* r = (float*)buffers[4];                   // f32[512]
)");
}

TEST(DeclarationsOf, WhatHasNoBuffer) {
  EXPECT_EQ(Declarations(0, "(token[],(),(f32[],()))", "((),token[])"), R"(
// in[0] is p0, a token without a buffer
// in[1] is p1, an empty tuple
const void* const* p2 = (const void* const*)in[2];
const float* p2_0 = (const float*)p2[0];            // f32[]
// p2[1] is p2_1, an empty tuple
void** r = (void**)out;
// r[0] is r_0, an empty tuple
// r[1] is r_1, a token without a buffer
)");
  EXPECT_EQ(Declarations(0, "()", "()"), R"(
// out is r, an empty tuple
)");
  EXPECT_EQ(Declarations(0, "()", "token[]"), R"(
// out is r, a token without a buffer
)");
  EXPECT_EQ(Declarations(0, "(f32[])"), R"(
const float* p0 = (const float*)in[0];  // f32[]
)");
}

// Comments stand in one column, but for lines of more than 64 characters.
TEST(DeclarationsOf, LongLinesDoNotMoveTheComments) {
  // The last table's line has 64 characters, and then 68.
  EXPECT_EQ(Declarations(0, "((((((f32[]))))),u8[])"), R"(
// needs <stdint.h>
const void* const* p0 = (const void* const*)in[0];
const void* const* p0_0 = (const void* const*)p0[0];
const void* const* p0_0_0 = (const void* const*)p0_0[0];
const void* const* p0_0_0_0 = (const void* const*)p0_0_0[0];
const void* const* p0_0_0_0_0 = (const void* const*)p0_0_0_0[0];
const float* p0_0_0_0_0_0 = (const float*)p0_0_0_0_0[0];          // f32[]
const uint8_t* p1 = (const uint8_t*)in[1];                        // u8[]
)");
  EXPECT_EQ(Declarations(0, "(((((((f32[])))))),u8[])"), R"(
// needs <stdint.h>
const void* const* p0 = (const void* const*)in[0];
const void* const* p0_0 = (const void* const*)p0[0];
const void* const* p0_0_0 = (const void* const*)p0_0[0];
const void* const* p0_0_0_0 = (const void* const*)p0_0_0[0];
const void* const* p0_0_0_0_0 = (const void* const*)p0_0_0_0[0];
const void* const* p0_0_0_0_0_0 = (const void* const*)p0_0_0_0_0[0];
const float* p0_0_0_0_0_0_0 = (const float*)p0_0_0_0_0_0[0];      // f32[]
const uint8_t* p1 = (const uint8_t*)in[1];                        // u8[]
)");
}

TEST(DeclarationsOf, EveryElementType) {
  EXPECT_EQ(
      Declarations(0,
                   "(pred[],s8[],s16[],s32[],s64[],u8[],u16[],u32[],u64[],f16[],bf16[],f32[],f64[],"
                   "c64[2],c128[],s1[],u1[],s2[],u2[],s4[],u4[],f4e2m1fn[],f8e3m4[],f8e4m3[],"
                   "f8e4m3b11fnuz[],f8e4m3fn[],f8e4m3fnuz[],f8e5m2[],f8e5m2fnuz[],f8e8m0fnu[])",
                   "c64[]"),
      R"(
// needs <stdbool.h>, <stdint.h>
const bool* p0 = (const bool*)in[0];                   // pred[]
const int8_t* p1 = (const int8_t*)in[1];               // s8[]
const int16_t* p2 = (const int16_t*)in[2];             // s16[]
const int32_t* p3 = (const int32_t*)in[3];             // s32[]
const int64_t* p4 = (const int64_t*)in[4];             // s64[]
const uint8_t* p5 = (const uint8_t*)in[5];             // u8[]
const uint16_t* p6 = (const uint16_t*)in[6];           // u16[]
const uint32_t* p7 = (const uint32_t*)in[7];           // u32[]
const uint64_t* p8 = (const uint64_t*)in[8];           // u64[]
const uint16_t* p9 = (const uint16_t*)in[9];           // f16[], as bits
const uint16_t* p10 = (const uint16_t*)in[10];         // bf16[], as bits
const float* p11 = (const float*)in[11];               // f32[]
const double* p12 = (const double*)in[12];             // f64[]
const float (*p13)[2] = (const float (*)[2])in[13];    // c64[2], {real, imaginary}
const double (*p14)[2] = (const double (*)[2])in[14];  // c128[], {real, imaginary}
const uint8_t* p15 = (const uint8_t*)in[15];           // s1[], 8 to a byte, lowest bit first
const uint8_t* p16 = (const uint8_t*)in[16];           // u1[], 8 to a byte, lowest bit first
const uint8_t* p17 = (const uint8_t*)in[17];           // s2[], 4 to a byte, lowest bits first
const uint8_t* p18 = (const uint8_t*)in[18];           // u2[], 4 to a byte, lowest bits first
const uint8_t* p19 = (const uint8_t*)in[19];           // s4[], 2 to a byte, lowest bits first
const uint8_t* p20 = (const uint8_t*)in[20];           // u4[], 2 to a byte, lowest bits first
const uint8_t* p21 = (const uint8_t*)in[21];           // f4e2m1fn[], 2 to a byte, lowest bits first
const uint8_t* p22 = (const uint8_t*)in[22];           // f8e3m4[], as bits
const uint8_t* p23 = (const uint8_t*)in[23];           // f8e4m3[], as bits
const uint8_t* p24 = (const uint8_t*)in[24];           // f8e4m3b11fnuz[], as bits
const uint8_t* p25 = (const uint8_t*)in[25];           // f8e4m3fn[], as bits
const uint8_t* p26 = (const uint8_t*)in[26];           // f8e4m3fnuz[], as bits
const uint8_t* p27 = (const uint8_t*)in[27];           // f8e5m2[], as bits
const uint8_t* p28 = (const uint8_t*)in[28];           // f8e5m2fnuz[], as bits
const uint8_t* p29 = (const uint8_t*)in[29];           // f8e8m0fnu[], as bits
float (*r)[2] = (float (*)[2])out;                     // c64[], {real, imaginary}
)");
}

}  // namespace
}  // namespace callbridge
