// A library that the process has already opened and bound to another XLA.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "callbridge/adapters/link/upstream_names.h"
#include "callbridge/loader/registered_targets.h"
#include "callbridge/loader/target_library.h"
#include "tests/loader/elf_editor.h"

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

// To ld.so a path is the library that was loaded by it.
TEST(GenuineBindingTest, AnotherFileAtItsPathIsNotTheLoadedLibrary) {
  const std::string path = ::testing::TempDir() + "/bound_before.so";
  const auto replace_with = [&](const std::string& file) {
    std::filesystem::copy_file(file, path + ".new",
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::rename(path + ".new", path);
  };
  replace_with(OldBinary("bound"));
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr) << dlerror();
  EXPECT_NE(GenuineBinding::Find(path), nullptr);
  replace_with(OldBinary("original_unlinked"));
  EXPECT_EQ(GenuineBinding::Find(path), nullptr);
  {
    absl::StatusOr<std::shared_ptr<TargetLibrary>> library = TargetLibrary::Load(path);
    ASSERT_TRUE(library.ok()) << library.status();
    EXPECT_EQ((*library)->bound_to(), "");
    EXPECT_TRUE((*library)->Find("do_custom_call", Platform::kHost).ok());
  }
  dlclose(handle);
  std::filesystem::remove(path);
}

// One that the process has opened itself, but that has no registry within its reach.
TEST(GenuineBindingTest, ALibraryWithoutXlaIsLetGo) {
  const std::string path = OldBinary("probed");
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr) << dlerror();
  EXPECT_EQ(GenuineBinding::Find(path), nullptr);
  dlclose(handle);
  EXPECT_EQ(dlopen(path.c_str(), RTLD_NOLOAD | RTLD_LAZY), nullptr);
}

// Its registry cannot be listed: names are asked for as registering code writes them.
TEST(GenuineBindingTest, TargetsOfEveryPlatformAreFound) {
  const std::string path = OldBinary("bound");
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr) << dlerror();
  const auto find = [&](const char* symbol) { return dlsym(handle, symbol); };
  void* const registry = reinterpret_cast<void* (*)()>(find(CALLBRIDGE_UPSTREAM_GLOBAL))();
  const auto add = reinterpret_cast<void (*)(void*, const std::string&, void*, const std::string&)>(
      find("_ZN3xla24CustomCallTargetRegistry8RegisterERKNSt7__cxx1112basic_stringIcSt11char_"
           "traitsIcESaIcEEEPvS8_"));
  ASSERT_NE(add, nullptr);
  void* const function = find("c_function");
  for (const char* platform : {"cpu", "CUDA", "ROCM", "gpu"}) {
    add(registry, "c_function", function, platform);
  }
  add(registry, "no string of it/gpu", function, "gpu");
  add(registry, "no string of it/cpu", function, "cpu");
  add(registry, "do_custom_call", reinterpret_cast<void*>(&OldBinary), "CUDA");
  {
    absl::StatusOr<std::shared_ptr<TargetLibrary>> library = TargetLibrary::Load(path);
    ASSERT_TRUE(library.ok()) << library.status();
    std::vector<std::string> names;
    for (const LibraryTarget& listed : (*library)->targets()) {
      names.push_back(listed.registered.name + " on " + listed.registered.platform);
    }
    EXPECT_THAT(names, ::testing::IsSupersetOf({"c_function on Host", "c_function on cpu",
                                                "c_function on CUDA", "c_function on ROCM",
                                                "c_function on gpu", "unnamed.function on cpu"}));
    for (Platform platform : {Platform::kHost, Platform::kCuda, Platform::kRocm}) {
      EXPECT_TRUE((*library)->Find("c_function", platform).ok());
      const bool is_gpu = platform != Platform::kHost;
      EXPECT_EQ((*library)->Find("no string of it/gpu", platform).ok(), is_gpu);
      EXPECT_EQ((*library)->Find("no string of it/cpu", platform).ok(), !is_gpu);
    }
    EXPECT_FALSE((*library)->Find("do_custom_call", Platform::kCuda).ok())
        << "a function of another library";
  }
  dlclose(handle);
  EXPECT_EQ(dlopen(path.c_str(), RTLD_NOLOAD | RTLD_LAZY), nullptr) << "it was let go";
}

// Elsewhere the same file is no library of that XLA's.
TEST(GenuineBindingTest, ClosedAgain) {
  absl::StatusOr<std::shared_ptr<TargetLibrary>> library = TargetLibrary::Load(OldBinary("bound"));
  ASSERT_TRUE(library.ok()) << library.status();
  EXPECT_EQ((*library)->bound_to(), "");
}

}  // namespace
}  // namespace callbridge
