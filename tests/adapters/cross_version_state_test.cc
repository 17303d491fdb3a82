// The states of handlers of each version, kept by runtimes of each version, and what handlers say
// of themselves when they are registered.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "callbridge/typed_ffi/host/type_registry.h"
#include "callbridge/typed_ffi/state_calls.h"
#include "gtest/gtest.h"
#include "tests/adapters/cross_version_call_fixture.h"

namespace callbridge {
namespace {

using host::TypeRegistry;
using typed_ffi::ApiFunction;
using typed_ffi::kRuntimeVersions;
using typed_ffi::StateLayout;

std::vector<void*> deleted;
void Delete(void* state) { deleted.push_back(state); }
constexpr XLA_FFI_TypeInfo kInfo = {XLA_FFI_TypeInfo_STRUCT_SIZE, nullptr, &Delete};

constexpr XLA_FFI_ExecutionStage kInstantiate = XLA_FFI_ExecutionStage_INSTANTIATE;

// The type of that name, as callbridge numbered it.
XLA_FFI_TypeId Type(const std::string& name) {
  static auto& ids = *new std::map<std::string, XLA_FFI_TypeId>;
  XLA_FFI_TypeId& id = ids[name];
  EXPECT_TRUE(
      TypeRegistry::OfProcess().Register("cross_version_state_test." + name, id, &kInfo).ok());
  return id;
}

class ForeignStateTest : public ForeignCallTest {
 protected:
  ForeignStateTest() { deleted.clear(); }

  // On a GPU, where all runtimes that have states serve them.
  std::string Set(XLA_FFI_TypeId& type, void* state, XLA_FFI_ExecutionStage stage = kInstantiate) {
    return Call(
        [&](XLA_FFI_CallFrame* shown) {
          return typed_ffi::SetState(*shown->api, headers(), shown->ctx, stage, &type, state,
                                     &Delete)
              .value();
        },
        Platform::kCuda);
  }
  std::string Get(XLA_FFI_TypeId type, void*& state, XLA_FFI_ExecutionStage stage = kInstantiate,
                  Platform platform = Platform::kCuda) {
    return Call(
        [&](XLA_FFI_CallFrame* shown) {
          return typed_ffi::GetState(*shown->api, headers(), shown->ctx, stage, &type, &state)
              .value();
        },
        platform);
  }

  static bool HeadersHaveState() { return headers().state != StateLayout::kNone; }
  static bool HeadersHaveDeletersWithTypes() {
    return headers().state >= StateLayout::kTypedDeleter;
  }
  bool RuntimeHasState() const { return version().state != StateLayout::kNone; }
};
INSTANTIATE_TEST_SUITE_P(Versions, ForeignStateTest, AllPairsOfVersions(), NameOfPair);

TEST_P(ForeignStateTest, IsKeptAndDeletedOnce) {
  if (!HeadersHaveState()) return;
  XLA_FFI_TypeId type = Type("one");
  int state = 0;
  void* found = nullptr;
  if (!RuntimeHasState()) {
    const std::string why =
        " needs the XLA FFI 0.0 of jaxlib 0.4.31 or newer; this runtime speaks " + Speaks();
    EXPECT_EQ(Set(type, &state), "12: XLA_FFI_State_Set" + why);
    EXPECT_EQ(Get(type, found), "12: XLA_FFI_State_Get" + why);
    return;
  }
  EXPECT_EQ(Get(type, found), "5: the state is not set");
  EXPECT_EQ(Set(type, &state), "");
  EXPECT_EQ(Get(type, found), "");
  EXPECT_EQ(found, &state);
  // A second one stays the handler's.
  int second = 0;
  EXPECT_EQ(Set(type, &second), "9: the state is already set");
  EXPECT_TRUE(deleted.empty());
  DeleteStates();
  EXPECT_EQ(deleted, std::vector<void*>{&state});
}

TEST_P(ForeignStateTest, OfAnotherTypeIsRefused) {
  if (!HeadersHaveState() || !RuntimeHasState()) return;
  const XLA_FFI_TypeId other = Type("another");
  XLA_FFI_TypeId type = Type("one");
  int state = 0;
  void* found = nullptr;
  ASSERT_EQ(Set(type, &state), "");
  EXPECT_EQ(Get(other, found),
            "3: the state is of the type with id " + std::to_string(type.type_id) +
                ", but was asked for as the type with id " + std::to_string(other.type_id));
  EXPECT_EQ(found, nullptr);
}

TEST_P(ForeignStateTest, OnTheFirstCpusCannotBeAskedFor) {
  if (!HeadersHaveState()) return;
  void* found = nullptr;
  const std::string answer = Get(Type("one"), found, kInstantiate, Platform::kHost);
  if (&version() < &kRuntimeVersions[2]) {
    EXPECT_EQ(answer,
              "12: state on the CPU needs XLA FFI 0.1 (jaxlib 0.4.32 or newer); this "
              "runtime speaks " +
                  Speaks());
  } else {
    EXPECT_EQ(answer, "5: the state is not set");
  }
}

// Headers that pass a deleter with each state know types that nobody has registered.
TEST_P(ForeignStateTest, OfATypeThatNobodyRegistered) {
  if (!HeadersHaveState() || !RuntimeHasState()) return;
  XLA_FFI_TypeId type = {0};
  int state = 0;
  if (HeadersHaveDeletersWithTypes()) {
    EXPECT_EQ(Set(type, &state),
              "9: the type of the handler's state is not registered, so that it has no deleter: "
              "register it with callbridge.jax.register_type or callbridge_ffi_register_type, "
              "before the handler");
    EXPECT_EQ(type.type_id, 0);
    return;
  }
  EXPECT_EQ(Set(type, &state), "");
  EXPECT_TRUE(TypeRegistry::Issued(type));
  void* found = nullptr;
  EXPECT_EQ(Get(type, found), "");
  EXPECT_EQ(found, &state);
  DeleteStates();
  EXPECT_EQ(deleted, std::vector<void*>{&state});
  TypeRegistry::OfProcess().Forget(type);  // the variable is gone, and its address names the type
}

// A type that was registered with the runtime itself, whose deleter the runtime knows.
TEST_P(ForeignStateTest, OfTheRuntimesOwnTypeIsPassedAsItIs) {
  if (!HeadersHaveDeletersWithTypes() || !RuntimeHasState()) return;
  XLA_FFI_TypeId type = {777777};
  FakeRuntime::registry().types.push_back({"its own", type.type_id, &Delete});
  int state = 0;
  if (version().state < StateLayout::kTypedDeleter) {
    EXPECT_EQ(Set(type, &state).substr(0, 3), "9: ");
    return;
  }
  EXPECT_EQ(Set(type, &state), "");
  EXPECT_EQ(runtime->call.states.at(0).state, &state);
  void* found = nullptr;
  EXPECT_EQ(Get(type, found), "");
  EXPECT_EQ(found, &state);
}

TEST_P(ForeignStateTest, EachStageHasItsOwn) {
  if (headers().state != StateLayout::kStaged || !RuntimeHasState()) return;
  XLA_FFI_TypeId type = Type("one");
  int first = 0, second = 0;
  void* found = nullptr;
  ASSERT_EQ(Set(type, &first), "");
  if (version().state != StateLayout::kStaged) {
    const std::string why =
        "12: state of a stage other than INSTANTIATE needs XLA FFI 0.3 (jaxlib "
        "0.9.1 or newer); this runtime speaks " +
        Speaks();
    EXPECT_EQ(Set(type, &second, XLA_FFI_ExecutionStage_PREPARE), why);
    EXPECT_EQ(Get(type, found, XLA_FFI_ExecutionStage_INITIALIZE), why);
    return;
  }
  ASSERT_EQ(Set(type, &second, XLA_FFI_ExecutionStage_PREPARE), "");
  EXPECT_EQ(Get(type, found, XLA_FFI_ExecutionStage_PREPARE), "");
  EXPECT_EQ(found, &second);
  EXPECT_EQ(Get(type, found), "");
  EXPECT_EQ(found, &first);
}

// What the runtime is told is one type of callbridge's, registered once with each runtime.
TEST_P(ForeignStateTest, OneTypeHoldsThemAll) {
  if (!HeadersHaveState() || !RuntimeHasState()) return;
  const auto& types = FakeRuntime::registry().types;
  const size_t before = types.size();
  for (XLA_FFI_TypeId type : {Type("one"), Type("another")}) {
    int state = 0;
    ASSERT_EQ(Set(type, &state), "");
    DeleteStates();
  }
  ASSERT_EQ(types.size(), before + 1);
  EXPECT_EQ(types[before].name.substr(0, 31), "callbridge.cross_version_state.");
  EXPECT_EQ(types[before].deleter != nullptr, runtime->Has(ApiFunction::kTypeRegister));
}

// ---- The metadata query

class ForeignMetadataTest : public ForeignCallTest {
 protected:
  std::string Query() {
    answer = {XLA_FFI_Metadata_STRUCT_SIZE, {}, 99, {0x5555}};
    XLA_FFI_Metadata_Extension query = {
        {XLA_FFI_Metadata_Extension_STRUCT_SIZE, XLA_FFI_Extension_Metadata, nullptr}, &answer};
    // It need not be the first.
    XLA_FFI_InternalExtension other = {
        sizeof(other), static_cast<XLA_FFI_InternalExtension_Type>(9), &query.extension_base};
    XLA_FFI_CallFrame* call = frame.ForCall(*runtime);
    call->extension_start = &other;
    if (version().null_api_in_query) call->api = nullptr;
    imitated::in_the_call = [](XLA_FFI_CallFrame*) -> XLA_FFI_Error* {
      ADD_FAILURE() << "it was called";
      return nullptr;
    };
    return TakeText(Wrapper()(call));
  }
  bool HasTypes() const { return version().metadata_size == sizeof(XLA_FFI_Metadata); }
  static bool HeadersSayTypes() { return headers().metadata_size == sizeof(XLA_FFI_Metadata); }

  XLA_FFI_Metadata answer;
};
INSTANTIATE_TEST_SUITE_P(Versions, ForeignMetadataTest, AllPairsOfVersions(), NameOfPair);

TEST_P(ForeignMetadataTest, IsTheLowestVersionAndTheHandlersTraits) {
  imitated::says.traits = XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE;
  EXPECT_EQ(Query(), "");
  EXPECT_EQ(answer.api_version.major_version, 0);
  EXPECT_EQ(answer.api_version.minor_version, 1);
  EXPECT_EQ(answer.traits, headers().metadata_size == 0
                               ? 0U
                               : uint32_t{XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE});
  EXPECT_EQ(answer.state_type_id.type_id, HasTypes() ? 0 : 0x5555) << "beyond what was lent";
}

TEST_P(ForeignMetadataTest, NamesTheTypeThatHoldsItsState) {
  imitated::says.state_type_id = Type("one");
  const size_t before = FakeRuntime::registry().types.size();
  EXPECT_EQ(Query(), "");
  if (!HasTypes() || !HeadersSayTypes()) {
    EXPECT_EQ(FakeRuntime::registry().types.size(), before);
    return;
  }
  ASSERT_EQ(FakeRuntime::registry().types.size(), before + 1);
  EXPECT_EQ(answer.state_type_id.type_id, FakeRuntime::registry().types.back().id);
  EXPECT_NE(answer.state_type_id.type_id, imitated::says.state_type_id.type_id);
}

TEST_P(ForeignMetadataTest, NamesTheRuntimesOwnTypeAsItIs) {
  if (!HasTypes() || !HeadersSayTypes()) return;
  imitated::says.state_type_id = {777778};
  EXPECT_EQ(Query(), "");
  EXPECT_EQ(answer.state_type_id.type_id, 777778);
}

TEST_P(ForeignMetadataTest, ATypeThatNobodyRegisteredIsAnError) {
  imitated::says.type_is_missing = true;
  EXPECT_EQ(Query(), HasTypes() && HeadersSayTypes()
                         ? "9: the handler makes state of a type that is not registered; register "
                           "the type first, with callbridge.jax.register_type or "
                           "callbridge_ffi_register_type"
                         : "");
}

}  // namespace
}  // namespace callbridge
