#include "callbridge/typed_ffi/host/handler_registry.h"

#include "callbridge/typed_ffi/host/metadata_query.h"
#include "callbridge/typed_ffi/host/registration_scope.h"
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

}  // namespace
}  // namespace host
}  // namespace callbridge
