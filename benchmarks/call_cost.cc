// What a call costs. Without arguments a Google Benchmark program; run as
//   call_cost --calls CASE COUNT
// it makes COUNT calls of a case and nothing else, for callgrind: the difference between two counts
// is what the calls themselves took.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/abi/site_descriptor.h"
#include "callbridge/abi/typed_site_descriptor.h"
#include "callbridge/adapters/bind.h"
#include "callbridge/adapters/entry_points/entry_points.h"
#include "callbridge/mindspore_aot/aot_handler.h"
#include "callbridge/mindspore_aot/aot_operator.h"
#include "typed_ffi/frame.h"
#include "xla/ffi/api/ffi.h"

extern "C" void measured_target(void* out, const void** in);
extern "C" int measured_operator(int nparam, void** params, int* ndims, int64_t** shapes,
                                 const char** dtypes, void* stream, void* extra);

namespace callbridge {
namespace {

namespace ffi = xla::ffi;

constexpr int kMaxLeaves = 256;
float data[kMaxLeaves + 1];

// Makes `count` calls.
using Calls = std::function<void(int64_t count)>;

struct Case {
  std::string name;
  Calls calls;
};

Target MeasuredTarget(bool proved) {
  return {"measured_target", Platform::kHost, ApiVersion::kOriginal, proved,
          reinterpret_cast<void*>(&measured_target)};
}

// ---- The direct call ----------------------------------------------------------------------------

// What the caller of a version-1 target must do at least: store N + 1 pointers, call. The function
// pointer is opaque to the compiler, as it is to a runtime.
template <int N>
__attribute__((noinline)) void CallDirectly(void* const* buffers,
                                            void (*target)(void*, const void**)) {
  const void* in[N];
  for (int i = 0; i < N; ++i) in[i] = buffers[i];
  target(buffers[N], in);
}

template <int N>
Case Direct() {
  return {absl::StrCat("direct/", N), [](int64_t count) {
            std::vector<void*> buffers(N + 1, data);
            void (*volatile target)(void*, const void**) = &measured_target;
            for (int64_t i = 0; i < count; ++i) CallDirectly<N>(buffers.data(), target);
          }};
}

// ---- BoundCall::Execute -------------------------------------------------------------------------

Case Execute(const std::string& name, const Target& target, const std::string& operand,
             int repeat) {
  CallSite site;
  site.operands.assign(repeat, *ParseShape(operand));
  site.result = *ParseShape("f32[1]");
  int64_t leaves = 0;
  for (const Shape& shape : site.operands) leaves += shape.LeafCount();
  auto call = std::make_shared<BoundCall>(*Bind(site, target));
  return {name, [call, leaves](int64_t count) {
            std::vector<void*> operands(leaves, data);
            void* result = data;
            const CallBuffers buffers{absl::MakeSpan(operands), {&result, 1}};
            const ExecutionContext context;
            for (int64_t i = 0; i < count; ++i) {
              if (!call->Execute(buffers, context).ok()) std::abort();
            }
          }};
}

// ---- The untyped way back -----------------------------------------------------------------------

using Version3 = void (*)(void*, const void**, const char*, size_t, void*);

Case Untyped(const std::string& name, void* function) {
  return {name, [function](int64_t count) {
            const void* in[] = {data, data};
            char status[40] = {};
            auto call = reinterpret_cast<Version3>(function);
            for (int64_t i = 0; i < count; ++i) call(data, in, nullptr, 0, status);
          }};
}

// ---- The typed way back -------------------------------------------------------------------------

// What no handler can go below.
XLA_FFI_Error* RawHandler(XLA_FFI_CallFrame* frame) {
  const auto* x = static_cast<const XLA_FFI_Buffer*>(frame->args.args[0]);
  const auto* y = static_cast<const XLA_FFI_Buffer*>(frame->rets.rets[0]);
  *static_cast<float*>(y->data) = *static_cast<const float*>(x->data);
  return nullptr;
}

// Of two arguments.
Case Typed(const std::string& name, XLA_FFI_Handler* handler) {
  return {name, [handler](int64_t count) {
            const XLA_FFI_Api api = RuntimeOf(3, 192);  // jaxlib 0.10.2
            Frame frame(&api, 2);
            for (int64_t i = 0; i < count; ++i) {
              if (handler(frame.get()) != nullptr) std::abort();
            }
          }};
}

// ---- Call sites with descriptors ----------------------------------------------------------------

// Calls `function` by version 3 with one descriptor after the other, each of which has been called
// once before.
Case Described(const std::string& name, void* function, std::vector<std::string> descriptors) {
  struct Sites {
    std::vector<std::string> descriptors;
    size_t called = 0;
  };
  auto sites = std::make_shared<Sites>(Sites{std::move(descriptors)});
  return {name, [sites, call = reinterpret_cast<Version3>(function)](int64_t count) {
            std::vector<const void*> in(kMaxLeaves, data);
            char status[40] = {};
            const size_t size = sites->descriptors.size();
            if (sites->called == 0) count += static_cast<int64_t>(size);
            for (int64_t i = 0; i < count; ++i) {
              const std::string& descriptor = sites->descriptors[sites->called++ % size];
              call(data, in.data(), descriptor.data(), descriptor.size(), status);
            }
          }};
}

// Sites of two operands, of which each has another shape.
std::vector<std::string> TypedSites(int count) {
  std::vector<std::string> descriptors;
  for (int i = 0; i < count; ++i) {
    CallSite site;
    const Shape shape = *ParseShape(absl::StrCat("f32[", i + 1, "]"));
    site.operands = {shape, shape};
    site.result = shape;
    descriptors.push_back(*EncodeTypedSiteDescriptor(site));
  }
  return descriptors;
}

// Sites of an array and a tuple, whose types spell a number each.
std::vector<std::string> TupleSites(int count) {
  std::vector<std::string> descriptors;
  for (int i = 0; i < count; ++i) {
    std::string tuple = "(f32[]";
    for (int bit = 0; bit < 15; ++bit) {
      absl::StrAppend(&tuple, (i >> bit & 1) != 0 ? ",f32[]" : ",s32[]");
    }
    CallSite site;
    site.operands = {*ParseShape("f32[1]"), *ParseShape(absl::StrCat(tuple, ")"))};
    site.result = *ParseShape("f32[1]");
    descriptors.push_back(EncodeSiteDescriptor(site));
  }
  return descriptors;
}

// ---- AOT operators ------------------------------------------------------------------------------

// What the caller of an operator must do at least: store the pointers, call. Types and shapes of a
// call site do not change.
template <int N>
__attribute__((noinline)) void CallOperator(void* const* buffers,
                                            mindspore_aot::AotOperator::Function* function,
                                            int* ndims, int64_t** shapes, const char** dtypes) {
  void* params[N];
  for (int i = 0; i < N; ++i) params[i] = buffers[i];
  if (function(N, params, ndims, shapes, dtypes, nullptr, nullptr) != 0) std::abort();
}

template <int N>
Case DirectOperator() {
  return {absl::StrCat("AOT operator, direct/", N), [](int64_t count) {
            std::vector<void*> buffers(N, data);
            std::vector<int> ndims(N, 1);
            int64_t size = 1;
            std::vector<int64_t*> shapes(N, &size);
            std::vector<const char*> dtypes(N, "float32");
            mindspore_aot::AotOperator::Function* volatile function = &measured_operator;
            for (int64_t i = 0; i < count; ++i) {
              CallOperator<N>(buffers.data(), function, ndims.data(), shapes.data(), dtypes.data());
            }
          }};
}

// Of a number of parameters, the last of which is the result.
Case Operator(int parameters) {
  mindspore_aot::AotOperator aot;
  aot.name = "measured_operator";
  aot.function = &measured_operator;
  const Target target = *mindspore_aot::MakeTypedTarget(aot, Platform::kHost);
  return Execute(absl::StrCat("AOT operator, execute/", parameters), target, "f32[1]",
                 parameters - 1);
}

// ---- All ----------------------------------------------------------------------------------------

// What the typed sites are of: a handler that does as little as the measured target.
using F32 = ffi::Buffer<ffi::F32>;
ffi::Error CopyFirst(F32 x, F32, ffi::Result<F32> y) {
  *y->typed_data() = *x.typed_data();
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kCopyFirst, CopyFirst, ffi::Ffi::Bind().Arg<F32>().Arg<F32>().Ret<F32>());

constexpr int kManySites = 20'000;

std::vector<Case> DescribedCases() {
  const Target typed = {"copy_first", Platform::kHost, ApiVersion::kTypedFfi, true,
                        reinterpret_cast<void*>(kCopyFirst)};
  void* const to_typed = GetEntryPoints(typed)->untyped;
  void* const to_untyped = GetEntryPoints(MeasuredTarget(true))->untyped;
  std::vector<Case> cases;
  for (int count : {1, kManySites}) {
    cases.push_back(
        Described(absl::StrCat("typed sites by version 3/", count), to_typed, TypedSites(count)));
    cases.push_back(
        Described(absl::StrCat("tuple sites by version 3/", count), to_untyped, TupleSites(count)));
  }
  return cases;
}

std::vector<Case> AllCases() {
  std::vector<Case> cases = {Direct<1>(), Direct<4>(), Direct<8>(), Direct<16>()};
  for (int n : {1, 4, 8, 16}) {
    cases.push_back(Execute(absl::StrCat("execute/", n), MeasuredTarget(true), "f32[1]", n));
    cases.push_back(Execute(absl::StrCat("execute, version declared only/", n),
                            MeasuredTarget(false), "f32[1]", n));
  }
  // Leaves in one tuple that also holds a tuple, so that each needs a slot in a table of its own.
  for (int n : {4, 8, 16, 32, 64}) {
    std::string tuple = "(f32[1]";
    for (int i = 2; i < n; ++i) absl::StrAppend(&tuple, ",f32[1]");
    cases.push_back(Execute(absl::StrCat("tuple of leaves and a tuple/", n), MeasuredTarget(true),
                            tuple + ",(f32[1]))", 1));
  }
  // The documentation's operand, of four leaves.
  for (int n : {4, 8, 16, 32, 64}) {
    cases.push_back(Execute(absl::StrCat("documentation's tuple/", n), MeasuredTarget(true),
                            "(f32[32],(f32[64],f32[128]),f32[256])", n / 4));
  }
  cases.push_back(Untyped("version 3, native", reinterpret_cast<void*>(&measured_target)));
  cases.push_back(
      Untyped("version 3, through the entry point", GetEntryPoints(MeasuredTarget(true))->untyped));
  cases.push_back(Untyped("version 3, through the entry point, version declared only",
                          GetEntryPoints(MeasuredTarget(false))->untyped));
  cases.push_back(Typed("typed, by hand without checks", &RawHandler));
  cases.push_back(
      Typed("typed, through the entry point", GetEntryPoints(MeasuredTarget(true))->typed));
  cases.push_back(Typed("typed, through the entry point, version declared only",
                        GetEntryPoints(MeasuredTarget(false))->typed));
  cases.push_back(DirectOperator<3>());
  cases.push_back(DirectOperator<16>());
  for (int parameters : {3, 16}) cases.push_back(Operator(parameters));
  for (Case& each : DescribedCases()) cases.push_back(std::move(each));
  return cases;
}

int MakeCalls(const std::string& name, int64_t count) {
  for (const Case& each : AllCases()) {
    if (each.name != name) continue;
    each.calls(count);
    return 0;
  }
  std::cerr << "call_cost: no case is named " << name << "\n";
  return 2;
}

}  // namespace
}  // namespace callbridge

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == "--calls") {
    return callbridge::MakeCalls(argv[2], std::atoll(argv[3]));
  }
  for (const callbridge::Case& each : callbridge::AllCases()) {
    benchmark::RegisterBenchmark(each.name.c_str(), [each](benchmark::State& state) {
      while (state.KeepRunningBatch(1000)) each.calls(1000);
    });
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
