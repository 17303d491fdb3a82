// An XLA that this process has loaded and that exports nothing: libraries of targets/hidden_xla.cc,
// loaded here as Python loads an extension module.
#include "callbridge/loader/loaded_xla.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "callbridge/adapters/entry_points/entry_points.h"
#include "callbridge/adapters/target.h"
#include "callbridge/typed_ffi/host/api_table.h"
#include "callbridge/typed_ffi/host/handler_registry.h"
#include "callbridge/typed_ffi/runtime_versions.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/loader/elf_editor.h"

namespace callbridge {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

void Function() {}
void OtherFunction() {}
void* AddressOf(void (*function)()) { return reinterpret_cast<void*>(function); }

// One that answers the metadata query.
XLA_FFI_Handler* Handler() {
  Target target;
  target.name = "loaded_xla_test";
  target.address = AddressOf(&Function);
  target.api_version = ApiVersion::kOriginal;
  return GetEntryPoints(target)->typed;
}

void* Open(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << dlerror();
  return library;
}

// A copy of a library that no other test has loaded.
class ACopy {
 public:
  explicit ACopy(const std::string& name) {
    std::string folder = testing::TempDir() + "loaded_xla_XXXXXX";
    EXPECT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    path_ = folder_ / "copy.so";
    std::filesystem::copy_file(OldBinary(name), path_);
  }
  ~ACopy() { std::filesystem::remove_all(folder_); }
  ACopy(const ACopy&) = delete;
  ACopy& operator=(const ACopy&) = delete;

  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path folder_;
  std::filesystem::path path_;
};

std::string Text(const absl::Status& status) { return status.ToString(); }

TEST(LoadedXlaTest, RegistersFunctions) {
  const ACopy copy("hidden_xla");
  void* library = Open(copy.path());
  const absl::StatusOr<const LoadedXla*> xla = LoadedXla::Find(copy.path());
  ASSERT_TRUE(xla.ok()) << xla.status();
  EXPECT_EQ(*LoadedXla::Find(copy.path()), *xla);

  const auto registered =
      reinterpret_cast<void* (*)(const char*, const char*)>(dlsym(library, "registered"));
  ASSERT_NE(registered, nullptr) << dlerror();
  EXPECT_EQ(dlsym(library, "_ZN3xla24CustomCallTargetRegistry6GlobalEv"), nullptr) << "exported";
  const std::string name = "a name that is longer than a short string";
  EXPECT_EQ(registered(name.c_str(), "Host"), nullptr);
  EXPECT_TRUE((*xla)->RegisterFunction(name, "Host", AddressOf(&Function)).ok());
  EXPECT_EQ(registered(name.c_str(), "Host"), AddressOf(&Function));
  EXPECT_EQ(registered(name.c_str(), "CUDA"), nullptr);

  EXPECT_TRUE((*xla)->RegisterFunction(name, "Host", AddressOf(&Function)).ok()) << "again";
  EXPECT_THAT(Text((*xla)->RegisterFunction(name, "Host", AddressOf(&OtherFunction))),
              AllOf(StartsWith("ALREADY_EXISTS: the XLA in " + copy.path()), HasSubstr(name)));
  EXPECT_EQ(registered(name.c_str(), "Host"), AddressOf(&Function));
  EXPECT_TRUE((*xla)->RegisterFunction("", "", AddressOf(&OtherFunction)).ok());
}

TEST(LoadedXlaTest, StaysLoaded) {
  const ACopy copy("hidden_xla");
  void* library = Open(copy.path());
  ASSERT_TRUE(LoadedXla::Find(copy.path()).ok());
  dlclose(library);
  EXPECT_NE(dlopen(copy.path().c_str(), RTLD_NOLOAD | RTLD_LAZY), nullptr);
}

TEST(LoadedXlaTest, RegistersHandlersWithEachVersion) {
  for (const typed_ffi::RuntimeVersion& version : typed_ffi::kRuntimeVersions) {
    SCOPED_TRACE(version.releases);
    const ACopy copy("hidden_xla");
    void* library = Open(copy.path());
    auto* api = static_cast<const XLA_FFI_Api**>(dlsym(library, "api"));
    ASSERT_NE(api, nullptr) << dlerror();
    *api = &host::ApiTable(version);
    const absl::StatusOr<const LoadedXla*> xla = LoadedXla::Find(copy.path());
    ASSERT_TRUE(xla.ok()) << xla.status();

    XLA_FFI_Handler_Bundle handlers = {};
    handlers.execute = Handler();
    EXPECT_EQ(Text((*xla)->RegisterHandlers("loaded_xla_test", "Host", handlers)), "OK");
    const absl::StatusOr<host::RegisteredHandler> found =
        host::RegistryOf(version).Find("loaded_xla_test", "Host");
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->handlers.execute, Handler());

    handlers.instantiate = Handler();
    const std::string said = Text((*xla)->RegisterHandlers("loaded_xla_test", "Host", handlers));
    if (version.instantiate == typed_ffi::kNoStage) {
      EXPECT_THAT(said, AllOf(StartsWith("UNIMPLEMENTED: the XLA in " + copy.path()),
                              HasSubstr("INSTANTIATE")));
    } else {
      EXPECT_THAT(said, AllOf(StartsWith("INTERNAL: the XLA in " + copy.path()),
                              HasSubstr("Duplicate FFI handler registration")));
    }
    host::RegistryOf(version).Forget(*found);
  }
}

TEST(LoadedXlaTest, NamesTheMissingSymbol) {
  const XLA_FFI_Handler_Bundle handlers = {nullptr, nullptr, nullptr, Handler(), nullptr};
  // Of `hidden_xla_twice` each function is there under two addresses, of which either may be XLA's.
  for (const char* name : {"hidden_xla_stripped", "hidden_xla_twice"}) {
    SCOPED_TRACE(name);
    Open(OldBinary(name));
    const absl::StatusOr<const LoadedXla*> xla = LoadedXla::Find(OldBinary(name));
    ASSERT_TRUE(xla.ok()) << xla.status();
    EXPECT_THAT(Text((*xla)->RegisterFunction("name", "Host", AddressOf(&Function))),
                AllOf(StartsWith("FAILED_PRECONDITION: the symbol tables of " + OldBinary(name)),
                      HasSubstr("xla::CustomCallTargetRegistry::Global (_ZN3xla24")));
    EXPECT_THAT(Text((*xla)->RegisterHandlers("name", "Host", handlers)),
                AllOf(StartsWith("FAILED_PRECONDITION: "),
                      HasSubstr("xla::ffi::GetXlaFfiApi (_ZN3xla3ffi12GetXlaFfiApiEv)")));
  }
}

TEST(LoadedXlaTest, NamesEachMissingFunction) {
  Open(OldBinary("hidden_xla_without_lookup"));
  const absl::StatusOr<const LoadedXla*> xla =
      LoadedXla::Find(OldBinary("hidden_xla_without_lookup"));
  ASSERT_TRUE(xla.ok()) << xla.status();
  EXPECT_THAT(Text((*xla)->RegisterFunction("name", "Host", AddressOf(&Function))),
              HasSubstr("xla::CustomCallTargetRegistry::Lookup (_ZNK3xla24"));
}

TEST(LoadedXlaTest, RefusesStringsOfTheOldAbi) {
  Open(OldBinary("hidden_xla_old_strings"));
  const absl::StatusOr<const LoadedXla*> xla = LoadedXla::Find(OldBinary("hidden_xla_old_strings"));
  ASSERT_TRUE(xla.ok()) << xla.status();
  EXPECT_THAT(Text((*xla)->RegisterFunction("name", "Host", AddressOf(&Function))),
              AllOf(StartsWith("UNIMPLEMENTED: "), HasSubstr("_GLIBCXX_USE_CXX11_ABI=0")));
}

TEST(LoadedXlaTest, WhatIsNotLoaded) {
  EXPECT_EQ(LoadedXla::Find("/nowhere.so").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(LoadedXla::Find("").status().code(), absl::StatusCode::kNotFound);
  const ACopy copy("hidden_xla");
  EXPECT_EQ(Text(LoadedXla::Find(copy.path()).status()),
            "NOT_FOUND: " + copy.path() + " is not loaded in this process");
}

TEST(LoadedXlaTest, AFileThatWasReplaced) {
  for (const char* other : {"hidden_xla_rebuilt", "hidden_xla_stripped"}) {
    SCOPED_TRACE(other);
    const ACopy copy("hidden_xla");
    void* library = Open(copy.path());
    const auto registered =
        reinterpret_cast<void* (*)(const char*, const char*)>(dlsym(library, "registered"));
    EXPECT_EQ(registered("name", "Host"), nullptr);
    std::filesystem::copy_file(OldBinary(other), copy.path() + ".new");
    std::filesystem::rename(copy.path() + ".new", copy.path());
    EXPECT_THAT(Text(LoadedXla::Find(copy.path()).status()),
                AllOf(StartsWith("FAILED_PRECONDITION: " + copy.path()),
                      HasSubstr("is not the one that this process has loaded")));
  }
}

TEST(LoadedXlaTest, ThreadsAtOnce) {
  const ACopy copy("hidden_xla");
  void* library = Open(copy.path());
  const auto registered =
      reinterpret_cast<void* (*)(const char*, const char*)>(dlsym(library, "registered"));
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      const absl::StatusOr<const LoadedXla*> xla = LoadedXla::Find(copy.path());
      ASSERT_TRUE(xla.ok()) << xla.status();
      const std::string name = "target " + std::to_string(i % 4);
      EXPECT_TRUE((*xla)->RegisterFunction(name, "Host", AddressOf(&Function)).ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(registered(("target " + std::to_string(i)).c_str(), "Host"), AddressOf(&Function));
  }
}

}  // namespace
}  // namespace callbridge
