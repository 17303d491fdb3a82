// callbridge/callbridge.hpp, beside all other headers of callbridge's that a program may include.
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "callbridge/callbridge.hpp"
#include "callbridge/callbridge_module.h"
#include "callbridge/export.h"
#include "callbridge/handler_call.h"
#include "callbridge/register.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/c_api/callbridge_hpp_without_exceptions.h"
#include "tests/c_api/waiting_handler.h"
#include "xla/ffi/api/ffi.h"

namespace {

namespace ffi = xla::ffi;
using callbridge::Attributes;
using callbridge::Call;
using callbridge::Context;
using callbridge::Library;
using callbridge::may_end;
using callbridge::Result;
using callbridge::Site;
using callbridge::Span;
using callbridge::Target;
using callbridge::when_it_may;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// ---- Targets

void AddS32(void* out, const void** in) {
  *static_cast<int32_t*>(out) =
      *static_cast<const int32_t*>(in[0]) + *static_cast<const int32_t*>(in[1]);
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("hpp_add", AddS32, "Host");

void Fail(void*, const void**) { throw std::invalid_argument("no such thing"); }

Target Untyped(void (*function)(void*, const void**)) {
  Target target;
  target.name = "untyped";
  target.api_version = CALLBRIDGE_API_VERSION_ORIGINAL;
  target.address = reinterpret_cast<void*>(function);
  return target;
}

Site PairSite() {
  Site site;
  site.operands = {"s32[]", "s32[]"};
  site.result = "s32[]";
  return site;
}

ffi::Error Scale(int32_t by, std::string_view name, ffi::Dictionary more, ffi::Buffer<ffi::S32> in,
                 ffi::ResultBuffer<ffi::S32> out) {
  if (name != "scale") return ffi::Error::InvalidArgument("another name");
  const ffi::ErrorOr<ffi::Span<const int64_t>> list = more.get<ffi::Span<const int64_t>>("list");
  if (!list.has_value()) return list.error();
  *out->typed_data() = in.typed_data()[0] * by + static_cast<int32_t>(list->size());
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(scale, Scale,
                       ffi::Ffi::Bind()
                           .Attr<int32_t>("by")
                           .Attr<std::string_view>("name")
                           .Attr<ffi::Dictionary>("more")
                           .Arg<ffi::Buffer<ffi::S32>>()
                           .Ret<ffi::Buffer<ffi::S32>>());

Target Typed(XLA_FFI_Handler* handler) {
  Target target;
  target.name = "typed";
  target.api_version = CALLBRIDGE_API_VERSION_TYPED_FFI;
  target.address = reinterpret_cast<void*>(handler);
  return target;
}

Context AsXlaCpu() {
  Context context;
  context.as_xla_cpu = true;
  return context;
}

template <typename T>
std::string Text(const Result<T>& result) {
  return result ? "OK" : result.error().ToString();
}

// ---- Libraries

TEST(CallbridgeHppTest, FindsWhatIsRegistered) {
  EXPECT_EQ(callbridge::Version(), callbridge_version());
  const Library process = Library::OfProcess().value();
  const Target add = process.Find("hpp_add").value();
  EXPECT_EQ(add.platform, "Host");
  EXPECT_EQ(add.address, reinterpret_cast<void*>(&AddS32));
  EXPECT_TRUE(add.api_version_is_proved);
  EXPECT_NE(add.evidence, "");
  EXPECT_THAT(
      Text(process.Find("hpp_add", "CUDA")),
      AllOf(StartsWith("NOT_FOUND: the library has no target \"hpp_add\" for CUDA; it has "),
            HasSubstr("\"hpp_add\" for Host")));
  EXPECT_THAT(Text(process.target(process.target_count())), StartsWith("OUT_OF_RANGE: "));
}

TEST(CallbridgeHppTest, LibrariesThatCannotBeLoaded) {
  EXPECT_THAT(Text(Library::Load("/no/such.so")), StartsWith("NOT_FOUND: "));
  EXPECT_THAT(Text(Library::LoadIsolated("/no/such.so")), StartsWith("NOT_FOUND: "));
  EXPECT_EQ(Text(Library::Load(std::string("a\0b", 3))),
            "INVALID_ARGUMENT: expected a path without NULs, got one that starts with \"a\"");
}

TEST(CallbridgeHppTest, FunctionsThatALibraryExports) {
  const Library library = Library::Load(OLD_BINARIES "/original_unlinked.so").value();
  const Target function = library.Function("c_function").value();
  EXPECT_EQ(function.name, "c_function");
  EXPECT_EQ(function.platform, "Host");
  EXPECT_FALSE(function.api_version_is_proved);
  EXPECT_NE(function.address, nullptr);
  EXPECT_TRUE(library.Function("_Z14do_custom_callPvPPKv").value().api_version_is_proved);
  EXPECT_THAT(Text(library.Function("c_functio")), HasSubstr("; did you mean c_function?"));
  EXPECT_THAT(Text(library.Function(std::string("a\0b", 3))), StartsWith("INVALID_ARGUMENT: "));
}

TEST(CallbridgeHppTest, ClosingEndsTheHandle) {
  Library process = Library::OfProcess().value();
  EXPECT_EQ(Text(process.Close()), "OK");
  EXPECT_EQ(process.get(), nullptr);
  EXPECT_EQ(process.target_count(), 0U);
  EXPECT_EQ(Text(process.target(0)), "INVALID_ARGUMENT: library is null");
  EXPECT_EQ(Text(process.Close()), "OK");
}

// ---- Calls

TEST(CallbridgeHppTest, UntypedTargets) {
  const Call call = Call::Bind(Untyped(&AddS32), PairSite()).value();
  int32_t a = 2, b = 40, sum = 0;
  for (const bool with_context : {false, true}) {
    sum = 0;
    void* operands[] = {&a, &b};
    std::array<void*, 1> results = {&sum};
    EXPECT_EQ(Text(with_context ? call.Execute(operands, results, AsXlaCpu())
                                : call.Execute(operands, results)),
              "OK");
    EXPECT_EQ(sum, 42);
  }
  EXPECT_THAT(Text(call.Execute({}, {})), StartsWith("INVALID_ARGUMENT: "));

  const callbridge_array operands[] = {{&a, 4}, {&b, 4}};
  const callbridge::Array result = {&sum, 4};
  sum = 0;
  EXPECT_EQ(Text(callbridge::Execute(Untyped(&AddS32), PairSite(), operands, {&result, 1})), "OK");
  EXPECT_EQ(sum, 42);
  const callbridge::EntryPoints points = callbridge::GetEntryPoints(Untyped(&AddS32)).value();
  EXPECT_NE(points.untyped, nullptr);
  EXPECT_NE(points.typed, nullptr);
  Target compatible = Untyped(&AddS32);
  EXPECT_FALSE(compatible.command_buffer_compatible);
  compatible.command_buffer_compatible = true;
  EXPECT_EQ(callbridge::ToC(compatible).command_buffer_compatible, 1);
  EXPECT_NE(callbridge::GetEntryPoints(compatible)->typed, points.typed);
}

TEST(CallbridgeHppTest, TypedTargets) {
  Attributes more = Attributes::Create().value();
  more.Set("list", std::vector<int64_t>{1, 2}).value();
  Attributes attributes = Attributes::Create().value();
  attributes.Set("by", 10).value();
  attributes.Set("name", "scale").value();
  attributes.Set("more", more).value();
  Site site;
  site.operands = {"s32[]"};
  site.result = "s32[]";
  site.attributes = &attributes;
  site.release = "0.10.2";
  int32_t in = 4, out = 0;
  void* operands[] = {&in};
  void* results[] = {&out};
  EXPECT_EQ(Text(Call::Bind(Typed(scale), site).value().Execute(operands, results)), "OK");
  EXPECT_EQ(out, 42);
  attributes.Set("name", std::string("other")).value();
  EXPECT_THAT(Text(Call::Bind(Typed(scale), site).value().Execute(operands, results)),
              HasSubstr("INVALID_ARGUMENT: another name"));
  site.release = "0.1";
  EXPECT_THAT(Text(Call::Bind(Typed(scale), site)), StartsWith("INVALID_ARGUMENT: "));
  EXPECT_THAT(Text(callbridge::EncodeSite(site)), StartsWith("OK"));
  site.result = "no shape";
  EXPECT_THAT(Text(callbridge::EncodeSite(site)), StartsWith("INVALID_ARGUMENT: result: "));
}

TEST(CallbridgeHppTest, StartedRuns) {
  may_end = false;
  Site site;
  site.result = "s32[]";
  Call call = Call::Bind(Typed(when_it_may), site, AsXlaCpu()).value();
  int32_t out = 0;
  void* results[] = {&out};
  std::string told = "not yet";
  // It can be moved only, as a std::promise.
  callbridge::Run run = call.Start({}, results, AsXlaCpu(),
                                   [&told, owned = std::make_unique<int>(1)](Result<void> result) {
                                     told = Text(result);
                                     static_cast<void>(owned);
                                   })
                            .value();
  EXPECT_THAT(Text(run.Wait(std::chrono::microseconds(1))), HasSubstr("DEADLINE_EXCEEDED: "));
  EXPECT_THAT(Text(run.Wait(std::chrono::hours::min())), HasSubstr("in 0 ms"));
  may_end = true;
  EXPECT_EQ(Text(run.Wait(std::chrono::hours::max())), "OK");
  EXPECT_EQ(told, "OK");
  EXPECT_EQ(out, 42);
  EXPECT_EQ(Text(call.Start({}, results, AsXlaCpu()).value().Wait()), "OK");

  const Call moved = std::move(call);
  bool is_called = false;
  const auto done = [&is_called](const Result<void>&) { is_called = true; };
  // What a handle does that was moved from is what is tested.
  // NOLINTNEXTLINE(bugprone-use-after-move,clang-analyzer-cplusplus.Move)
  EXPECT_EQ(Text(call.Start({}, results, {}, done)), "INVALID_ARGUMENT: call is null");
  EXPECT_FALSE(is_called);
}

// ---- Errors

TEST(CallbridgeHppTest, ErrorsAreResultsOrExceptions) {
  const Call call = Call::Bind(Untyped(&Fail), Site()).value();
  Result<void> failed = call.Execute({}, {});
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code(), 13);
  EXPECT_EQ(failed.error().code_name(), "INTERNAL");
  EXPECT_THAT(std::string(failed.error().message()), HasSubstr("no such thing"));
  try {
    failed.value();
    ADD_FAILURE();
  } catch (const callbridge::Exception& exception) {
    const callbridge::Exception copy = exception;
    EXPECT_EQ(copy.what(), failed.error().ToString());
    EXPECT_EQ(copy.code(), 13);
    EXPECT_EQ(copy.code_name(), "INTERNAL");
    EXPECT_EQ(copy.message(), failed.error().message());
  }
  Result<Target> none = Library::OfProcess().value().Find("none");
  EXPECT_THROW(none.value(), callbridge::Exception);
  EXPECT_THROW(std::as_const(none).value(), callbridge::Exception);
  EXPECT_THROW(std::move(none).value(), callbridge::Exception);
  const callbridge::Error moved = std::move(failed).error();
  EXPECT_EQ(moved.code(), 13);
}

TEST(CallbridgeHppDeathTest, EachFileKeepsItsOwnWay) {
  EXPECT_EXIT(without_exceptions::ValueOfAnError(), testing::KilledBySignal(SIGABRT),
              "callbridge: INVALID_ARGUMENT: wrong");
  const Result<int> wrong = callbridge::Error(3, "wrong");
  EXPECT_THROW(static_cast<void>(wrong.value()), callbridge::Exception);
  EXPECT_EQ(without_exceptions::TextOfAnError(), "INVALID_ARGUMENT: wrong");
}

TEST(CallbridgeHppTest, NothingIsCutAtANul) {
  const std::string cut("x\0y", 3);
  const std::string refused = "INVALID_ARGUMENT: expected a ";
  Target target = Untyped(&AddS32);
  target.name = cut;
  EXPECT_EQ(Text(Call::Bind(target, PairSite())),
            refused + "target's name without NULs, got one that starts with \"x\"");
  EXPECT_THAT(Text(callbridge::GetEntryPoints(target)), StartsWith(refused));
  target = Untyped(&AddS32);
  target.platform = cut;
  EXPECT_THAT(Text(Call::Bind(target, PairSite())), StartsWith(refused + "platform"));
  target.platform = "Host";
  for (auto change : {+[](Site&site, const std::string&to) { site.operands[1] = to; },
                      +[](Site&site, const std::string&to) { site.result = to; }}) {
    Site site = PairSite();
    change(site, cut);
    EXPECT_THAT(Text(Call::Bind(target, site)), StartsWith(refused + "shape"));
    EXPECT_THAT(Text(callbridge::EncodeSite(site)), StartsWith(refused + "shape"));
    EXPECT_THAT(Text(callbridge::Execute(target, site, {}, {})), StartsWith(refused + "shape"));
  }
  Site site = PairSite();
  site.release = cut;
  EXPECT_THAT(Text(Call::Bind(target, site)), StartsWith(refused + "release"));
  Attributes attributes = Attributes::Create().value();
  EXPECT_THAT(Text(attributes.Set(cut, 1)), StartsWith(refused + "name"));
  EXPECT_THAT(Text(callbridge::Inspect(cut)), StartsWith(refused + "path"));
  // An opaque is bytes.
  site = PairSite();
  site.opaque = cut;
  EXPECT_EQ(Text(Call::Bind(target, site)), "OK");
}

TEST(CallbridgeHppTest, HandlesThatWereMovedFromAreRefused) {
  // What handles do that were moved from is what is tested.
  // NOLINTBEGIN(bugprone-use-after-move,clang-analyzer-cplusplus.Move)
  Attributes attributes = Attributes::Create().value();
  Attributes kept = std::move(attributes);
  EXPECT_EQ(Text(attributes.Set("n", 1)), "INVALID_ARGUMENT: attributes is null");
  EXPECT_EQ(Text(kept.Set("n", attributes)), "INVALID_ARGUMENT: dictionary is null");
  Call call = Call::Bind(Untyped(&AddS32), PairSite()).value();
  const Call other = std::move(call);
  EXPECT_EQ(Text(call.Execute({}, {})), "INVALID_ARGUMENT: call is null");
  callbridge::Run run = Call::Bind(Untyped(&AddS32), PairSite()).value().Start({}, {}).value();
  const callbridge::Run last = std::move(run);
  EXPECT_EQ(Text(run.Wait()), "INVALID_ARGUMENT: run is null");
  EXPECT_THAT(Text(last.Wait()), HasSubstr("INVALID_ARGUMENT: "));
  // NOLINTEND(bugprone-use-after-move,clang-analyzer-cplusplus.Move)
}

// ---- Operator information

TEST(CallbridgeHppTest, OperatorInfoIsChecked) {
  using callbridge::OperatorInfo;
  OperatorInfo info = OperatorInfo::Parse(R"({"inputs": [{}, {}], "outputs": [{}],
      "dtype_format": [[["int32", ""], ["int32", ""], ["int32", ""]]], "target": "CPU"})")
                          .value();
  Site site = PairSite();
  site.operator_info = &info;
  EXPECT_EQ(Text(Call::Bind(Untyped(&AddS32), site)), "OK");
  EXPECT_EQ(Text(callbridge::CheckOperator(Untyped(&AddS32), site)), "OK");
  site.operands[1] = "f32[]";
  EXPECT_THAT(Text(Call::Bind(Untyped(&AddS32), site)),
              HasSubstr("operand 1 must be s32, but is f32[]"));
  EXPECT_THAT(Text(callbridge::CheckOperator(Untyped(&AddS32), site)),
              StartsWith("INVALID_ARGUMENT: custom call \"untyped\""));
  EXPECT_EQ(Text(OperatorInfo::Parse("3")),
            "INVALID_ARGUMENT: operator information: the whole text is 3: expected an object");
  const OperatorInfo kept = std::move(info);
  EXPECT_EQ(Text(Call::Bind(Untyped(&AddS32), site)),
            "INVALID_ARGUMENT: Site::operator_info was moved from");
  EXPECT_EQ(Text(callbridge::EncodeSite(site)),
            "INVALID_ARGUMENT: Site::operator_info was moved from");
}

// ---- Files

TEST(CallbridgeHppTest, FilesAreInspected) {
  // This program.
  const std::string json = callbridge::Inspect("/proc/self/exe").value();
  EXPECT_THAT(json, StartsWith("{\"file\":\"/proc/self/exe\",\"kind\":\"program\","));
  EXPECT_THAT(Text(callbridge::Inspect("/no/such/file.so")),
              StartsWith("NOT_FOUND: /no/such/file.so: "));
}

// ---- Spans

TEST(CallbridgeHppTest, SpansBorrowLists) {
  static_assert(!std::is_constructible_v<Span<void*>, std::vector<int*>&>);
  static_assert(!std::is_constructible_v<Span<int>, const std::vector<int>&>);
  std::vector<int> list = {1, 2, 3};
  const Span<int> span = list;
  EXPECT_EQ(span.size(), 3U);
  EXPECT_EQ(span.data(), list.data());
  EXPECT_EQ(span[1], 2);
  int sum = 0;
  for (const int element : Span<const int>(list)) sum += element;
  EXPECT_EQ(sum, 6);
  EXPECT_EQ(Span<int>().size(), 0U);
}

}  // namespace
