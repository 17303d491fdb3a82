// A library that the process has already opened and bound to another XLA.
#include "callbridge/runtime/genuine_binding.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "callbridge/runtime/target_library.h"
#include "tests/runtime/elf_editor.h"

namespace callbridge {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(GenuineBindingTest, NothingIsLoaded) {
  EXPECT_EQ(GenuineBinding::Find(OldBinary("bound")), nullptr);
  EXPECT_EQ(GenuineBinding::Find("/nowhere.so"), nullptr);
}

TEST(GenuineBindingTest, TargetsAreTakenByName) {
  const std::string path = OldBinary("bound");
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr) << dlerror();
  {
    absl::StatusOr<std::shared_ptr<TargetLibrary>> library = TargetLibrary::Load(path);
    ASSERT_TRUE(library.ok()) << library.status();
    EXPECT_THAT((*library)->bound_to(), EndsWith("libgenuine_xla.so"));
    EXPECT_THAT(TargetRegistry::Global().Targets(), IsEmpty()) << "nothing ran again";
    absl::StatusOr<Target> target = (*library)->Find("c_function", Platform::kHost);
    ASSERT_TRUE(target.ok()) << target.status();
    EXPECT_EQ(target->address, dlsym(handle, "c_function"));

    target = (*library)->Find("do_custom_call", Platform::kHost);
    ASSERT_TRUE(target.ok()) << target.status();
    EXPECT_EQ(target->api_version, ApiVersion::kOriginal);
    target = (*library)->Find("gpu_function", Platform::kCuda);
    ASSERT_TRUE(target.ok()) << target.status();
    EXPECT_TRUE(target->api_version_is_proved);
    EXPECT_FALSE((*library)->Find("nobody", Platform::kHost).ok());

    std::vector<std::string> names;
    for (const LibraryTarget& listed : (*library)->targets()) {
      names.push_back(listed.registered.name + " on " + listed.registered.platform);
      EXPECT_THAT(listed.evidence, HasSubstr("; registered with " + (*library)->bound_to()));
    }
    EXPECT_THAT(names,
                ::testing::IsSupersetOf({"c_function on Host", "do_custom_call on Host",
                                         "gpu_function on CUDA", "static_function on Host"}));
  }
  dlclose(handle);
}

// Elsewhere the same file is no library of that XLA's.
TEST(GenuineBindingTest, ClosedAgain) {
  absl::StatusOr<std::shared_ptr<TargetLibrary>> library = TargetLibrary::Load(OldBinary("bound"));
  ASSERT_TRUE(library.ok()) << library.status();
  EXPECT_EQ((*library)->bound_to(), "");
}

}  // namespace
}  // namespace callbridge
