#include "callbridge/mindspore_aot/aot_operator.h"

#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "callbridge/loader/target_library.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/mindspore_aot/aot_operators.h"

namespace callbridge {
namespace mindspore_aot {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

AttributeValues Attribute(const std::string& name, AttributeValue value) {
  return {{Text(name.begin(), name.end()), std::move(value)}};
}
AttributeValues Way(const std::string& way) {
  return Attribute("way", Text(way.begin(), way.end()));
}

using Shapes = std::vector<std::vector<int64_t>>;

// One tensor of f32 or s64 for each shape. Owns what AotTensors borrow.
struct Tensors {
  explicit Tensors(Shapes all_shapes, const char* dtype = "float32")
      : shapes(std::move(all_shapes)) {
    for (std::vector<int64_t>& shape : shapes) {
      int64_t size = 1;
      for (const int64_t dimension : shape) size *= dimension;
      values.emplace_back(static_cast<size_t>(size) * 2);
      ndims.push_back(static_cast<int>(shape.size()));
      shape_pointers.push_back(shape.data());
      dtypes.push_back(dtype);
    }
    for (std::vector<float>& value : values) data.push_back(value.data());
  }
  AotTensors get() {
    return {shapes.size(), data.data(), ndims.data(), shape_pointers.data(), dtypes.data()};
  }
  void AddWorkspace(void* memory) {
    data.push_back(memory);
    ndims.push_back(0);
    shape_pointers.push_back(nullptr);
    dtypes.push_back(nullptr);
  }

  Shapes shapes;
  std::vector<std::vector<float>> values;
  std::vector<void*> data;
  std::vector<int> ndims;
  std::vector<int64_t*> shape_pointers;
  std::vector<const char*> dtypes;
};

class AotOperatorTest : public testing::TestWithParam<const char*> {
 protected:
  AotOperator Opened(const std::string& function) {
    absl::StatusOr<AotOperator> opened = Open(GetParam(), function);
    EXPECT_TRUE(opened.ok()) << opened.status();
    return *std::move(opened);
  }
};
INSTANTIATE_TEST_SUITE_P(, AotOperatorTest, testing::ValuesIn(kStringAbis),
                         [](const auto& info) { return std::string(info.param); });

// ---- Shapes

absl::StatusOr<std::vector<std::vector<int64_t>>> Inferred(const AotOperator& aot,
                                                           const AttributeValues& attributes,
                                                           size_t outputs,
                                                           std::vector<int64_t> shape) {
  int ndims = static_cast<int>(shape.size());
  int64_t* pointer = shape.data();
  return InferOutputShapes(aot, attributes, outputs, &ndims, &pointer);
}

TEST_P(AotOperatorTest, ShapesAreInferred) {
  const AotOperator reduce = Opened("AddReduce");
  AttributeValues attributes = Attribute("axis", int64_t{1});
  attributes.push_back(Attribute("keep_dim", false)[0]);
  EXPECT_THAT(Inferred(reduce, attributes, 1, {4, 5}).value(), ElementsAre(ElementsAre(4)));
  EXPECT_THAT(Inferred(reduce, attributes, 1, {-1, 5}).value(), ElementsAre(ElementsAre(-1)));
  EXPECT_THAT(Inferred(reduce, attributes, 1, {-2}).value(), ElementsAre(ElementsAre(-2)));
  attributes.back() = Attribute("keep_dim", true)[0];
  EXPECT_THAT(Inferred(reduce, attributes, 1, {4, 5}).value(), ElementsAre(ElementsAre(4, 1)));
  EXPECT_THAT(Inferred(Opened("AddMulDiv"), {}, 3, {3}).value(),
              ElementsAre(ElementsAre(3), ElementsAre(3), ElementsAre(3)));
}

TEST_P(AotOperatorTest, WhatIsInferredIsChecked) {
  const AotOperator describe = Opened("Describe");
  using Shape = std::vector<int64_t>;
  for (const Shape& wrong : {Shape{-3}, Shape{2, -2}, Shape{INT64_MIN}}) {
    const auto inferred = Inferred(describe, Attribute("shape", wrong), 1, {3});
    EXPECT_EQ(inferred.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(inferred.status().message(), HasSubstr("DescribeInferShape) returned"));
  }
  EXPECT_THAT(Inferred(describe, Attribute("shape", Shape{}), 1, {3}).value(),
              ElementsAre(ElementsAre()));
  const auto counts = Inferred(Opened("AddMulDiv"), {}, 2, {3});
  EXPECT_THAT(counts.status().message(), HasSubstr("returned 3 shapes for 2 outputs"));
  // One shape, for several outputs: of as many bytes as no list, a list of one and a list of two.
  for (const Shape& one : {Shape{4}, Shape{4, 4, 4}, Shape{70000, 7, 70000},
                           Shape{1 << 20, 8, 9, 1 << 20, 1 << 20, 0}}) {
    const auto several = Inferred(describe, Attribute("shape", one), 2, {3});
    EXPECT_EQ(several.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(several.status().message(), HasSubstr("InferShape) returned"));
  }
}

TEST_P(AotOperatorTest, WhatIsNoShapeIsNamed) {
  const auto refused = [](const AotOperator& aot, size_t outputs) {
    const auto inferred = Inferred(aot, {}, outputs, {3, 5});
    EXPECT_EQ(inferred.status().code(), absl::StatusCode::kInvalidArgument) << outputs;
    return std::string(inferred.status().message());
  };
  EXPECT_THAT(refused(Opened("Lists"), 1),
              HasSubstr("function(ListsInferShape) returned 3 lists of numbers, the shapes of "
                        "several outputs, for one output: expected std::vector<int64_t>"));
  EXPECT_THAT(refused(Opened("Lists"), 2), HasSubstr("returned 3 shapes for 2 outputs"));
  EXPECT_THAT(Inferred(Opened("Lists"), {}, 3, {3, 5}).value(),
              ElementsAre(ElementsAre(3, 5), ElementsAre(), ElementsAre(3, 5)));
  for (const char* function : {"Nothing", "Halves"}) {
    for (const size_t outputs : {1, 2}) {
      EXPECT_THAT(refused(Opened(function), outputs),
                  HasSubstr("InferShape) returned what is no std::vector of int64_t"));
    }
  }
}

// Numbers that look as a vector of vectors, where there is no memory.
TEST_P(AotOperatorTest, AShapeOfLargeSizesIsNoList) {
  const std::vector<int64_t> shape = {1 << 20, 1 << 20, 1 << 20, 0, 0, 0};
  const AttributeValues attributes = Attribute("shape", shape);
  EXPECT_EQ(Inferred(Opened("Describe"), attributes, 1, {3}).value().front(), shape);
}

TEST_P(AotOperatorTest, WithoutInferShapeThereIsAnError) {
  const auto inferred = Inferred(Opened("Add"), {}, 1, {3});
  EXPECT_EQ(inferred.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(inferred.status().message(), HasSubstr("AddInferShape"));
}

TEST_P(AotOperatorTest, AnExceptionOfInferShapeIsAnError) {
  const auto inferred = Inferred(Opened("Describe"), {}, 1, {3});
  EXPECT_EQ(inferred.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(inferred.status().message(),
              HasSubstr("threw std::runtime_error: there is no attribute called shape"));
}

// ---- Calls

TEST_P(AotOperatorTest, IsCalled) {
  const AotOperator add = Opened("Add");
  AotSite site(add, {});
  Tensors tensors(Shapes{{2, 3}, {2, 3}, {2, 3}});
  tensors.values[0] = {1, 2, 3, 4, 5, 6};
  tensors.values[1] = {10, 20, 30, 40, 50, 60};
  tensors.data = {tensors.values[0].data(), tensors.values[1].data(), tensors.values[2].data()};
  EXPECT_FALSE(site.is_initialized());
  ASSERT_EQ(site.Initialize(tensors.get()), absl::OkStatus());
  EXPECT_TRUE(site.is_initialized());
  EXPECT_TRUE(site.workspaces().empty());
  ASSERT_EQ(site.Run(tensors.get(), nullptr), absl::OkStatus());
  tensors.values[2].resize(6);
  EXPECT_THAT(tensors.values[2], ElementsAre(11, 22, 33, 44, 55, 66));
}

TEST_P(AotOperatorTest, AReturnedNumberIsAnErrorInMindSporesWords) {
  const AotOperator add = Opened("Add");
  AotSite site(add, {});
  Tensors tensors(Shapes{{3}, {3}, {3}}, "int32");
  ASSERT_EQ(site.Initialize(tensors.get()), absl::OkStatus());
  EXPECT_EQ(site.Run(tensors.get(), nullptr),
            absl::InternalError("Return value from CPU AOT kernel(" + LibraryOf(GetParam()) +
                                ")'s function(Add) is 2. Any return value not equal to 0 will be "
                                "treated as user defined error code"));
}

TEST_P(AotOperatorTest, FailuresAreErrors) {
  const AotOperator fails = Opened("Fails");
  const std::pair<const char*, const char*> kWays[] = {
      {"code", "function(Fails) is 77."},
      {"exception", "threw std::runtime_error: no licence"},
      {"int", "threw int"},
      {"type", "the attribute way is a string, and was asked for as a bool"},
      {"missing", "there is no attribute called none"},
  };
  for (const auto& [way, message] : kWays) {
    AotSite site(fails, Way(way));
    Tensors tensors(Shapes{{3}});
    ASSERT_EQ(site.Initialize(tensors.get()), absl::OkStatus());
    const absl::Status status = site.Run(tensors.get(), nullptr);
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << way;
    EXPECT_THAT(status.message(), HasSubstr(message));
  }
}

TEST_P(AotOperatorTest, AFailedInitIsTriedAgain) {
  const AotOperator flaky = Opened("Flaky");
  const std::pair<const char*, const char*> kWays[] = {
      {"code", "function(FlakyInit) is 78."},
      {"exception", "FlakyInit) threw std::runtime_error: no licence"},
      {"workspace", "FlakyInit) asked for a workspace of 18446744073709551600 bytes"},
  };
  for (const auto& [way, message] : kWays) {
    int64_t living = -1;
    Tensors tensors(Shapes{{}}, "int64");
    tensors.data = {&living};
    {
      AotSite site(flaky, Way(way));
      const absl::Status failed = site.Initialize(tensors.get());
      EXPECT_FALSE(failed.ok()) << way;
      EXPECT_THAT(failed.message(), HasSubstr(message));
      EXPECT_FALSE(site.is_initialized());
      ASSERT_EQ(site.Initialize(tensors.get()), absl::OkStatus());
      EXPECT_TRUE(site.workspaces().empty()) << "those of the first Init";
      ASSERT_EQ(site.Initialize(tensors.get()), absl::OkStatus());
      ASSERT_EQ(site.Run(tensors.get(), nullptr), absl::OkStatus());
      EXPECT_EQ(living, 1) << "the first Init's is deleted";
    }
    // Another site, to count what is left.
    AotSite other(flaky, Way(way));
    EXPECT_FALSE(other.Initialize(tensors.get()).ok());
    ASSERT_EQ(other.Run(tensors.get(), nullptr), absl::OkStatus());
    EXPECT_EQ(living, 1) << "of this site's failed Init alone";
    ASSERT_EQ(other.Initialize(tensors.get()), absl::OkStatus());
  }
}

TEST_P(AotOperatorTest, InitRunsOnceForManyThreads) {
  const AotOperator reduce = Opened("AddReduce");
  AttributeValues attributes = Attribute("axis", int64_t{0});
  attributes.push_back(Attribute("keep_dim", false)[0]);
  AotSite site(reduce, attributes);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      Tensors tensors(Shapes{{2, 3}, {2, 3}, {3}});
      ASSERT_EQ(site.Initialize(tensors.get()), absl::OkStatus());
      ASSERT_THAT(site.workspaces(), ElementsAre(6 * sizeof(float)));
      std::vector<float> memory(6);
      for (float& value : tensors.values[0]) value = 1;
      tensors.AddWorkspace(memory.data());
      AotTensors with_workspace = tensors.get();
      for (int run = 0; run < 100; ++run) {
        ASSERT_EQ(site.Run(with_workspace, nullptr), absl::OkStatus());
        tensors.values[2].resize(3);
        ASSERT_THAT(tensors.values[2], ElementsAre(2, 2, 2));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto library = TargetLibrary::Holding(reinterpret_cast<void*>(reduce.function));
  const auto count = reinterpret_cast<AotOperator::Function*>(library->Exported("ReduceInits"));
  int64_t inits = 0;
  void* result = &inits;
  ASSERT_EQ(count(1, &result, nullptr, nullptr, nullptr, nullptr, nullptr), 0);
  EXPECT_EQ(inits, 1);
}

}  // namespace
}  // namespace mindspore_aot
}  // namespace callbridge
