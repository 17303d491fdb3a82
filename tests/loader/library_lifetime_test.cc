// When libraries come and go: loaded again, changed meanwhile, unloaded while something leads into
// them.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "callbridge/abi/shape_text.h"
#include "callbridge/adapters/bind.h"
#include "callbridge/adapters/entry_points/entry_points.h"
#include "callbridge/loader/target_library.h"
#include "tests/loader/elf_editor.h"

namespace callbridge {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<TargetLibrary> LoadOrDie(const std::string& path) {
  absl::StatusOr<std::shared_ptr<TargetLibrary>> library = TargetLibrary::Load(path);
  if (!library.ok()) throw std::runtime_error(library.status().ToString());
  return *std::move(library);
}

BoundCall BindOrDie(const Target& target) {
  CallSite site;
  site.target_name = target.name;
  site.api_version = ApiVersion::kOriginal;
  site.operands = {*ParseShape("s32[]")};
  site.result = *ParseShape("s32[]");
  absl::StatusOr<BoundCall> call = Bind(site, target);
  if (!call.ok()) throw std::runtime_error(call.status().ToString());
  return *std::move(call);
}

int CallWith(const BoundCall& call, int operand) {
  int result = -1;
  void* operands[] = {&operand};
  void* results[] = {&result};
  EXPECT_EQ(call.Execute({operands, results}), absl::OkStatus());
  return result;
}

TEST(LibraryLifetimeTest, FiveThousandTargets) {
  const auto start = std::chrono::steady_clock::now();
  std::shared_ptr<TargetLibrary> library = LoadOrDie(OldBinary("five_thousand"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  ASSERT_EQ(library->targets().size(), 5000u);
  for (int number : {0, 1, 2500, 4999}) {
    absl::StatusOr<Target> target =
        library->Find("return_" + std::to_string(number), Platform::kHost);
    ASSERT_TRUE(target.ok()) << target.status();
    EXPECT_EQ(target->api_version, ApiVersion::kOriginal);
    EXPECT_EQ(CallWith(BindOrDie(*target), 0), number);
  }
}

// Under one name, in one folder, as a build leaves it.
TEST(LibraryLifetimeTest, ReloadedAfterChange) {
  const std::string path = ::testing::TempDir() + "/callbridge_changing.so";
  const auto overwrite_with = std::filesystem::copy_options::overwrite_existing;
  std::filesystem::copy_file(OldBinary("original_linked"), path, overwrite_with);
  std::shared_ptr<TargetLibrary> before = LoadOrDie(path);
  std::filesystem::copy_file(OldBinary("status_linked"), path, overwrite_with);
  std::shared_ptr<TargetLibrary> after = LoadOrDie(path);
  EXPECT_TRUE(before->Find("c_function", Platform::kHost).ok());
  EXPECT_FALSE(before->Find("square_root_floor", Platform::kHost).ok());
  EXPECT_TRUE(after->Find("square_root_floor", Platform::kHost).ok());
  EXPECT_FALSE(after->Find("c_function", Platform::kHost).ok());
  EXPECT_EQ(CallWith(BindOrDie(*before->Find("c_function", Platform::kHost)), 40), 42);
  std::filesystem::remove(path);
  EXPECT_EQ(CallWith(BindOrDie(*before->Find("c_function", Platform::kHost)), 41), 43);
}

TEST(LibraryLifetimeTest, KnowsWhoHoldsAnAddress) {
  std::shared_ptr<TargetLibrary> library = LoadOrDie(OldBinary("original_linked"));
  std::shared_ptr<TargetLibrary> other = LoadOrDie(OldBinary("original_linked"));
  void* function = library->Find("c_function", Platform::kHost)->address;
  EXPECT_EQ(TargetLibrary::Holding(function), library);
  EXPECT_EQ(TargetLibrary::Holding(other->Find("c_function", Platform::kHost)->address), other);
  EXPECT_EQ(TargetLibrary::Holding(&library), nullptr);
  EXPECT_EQ(TargetLibrary::Holding(nullptr), nullptr);
  EXPECT_EQ(TargetLibrary::Unload(library), absl::OkStatus());
  EXPECT_EQ(library, nullptr);
  EXPECT_EQ(TargetLibrary::Holding(function), nullptr);
}

// From its first byte to its last, and no further.
TEST(LibraryLifetimeTest, HoldsTheMemoryOfItsSegments) {
  std::shared_ptr<TargetLibrary> library = LoadOrDie(OldBinary("original_linked"));
  struct Extent {
    const void* function;
    uintptr_t begin = UINTPTR_MAX;
    uintptr_t end = 0;
  } extent = {library->Find("c_function", Platform::kHost)->address};
  Dl_info info;
  ASSERT_NE(dladdr(extent.function, &info), 0);
  extent.function = info.dli_fbase;
  dl_iterate_phdr(
      [](dl_phdr_info* loaded, size_t, void* data) {
        auto& extent = *static_cast<Extent*>(data);
        if (loaded->dlpi_addr != reinterpret_cast<uintptr_t>(extent.function)) return 0;
        for (int i = 0; i < loaded->dlpi_phnum; ++i) {
          const Elf64_Phdr& segment = loaded->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD) continue;
          extent.begin = std::min(extent.begin, loaded->dlpi_addr + segment.p_vaddr);
          extent.end = std::max(extent.end, loaded->dlpi_addr + segment.p_vaddr + segment.p_memsz);
        }
        return 1;
      },
      &extent);
  ASSERT_LT(extent.begin, extent.end);
  const auto holding = [](uintptr_t address) {
    return TargetLibrary::Holding(reinterpret_cast<const void*>(address));
  };
  EXPECT_EQ(holding(extent.begin), library);
  EXPECT_EQ(holding(extent.end - 1), library);
  EXPECT_NE(holding(extent.begin - 1), library);
  EXPECT_NE(holding(extent.end), library);
}

TEST(LibraryLifetimeTest, ABoundCallKeepsItsLibrary) {
  std::shared_ptr<TargetLibrary> library = LoadOrDie(OldBinary("original_linked"));
  std::optional<BoundCall> call = BindOrDie(*library->Find("c_function", Platform::kHost));
  absl::Status status = TargetLibrary::Unload(library);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("stays loaded, since 1 uses of it are left"));
  ASSERT_NE(library, nullptr);
  EXPECT_EQ(CallWith(*call, 40), 42);
  // Also where nobody asks.
  std::weak_ptr<TargetLibrary> watched = library;
  library.reset();
  EXPECT_FALSE(watched.expired());
  EXPECT_EQ(CallWith(*call, 40), 42);
  call.reset();
  EXPECT_TRUE(watched.expired());
}

TEST(LibraryLifetimeTest, EntryPointsKeepTheirLibraryForGood) {
  std::shared_ptr<TargetLibrary> library = LoadOrDie(OldBinary("original_linked"));
  absl::StatusOr<EntryPoints> points =
      GetEntryPoints(*library->Find("do_custom_call", Platform::kHost));
  ASSERT_TRUE(points.ok()) << points.status();
  EXPECT_EQ(TargetLibrary::Unload(library).code(), absl::StatusCode::kFailedPrecondition);
  std::weak_ptr<TargetLibrary> watched = library;
  library.reset();
  EXPECT_FALSE(watched.expired());
}

size_t OpenFiles() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(files), end(files)));
}

// The first ones are there for debuggers; a limit on files is no limit on libraries.
TEST(LibraryLifetimeTest, LibrariesKeepAQuarterOfTheFilesThatMayBeOpen) {
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few = {64, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  const size_t files = OpenFiles();
  {
    std::vector<std::shared_ptr<TargetLibrary>> libraries;
    std::set<const void*> functions;
    for (int i = 0; i < 100; ++i) {
      libraries.push_back(LoadOrDie(OldBinary("original_unlinked")));
      functions.insert(libraries.back()->targets().front().registered.address);
    }
    EXPECT_EQ(functions.size(), 100u) << "each has a copy of its own";
    EXPECT_LE(OpenFiles(), files + 16);
    EXPECT_GE(OpenFiles(), files + 14);  // less what other tests keep
  }
  EXPECT_EQ(OpenFiles(), files);
  setrlimit(RLIMIT_NOFILE, &before);
}

// g++ keeps a library with STB_GNU_UNIQUE symbols loaded; the number of its file comes again.
TEST(LibraryLifetimeTest, ALibraryThatStaysLoadedKeepsNoFile) {
  const size_t files = OpenFiles();
  for (int i = 0; i < 5; ++i) LoadOrDie(OldBinary("loader_features"));
  EXPECT_EQ(OpenFiles(), files);
}

}  // namespace
}  // namespace callbridge
