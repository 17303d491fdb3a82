// Binaries built with TensorFlow 2.13.1's headers have the accessors of xla::ShapeProto inlined, so
// its fields must lie where theirs do. message_objects.cc reads and writes them in both.
#include <dlfcn.h>

#include <cstddef>
#include <string>

#include "callbridge/hlo/shape_proto.h"
#include "callbridge/hlo/xla_data_proto.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

extern "C" {
void DescribeShape(const xla::ShapeProto* shape, std::string* text);
void FillShape(int seed, xla::ShapeProto* shape);
size_t SizeOfShape();
size_t SizeOfLayout();
size_t SizeOfTile();
}

namespace {

using ::testing::HasSubstr;

// The old binary's functions, which our library's messages resolve.
class Old {
 public:
  Old() : library_(dlopen(OLD_MESSAGE_OBJECTS, RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) ADD_FAILURE() << dlerror();
  }
  template <typename F>
  F* Get(const char* name, F*) const {
    void* found = dlsym(library_, name);
    EXPECT_NE(found, nullptr) << name;
    EXPECT_NE(found, dlsym(RTLD_DEFAULT, name)) << "the test's own " << name;
    return reinterpret_cast<F*>(found);
  }

 private:
  void* const library_;
};

std::string Text(const xla::ShapeProto& shape, decltype(DescribeShape)* describe) {
  std::string text;
  describe(&shape, &text);
  return text;
}

TEST(ObjectLayout, OldBinaryReadsWhatWeWrite) {
  const Old old;
  xla::ShapeProto shape;
  FillShape(1, &shape);
  const std::string text = Text(shape, DescribeShape);
  EXPECT_THAT(text, HasSubstr("prefix_bytes=12 physical { element_type=12"))
      << "the description is of all fields";
  EXPECT_EQ(Text(shape, old.Get("DescribeShape", DescribeShape)), text);
}

TEST(ObjectLayout, WeReadWhatOldBinaryWrites) {
  const Old old;
  xla::ShapeProto ours, theirs;
  FillShape(5, &ours);
  old.Get("FillShape", FillShape)(5, &theirs);
  EXPECT_EQ(Text(theirs, DescribeShape), Text(ours, DescribeShape));
  EXPECT_EQ(theirs.SerializeAsString(), ours.SerializeAsString());
}

TEST(ObjectLayout, OldBinaryParsesOnItsStack) {
  const Old old;
  bool (*describe_bytes)(const char*, size_t, std::string*) = nullptr;
  describe_bytes = old.Get("DescribeBytes", describe_bytes);
  xla::ShapeProto shape;
  FillShape(3, &shape);
  callbridge::hlo::SetElementSizeInBits(4, shape.mutable_layout());
  const std::string bytes = shape.SerializeAsString();
  std::string text;
  EXPECT_TRUE(describe_bytes(bytes.data(), bytes.size(), &text));
  EXPECT_EQ(text, Text(shape, DescribeShape));
  EXPECT_FALSE(describe_bytes(bytes.data(), bytes.size() - 1, &text));
}

TEST(ObjectLayout, SizesOfWhatTargetsHaveOnTheirStacks) {
  const Old old;
  EXPECT_EQ(old.Get("SizeOfShape", SizeOfShape)(), SizeOfShape());
  EXPECT_EQ(old.Get("SizeOfTile", SizeOfTile)(), SizeOfTile());
  EXPECT_EQ(old.Get("SizeOfLayout", SizeOfLayout)(), SizeOfLayout());
}

}  // namespace
