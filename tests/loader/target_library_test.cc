#include "callbridge/loader/target_library.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "callbridge/abi/machine.h"
#include "callbridge/adapters/target_abis.h"
#include "tests/loader/elf_editor.h"

namespace callbridge {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

using Original = void (*)(void* out, const void** in);

std::shared_ptr<TargetLibrary> LoadOrDie(const std::string& name) {
  absl::StatusOr<std::shared_ptr<TargetLibrary>> library = TargetLibrary::Load(OldBinary(name));
  if (!library.ok()) throw std::runtime_error(library.status().ToString());
  return *std::move(library);
}

absl::Status LoadError(const std::string& path) { return TargetLibrary::Load(path).status(); }

template <typename Function>
Function FunctionOf(const TargetLibrary& library, const std::string& name,
                    Platform platform = Platform::kHost) {
  absl::StatusOr<Target> target = library.Find(name, platform);
  if (!target.ok()) throw std::runtime_error(target.status().ToString());
  return reinterpret_cast<Function>(target->address);
}

int CallWithInt(Original function, int operand = 0) {
  const void* in[] = {&operand};
  int out = -1;
  function(&out, in);
  return out;
}

// How many lines of the process's memory map name such a file.
size_t Mapped(const std::string& name) {
  std::ifstream maps("/proc/self/maps");
  size_t count = 0;
  for (std::string line; std::getline(maps, line);) {
    if (line.find(name) != std::string::npos) ++count;
  }
  return count;
}

size_t OpenFiles() {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    static_cast<void>(entry);
    ++count;
  }
  return count;
}

std::vector<std::string> Describe(const TargetLibrary& library) {
  std::vector<std::string> lines;
  for (const LibraryTarget& target : library.targets()) {
    lines.push_back(target.registered.name + " on " + target.registered.platform + ": " +
                    std::string(ApiVersionName(target.api_version)) + ", " + target.evidence);
  }
  return lines;
}

class OriginalTest : public ::testing::TestWithParam<const char*> {};

TEST_P(OriginalTest, RunsWithoutXla) {
  std::shared_ptr<TargetLibrary> library = LoadOrDie(GetParam());
  EXPECT_EQ(library->path(), OldBinary(GetParam()));
  float a[] = {1, 2, 3, 4};
  float b[] = {10, 20, 30, 40};
  const void* in[] = {a, b};
  float out[4] = {};
  FunctionOf<Original>(*library, "do_custom_call")(out, in);
  EXPECT_EQ(out[0], 11);
  EXPECT_EQ(out[3], 44);
  EXPECT_EQ(CallWithInt(FunctionOf<Original>(*library, "static_function"), 10), 11);
  EXPECT_EQ(CallWithInt(FunctionOf<Original>(*library, "c_function"), 10), 12);
  EXPECT_EQ(CallWithInt(FunctionOf<Original>(*library, "unnamed.function"), 10), 13);
  EXPECT_EQ(CallWithInt(FunctionOf<Original>(*library, "registered_twice")), 2);
}

TEST_P(OriginalTest, LeavesTheProcessAsItWas) {
  std::shared_ptr<TargetLibrary> library = LoadOrDie(GetParam());
  EXPECT_EQ(dlsym(RTLD_DEFAULT, "_ZN3xla24CustomCallTargetRegistry6GlobalEv"), nullptr);
  EXPECT_EQ(dlsym(RTLD_DEFAULT, "XlaCustomCallStatusSetFailure"), nullptr);
  EXPECT_EQ(dlsym(RTLD_DEFAULT, "c_function"), nullptr);
  EXPECT_EQ(Mapped("libtensorflow"), 0u);
}

TEST_P(OriginalTest, ClosesCleanly) {
  const size_t open_files = OpenFiles();
  const size_t copies = Mapped("memfd:callbridge");
  {
    std::shared_ptr<TargetLibrary> library = LoadOrDie(GetParam());
    EXPECT_NE(TargetRegistry::Global().Lookup("do_custom_call", "Host"), nullptr);
    EXPECT_EQ(OpenFiles(), open_files + 1);
    EXPECT_GT(Mapped("memfd:callbridge"), copies);
  }
  EXPECT_THAT(TargetRegistry::Global().Targets(), IsEmpty());
  EXPECT_EQ(Mapped("memfd:callbridge"), copies);
  EXPECT_EQ(OpenFiles(), open_files);
}

INSTANTIATE_TEST_SUITE_P(All, OriginalTest,
                         ::testing::Values("original_linked", "original_unlinked",
                                           "original_sysv_hash", "original_both_hashes",
                                           "original_relr", "original_no_plt", "original_stripped",
                                           "original_gold", "original_hidden"),
                         [](const auto& info) { return std::string(info.param); });

// The test's ground: without callbridge, none of these binaries loads.
TEST(TargetLibraryTest, TheLoaderAloneRefusesThem) {
  for (const char* name :
       {"original_linked", "original_unlinked", "status_linked", "status_unlinked", "recompiled"}) {
    EXPECT_EQ(dlopen(OldBinary(name).c_str(), RTLD_NOW | RTLD_LOCAL), nullptr) << name;
  }
}

TEST(TargetLibraryTest, ListsTargetsWithTheirEvidence) {
  const std::vector<std::string> expected = {
      "c_function on Host: unspecified, symbol c_function has no type (extern \"C\")",
      "do_custom_call on Host: original, symbol do_custom_call(void*, void const**)",
      "gpu_function on CUDA: original, symbol gpu_function(CUstream_st*, void**, char const*, "
      "unsigned long)",
      "not_a_custom_call on Host: unspecified, symbol (anonymous "
      "namespace)::not_a_custom_call(float) "
      "is not a custom call that callbridge knows on \"Host\"",
      "registered_twice on Host: original, symbol (anonymous namespace)::second(void*, void "
      "const**)",
      "registered_twice on TPU: unspecified, symbol (anonymous namespace)::first(void*, void "
      "const**) is not a custom call that callbridge knows on \"TPU\"",
      "static_function on Host: original, symbol static_function(void*, void**)",
      "unnamed.function on cpu: original, symbol (anonymous namespace)::unnamed_function(void*, "
      "void "
      "const**)",
  };
  EXPECT_EQ(Describe(*LoadOrDie("original_linked")), expected);
  EXPECT_EQ(Describe(*LoadOrDie("original_unlinked")), expected);
}

// Exported functions keep their names, static ones lose them.
TEST(TargetLibraryTest, StrippedBinary) {
  const std::vector<std::string> lines = Describe(*LoadOrDie("original_stripped"));
  EXPECT_EQ(lines[1],
            "do_custom_call on Host: original, symbol do_custom_call(void*, void const**)");
  EXPECT_EQ(lines[6], "static_function on Host: unspecified, no symbol at its address");
}

TEST(TargetLibraryTest, StatusReturning) {
  for (const char* name : {"status_linked", "status_unlinked"}) {
    std::shared_ptr<TargetLibrary> library = LoadOrDie(name);
    const std::string parameters =
        "(void*, void**, char const*, unsigned long, XlaCustomCallStatus_*)";
    EXPECT_THAT(
        Describe(*library),
        ::testing::ElementsAre(
            "any_gpu on gpu: status_returning, symbol either" + parameters,
            "either on Host: status_returning_unified, symbol either" + parameters,
            "either on ROCM: status_returning, symbol either" + parameters,
            "opaque_size on Host: status_returning_unified, symbol opaque_size(void*, void "
            "const**, "
            "char const*, unsigned long, XlaCustomCallStatus_*)",
            "square_root_floor on Host: status_returning, symbol square_root_floor(void*, void "
            "const**, XlaCustomCallStatus_*)"));
    int out = 0;
    FunctionOf<void (*)(void*, const void**, const char*, size_t, void*)>(*library, "opaque_size")(
        &out, nullptr, "a\0b", 3, nullptr);
    EXPECT_EQ(out, 3);
  }
}

TEST(TargetLibraryTest, RecompiledBinaryShowsItsTypes) {
  std::shared_ptr<TargetLibrary> library = LoadOrDie("recompiled");
  EXPECT_THAT(Describe(*library),
              ::testing::ElementsAre(
                  "recompiled on Host: status_returning_unified, registered with its type"));
}

TEST(TargetLibraryTest, WeakSymbolsAreServedToo) {
  std::shared_ptr<TargetLibrary> library = LoadOrDie("weak_status");
  EXPECT_EQ(CallWithInt(FunctionOf<Original>(*library, "has_status")), 1);
}

TEST(TargetLibraryTest, AnotherLibrarysInlineConstructorDoesNotReplaceItsOwn) {
  void* other = dlopen(OldBinary("registers_elsewhere").c_str(), RTLD_NOW | RTLD_GLOBAL);
  ASSERT_NE(other, nullptr) << dlerror();
  EXPECT_EQ(Describe(*LoadOrDie("original_unoptimised")),
            Describe(*LoadOrDie("original_unlinked")));
  dlclose(other);
}

TEST(TargetLibraryTest, FindsByPlatform) {
  std::shared_ptr<TargetLibrary> library = LoadOrDie("original_linked");
  absl::StatusOr<Target> target = library->Find("unnamed.function", Platform::kHost);
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(target->name, "unnamed.function");
  EXPECT_EQ(target->platform, Platform::kHost);
  EXPECT_EQ(target->api_version, ApiVersion::kOriginal);
  EXPECT_TRUE(target->api_version_is_proved);
  target = library->Find("c_function", Platform::kHost);
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(target->api_version, ApiVersion::kUnspecified);
  EXPECT_FALSE(target->api_version_is_proved);
  EXPECT_TRUE(library->Find("gpu_function", Platform::kCuda).ok());
  EXPECT_FALSE(library->Find("gpu_function", Platform::kRocm).ok());
  EXPECT_FALSE(library->Find("gpu_function", Platform::kHost).ok());
  EXPECT_FALSE(library->Find("registered_twice", Platform::kCuda).ok()) << "TPU is no GPU";
  library = LoadOrDie("status_linked");
  EXPECT_TRUE(library->Find("any_gpu", Platform::kCuda).ok());
  EXPECT_TRUE(library->Find("any_gpu", Platform::kRocm).ok());
  EXPECT_FALSE(library->Find("any_gpu", Platform::kHost).ok());
}

TEST(TargetLibraryTest, NotFoundListsWhatIsThere) {
  absl::Status status = LoadOrDie("status_linked")->Find("square_root", Platform::kCuda).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(
      status.message(),
      OldBinary("status_linked") +
          ": no custom-call target square_root is registered for platform CUDA; registered are: "
          "any_gpu on gpu, either on Host, either on ROCM, opaque_size on Host, square_root_floor "
          "on Host; did you mean square_root_floor?");
  status = LoadOrDie("many_targets")->Find("x", Platform::kHost).status();
  EXPECT_THAT(std::string(status.message()),
              ::testing::EndsWith("target_28 on Host, target_29 on Host and 5 more"));
}

TEST(TargetLibraryTest, ConstructorsAndDestructorsRunInOrder) {
  int destroyed = 0;
  {
    std::shared_ptr<TargetLibrary> library = LoadOrDie("life_cycle");
    EXPECT_EQ(CallWithInt(FunctionOf<Original>(*library, "read_constructed")), 123);
    FunctionOf<Original>(*library, "watch_destruction")(&destroyed, nullptr);
    EXPECT_EQ(destroyed, 0);
  }
  EXPECT_EQ(destroyed, 1);
}

TEST(TargetLibraryTest, LoadedTwiceIsTwoLibraries) {
  std::shared_ptr<TargetLibrary> a = LoadOrDie("life_cycle");
  std::shared_ptr<TargetLibrary> b = LoadOrDie("life_cycle");
  Original read_a = FunctionOf<Original>(*a, "read_constructed");
  Original read_b = FunctionOf<Original>(*b, "read_constructed");
  EXPECT_NE(read_a, read_b);
  EXPECT_EQ(CallWithInt(read_a), 123);
  EXPECT_EQ(CallWithInt(read_a), 124);
  EXPECT_EQ(CallWithInt(read_b), 123);
  // The later one keeps the name when the earlier one goes.
  a.reset();
  EXPECT_EQ(TargetRegistry::Global().Lookup("read_constructed", "Host"),
            reinterpret_cast<void*>(read_b));
  EXPECT_EQ(CallWithInt(read_b), 124);
}

TEST(TargetLibraryTest, LibrariesThatStayInMemoryAreNotMistaken) {
  LoadOrDie("unique_symbol_a");
  std::shared_ptr<TargetLibrary> b = LoadOrDie("unique_symbol_b");
  EXPECT_TRUE(b->Find("b", Platform::kHost).ok());
  EXPECT_FALSE(b->Find("a", Platform::kHost).ok());
}

TEST(TargetLibraryTest, ThreadsLoadAtOnce) {
  std::vector<std::thread> threads;
  std::vector<std::string> problems(8);
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([i, &problems] {
      for (int round = 0; round < 5; ++round) {
        const bool is_status = (i + round) % 2 == 0;
        auto library =
            TargetLibrary::Load(OldBinary(is_status ? "status_linked" : "original_unlinked"));
        if (!library.ok()) {
          problems[i] = library.status().ToString();
        } else if ((*library)->targets().size() != (is_status ? 5 : 8)) {
          problems[i] = "it has the targets of another";
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& problem : problems) EXPECT_EQ(problem, "");
  EXPECT_THAT(TargetRegistry::Global().Targets(), IsEmpty());
}

TEST(TargetLibraryTest, ConstructorThatThrows) {
  const size_t copies = Mapped("memfd:callbridge");
  for (int round = 0; round < 2; ++round) {
    absl::Status status = LoadError(OldBinary("throws_exception"));
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
    EXPECT_EQ(status.message(), OldBinary("throws_exception") +
                                    ": a constructor threw std::runtime_error: no licence");
    status = LoadError(OldBinary("throws_int"));
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
    EXPECT_THAT(std::string(status.message()), HasSubstr("a constructor threw int"));
  }
  EXPECT_THAT(TargetRegistry::Global().Targets(), IsEmpty());
  EXPECT_EQ(Mapped("memfd:callbridge"), copies);
  // ld.so's lock is free.
  std::thread([] { EXPECT_NE(LoadOrDie("original_linked"), nullptr); }).join();
}

TEST(TargetLibraryTest, AFileForAnotherMachineIsRefusedByBothNames) {
  for (bool isolate : {false, true}) {
    LoadOptions options;
    options.isolate = isolate;
    const absl::Status status = TargetLibrary::Load(OldBinary("other_machine"), options).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("other_machine.so: was built for"));
    for (const Machine& machine : kMachines) {
      EXPECT_THAT(std::string(status.message()), HasSubstr(machine.name));
    }
  }
  EXPECT_EQ(Mapped("other_machine"), 0);
}

TEST(TargetLibraryTest, MissingSymbol) {
  absl::Status status = LoadError(OldBinary("missing_symbol"));
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(),
            OldBinary("missing_symbol") + ": undefined symbol: function_of_a_lost_library");
  // All of them at once, as people write them.
  EXPECT_EQ(LoadError(OldBinary("missing_symbols")).message(),
            OldBinary("missing_symbols") +
                ": undefined symbols: lost::Model::Run(float const*, int), lost::version, "
                "function_of_a_lost_library");
  status = LoadError(OldBinary("missing_symbol_linked"));
  EXPECT_THAT(std::string(status.message()),
              ::testing::EndsWith("function_of_a_lost_library (it was linked with "
                                  "libtensorflow_cc.so.2, of which callbridge serves the "
                                  "custom-call functions and xla::ShapeProto only)"));
  EXPECT_THAT(TargetRegistry::Global().Targets(), IsEmpty());
}

class DamagedFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "/callbridge-XXXXXX";
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& bytes) const {
    std::string path = folder_ + "/old.so";
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

  std::string folder_;
};

TEST_F(DamagedFileTest, ErrorsNameTheFile) {
  absl::Status status = LoadError("/nowhere/old.so");
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "/nowhere/old.so: cannot be opened: No such file or directory");
  status = LoadError(folder_);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), StartsWith(folder_ + ": is a directory"));
  const std::string path = Write("no library\n");
  status = LoadError(path);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), StartsWith(path + ": is text"));
  Write(ElfEditor("original_linked").bytes.substr(0, 8000));
  EXPECT_THAT(std::string(LoadError(path).message()), HasSubstr("is it truncated?"));
}

TEST_F(DamagedFileTest, MissingLibrary) {
  ElfEditor editor("original_linked");
  const std::string name = "libstdc++.so.6";
  editor.bytes.replace(editor.bytes.find(name), name.size(), "libnowhere.so1");
  absl::Status status = LoadError(Write(editor.bytes));
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("libraries that are not found: libnowhere.so1 (add"));
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("/proc/")));
}

// patchelf --remove-needed leaves the version records behind.
TEST_F(DamagedFileTest, VersionsOfLibrariesThatAreNotNeeded) {
  ElfEditor editor("original_linked");
  // The one that needs no versions at all is left.
  for (int i = 0; i < 4; ++i) editor.Dynamic(DT_NEEDED).d_tag = DT_DEBUG;
  auto library = TargetLibrary::Load(Write(editor.bytes));
  ASSERT_TRUE(library.ok()) << library.status();
  EXPECT_EQ(CallWithInt(FunctionOf<Original>(**library, "c_function"), 10), 12);
}

// Sections are for debuggers: a library runs without.
TEST_F(DamagedFileTest, NoSections) {
  ElfEditor editor("original_linked");
  editor.header().e_shoff = 0;
  editor.header().e_shnum = 0;
  editor.header().e_shstrndx = 0;
  auto library = TargetLibrary::Load(Write(editor.bytes));
  ASSERT_TRUE(library.ok()) << library.status();
  EXPECT_EQ((*library)->targets().size(), 8u);
  EXPECT_EQ(CallWithInt(FunctionOf<Original>(**library, "c_function"), 10), 12);
}

// The file may change or vanish once it is loaded.
TEST_F(DamagedFileTest, IsReadOnce) {
  const std::string path = Write(ElfEditor("original_linked").bytes);
  auto library = TargetLibrary::Load(path);
  ASSERT_TRUE(library.ok()) << library.status();
  ASSERT_EQ(truncate(path.c_str(), 0), 0);
  EXPECT_EQ(CallWithInt(FunctionOf<Original>(**library, "c_function"), 10), 12);
}

}  // namespace
}  // namespace callbridge
