// The command-buffer trait: what untyped targets report of it, and typed handlers that have none.
#include <iterator>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "callbridge/adapters/cross_version/handler.h"
#include "callbridge/adapters/cross_version/traits.h"
#include "callbridge/adapters/entry_points/entry_points.h"
#include "callbridge/typed_ffi/host/metadata_query.h"
#include "gtest/gtest.h"
#include "tests/adapters/ffi_call.h"
#include "tests/adapters/imitated_headers.h"
#include "tests/adapters/recording_targets.h"
#include "tests/adapters/site_descriptors.h"
#include "xla/ffi/api/ffi.h"

namespace callbridge {
namespace {

using typed_ffi::kNewestVersion;
using typed_ffi::kRuntimeVersionCount;
using typed_ffi::kRuntimeVersions;

constexpr XLA_FFI_Handler_Traits kNone = 0;
constexpr XLA_FFI_Handler_Traits kCompatible = XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE;
constexpr XLA_FFI_Handler_Traits kLater = 1U << 7;  // of an XLA to come

// What a runtime of that row learns of the handler.
XLA_FFI_Handler_Traits Traits(XLA_FFI_Handler* handler,
                              const typed_ffi::RuntimeVersion& runtime = kNewestVersion) {
  const absl::StatusOr<host::HandlerMetadata> metadata = host::QueryMetadata(runtime, handler);
  EXPECT_TRUE(metadata.ok()) << metadata.status() << " of " << runtime.releases;
  return metadata.ok() ? metadata->traits : ~kNone;
}

// ---- Untyped targets

class TraitsOfTargetsTest : public ::testing::Test {
 protected:
  TraitsOfTargetsTest() { recorded = Recorded(); }

  static EntryPoints Points(Target target, XLA_FFI_Handler_Traits traits) {
    target.traits = traits;
    return GetEntryPoints(target).value();
  }

  const Target host_ =
      MakeTarget(&HostUnifiedTarget, Platform::kHost, ApiVersion::kStatusReturningUnified);
  const Target gpu_ = MakeTarget(&GpuStatusTarget, Platform::kCuda, ApiVersion::kStatusReturning);
  const Target rocm_ = MakeTarget(&GpuStatusTarget, Platform::kRocm, ApiVersion::kStatusReturning);
};

TEST_F(TraitsOfTargetsTest, AreReportedToEachRuntimeThatAsks) {
  for (const Target& target : {host_, gpu_, rocm_}) {
    for (XLA_FFI_Handler_Traits traits : {kNone, kCompatible}) {
      for (const typed_ffi::RuntimeVersion& runtime : kRuntimeVersions) {
        const bool asks = runtime.metadata_size != 0;
        EXPECT_EQ(Traits(Points(target, traits).typed, runtime), asks ? traits : kNone)
            << runtime.releases;
      }
    }
  }
}

// The pair of each is its own, and neither answers for the other.
TEST_F(TraitsOfTargetsTest, OneFunctionHasEntryPointsOfEachKind) {
  const EntryPoints without = Points(gpu_, kNone);
  const EntryPoints with = Points(gpu_, kCompatible);
  EXPECT_NE(with.typed, without.typed);
  EXPECT_NE(with.untyped, without.untyped);
  EXPECT_EQ(Points(gpu_, kCompatible).typed, with.typed);
  EXPECT_EQ(Points(gpu_, kNone).typed, without.typed);
  EXPECT_EQ(Traits(without.typed), kNone);
  EXPECT_EQ(Traits(with.typed), kCompatible);
}

char data[4];
int stream = 0;

TEST_F(TraitsOfTargetsTest, ChangeNoCall) {
  for (bool is_described : {false, true}) {
    FfiCall call;
    call.Arg(PrimitiveType::kF32, &data[0]).Ret(PrimitiveType::kF32, &data[1]).Stream(&stream);
    if (is_described) {
      call.StringAttr(kSiteDescriptorAttribute, Descriptor({"f32[]"}, "f32[]", "scale"));
    }
    recorded = Recorded();
    recorded.inspect = [](Recorded& call) {
      EXPECT_EQ(call.stream, &stream);
      EXPECT_EQ(call.buffers[0], &data[0]);
      EXPECT_EQ(call.buffers[1], &data[1]);
    };
    ASSERT_EQ(call.Call(Points(gpu_, kCompatible).typed), absl::OkStatus());
    EXPECT_EQ(recorded.calls, 1);
    EXPECT_EQ(recorded.opaque, is_described ? "scale" : "");
  }
  recorded = Recorded();
  const std::string message = "no convergence";
  recorded.failure = &message;
  FfiCall call;
  call.Arg(PrimitiveType::kF32, &data[0]).Ret(PrimitiveType::kF32, &data[1]);
  EXPECT_EQ(call.Call(Points(host_, kCompatible).typed),
            absl::InternalError("CustomCall failed: no convergence"));
}

TEST_F(TraitsOfTargetsTest, ATypedTargetIsCalledByVersionThreeAllTheSame) {
  Target typed = gpu_;
  typed.api_version = ApiVersion::kTypedFfi;
  EXPECT_EQ(Points(typed, kNone).untyped, Points(typed, kCompatible).untyped);
}

// ---- Typed handlers

// Written by hand, and refuses queries on demand.
bool refuses = false;
int calls = 0;
XLA_FFI_Error* ByHand(XLA_FFI_CallFrame* frame) {
  if (frame->extension_start == nullptr ||
      frame->extension_start->type != XLA_FFI_Extension_Metadata) {
    ++calls;
    return nullptr;
  }
  if (refuses) return imitated::MakeError(*frame->api, kNewestVersion, "not now");
  auto& metadata = *reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start)->metadata;
  metadata.api_version.major_version = 0;
  metadata.api_version.minor_version = 1;
  metadata.traits = kLater;
  return nullptr;
}

namespace ffi = xla::ffi;
XLA_FFI_DEFINE_HANDLER(
    kAdaptsWithout, [] { return ffi::Error::Success(); }, ffi::Ffi::Bind());
XLA_FFI_DEFINE_HANDLER(kAdaptsWith, [] { return ffi::Error::Success(); }, ffi::Ffi::Bind(),
                       {ffi::Traits::kCmdBufferCompatible});

class TraitsOfHandlersTest : public ::testing::Test {
 protected:
  TraitsOfHandlersTest() {
    imitated::says = {};
    refuses = false;
    calls = 0;
  }
  ~TraitsOfHandlersTest() override {
    imitated::says = {};
    imitated::in_the_call = nullptr;
  }

  XLA_FFI_Handler_Bundle Adapt(const XLA_FFI_Handler_Bundle& handlers,
                               XLA_FFI_Handler_Traits traits,
                               const typed_ffi::RuntimeVersion* runtime = nullptr) {
    known_ = traits;
    return AdaptHandlers(handlers, Platform::kCuda, runtime, &known_).value();
  }
  static XLA_FFI_Handler_Bundle Executes(XLA_FFI_Handler* handler) {
    XLA_FFI_Handler_Bundle handlers = {};
    handlers.execute = handler;
    return handlers;
  }

  XLA_FFI_Handler_Traits known_;  // as AdaptHandlers() leaves it
};

TEST_F(TraitsOfHandlersTest, AreAddedToItsOwn) {
  XLA_FFI_Handler* const handler = GetHandlerWithTraits(&ByHand, kCompatible).value();
  EXPECT_EQ(Traits(handler), kCompatible | kLater);
  EXPECT_EQ(Traits(&ByHand), kLater);
}

TEST_F(TraitsOfHandlersTest, AreNotWrittenIfItRefusesTheQuery) {
  XLA_FFI_Handler* const handler = GetHandlerWithTraits(&ByHand, kCompatible).value();
  refuses = true;
  EXPECT_EQ(host::QueryMetadata(kNewestVersion, handler).status(),
            absl::InvalidArgumentError("Fetching XLA FFI metadata failed: not now"));
}

// Also one whose frame has extensions, as XLA may add them.
TEST_F(TraitsOfHandlersTest, ACallReachesTheHandler) {
  XLA_FFI_Handler* const handler = GetHandlerWithTraits(&ByHand, kCompatible).value();
  EXPECT_EQ(FfiCall().Call(handler), absl::OkStatus());
  EXPECT_EQ(calls, 1);
  XLA_FFI_InternalExtension other = {};
  other.struct_size = sizeof(other);
  other.type = static_cast<decltype(other.type)>(77);
  FfiCall call;
  call.With([&](XLA_FFI_CallFrame& frame) { frame.extension_start = &other; });
  EXPECT_EQ(call.Call(handler), absl::OkStatus());
  EXPECT_EQ(calls, 2);
}

TEST_F(TraitsOfHandlersTest, OfOneHandlerAndTraitsThereIsOne) {
  std::set<XLA_FFI_Handler*> handlers;
  for (XLA_FFI_Handler* handler : {+kAdaptsWithout, &ByHand}) {
    for (XLA_FFI_Handler_Traits traits : {kCompatible, kLater}) {
      XLA_FFI_Handler* const made = *GetHandlerWithTraits(handler, traits);
      EXPECT_TRUE(handlers.insert(made).second);
      EXPECT_EQ(*GetHandlerWithTraits(handler, traits), made);
    }
  }
  XLA_FFI_Handler* found[16];
  std::vector<std::thread> threads;
  for (XLA_FFI_Handler*& each : found) {
    threads.emplace_back([&each] { each = *GetHandlerWithTraits(kAdaptsWith, kLater); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::set<XLA_FFI_Handler*>(std::begin(found), std::end(found)).size(), 1U);
}

TEST_F(TraitsOfHandlersTest, HandlersThatReportThemAreLeftAlone) {
  for (XLA_FFI_Handler_Traits traits : {kNone, kCompatible}) {
    EXPECT_EQ(Adapt(Executes(kAdaptsWith), traits).execute, +kAdaptsWith);
    EXPECT_EQ(known_, kCompatible);
  }
  imitated::says.traits = kCompatible;
  XLA_FFI_Handler* const newest = imitated::kHandlers[kRuntimeVersionCount - 1];
  EXPECT_EQ(Adapt(Executes(newest), kCompatible, &kNewestVersion).execute, newest);
  // INSTANTIATE reports them too, and XLA adds them up.
  XLA_FFI_Handler_Bundle handlers = Executes(kAdaptsWithout);
  handlers.instantiate = kAdaptsWith;
  EXPECT_EQ(Adapt(handlers, kCompatible).execute, +kAdaptsWithout);
}

TEST_F(TraitsOfHandlersTest, OthersGetThemWhereverTheyRun) {
  for (int row = 0; row < kRuntimeVersionCount; ++row) {
    XLA_FFI_Handler* const handler = imitated::kHandlers[row];
    const XLA_FFI_Handler_Bundle plain = Adapt(Executes(handler), kNone);
    EXPECT_EQ(Traits(plain.execute), kNone);
    EXPECT_EQ(known_, kNone);
    const XLA_FFI_Handler_Bundle adapted = Adapt(Executes(handler), kCompatible);
    EXPECT_EQ(Traits(adapted.execute), kCompatible) << row;
    EXPECT_EQ(known_, kCompatible);
    EXPECT_EQ(Adapt(Executes(handler), kCompatible).execute, adapted.execute);
    EXPECT_NE(adapted.execute, plain.execute);
    int called = 0;
    imitated::in_the_call = [&](XLA_FFI_CallFrame*) {
      ++called;
      return nullptr;
    };
    EXPECT_EQ(FfiCall().Call(adapted.execute), absl::OkStatus());
    EXPECT_EQ(called, 1);
  }
  EXPECT_EQ(Traits(Adapt(Executes(kAdaptsWithout), kCompatible).execute), kCompatible);
  EXPECT_EQ(Traits(Adapt(Executes(&ByHand), kCompatible).execute), kCompatible | kLater);
}

TEST_F(TraitsOfHandlersTest, OtherStagesAreLeftAlone) {
  const XLA_FFI_Handler_Bundle adapted =
      Adapt({kAdaptsWithout, nullptr, kAdaptsWithout, kAdaptsWithout, nullptr}, kCompatible);
  EXPECT_EQ(adapted.instantiate, +kAdaptsWithout);
  EXPECT_EQ(adapted.prepare, nullptr);
  EXPECT_EQ(adapted.initialize, +kAdaptsWithout);
  EXPECT_NE(adapted.execute, +kAdaptsWithout);
}

}  // namespace
}  // namespace callbridge
