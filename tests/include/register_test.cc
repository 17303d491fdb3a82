// The registration macros. Compiled against callbridge's headers, which show the functions' types,
// and, as an old source would be, against the genuine ones and linked to libcallbridge.so.
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "callbridge/legacy/registry_functions.h"
#include "gtest/gtest.h"
#include "tests/include/expressions.h"

namespace {

struct Entry {
  void* address;
  int api_version;
};
using Registry = std::map<std::pair<std::string, std::string>, Entry>;

Registry AllRegistered() {
  Registry all;
  callbridge_visit_targets(
      [](void* user, const char* name, size_t name_size, const char* platform, size_t platform_size,
         void* address, int api_version) {
        (*static_cast<Registry*>(user))[{{name, name_size}, {platform, platform_size}}] = {
            address, api_version};
      },
      &all);
  return all;
}

TEST(RegisterTest, TakesEveryExpression) {
  const Registry all = AllRegistered();
  for (const auto& expected : expressions::kRegistered) {
    SCOPED_TRACE(expected.symbol);
    auto found = all.find({expected.symbol, expected.platform});
    ASSERT_NE(found, all.end());
    if (expected.address != nullptr) {
      EXPECT_EQ(found->second.address, expected.address);
    }
    EXPECT_EQ(found->second.api_version, TYPES_ARE_SHOWN ? expected.api_version : 0);
  }
  EXPECT_EQ(all.size(), std::size(expressions::kRegistered));
}

TEST(RegisterTest, ALambdaInPlaceIsCalled) {
  auto* function = reinterpret_cast<void (*)(void*, const void**)>(
      xla::CustomCallTargetRegistry::Global()->Lookup("lambda in place", "Host"));
  ASSERT_NE(function, nullptr);
  const int in = 7;
  int out = 0;
  const void* ins[] = {&in};
  function(&out, ins);
  EXPECT_EQ(out, 7);
}

TEST(RegisterTest, LookupIsExact) {
  auto* registry = xla::CustomCallTargetRegistry::Global();
  EXPECT_EQ(registry->Lookup("original", "Host"), expressions::Address(&expressions::original));
  EXPECT_EQ(registry->Lookup("original", "host"), nullptr);
  EXPECT_EQ(registry->Lookup("no such target", "Host"), nullptr);
}

}  // namespace
