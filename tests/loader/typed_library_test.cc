// Libraries that register typed FFI handlers with callbridge: opened, called, closed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "callbridge/abi/shape_text.h"
#include "callbridge/adapters/bind.h"
#include "callbridge/adapters/executor.h"
#include "callbridge/adapters/target_abis.h"
#include "callbridge/loader/registered_targets.h"
#include "callbridge/loader/target_library.h"
#include "callbridge/typed_ffi/host/handler_registry.h"
#include "callbridge/typed_ffi/runtime_versions.h"

namespace callbridge {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::shared_ptr<TargetLibrary> LoadOrDie() {
  absl::StatusOr<std::shared_ptr<TargetLibrary>> library =
      TargetLibrary::Load(std::string(OLD_BINARIES) + "/typed_handlers.so");
  if (!library.ok()) throw std::runtime_error(library.status().ToString());
  return *std::move(library);
}

Target FindOrDie(const TargetLibrary& library, const char* name) {
  absl::StatusOr<Target> target = library.Find(name, Platform::kHost);
  if (!target.ok()) throw std::runtime_error(target.status().ToString());
  return *std::move(target);
}

std::vector<std::string> Describe(absl::Span<const LibraryTarget> targets) {
  std::vector<std::string> lines;
  for (const LibraryTarget& target : targets) {
    lines.push_back(target.registered.name + " on " + target.registered.platform + ": " +
                    std::string(ApiVersionName(target.api_version)) + ", " + target.evidence);
  }
  return lines;
}

size_t Registered() { return host::RegistryOf(typed_ffi::kNewestVersion).List().size(); }

CallSite CountSite(int32_t start) {
  CallSite site;
  site.result = *ParseShape("s32[]");
  site.attributes.SetScalar("start", PrimitiveType::kS32, &start);
  return site;
}

absl::StatusOr<int32_t> Count(const BoundCall& call) {
  int32_t count = -1;
  void* results[] = {&count};
  absl::Status status = call.Execute({{}, results});
  if (!status.ok()) return status;
  return count;
}

TEST(TypedLibraryTest, ListsHandlersWithTheirStages) {
  std::shared_ptr<TargetLibrary> library = LoadOrDie();
  EXPECT_THAT(
      Describe(library->targets()),
      ElementsAre("attributes on Host: typed_ffi, registered as a typed FFI handler",
                  "both on Host: typed_ffi, registered as a typed FFI handler",
                  "both on Host: unspecified, symbol untyped_both has no type (extern \"C\")",
                  "count on Host: typed_ffi, registered as a typed FFI handler",
                  "refuse on cpu: typed_ffi, registered as a typed FFI handler",
                  "scale on Host: typed_ffi, registered as a typed FFI handler"));
  const Target count = FindOrDie(*library, "count");
  EXPECT_TRUE(count.api_version_is_proved);
  EXPECT_NE(count.stages.instantiate, nullptr);
  EXPECT_EQ(count.stages.prepare, nullptr);
  EXPECT_EQ(FindOrDie(*library, "refuse").stages.instantiate, nullptr);
}

// A name that is both an untyped function's and a handler's: which, the ABI says that is asked for.
TEST(TypedLibraryTest, AreFoundUnlessAnUntypedAbiIsAskedFor) {
  std::shared_ptr<TargetLibrary> library = LoadOrDie();
  const auto found = [&](const char* name, ApiVersion declared) {
    absl::StatusOr<Target> target = library->Find(name, Platform::kHost, declared);
    return target.ok() ? target->api_version : ApiVersion::kStatusReturning;
  };
  for (ApiVersion typed : {ApiVersion::kUnspecified, ApiVersion::kTypedFfi}) {
    EXPECT_EQ(found("both", typed), ApiVersion::kTypedFfi);
  }
  for (ApiVersion untyped :
       {ApiVersion::kOriginal, ApiVersion::kStatusReturning, ApiVersion::kStatusReturningUnified}) {
    EXPECT_EQ(found("both", untyped), ApiVersion::kUnspecified);
    EXPECT_EQ(found("count", untyped), ApiVersion::kTypedFfi) << "there is no other";
  }
}

TEST(TypedLibraryTest, AreCalledByTheExecutor) {
  std::shared_ptr<TargetLibrary> library = LoadOrDie();
  float x[] = {1, 2}, y[2], factor = 3;
  CallSite site;
  site.operands = {*ParseShape("f32[2]")};
  site.result = *ParseShape("f32[2]");
  site.attributes.SetScalar("factor", PrimitiveType::kF32, &factor);
  const HostArray operands[] = {{x, sizeof(x)}};
  const HostArray results[] = {{y, sizeof(y)}};
  ASSERT_EQ(Execute(site, FindOrDie(*library, "scale"), operands, results), absl::OkStatus());
  EXPECT_THAT(y, ElementsAre(3, 6));

  CallSite refused;
  refused.result = *ParseShape("()");
  refused.attributes.SetString("why", "too far");
  EXPECT_EQ(Execute(refused, FindOrDie(*library, "refuse"), {}, {}),
            absl::OutOfRangeError("too far"));
}

TEST(TypedLibraryTest, TwoCopiesHaveStateOfTheirOwn) {
  std::shared_ptr<TargetLibrary> one = LoadOrDie();
  std::shared_ptr<TargetLibrary> other = LoadOrDie();
  EXPECT_NE(FindOrDie(*one, "count").address, FindOrDie(*other, "count").address);
  absl::StatusOr<BoundCall> from_ten = Bind(CountSite(10), FindOrDie(*one, "count"));
  absl::StatusOr<BoundCall> from_zero = Bind(CountSite(0), FindOrDie(*other, "count"));
  ASSERT_TRUE(from_ten.ok()) << from_ten.status();
  ASSERT_TRUE(from_zero.ok()) << from_zero.status();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(*Count(*from_ten), 10 + i);
    EXPECT_EQ(*Count(*from_zero), i);
  }
}

TEST(TypedLibraryTest, GoWithTheirLibrary) {
  const size_t before = Registered();
  for (int i = 0; i < 3; ++i) {  // its type's name is free again, too
    std::shared_ptr<TargetLibrary> library = LoadOrDie();
    EXPECT_EQ(Registered(), before + 5);
    {
      absl::StatusOr<BoundCall> call = Bind(CountSite(5), FindOrDie(*library, "count"));
      ASSERT_TRUE(call.ok()) << call.status();
      EXPECT_EQ(*Count(*call), 5);
      const absl::Status status = TargetLibrary::Unload(library);
      EXPECT_THAT(std::string(status.message()), HasSubstr("stays loaded, since 1 uses"));
    }
    ASSERT_EQ(TargetLibrary::Unload(library), absl::OkStatus());
    EXPECT_EQ(Registered(), before);
  }
}

TEST(TypedLibraryTest, ACallKeepsItsLibrary) {
  std::shared_ptr<TargetLibrary> library = LoadOrDie();
  std::weak_ptr<TargetLibrary> watched = library;
  std::optional<BoundCall> call = *Bind(CountSite(5), FindOrDie(*library, "count"));
  library.reset();
  EXPECT_FALSE(watched.expired());
  EXPECT_EQ(*Count(*call), 5);
  // Its state ends first, by the library's own code.
  call.reset();
  EXPECT_TRUE(watched.expired());
}

TEST(TypedLibraryTest, AreTheProcesssTargetsToo) {
  std::shared_ptr<TargetLibrary> library = LoadOrDie();
  const std::vector<LibraryTarget> targets = ProcessTargets();
  const auto found = std::find_if(targets.begin(), targets.end(), [](const LibraryTarget& target) {
    return target.registered.name == "count";
  });
  ASSERT_NE(found, targets.end());
  EXPECT_EQ(found->api_version, ApiVersion::kTypedFfi);
  EXPECT_NE(found->stages.instantiate, nullptr);
}

}  // namespace
}  // namespace callbridge
