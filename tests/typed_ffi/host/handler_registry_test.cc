#include "callbridge/typed_ffi/host/handler_registry.h"

#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "callbridge/typed_ffi/host/error_object.h"
#include "callbridge/typed_ffi/host/metadata_query.h"
#include "callbridge/typed_ffi/host/registration_scope.h"
#include "callbridge/typed_ffi/host/releases.h"
#include "callbridge/typed_ffi/host/type_registry.h"
#include "callbridge/typed_ffi/runtime_versions.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace host {
namespace {

using typed_ffi::kNewestVersion;

// Answers the metadata query, with these traits, and does nothing else.
template <uint32_t kTraits>
XLA_FFI_Error* Handler(XLA_FFI_CallFrame* frame) {
  if (frame->extension_start == nullptr) return nullptr;
  auto* query = reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start);
  query->metadata->api_version.major_version = XLA_FFI_API_MAJOR;
  query->metadata->api_version.minor_version = 1;
  query->metadata->traits = kTraits;
  return nullptr;
}

XLA_FFI_Handler_Bundle Executes(XLA_FFI_Handler* handler) {
  XLA_FFI_Handler_Bundle bundle = {};
  bundle.execute = handler;
  return bundle;
}

TEST(HandlerRegistryTest, ForgetsOnlyWhatTheNameStillLeadsTo) {
  HandlerRegistry registry(kNewestVersion);
  const XLA_FFI_Handler_Bundle first = Executes(&Handler<0>);
  const XLA_FFI_Handler_Bundle second = Executes(&Handler<1>);
  ASSERT_TRUE(registry.Register("f", "Host", first, 0).ok());
  const RegisteredHandler of_first = registry.Find("f", "cpu").value();
  {
    RegistrationScope library;
    ASSERT_TRUE(registry.Register("f", "Host", second, 0).ok());
  }
  registry.Forget(of_first);
  ASSERT_TRUE(registry.Find("f", "Host").ok());
  EXPECT_EQ(registry.Find("f", "Host")->handlers.execute, second.execute);
  registry.Forget(*registry.Find("f", "Host"));
  EXPECT_EQ(registry.Find("f", "Host").status().code(), absl::StatusCode::kNotFound);
}

TEST(HandlerRegistryTest, TraitsOfBothStagesCount) {
  XLA_FFI_Handler_Bundle bundle = Executes(&Handler<1>);
  bundle.instantiate = &Handler<4>;
  const absl::StatusOr<HandlerMetadata> metadata = QueryMetadata(kNewestVersion, bundle);
  ASSERT_TRUE(metadata.ok()) << metadata.status();
  EXPECT_EQ(metadata->traits, 5u);
  HandlerRegistry registry(kNewestVersion);
  ASSERT_TRUE(registry.Register("f", "Host", bundle, 8).ok());
  EXPECT_EQ(registry.Find("f", "Host")->traits, 13u);
}

TEST(TypeRegistryTest, ForgetsANameOnlyWhereItIsTheTypes) {
  TypeRegistry registry;
  XLA_FFI_TypeId first = {}, second = {}, third = {};
  ASSERT_TRUE(registry.Register("name", first, nullptr).ok());
  {
    RegistrationScope library;
    ASSERT_TRUE(registry.Register("name", second, nullptr).ok());
  }
  registry.Forget(first);
  EXPECT_FALSE(registry.Find(first).has_value());
  EXPECT_EQ(registry.Register("name", third, nullptr).code(), absl::StatusCode::kAlreadyExists);
  registry.Forget(second);
  EXPECT_TRUE(registry.Register("name", third, nullptr).ok());
}

TEST(RegistrationsTest, HandlersAndTypesAreForgottenTogether) {
  XLA_FFI_TypeId type = {};
  Registrations registrations;
  {
    RegistrationScope library;
    ASSERT_TRUE(RegistryOf(kNewestVersion).Register("g", "Host", Executes(&Handler<0>), 0).ok());
    ASSERT_TRUE(TypeRegistry::OfProcess().Register("RegistrationsTest", type, nullptr).ok());
    registrations = library.registrations();
  }
  registrations.Forget(kNewestVersion);
  EXPECT_FALSE(RegistryOf(kNewestVersion).Find("g", "Host").ok());
  EXPECT_FALSE(TypeRegistry::OfProcess().Find(type).has_value());
}

TEST(HandlerRegistryTest, ANameLeadsToOneBundle) {
  HandlerRegistry registry(kNewestVersion);
  EXPECT_EQ(registry.Find("f", "Host").status(),
            absl::NotFoundError(
                "No FFI handler registered for f on a platform Host; registered: nothing"));
  EXPECT_EQ(registry.Register("f", "Host", {}, 0),
            absl::InvalidArgumentError(
                "FFI handler for f on a platform Host must provide an execute implementation"));
  ASSERT_TRUE(registry.Register("f", "Host", Executes(&Handler<0>), 2).ok());
  EXPECT_TRUE(registry.Register("f", "Host", Executes(&Handler<0>), 4).ok());
  EXPECT_EQ(registry.Find("f", "Host")->traits, 2u) << "the first stays";
  EXPECT_EQ(registry.Register("f", "CPU", Executes(&Handler<1>), 0),
            absl::AlreadyExistsError(
                "Duplicate FFI handler registration for f on platform CPU (canonical Host) with "
                "different bundle addresses"));
  XLA_FFI_Handler_Bundle with_prepare = Executes(&Handler<0>);
  with_prepare.prepare = &Handler<0>;
  EXPECT_EQ(registry.Register("f", "Host", with_prepare, 0).code(),
            absl::StatusCode::kAlreadyExists);
  EXPECT_TRUE(registry.Register("f", "CUDA", with_prepare, 0).ok());
  EXPECT_TRUE(registry.Register("e", "Host", with_prepare, 0).ok());
  EXPECT_EQ(
      registry.Find("g", "ROCM").status(),
      absl::NotFoundError(
          "No FFI handler registered for g on a platform ROCM; registered: f (CUDA) e (Host) f "
          "(Host)"));
  std::vector<std::string> listed;
  for (const RegisteredHandler& handler : registry.List())
    listed.push_back(handler.platform + " " + handler.name);
  EXPECT_THAT(listed, ::testing::ElementsAre("CUDA f", "Host e", "Host f"));
}

// Before jaxlib 0.4.38 not even the same ones may come again.
TEST(HandlerRegistryTest, TheSameAgainByVersion) {
  for (const typed_ffi::RuntimeVersion& version : typed_ffi::kRuntimeVersions) {
    HandlerRegistry registry(version);
    ASSERT_TRUE(registry.Register("f", "Host", Executes(&Handler<0>), 0).ok());
    const absl::Status again = registry.Register("f", "Host", Executes(&Handler<0>), 0);
    if (version.accepts_duplicates) {
      EXPECT_EQ(again, absl::OkStatus());
    } else {
      EXPECT_EQ(again,
                absl::AlreadyExistsError(
                    "Duplicate FFI handler registration for f on platform Host (canonical Host)"));
    }
  }
}

TEST(HandlerRegistryTest, CaseOfAPlatformDoesNotMatter) {
  HandlerRegistry registry(kNewestVersion);
  const std::vector<std::vector<const char*>> platforms = {{"Host", "host", "CPU", "cpu"},
                                                           {"CUDA", "cuda"},
                                                           {"ROCM", "rocm"},
                                                           {"Metal", "METAL", "metal"}};
  for (const auto& names : platforms) {
    EXPECT_FALSE(registry.Find("f", names[0]).ok()) << "is another platform than those before";
    ASSERT_TRUE(registry.Register("f", names[0], Executes(&Handler<0>), 0).ok());
    for (const char* name : names) {
      ASSERT_TRUE(registry.Find("f", name).ok()) << name;
      EXPECT_EQ(registry.Find("f", name)->platform, names[0]);
    }
  }
}

// A library's own names are its own: within its scope it may take others' names, and not its own
// again.
TEST(HandlerRegistryTest, WithinAScopeOthersGiveWay) {
  HandlerRegistry registry(kNewestVersion);
  ASSERT_TRUE(registry.Register("f", "Host", Executes(&Handler<0>), 0).ok());
  RegistrationScope library;
  EXPECT_TRUE(registry.Register("f", "Host", Executes(&Handler<1>), 0).ok());
  EXPECT_EQ(registry.Register("f", "Host", Executes(&Handler<2>), 0).code(),
            absl::StatusCode::kAlreadyExists);
  EXPECT_TRUE(registry.Register("f", "Host", Executes(&Handler<1>), 0).ok());
  ASSERT_EQ(library.registrations().handlers.size(), 1u);
  EXPECT_EQ(library.registrations().handlers[0].handlers.execute, &Handler<1>);
  EXPECT_EQ(library.registrations().handlers[0].name, "f");
}

// ---- The metadata query -------------------------------------------------------------------------

using typed_ffi::RuntimeVersion;

// What a handler answers, and what it was asked with.
struct Queried {
  int major = XLA_FFI_API_MAJOR;
  int minor = 1;
  int64_t state_type = 0;  // written where it is not 0
  XLA_FFI_Error* error = nullptr;
  bool had_api = false;
  int stage = -1;
  int times = 0;
};
Queried queried;
XLA_FFI_Error* Answers(XLA_FFI_CallFrame* frame) {
  ++queried.times;
  queried.had_api = frame->api != nullptr;
  queried.stage = frame->stage;
  XLA_FFI_Metadata& metadata =
      *reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start)->metadata;
  EXPECT_EQ(metadata.struct_size, XLA_FFI_Metadata_STRUCT_SIZE);
  metadata.api_version.major_version = queried.major;
  metadata.api_version.minor_version = queried.minor;
  if (queried.state_type != 0) metadata.state_type_id.type_id = queried.state_type;
  return std::exchange(queried.error, nullptr);
}

TEST(MetadataQueryTest, AsksAsTheVersionDoes) {
  for (const RuntimeVersion& version : typed_ffi::kRuntimeVersions) {
    queried = {};
    const absl::StatusOr<HandlerMetadata> metadata = QueryMetadata(version, &Answers);
    ASSERT_TRUE(metadata.ok()) << metadata.status();
    EXPECT_EQ(metadata->major_version, 0);
    EXPECT_EQ(metadata->traits, 0u);
    EXPECT_EQ(metadata->state_type.type_id, XLA_FFI_UNKNOWN_TYPE_ID.type_id);
    if (version.metadata_size == 0) {
      EXPECT_EQ(queried.times, 0);
      EXPECT_EQ(metadata->minor_version, version.minor);
      continue;
    }
    EXPECT_EQ(queried.times, 1);
    EXPECT_EQ(metadata->minor_version, 1);
    EXPECT_EQ(queried.had_api, !version.null_api_in_query);
    EXPECT_EQ(queried.stage, version.execute);
  }
}

TEST(MetadataQueryTest, TakesVersionsUpToItsOwn) {
  for (const RuntimeVersion& version : typed_ffi::kRuntimeVersions) {
    if (version.metadata_size == 0) continue;
    for (int major : {0, 1}) {
      for (int minor = 0; minor <= version.minor + 1; ++minor) {
        queried = {};
        queried.major = major;
        queried.minor = minor;
        const absl::Status status = QueryMetadata(version, &Answers).status();
        if (major == 0 && minor >= 1 && minor <= version.minor) {
          EXPECT_EQ(status, absl::OkStatus()) << minor;
          continue;
        }
        EXPECT_EQ(status, absl::InvalidArgumentError(
                              absl::StrCat("FFI handler's API version (", major, ".", minor,
                                           ") does not match the framework's: ", version.releases,
                                           " takes 0.1 to 0.", int{version.minor})));
      }
    }
  }
}

TEST(MetadataQueryTest, StateTypesSince02) {
  for (const RuntimeVersion& version : typed_ffi::kRuntimeVersions) {
    if (version.metadata_size == 0) continue;
    queried = {};
    queried.state_type = 77;
    const absl::StatusOr<HandlerMetadata> metadata = QueryMetadata(version, &Answers);
    if (version.minor >= 2) {
      ASSERT_TRUE(metadata.ok()) << metadata.status();
      EXPECT_EQ(metadata->state_type.type_id, 77);
    } else {
      EXPECT_EQ(
          metadata.status(),
          absl::InternalError(
              "the handler wrote XLA_FFI_Metadata.state_type_id, which XLA FFI 0.1 does not have: "
              "it would overrun the runtime's object"));
    }
  }
}

TEST(MetadataQueryTest, InstantiateIsAskedSince02) {
  for (const RuntimeVersion& version : typed_ffi::kRuntimeVersions) {
    XLA_FFI_Handler_Bundle bundle = Executes(&Handler<1>);
    queried = {};
    queried.state_type = 9;
    bundle.instantiate = &Answers;
    const absl::StatusOr<HandlerMetadata> metadata = QueryMetadata(version, bundle);
    ASSERT_TRUE(metadata.ok()) << metadata.status();
    EXPECT_EQ(queried.times, version.minor >= 2 ? 1 : 0);
    EXPECT_EQ(metadata->state_type.type_id, version.minor >= 2 ? 9 : 0);
    if (version.minor < 2) continue;
    queried.error = ErrorObject::Make(XLA_FFI_Error_Code_ABORTED, "of instantiate");
    EXPECT_EQ(QueryMetadata(version, bundle).status(),
              absl::AbortedError("Fetching XLA FFI metadata failed: of instantiate"));
    queried = {};
    std::swap(bundle.instantiate, bundle.execute);
    queried.error = ErrorObject::Make(XLA_FFI_Error_Code_DATA_LOSS, "of execute");
    EXPECT_EQ(HandlerRegistry(version).Register("f", "Host", bundle, 0),
              absl::DataLossError("Fetching XLA FFI metadata failed: of execute"));
  }
}

// ---- Types --------------------------------------------------------------------------------------

TEST(TypeRegistryTest, ALibraryHasANameOnce) {
  TypeRegistry registry;
  RegistrationScope library;
  XLA_FFI_TypeId own = {}, again = {};
  ASSERT_TRUE(registry.Register("name", own, nullptr).ok());
  EXPECT_EQ(registry.Register("name", again, nullptr),
            absl::AlreadyExistsError(
                absl::StrCat("Type name name already registered with type id ", own.type_id)));
  again = {12};
  EXPECT_EQ(registry.Register("name", again, nullptr),
            absl::AlreadyExistsError(absl::StrCat("Type name name already registered with type id ",
                                                  own.type_id, " vs 12")));
  EXPECT_TRUE(registry.Register("name", own, nullptr).ok());
  ASSERT_EQ(library.registrations().types.size(), 1u) << "it is new once";
  EXPECT_EQ(library.registrations().types[0].type_id, own.type_id);
}

TEST(TypeRegistryTest, RefusesIdsBelow0) {
  TypeRegistry registry;
  XLA_FFI_TypeId id = {-1};
  EXPECT_EQ(
      registry.Register("name", id, nullptr),
      absl::InvalidArgumentError("type name name comes with type id -1; ids are greater than 0"));
  EXPECT_EQ(registry.Register("", id, nullptr),
            absl::InvalidArgumentError("a type needs a name to be registered by"));
}

TEST(TypeRegistryTest, TheLastIdIsNoReasonToBeginAnew) {
  TypeRegistry registry;
  XLA_FFI_TypeId last = {std::numeric_limits<int64_t>::max()}, next = {}, after = {};
  EXPECT_TRUE(registry.Register("last", last, nullptr).ok());
  EXPECT_TRUE(registry.Register("next", next, nullptr).ok());
  EXPECT_TRUE(registry.Register("after", after, nullptr).ok());
  EXPECT_TRUE(TypeRegistry::Issued(next));
  EXPECT_EQ(after.type_id, next.type_id + 1);
}

TEST(TypeRegistryTest, ADeleterStaysWhereNoneIsToldLater) {
  TypeRegistry registry;
  const XLA_FFI_TypeInfo info = {XLA_FFI_TypeInfo_STRUCT_SIZE, nullptr, [](void*) {}};
  const XLA_FFI_TypeInfo without = {XLA_FFI_TypeInfo_STRUCT_SIZE, nullptr, nullptr};
  XLA_FFI_TypeId id = {};
  ASSERT_TRUE(registry.Register("name", id, &info).ok());
  EXPECT_TRUE(registry.Register("name", id, &without).ok());
  EXPECT_TRUE(registry.Register("name", id, nullptr).ok());
  EXPECT_EQ(registry.Find(id)->deleter, info.deleter);
}

TEST(RegistrationScopeTest, EachGathersWhileItIsTheInnermost) {
  TypeRegistry registry;
  XLA_FFI_TypeId ids[4] = {};
  EXPECT_EQ(RegistrationScope::Innermost(), nullptr);
  {
    RegistrationScope outer;
    EXPECT_EQ(RegistrationScope::Innermost(), &outer);
    ASSERT_TRUE(registry.Register("a", ids[0], nullptr).ok());
    {
      RegistrationScope inner;
      EXPECT_EQ(RegistrationScope::Innermost(), &inner);
      ASSERT_TRUE(registry.Register("b", ids[1], nullptr).ok());
      EXPECT_TRUE(inner.Has(ids[1]));
      EXPECT_FALSE(inner.Has(ids[0]));
      std::thread([] { EXPECT_EQ(RegistrationScope::Innermost(), nullptr); }).join();
    }
    EXPECT_EQ(RegistrationScope::Innermost(), &outer);
    ASSERT_TRUE(registry.Register("c", ids[2], nullptr).ok());
    EXPECT_TRUE(outer.Has(ids[0]) && outer.Has(ids[2]));
    EXPECT_FALSE(outer.Has(ids[1]));
  }
  EXPECT_EQ(RegistrationScope::Innermost(), nullptr);
}

}  // namespace
}  // namespace host
}  // namespace callbridge
