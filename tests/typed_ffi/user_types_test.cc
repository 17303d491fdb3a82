// State between stages, and the registration of types and handlers, on a runtime of each version.
#include "callbridge/typed_ffi/binding/user_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

#include "callbridge/typed_ffi/binding/ffi.h"
#include "callbridge/typed_ffi/binding/registration.h"
#include "tests/typed_ffi/fake_runtime.h"

// GetXlaFfiApi() is not used here, so that it needs no libcallbridge.

namespace {

using ::callbridge::typed_ffi::ApiFunction;
using ::callbridge::typed_ffi::kRuntimeVersionCount;
using ::callbridge::typed_ffi::StateLayout;
using ::callbridge::typed_ffi::testing::FakeRegistry;
using ::callbridge::typed_ffi::testing::FakeRuntime;
using ::callbridge::typed_ffi::testing::live_errors;
using ::callbridge::typed_ffi::testing::RowName;
using ::callbridge::typed_ffi::testing::TakeText;
using ::testing::HasSubstr;
using namespace xla::ffi;  // NOLINT(google-build-using-namespace)

int live_states = 0;

struct Counted {
  explicit Counted(int v) : value(v) { ++live_states; }
  ~Counted() { --live_states; }
  int value;
};
struct Typed : Counted {
  using Counted::Counted;
  static TypeId id;
};
TypeId Typed::id = {0};
struct Untyped : Counted {  // registered with three arguments
  using Counted::Counted;
  static TypeId id;
};
TypeId Untyped::id = {0};
int other_ended = 0;
struct OtherUntyped : Counted {
  using Counted::Counted;
  ~OtherUntyped() { ++other_ended; }
  static TypeId id;
};
TypeId OtherUntyped::id = {0};
struct Unregistered : Counted {
  using Counted::Counted;
  static TypeId id;
};
TypeId Unregistered::id = {0};

class UserTypesTest : public ::testing::TestWithParam<int> {
 protected:
  UserTypesTest() { FakeRuntime::registry() = FakeRegistry(); }
  ~UserTypesTest() override {
    EXPECT_EQ(live_errors, 0);
    runtime.reset();
    EXPECT_EQ(live_states, 0);
  }

  template <typename T, ExecutionStage stage = ExecutionStage::kInstantiate>
  std::string Set(int value) {
    return TakeText(ResultEncoding<stage, ErrorOr<std::unique_ptr<T>>>::Encode(
        runtime->api(), runtime->ctx(), std::make_unique<T>(value)));
  }

  // The state's value, or -1 with the diagnostic in `text` and its code in `code`.
  template <typename T, ExecutionStage stage = ExecutionStage::kInstantiate>
  int Get() {
    DiagnosticEngine diagnostic;
    const auto state =
        CtxDecoding<State<T, stage>>::Decode(runtime->api(), runtime->ctx(), diagnostic);
    text = diagnostic.Result();
    code = diagnostic.code();
    return state.has_value() ? (*state)->value : -1;
  }

  std::unique_ptr<FakeRuntime> runtime = std::make_unique<FakeRuntime>(GetParam());
  std::string text;
  int code;
};

INSTANTIATE_TEST_SUITE_P(AllVersions, UserTypesTest, ::testing::Range(0, kRuntimeVersionCount),
                         [](const auto& info) { return RowName(info.param); });

template <typename T>
void RegisterWithInfo(const XLA_FFI_Api* api) {
  T::id = {0};
  ASSERT_EQ(TakeText(internal::RegisterTypeId(api, "typed", &T::id, MakeTypeInfo<T>())), "");
  ASSERT_NE(T::id.type_id, 0);
}

TEST_P(UserTypesTest, StateOfInstantiate) {
  RegisterWithInfo<Typed>(runtime->api());
  if (runtime->version().state == StateLayout::kNone) {
    EXPECT_EQ(Set<Typed>(7),
              "12: State needs the XLA FFI 0.0 of jaxlib 0.4.31 or newer; this runtime speaks 0.0 "
              "(jaxlib 0.4.30)");
    EXPECT_EQ(Get<Typed>(), -1);
    EXPECT_EQ(code, XLA_FFI_Error_Code_UNIMPLEMENTED);
    EXPECT_THAT(text, HasSubstr("State needs the XLA FFI 0.0 of jaxlib 0.4.31 or newer"));
    return;
  }
  EXPECT_EQ(Get<Typed>(), -1);
  EXPECT_EQ(text, "Failed to get state: the state is not set");
  EXPECT_EQ(code, XLA_FFI_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(Set<Typed>(7), "");
  EXPECT_EQ(live_states, 1);
  EXPECT_EQ(Get<Typed>(), 7);
  // Refused, and not leaked.
  EXPECT_EQ(Set<Typed>(8), "9: the state is already set");
  EXPECT_EQ(live_states, 1);
}

TEST_P(UserTypesTest, ASuccessIsNoState) {
  RegisterWithInfo<Typed>(runtime->api());
  using State = ErrorOr<std::unique_ptr<Typed>>;
  EXPECT_EQ(TakeText(ResultEncoding<ExecutionStage::kInstantiate, State>::Encode(
                runtime->api(), runtime->ctx(), State(Unexpected<Error>(Error::Success())))),
            "13: the handler returned a success in place of its state");
  EXPECT_EQ(TakeText(ResultEncoding<ExecutionStage::kInstantiate, State>::Encode(
                runtime->api(), runtime->ctx(), State(Error(ErrorCode::kAborted, "no state")))),
            "10: no state");
}

TEST_P(UserTypesTest, StateOfTypeRegisteredWithThreeArguments) {
  Untyped::id = {0};
  ASSERT_EQ(TakeText(internal::RegisterTypeId(runtime->api(), "untyped", &Untyped::id)), "");
  ASSERT_NE(Untyped::id.type_id, 0);
  if (runtime->version().state == StateLayout::kNone) return;
  EXPECT_EQ(Set<Untyped>(5), "");
  EXPECT_EQ(Get<Untyped>(), 5);
  EXPECT_EQ(live_states, 1);
}

// Two types that tell no deleter end by their own.
TEST_P(UserTypesTest, EachLateTypeHasItsOwnDeleter) {
  if (runtime->version().state == StateLayout::kNone) return;
  Untyped::id = {0};
  OtherUntyped::id = {0};
  ASSERT_EQ(TakeText(internal::RegisterTypeId(runtime->api(), "untyped", &Untyped::id)), "");
  ASSERT_EQ(TakeText(internal::RegisterTypeId(runtime->api(), "other", &OtherUntyped::id)), "");
  other_ended = 0;
  EXPECT_EQ(Set<OtherUntyped>(6), "");
  FakeRuntime another(GetParam());
  const auto state = std::make_unique<Untyped>(5);
  std::swap(runtime->call.states, another.call.states);
  EXPECT_EQ(Set<Untyped>(5), "");
  runtime->call.states.begin()->second.deleter(runtime->call.states.begin()->second.state);
  runtime->call.states.clear();
  EXPECT_EQ(other_ended, 0);
  another.call.states.begin()->second.deleter(another.call.states.begin()->second.state);
  another.call.states.clear();
  EXPECT_EQ(other_ended, 1);
}

// A null state is one, and is found.
TEST_P(UserTypesTest, NullMayBeTheState) {
  RegisterWithInfo<Typed>(runtime->api());
  if (runtime->version().state == StateLayout::kNone) return;
  using State = ErrorOr<std::unique_ptr<Typed>>;
  EXPECT_EQ(TakeText(ResultEncoding<ExecutionStage::kInstantiate, State>::Encode(
                runtime->api(), runtime->ctx(), std::unique_ptr<Typed>())),
            "");
  DiagnosticEngine diagnostic;
  const auto state =
      CtxDecoding<xla::ffi::State<Typed>>::Decode(runtime->api(), runtime->ctx(), diagnostic);
  ASSERT_TRUE(state.has_value()) << diagnostic.Result();
  EXPECT_EQ(*state, nullptr);
}

TEST_P(UserTypesTest, StateOfAnotherType) {
  RegisterWithInfo<Typed>(runtime->api());
  if (runtime->version().state == StateLayout::kNone) return;
  EXPECT_EQ(Set<Typed>(7), "");
  OtherUntyped::id = {Typed::id.type_id + 1000};
  EXPECT_EQ(Get<OtherUntyped>(), -1);
  EXPECT_EQ(text, "Failed to get state: the state has another type");
}

// Where it has the function's place but no function, as where it is older.
TEST_P(UserTypesTest, ARuntimeThatLeavesStateOut) {
  RegisterWithInfo<Typed>(runtime->api());
  if (runtime->version().state == StateLayout::kNone) return;
  runtime->LeaveOut(ApiFunction::kStateSet);
  runtime->LeaveOut(ApiFunction::kStateGet);
  EXPECT_THAT(Set<Typed>(7), HasSubstr("12: State is not offered by this runtime"));
  EXPECT_EQ(live_states, 0);
  EXPECT_EQ(Get<Typed>(), -1);
  EXPECT_EQ(code, XLA_FFI_Error_Code_UNIMPLEMENTED);
  EXPECT_THAT(text, HasSubstr("State is not offered by this runtime"));
}

TEST_P(UserTypesTest, StatesOfPrepareAndInitialize) {
  RegisterWithInfo<Typed>(runtime->api());
  constexpr auto kPrepare = ExecutionStage::kPrepare;
  constexpr auto kInitialize = ExecutionStage::kInitialize;
  if (runtime->version().state != StateLayout::kStaged) {
    EXPECT_THAT((Set<Typed, kPrepare>(1)),
                HasSubstr("12: Prepared, the state of the prepare stage, "
                          "needs XLA FFI 0.3 (jaxlib 0.9.1 or newer)"));
    EXPECT_EQ((Get<Typed, kInitialize>()), -1);
    EXPECT_EQ(code, XLA_FFI_Error_Code_UNIMPLEMENTED);
    EXPECT_THAT(text, HasSubstr("Initialized, the state of the initialize stage, needs XLA FFI 0.3 "
                                "(jaxlib 0.9.1 or newer)"));
    return;
  }
  EXPECT_EQ(Set<Typed>(1), "");
  EXPECT_EQ((Set<Typed, kPrepare>(2)), "");
  EXPECT_EQ((Set<Typed, kInitialize>(3)), "");
  EXPECT_EQ(Get<Typed>(), 1);
  EXPECT_EQ((Get<Typed, kPrepare>()), 2);
  EXPECT_EQ((Get<Typed, kInitialize>()), 3);
  static_assert(std::is_same_v<Prepared<Typed>, State<Typed, kPrepare>>);
  static_assert(std::is_same_v<Initialized<Typed>, State<Typed, kInitialize>>);
}

TEST_P(UserTypesTest, TypeMustBeRegistered) {
  EXPECT_THAT(Set<Unregistered>(1), HasSubstr("9: "));
  EXPECT_EQ(live_states, 0);
  EXPECT_EQ(Get<Unregistered>(), -1);
  EXPECT_THAT(text, HasSubstr("must be registered"));
}

TEST_P(UserTypesTest, ErrorInPlaceOfState) {
  using Encoding = ResultEncoding<ExecutionStage::kInstantiate, ErrorOr<std::unique_ptr<Typed>>>;
  EXPECT_EQ(TakeText(Encoding::Encode(runtime->api(), runtime->ctx(),
                                      Error(ErrorCode::kResourceExhausted, "no room"))),
            "8: no room");
  EXPECT_EQ(Encoding::state_type_id(runtime->api()).type_id, Typed::id.type_id);
}

// ---- Symbols for Python to find

}  // namespace

XLA_FFI_DECLARE_TYPE_ID_SYMBOL(type_id_of_typed) { return &Typed::id; }
XLA_FFI_DECLARE_TYPE_INFO_SYMBOL(type_info_of_typed) {
  static const TypeInfo info = MakeTypeInfo<Typed>();
  return &info;
}
XLA_FFI_DECLARE_HANDLER_SYMBOL(declared_handler) {
  return reinterpret_cast<XLA_FFI_Error*>(call_frame);
}

namespace {

TEST(SymbolsTest, HaveTheTypesThatPythonCalls) {
  static_assert(std::is_same_v<decltype(type_id_of_typed), TypeId*()>);
  static_assert(std::is_same_v<decltype(type_info_of_typed), const TypeInfo*()>);
  static_assert(std::is_same_v<decltype(declared_handler), XLA_FFI_Handler>);
  EXPECT_EQ(type_id_of_typed(), &Typed::id);
  EXPECT_NE(type_info_of_typed()->deleter, nullptr);
  EXPECT_EQ(declared_handler(nullptr), nullptr);
}

// ---- Registration -------------------------------------------------------------------------------

XLA_FFI_Error* Instantiate(XLA_FFI_CallFrame*) { return nullptr; }
XLA_FFI_Error* Prepare(XLA_FFI_CallFrame*) { return nullptr; }
XLA_FFI_Error* Initialize(XLA_FFI_CallFrame*) { return nullptr; }
XLA_FFI_Error* Execute(XLA_FFI_CallFrame*) { return nullptr; }
XLA_FFI_Error* Record(XLA_FFI_CallFrame*) { return nullptr; }

TEST_P(UserTypesTest, RegistersHandlers) {
  auto& handlers = FakeRuntime::registry().handlers;
  EXPECT_EQ(TakeText(internal::RegisterStaticHandler(runtime->api(), "one", "Host", Execute, 1)),
            "");
  ASSERT_EQ(handlers.size(), 1u);
  EXPECT_EQ(handlers[0].name, "one");
  EXPECT_EQ(handlers[0].platform, "Host");
  EXPECT_EQ(handlers[0].traits, 1u);
  EXPECT_EQ(handlers[0].bundle.execute, Execute);
  EXPECT_EQ(handlers[0].bundle.instantiate, nullptr);

  EXPECT_EQ(TakeText(internal::RegisterStaticHandler(
                runtime->api(), "two", "CUDA", {nullptr, Prepare, Initialize, Execute, Record})),
            "");
  ASSERT_EQ(handlers.size(), 2u);
  EXPECT_EQ(handlers[1].bundle.prepare, Prepare);
  EXPECT_EQ(handlers[1].bundle.initialize, Initialize);
  EXPECT_EQ(handlers[1].bundle.execute, Execute);
  EXPECT_EQ(handlers[1].bundle.record,
            runtime->version().bundle_size == sizeof(XLA_FFI_Handler_Bundle) ? Record : nullptr);
  EXPECT_EQ(handlers[1].traits, 0u);

  const std::string with_instantiate = TakeText(internal::RegisterStaticHandler(
      runtime->api(), "three", "Host", {Instantiate, nullptr, nullptr, Execute, nullptr}));
  if (GetParam() == 0) {
    EXPECT_EQ(
        with_instantiate,
        "12: the instantiate stage needs the XLA FFI 0.0 of jaxlib 0.4.31 or newer; this runtime "
        "speaks 0.0 (jaxlib 0.4.30)");
  } else {
    EXPECT_EQ(with_instantiate, "");
    EXPECT_EQ(handlers.at(2).bundle.instantiate, Instantiate);
  }
  EXPECT_EQ(TakeText(internal::RegisterStaticHandler(runtime->api(), "", "Host", Execute)),
            "3: a handler needs a name");
}

TEST_P(UserTypesTest, RegistersTypes) {
  auto& types = FakeRuntime::registry().types;
  TypeId id = {0};
  static constexpr TypeInfo kInfo = MakeTypeInfo<Typed>();
  EXPECT_EQ(TakeText(internal::RegisterTypeId(runtime->api(), "name", &id, &kInfo)), "");
  EXPECT_NE(id.type_id, 0);
  TypeId chosen = {1000};
  EXPECT_EQ(TakeText(internal::RegisterTypeId(runtime->api(), "chosen", &chosen, kInfo)), "");
  EXPECT_EQ(chosen.type_id, 1000);
  ASSERT_EQ(types.size(), 2u);
  EXPECT_EQ(types[0].name, "name");
  EXPECT_EQ(types[0].id, id.type_id);
  EXPECT_EQ(types[1].deleter, runtime->Has(ApiFunction::kTypeRegister) ? kInfo.deleter : nullptr);
  EXPECT_EQ(types[0].deleter, types[1].deleter);
  TypeId without = {0};
  const TypeInfo* const no_info = nullptr;
  EXPECT_EQ(TakeText(Ffi::RegisterTypeId(runtime->api(), "without", &without, no_info)), "");
  ASSERT_EQ(types.size(), 3u);
  EXPECT_EQ(types[2].name, "without");
  EXPECT_EQ(types[2].deleter, nullptr);

  runtime->LeaveOut(runtime->Has(ApiFunction::kTypeRegister) ? ApiFunction::kTypeRegister
                                                             : ApiFunction::kTypeIdRegister);
  EXPECT_THAT(TakeText(internal::RegisterTypeId(runtime->api(), "name", &id, &kInfo)),
              HasSubstr("12: a type of its own is not offered by this runtime"));
}

TEST(MakeTypeInfoTest, EndsAnObject) {
  const TypeInfo info = MakeTypeInfo<Typed>();
  EXPECT_EQ(info.struct_size, XLA_FFI_TypeInfo_STRUCT_SIZE);
  const int before = live_states;
  auto* object = new Typed(1);
  EXPECT_EQ(live_states, before + 1);
  info.deleter(object);
  // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): the deleter has ended it.
  EXPECT_EQ(live_states, before);
}

// In a process of its own: there are 32 for the process.
TEST(LateDeleterDeathTest, EachOf32TypesHasOne) {
  const auto deleters_differ = [] {
    static TypeId ids[40];
    std::set<void (*)(void*)> deleters;
    int none = 0;
    for (TypeId& id : ids) {
      auto* const deleter = internal::LateDeleterOf(&id);
      if (deleter == nullptr) {
        ++none;
      } else if (!deleters.insert(deleter).second || internal::LateDeleterOf(&id) != deleter) {
        return "two types have one deleter, or one type two";
      } else {
        deleter(nullptr);  // nobody has told it yet how
      }
    }
    static int ended = 0;
    internal::TellLateDeleter(&ids[1], [](void*) { ++ended; });
    for (int i : {0, 1, 2}) internal::LateDeleterOf (&ids[i])(nullptr);
    if (ended != 1) return "a deleter ends another type's objects";
    internal::TellLateDeleter(&ids[39], [](void*) { ++ended; });
    return deleters.size() + none == 40 && deleters.size() <= 32 && deleters.size() >= 28
               ? "right"
               : "not about 32";
  };
  EXPECT_EXIT((fprintf(stderr, "%s", deleters_differ()), exit(0)), ::testing::ExitedWithCode(0),
              "^right$");
}

// Not for each version, since what the macros declare is static and runs once.
TEST(MacrosTest, Register) {
  FakeRuntime runtime(kRuntimeVersionCount - 1);
  const XLA_FFI_Api* api = runtime.api();
  FakeRuntime::registry() = FakeRegistry();
  static TypeId three = {0}, four = {0}, five = {0};
  static constexpr TypeInfo kInfo = MakeTypeInfo<Typed>();
  XLA_FFI_REGISTER_HANDLER(api, "plain", "Host", Execute);
  XLA_FFI_REGISTER_HANDLER(api, "traits", "Host", Execute,
                           XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE);
  XLA_FFI_REGISTER_HANDLER(api, "bundle", "Host", {nullptr, Prepare, nullptr, Execute, nullptr});
  XLA_FFI_REGISTER_TYPE(api, "three", &three);
  XLA_FFI_REGISTER_TYPE(api, "four", &four, &kInfo);
  XLA_FFI_REGISTER_TYPE(api, "five", &five, MakeTypeInfo<Typed>());
  const FakeRegistry& registry = FakeRuntime::registry();
  ASSERT_EQ(registry.handlers.size(), 3u);
  EXPECT_EQ(registry.handlers[1].traits, 1u);
  EXPECT_EQ(registry.handlers[2].bundle.prepare, Prepare);
  ASSERT_EQ(registry.types.size(), 3u);
  EXPECT_NE(registry.types[0].deleter, nullptr);
  EXPECT_EQ(registry.types[1].deleter, kInfo.deleter);
  EXPECT_NE(three.type_id, 0);
  EXPECT_NE(four.type_id, 0);
  EXPECT_NE(five.type_id, 0);
}

TEST(ReportRegistrationTest, TellsOnStandardErrorAndGoesOn) {
  FakeRuntime runtime(kRuntimeVersionCount - 1);
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(internal::RegisterHandlerAtStart(runtime.api(), "", "Host", Execute));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "xla::ffi: failed to register handler '': a handler needs a name\n");
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(internal::RegisterHandlerAtStart(runtime.api(), "", "Host",
                                                {nullptr, nullptr, nullptr, Execute, nullptr}));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "xla::ffi: failed to register handler '': a handler needs a name\n");
  EXPECT_TRUE(internal::RegisterHandlerAtStart(runtime.api(), "fine", "Host", Execute));
  static TypeId id = {0};
  EXPECT_TRUE(internal::RegisterTypeAtStart(runtime.api(), "fine", &id, MakeTypeInfo<Typed>()));
  runtime.LeaveOut(ApiFunction::kTypeRegister);
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(internal::RegisterTypeAtStart(runtime.api(), "a type of 3", &id));
  EXPECT_THAT(
      ::testing::internal::GetCapturedStderr(),
      HasSubstr(
          "xla::ffi: failed to register type 'a type of 3': a type of its own is not offered"));
  EXPECT_EQ(live_errors, 0);
}

TEST(RegisterStaticHandlerTest, IsAMemberOfFfi) {
  FakeRuntime runtime(kRuntimeVersionCount - 1);
  FakeRuntime::registry() = FakeRegistry();
  EXPECT_EQ(Ffi::RegisterStaticHandler(runtime.api(), "plain", "Host", &Execute), nullptr);
  EXPECT_EQ(Ffi::RegisterStaticHandler(runtime.api(), "traits", "CUDA", &Execute, 1), nullptr);
  const auto& handlers = FakeRuntime::registry().handlers;
  ASSERT_EQ(handlers.size(), 2u);
  EXPECT_EQ(handlers[0].traits, 0u);
  EXPECT_EQ(handlers[1].traits, 1u);
  EXPECT_EQ(handlers[1].platform, "CUDA");
  EXPECT_EQ(handlers[1].bundle.execute, Execute);
}

}  // namespace
