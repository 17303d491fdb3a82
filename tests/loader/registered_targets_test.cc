#include "callbridge/loader/registered_targets.h"

#include <dlfcn.h>

#include <filesystem>
#include <string>
#include <vector>

#include "callbridge/abi/api_version.h"
#include "callbridge/loader/target_library.h"
#include "callbridge/status_returning/custom_call_status.h"
#include "gtest/gtest.h"

namespace callbridge {

void in_the_program(void*, const void**, const char*, size_t, XlaCustomCallStatus*) {}

namespace {

LibraryTarget Find(const std::string& name, const std::string& platform = "Host") {
  for (const LibraryTarget& target : ProcessTargets()) {
    if (target.registered.name == name && target.registered.platform == platform) return target;
  }
  ADD_FAILURE() << name << " is not registered";
  return {};
}

TEST(ProcessTargetsTest, AFunctionOfTheProgram) {
  TargetRegistry::Global().Register(
      {"in_the_program", "Host", reinterpret_cast<void*>(&in_the_program)});
  const LibraryTarget target = Find("in_the_program");
  EXPECT_EQ(target.api_version, ApiVersion::kStatusReturningUnified);
  EXPECT_EQ(target.evidence,
            "symbol callbridge::in_the_program(void*, void const**, char const*, unsigned long, "
            "XlaCustomCallStatus_*)");
}

TEST(ProcessTargetsTest, AFunctionThatWasRegisteredWithItsType) {
  std::vector<char> code(16);
  TargetRegistry::Global().Register(
      {"with_type", "Host", code.data(), ApiVersion::kStatusReturning});
  const LibraryTarget target = Find("with_type");
  EXPECT_EQ(target.api_version, ApiVersion::kStatusReturning);
  EXPECT_EQ(target.evidence, "registered with its type");
}

TEST(ProcessTargetsTest, AnAddressOfNoFile) {
  std::vector<char> code(16);
  TargetRegistry::Global().Register({"of_no_file", "Host", code.data()});
  const LibraryTarget target = Find("of_no_file");
  EXPECT_EQ(target.api_version, ApiVersion::kUnspecified);
  EXPECT_EQ(target.evidence, "no loaded file is at its address");
}

TEST(ProcessTargetsTest, AFunctionOfAFileThatIsGone) {
  const std::string path = ::testing::TempDir() + "/process_targets_gone.so";
  std::filesystem::copy_file(OLD_BINARIES "/probed.so", path,
                             std::filesystem::copy_options::overwrite_existing);
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr) << dlerror();
  TargetRegistry::Global().Register({"of_a_file", "Host", dlsym(handle, "returns")});
  EXPECT_EQ(Find("of_a_file").evidence, "symbol returns has no type (extern \"C\")");
  std::filesystem::remove(path);
  const LibraryTarget target = Find("of_a_file");
  EXPECT_EQ(target.api_version, ApiVersion::kUnspecified);
  EXPECT_EQ(target.evidence, path + " was removed or replaced after it was loaded");
  // Another file at that path has other functions at its addresses.
  std::filesystem::copy_file(OLD_BINARIES "/original_unlinked.so", path);
  EXPECT_EQ(Find("of_a_file").evidence, target.evidence);
  std::filesystem::remove(path);
}

TEST(ProcessTargetsTest, ATargetOfALibraryThatWasLoaded) {
  absl::StatusOr<std::shared_ptr<TargetLibrary>> library =
      TargetLibrary::Load(OLD_BINARIES "/original_unlinked.so");
  ASSERT_TRUE(library.ok()) << library.status();
  const LibraryTarget target = Find("do_custom_call");
  EXPECT_EQ(target.api_version, ApiVersion::kOriginal);
  EXPECT_EQ(target.evidence, "symbol do_custom_call(void*, void const**)");
}

}  // namespace
}  // namespace callbridge
