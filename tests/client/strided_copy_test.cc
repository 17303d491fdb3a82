#include "callbridge/client/strided_copy.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/shape_text.h"

namespace callbridge::client {
namespace {

using Bytes = std::vector<uint8_t>;

// Elements of the size of pred, f16, f32, f64 and c128.
const char* const kTypes[] = {"pred", "s4", "f16", "f32", "f64", "c128"};

Shape Parse(const std::string& text) { return ParseShape(text).value(); }

// The elements numbered in the order of memory, each of their bytes another one.
Bytes Numbered(const Shape& shape) {
  Bytes bytes(static_cast<size_t>(*shape.ByteSize()));
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 7 + i / 256);
  return bytes;
}

Bytes Copied(const StridedCopy& copy, const Bytes& from, size_t size) {
  Bytes to(size + 1, 0xAA);
  copy.Run(from.data(), to.data());
  EXPECT_EQ(to.back(), 0xAA) << "written beyond the end";
  to.pop_back();
  return to;
}

size_t ElementBytes(const Shape& shape) {
  return static_cast<size_t>(*shape.ByteSize() / shape.ElementCount());
}

// Element by element, from an order of the dimensions to row-major.
Bytes RowMajor(const Shape& shape, const Bytes& bytes) {
  const size_t size = ElementBytes(shape);
  const auto dimensions = shape.dimensions();
  Bytes result;
  for (int64_t n = 0; n < shape.ElementCount(); ++n) {
    std::vector<int64_t> index(dimensions.size());
    int64_t rest = n;
    for (size_t i = dimensions.size(); i-- > 0;) {
      index[i] = rest % dimensions[i];
      rest /= dimensions[i];
    }
    int64_t place = 0;
    int64_t stride = 1;
    for (int64_t dimension : shape.layout()->minor_to_major) {
      place += index[dimension] * stride;
      stride *= dimensions[dimension];
    }
    const auto start = bytes.begin() + place * static_cast<int64_t>(size);
    result.insert(result.end(), start, start + static_cast<int64_t>(size));
  }
  return result;
}

TEST(StridedCopyTest, EveryOrderOfEverySizeOfElementsThereAndBack) {
  for (const char* type : kTypes) {
    for (const char* array :
         {"[6]{0}", "[2,3]{1,0}", "[2,3]{0,1}", "[2,3,5]{2,1,0}", "[2,3,5]{0,1,2}",
          "[2,3,5]{1,0,2}", "[2,3,5]{2,0,1}", "[2,3,5]{0,2,1}", "[2,3,5]{1,2,0}", "[2,1,5]{0,1,2}",
          "[1,3,1]{0,2,1}", "[]{}", "[4,3,2,5]{0,3,2,1}", "[4,3,2,5]{3,1,0,2}", "[1]{0}"}) {
      SCOPED_TRACE(absl::StrCat(type, array));
      const Shape shape = Parse(absl::StrCat(type, array));
      const Bytes stored = Numbered(shape);
      const Bytes row_major = Copied(StridedCopy::ToRowMajor(shape), stored, stored.size());
      EXPECT_EQ(row_major, RowMajor(shape, stored));
      EXPECT_EQ(Copied(StridedCopy::FromRowMajor(shape), row_major, stored.size()), stored);
    }
  }
}

TEST(StridedCopyTest, DenseIsWhatLiesAsItIsToLie) {
  for (const char* dense :
       {"f32[2,3]{1,0}", "f32[2,3]", "f32[1,3]{0,1}", "f32[3,1,1]{0,2,1}", "f32[]", "f32[7]{0}"}) {
    EXPECT_TRUE(StridedCopy::ToRowMajor(Parse(dense)).IsDense()) << dense;
  }
  for (const char* moved : {"f32[2,3]{0,1}", "f32[1,2,3]{1,2,0}"}) {
    EXPECT_FALSE(StridedCopy::ToRowMajor(Parse(moved)).IsDense()) << moved;
  }
  const Bytes bytes = {1, 2, 3};
  EXPECT_EQ(Copied(StridedCopy::OfBytes(3), bytes, 3), bytes);
  EXPECT_EQ(Copied(StridedCopy::OfBytes(1), bytes, 1), Bytes{1});
}

TEST(StridedCopyTest, OfNothingNothingIsCopied) {
  for (const char* empty : {"f32[0]{0}", "f32[2,0,3]{0,1,2}", "f32[0,9223372036854775807]{0,1}"}) {
    Copied(StridedCopy::ToRowMajor(Parse(empty)), {}, 0);
    Copied(StridedCopy::FromRowMajor(Parse(empty)), {}, 0);
  }
  Copied(StridedCopy::Broadcast(Parse("f32[]"), {}, Parse("f32[3,0]")), Bytes(4), 0);
}

TEST(StridedCopyTest, BroadcastsEverySizeOfElements) {
  for (const char* type : kTypes) {
    const auto shape = [&](const char* dimensions) {
      return Parse(absl::StrCat(type, dimensions));
    };
    const Bytes two = Numbered(shape("[2]"));
    const size_t size = two.size() / 2;
    const Bytes a(two.begin(), two.begin() + static_cast<int64_t>(size));
    const Bytes b(two.begin() + static_cast<int64_t>(size), two.end());
    const auto joined = [](const std::vector<Bytes>& elements) {
      Bytes all;
      for (const Bytes& each : elements) all.insert(all.end(), each.begin(), each.end());
      return all;
    };
    EXPECT_EQ(Copied(StridedCopy::Broadcast(shape("[2]"), {0}, shape("[2,3]")), two, 6 * size),
              joined({a, a, a, b, b, b}));
    EXPECT_EQ(Copied(StridedCopy::Broadcast(shape("[2]"), {1}, shape("[3,2]")), two, 6 * size),
              joined({a, b, a, b, a, b}));
    EXPECT_EQ(Copied(StridedCopy::Broadcast(shape("[2]"), {1}, shape("[2,2,2]")), two, 8 * size),
              joined({a, a, b, b, a, a, b, b}));
    EXPECT_EQ(
        Copied(StridedCopy::Broadcast(shape("[2,1]"), {2, 0}, shape("[1,2,2]")), two, 4 * size),
        joined({a, b, a, b}));
    EXPECT_EQ(Copied(StridedCopy::Broadcast(shape("[]"), {}, shape("[3]")), a, 3 * size),
              joined({a, a, a}));
  }
}

TEST(StridedCopyTest, RowMajorIsNoLayoutOrThatOne) {
  for (const char* row_major : {"f32[2,3]", "f32[2,3]{1,0}", "f32[]{}", "f32[3]{0}"}) {
    EXPECT_TRUE(IsRowMajor(Parse(row_major))) << row_major;
  }
  for (const char* other : {"f32[2,3]{0,1}", "f32[2,3,4]{2,0,1}", "f32[1,3]{0,1}"}) {
    EXPECT_FALSE(IsRowMajor(Parse(other))) << other;
  }
}

}  // namespace
}  // namespace callbridge::client
