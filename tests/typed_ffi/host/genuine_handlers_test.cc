// Handlers built with the genuine headers of each release, run by the host in that release's shape:
// they were compiled for it, so what they find there is what XLA would have given them. Here what
// they are passed, what they ask for, and how they register.
#include "tests/typed_ffi/host/genuine_handlers_test.h"

#include <complex>
#include <fstream>
#include <string>
#include <utility>

#include "absl/types/optional.h"
#include "callbridge/typed_ffi/host/handler_registry.h"
#include "callbridge/typed_ffi/host/registration_scope.h"
#include "gmock/gmock.h"

#ifdef CALLBRIDGE_ADDRESS_SANITIZER
#include <sanitizer/lsan_interface.h>
#endif

namespace callbridge {
namespace host {
namespace {

using ::testing::HasSubstr;

INSTANTIATE_SINCE(GenuineHandlersTest, 430);
// What not every release has, from the first one on that has it.
class GenuineHandlersTestSinceMetadata : public GenuineHandlersTest {};
class GenuineHandlersTestSinceNumThreads : public GenuineHandlersTest {};
class GenuineHandlersTestSinceRunId : public GenuineHandlersTest {};
class GenuineHandlersTestSinceExtensions : public GenuineHandlersTest {};
class GenuineHandlersTestSinceCustomOptions : public GenuineHandlersTest {};

INSTANTIATE_SINCE(GenuineHandlersTestSinceMetadata, 434);
INSTANTIATE_SINCE(GenuineHandlersTestSinceNumThreads, 438);
INSTANTIATE_SINCE(GenuineHandlersTestSinceRunId, 602);
INSTANTIATE_SINCE(GenuineHandlersTestSinceExtensions, 1102);
INSTANTIATE_SINCE(GenuineHandlersTestSinceCustomOptions, 1200);

TEST_P(GenuineHandlersTest, ArgumentsResultsAndAnAttribute) {
  XLA_FFI_Handler_Bundle bundle = {};
  bundle.execute = Get("Add");
  Attributes attributes;
  Set(attributes, "scale", PrimitiveType::kF32, 2.0f);
  auto instance = Instance(bundle, {"f32[2,2]", "f32[4]"}, {"f32[4]"}, attributes);
  ASSERT_TRUE(instance.ok()) << instance.status();
  float x[] = {1, 2, 3, 4}, y[] = {10, 20, 30, 40}, sum[4] = {};
  void* operands[] = {x, y};
  void* results[] = {sum};
  const CallBuffers buffers = {absl::MakeSpan(operands), absl::MakeSpan(results)};
  EXPECT_TRUE((*instance)->Execute(buffers).ok());
  EXPECT_THAT(sum, ::testing::ElementsAre(22, 44, 66, 88));
  // Other data, by the same instance.
  std::swap(operands[0], results[0]);
  EXPECT_TRUE((*instance)->Execute(buffers).ok());
  EXPECT_THAT(x, ::testing::ElementsAre(64, 128, 192, 256));

  EXPECT_EQ((*instance)->Execute({absl::MakeSpan(operands), {}}),
            absl::InvalidArgumentError("the call site has 2 arguments and 1 results, but the call "
                                       "came with 2 and 0 buffers"));
}

TEST_P(GenuineHandlersTest, DecodingErrorsAreErrors) {
  XLA_FFI_Handler_Bundle bundle = {};
  bundle.execute = Get("Add");
  auto instance = Instance(bundle, {"f64[1]", "f32[1]"}, {"f32[1]"});
  ASSERT_TRUE(instance.ok()) << instance.status();
  double x = 0;
  float y = 0, sum = 0;
  void* operands[] = {&x, &y};
  void* results[] = {&sum};
  EXPECT_EQ((*instance)->Execute({absl::MakeSpan(operands), absl::MakeSpan(results)}).code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_P(GenuineHandlersTest, AttributesOfEveryKind) {
  const int64_t array[] = {10, 20, 30};
  Attributes inner, dictionary, attributes;
  Set(inner, "x", PrimitiveType::kF32, 1.5f);
  Set(dictionary, "n", PrimitiveType::kS32, int32_t{7});
  dictionary.SetDictionary("inner", inner);
  Set(attributes, "b", PrimitiveType::kPred, true);
  Set(attributes, "i8", PrimitiveType::kS8, int8_t{-8});
  Set(attributes, "i32", PrimitiveType::kS32, int32_t{-32});
  Set(attributes, "i64", PrimitiveType::kS64, -(int64_t{1} << 40));
  Set(attributes, "u8", PrimitiveType::kU8, uint8_t{200});
  Set(attributes, "u64", PrimitiveType::kU64, uint64_t{1} << 63);
  Set(attributes, "f32", PrimitiveType::kF32, 0.5f);
  Set(attributes, "f64", PrimitiveType::kF64, 0.25);
  Set(attributes, "c64", PrimitiveType::kC64, std::complex<float>(1, -1));
  attributes.SetString("text", absl::string_view("a\0b", 3))
      .SetArray("array", PrimitiveType::kS64, array, 3)
      .SetArray("empty", PrimitiveType::kF32, nullptr, 0)
      .SetDictionary("dictionary", dictionary);
  EXPECT_EQ(Run("Attributes", nullptr, nullptr, {}, attributes), absl::OkStatus());
  Set(attributes, "i8", PrimitiveType::kS8, int8_t{8});
  EXPECT_EQ(Run("Attributes", nullptr, nullptr, {}, attributes),
            absl::InternalError("wrong: signed"));
}

TEST_P(GenuineHandlersTest, Errors) {
  EXPECT_EQ(Run("Fail", nullptr, nullptr), absl::InvalidArgumentError("as asked"));
  const absl::Status thrown = Run("Throw", nullptr, nullptr);
  EXPECT_FALSE(thrown.ok());
  EXPECT_THAT(thrown.message(), HasSubstr("thrown"));
}

TEST_P(GenuineHandlersTest, Stream) {
  int64_t seen = 0;
  RuntimeServices services;
  EXPECT_THAT(Run("Stream", "s64[]", &seen, services).message(),
              HasSubstr("stream is not available"));
  services.stream = reinterpret_cast<void*>(0x1234);
  EXPECT_EQ(Run("Stream", "s64[]", &seen, services), absl::OkStatus());
  EXPECT_EQ(seen, 0x1234);
}

TEST_P(GenuineHandlersTest, ScratchMemory) {
  HostScratchAllocator memory;
  RuntimeServices services;
  EXPECT_FALSE(Run("Scratch", nullptr, nullptr, services).ok());
  services.scratch = &memory;
  EXPECT_EQ(Run("Scratch", nullptr, nullptr, services), absl::OkStatus());
}

TEST_P(GenuineHandlersTest, UserData) {
  RegisterCounted();
  void* counted = Get<void*(int32_t)>("NewCounted")(77);
  const UserData user_data[] = {{{CountedId().type_id + 1}, nullptr}, {CountedId(), counted}};
  RuntimeServices services;
  int32_t seen = 0;
  EXPECT_THAT(Run("User", "s32[]", &seen, services).message(),
              HasSubstr("not found in execution context"));
  services.user_data = user_data;
  EXPECT_EQ(Run("User", "s32[]", &seen, services), absl::OkStatus());
  EXPECT_EQ(seen, 77);
  Get<void(void*)>("DeleteCounted")(counted);
}

TEST_P(GenuineHandlersTestSinceNumThreads, NumberOfThreads) {
  FixedThreadPool threads(3);
  RuntimeServices services;
  services.thread_pool = &threads;
  int64_t seen = 0;
  EXPECT_EQ(Run("NumThreads", "s64[]", &seen, services), absl::OkStatus());
  EXPECT_EQ(seen, 3);
}

TEST_P(GenuineHandlersTestSinceRunId, RunIdAndDeviceOrdinal) {
  int64_t seen = 0;
  RuntimeServices services;
  EXPECT_THAT(Run("Numbers", "s64[]", &seen, services).message(),
              HasSubstr("run id is not available"));
  services.run_id = 9;
  services.device_ordinal = 4;
  EXPECT_EQ(Run("Numbers", "s64[]", &seen, services), absl::OkStatus());
  EXPECT_EQ(seen, 9004);
}

TEST_P(GenuineHandlersTestSinceExtensions, Extensions) {
  struct Answer {
    XLA_FFI_Extension base;
    int32_t value;
  };
  const Answer answer = {{sizeof(Answer), {4242, 1, 2}, nullptr}, 42};
  const Answer other = {{sizeof(Answer), {1, 1, 2}, &answer.base}, 0};
  int32_t seen = 0;
  RuntimeServices services;
  EXPECT_THAT(Run("Extension", "s32[]", &seen, services).message(),
              HasSubstr("not found in context"));
  services.extensions = &other.base;
  EXPECT_EQ(Run("Extension", "s32[]", &seen, services), absl::OkStatus());
  EXPECT_EQ(seen, 42);
}

TEST_P(GenuineHandlersTestSinceCustomOptions, CustomOptions) {
  int32_t seen = 0;
  RuntimeServices services;
  EXPECT_EQ(Run("Options", "s32[]", &seen, services), absl::OkStatus());
  EXPECT_EQ(seen, -1);
  Attributes options;
  Set(options, "n", PrimitiveType::kS32, int32_t{6});
  const EncodedAttributes encoded(options);
  services.custom_options = &encoded.get();
  EXPECT_EQ(Run("Options", "s32[]", &seen, services), absl::OkStatus());
  EXPECT_EQ(seen, 6);
}

TEST_P(GenuineHandlersTest, RegistersByItsOwnFunction) {
  HandlerRegistry& registry = RegistryOf(*version_);
  auto* registers = Get<XLA_FFI_Error*(const XLA_FFI_Api*, const char*)>("RegisterAdd");
  const std::string name = absl::StrCat("add_of_", GetParam().release);
  const auto attempt = [&] {
    return ErrorObject::TakeStatus(registers(&ApiTable(*version_), name.c_str()));
  };
  ASSERT_EQ(attempt(), absl::OkStatus());
  const absl::StatusOr<RegisteredHandler> found = registry.Find(name, "CPU");
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->handlers.execute, Get("Add"));
  EXPECT_EQ(found->handlers.instantiate, nullptr);
  EXPECT_EQ(found->platform, "Host");
  EXPECT_EQ(found->metadata.minor_version, version_->minor);
  // Again: fine from 0.4.38 on.
  EXPECT_EQ(attempt().code(),
            headers() < 438 ? absl::StatusCode::kAlreadyExists : absl::StatusCode::kOk);
  XLA_FFI_Handler_Bundle other = {};
  other.execute = Get("Fail");
  EXPECT_THAT(registry.Register(name, "host", other, 0).message(),
              HasSubstr("with different bundle addresses"));
  EXPECT_THAT(registry.Find("nobody", "Host").status().message(), HasSubstr(name));
  EXPECT_EQ(registry.Find(name, "CUDA").status().code(), absl::StatusCode::kNotFound);
}

// Nobody would say that its handlers are gone; but who opens it in a scope does.
TEST_P(GenuineHandlersTest, ALibraryThatRegistersStaysLoadedUnlessAScopeGathersIt) {
  for (const bool in_scope : {false, true}) {
    // A file of its own, which nobody else has opened.
    const std::string path = absl::StrCat(::testing::TempDir(), "/registers_", in_scope, "_",
                                          GetParam().release, "_", getpid(), ".so");
    std::ofstream(path) << std::ifstream(PathOf(GetParam())).rdbuf();
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    auto* registers = reinterpret_cast<XLA_FFI_Error* (*)(const XLA_FFI_Api*, const char*)>(
        dlsym(library, "RegisterAdd"));
    ASSERT_NE(registers, nullptr);
    {
      absl::optional<RegistrationScope> scope;
      if (in_scope) scope.emplace();
#ifdef CALLBRIDGE_ADDRESS_SANITIZER
      // XLA's headers never free a handler, and nobody can reach it when its library is closed.
      const __lsan::ScopedDisabler handlers_leak;
#endif
      EXPECT_EQ(ErrorObject::TakeStatus(registers(&ApiTable(*version_), path.c_str())),
                absl::OkStatus());
      if (in_scope) scope->registrations().Forget(*version_);
    }
    dlclose(library);
    void* const still = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
    EXPECT_EQ(still != nullptr, !in_scope);
    unlink(path.c_str());
  }
}

// Rows and columns of the table in the facts: what a runtime says of a handler built for another.
TEST_P(GenuineHandlersTestSinceMetadata, IsTakenByTheVersionsThatTakeIt) {
  for (const RuntimeVersion& row : typed_ffi::kRuntimeVersions) {
    if (row.metadata_size == 0) continue;
    const bool fits = row.minor < 2 ? version_->minor == 1 : version_->minor <= row.minor;
    const absl::StatusOr<HandlerMetadata> asked = QueryMetadata(row, Get("Add"));
    EXPECT_EQ(asked.ok(), fits) << row.releases << ": " << asked.status();
  }
}

}  // namespace
}  // namespace host
}  // namespace callbridge
