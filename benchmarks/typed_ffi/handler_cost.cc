// What a typed handler costs. The handlers are in libraries beside this program, one for each
// header and compiler: MEASURED-COMPILER.so. Without arguments a Google Benchmark program; run as
//   handler_cost --calls
// under callgrind it dumps, for each case, the cost of few calls and of many, as "CASE few" and
// "CASE many"; and it writes how often each call allocated.
#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <valgrind/callgrind.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "callbridge/adapters/cross_version/handler.h"
#include "callbridge/typed_ffi/c_api.h"
#include "frame.h"
#include "tests/counted_allocations.h"

// ---- What the handlers call ---------------------------------------------------------------------

extern "C" {
__attribute__((visibility("default"))) int64_t measured_value;
__attribute__((visibility("default"))) void measured_function(void* out, const void** in) {
  *static_cast<float*>(out) = *static_cast<const float*>(in[0]);
}
}

namespace callbridge {
namespace {

constexpr int64_t kFew = 1'000, kMany = 11'000;

// ---- Cases --------------------------------------------------------------------------------------

struct Case {
  std::string name;
  XLA_FFI_Handler* handler;
  std::shared_ptr<Frame> frame;
  bool fails = false;
};

__attribute__((noinline)) void Call(const Case& each, int64_t count) {
  XLA_FFI_Handler* const handler = each.handler;
  XLA_FFI_CallFrame* const frame = each.frame->get();
  const bool fails = each.fails;
  for (int64_t i = 0; i < count; ++i) {
    if ((handler(frame) != nullptr) != fails) std::abort();
  }
}

class Library {
 public:
  explicit Library(const std::string& name)
      : name_(name),
        handle_(dlopen((std::string(CALLBRIDGE_MEASURED_LIBRARIES) + "/" + name + ".so").c_str(),
                       RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) {
      std::cerr << "handler_cost: " << dlerror() << "\n";
      std::exit(2);
    }
  }

  XLA_FFI_Handler* Find(const std::string& symbol) const {
    void* address = dlsym(handle_, symbol.c_str());
    if (address == nullptr) {
      std::cerr << "handler_cost: " << dlerror() << "\n";
      std::exit(2);
    }
    return reinterpret_cast<XLA_FFI_Handler*>(address);
  }

  // "LIBRARY: SYMBOL"
  Case Make(const std::string& symbol, std::shared_ptr<Frame> frame) const {
    return {name_ + ": " + symbol, Find(symbol), std::move(frame)};
  }

 private:
  std::string name_;
  void* handle_;
};

const XLA_FFI_Api runtime = RuntimeOf(5, 208);  // jaxlib 0.12
const XLA_FFI_Api runtime_0_8_3 = RuntimeOf(2, 192);
const XLA_FFI_Api runtime_0_10_2 = RuntimeOf(3, 192);

std::shared_ptr<Frame> MakeFrame(int64_t args, const XLA_FFI_Api& api = runtime) {
  return std::make_shared<Frame>(&api, args);
}

constexpr int kSizes[] = {1, 4, 8, 16};

std::string Sized(const std::string& symbol, int size) {
  return symbol + "_" + std::to_string(size);
}

void AddHandlers(const Library& library, std::vector<Case>& cases) {
  const std::vector<std::string> names = {"alpha",      "axis",     "beta",  "epsilon",
                                          "iterations", "momentum", "scale", "threshold"};
  for (const char* symbol : {"AnyBuffer", "Buffer", "RemainingArgs"}) {
    for (int n : kSizes) cases.push_back(library.Make(Sized(symbol, n), MakeFrame(n)));
  }
  const auto with = [&](const std::string& symbol, const std::function<void(Frame&)>& add) {
    cases.push_back(library.Make(symbol, MakeFrame(1)));
    add(*cases.back().frame);
  };
  with("Scalars_1", [](Frame& frame) { frame.AddScalars({"axis"}); });
  with("Scalars_4", [&](Frame& frame) { frame.AddScalars({names.begin(), names.begin() + 4}); });
  with("Scalars_8", [&](Frame& frame) { frame.AddScalars(names); });
  with("String_1", [](Frame& frame) { frame.AddString("mode", "reflect"); });
  with("Dictionary_8", [&](Frame& frame) { frame.AddScalars(names); });
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  const auto with_pairs = [&](const std::string& symbol, const Pairs& pairs) {
    with(symbol, [&](Frame& frame) {
      for (const auto& [text, number] : pairs) {
        frame.AddString(text, "a value");
        frame.AddScalars({number});
      }
    });
  };
  with_pairs("MixedDictionary_8", {{"activation", "axis"},
                                   {"direction", "features"},
                                   {"mode", "padding"},
                                   {"precision", "strides"}});
  with_pairs("AlikeDictionary_8", {{"dilate_h", "dilate_w"},
                                   {"kernel_h", "kernel_w"},
                                   {"offset_h", "offset_w"},
                                   {"stride_h", "stride_w"}});
  with("Struct_4", [](Frame& frame) {
    frame.AddScalars({"bottom", "left", "right", "top"});
    frame.WrapAttrs("padding");
  });
  with("Error_1", [](Frame&) {});
  cases.back().fails = true;
}

void AddHandWritten(const Library& library, std::vector<Case>& cases) {
  cases.push_back(library.Make("Return", MakeFrame(1)));
  for (const char* symbol : {"Nothing", "Tags", "Dtypes", "Shapes"}) {
    for (int n : kSizes) cases.push_back(library.Make(Sized(symbol, n), MakeFrame(n)));
  }
  for (int n : kSizes) {
    cases.push_back(library.Make("AnyNumber", MakeFrame(n)));
    cases.back().name = Sized(cases.back().name, n);
  }
}

void AddExported(const Library& library, std::vector<Case>& cases) {
  for (int n : kSizes) {
    cases.push_back(library.Make("Export", MakeFrame(n)));
    cases.back().name = Sized(cases.back().name, n);
    cases.push_back(library.Make(Sized("Export", n), MakeFrame(n)));
    cases.back().name += " with Shapes";
  }
}

// A handler of jaxlib 0.8.3's headers, by itself on that runtime and through callbridge on 0.10.2.
void AddCrossVersion(const Library& library, std::vector<Case>& cases) {
  const auto add = [&](const std::string& symbol, int n, bool fails) {
    cases.push_back(library.Make(symbol, MakeFrame(n, runtime_0_8_3)));
    cases.back().fails = fails;
    cases.push_back(library.Make(symbol, MakeFrame(n, runtime_0_10_2)));
    absl::StatusOr<XLA_FFI_Handler*> wrapper =
        GetCrossVersionWrapper(library.Find(symbol), Platform::kHost);
    if (!wrapper.ok()) {
      std::cerr << "handler_cost: " << wrapper.status() << "\n";
      std::exit(2);
    }
    cases.back().handler = *wrapper;
    cases.back().fails = fails;
    cases.back().name += " through callbridge";
  };
  for (int n : kSizes) add(Sized("AnyBuffer", n), n, false);
  add("Error_1", 1, true);
}

std::vector<Case> AllCases() {
  std::vector<Case> cases;
  for (const std::string compiler : {"g++", "clang++"}) {
    AddHandWritten(Library("hand_written-" + compiler), cases);
    AddExported(Library("exported-" + compiler), cases);
    AddHandlers(Library("callbridge-" + compiler), cases);
    AddHandlers(Library("genuine-" + compiler), cases);
  }
  AddCrossVersion(Library("genuine_0.8.3-g++"), cases);
  return cases;
}

// Few calls first, and uncounted, so that what a handler does once is done.
void MakeCalls(const Case& each) {
  const std::string few = each.name + " few", many = each.name + " many";
  Call(each, kFew);
  CALLGRIND_ZERO_STATS;
  Call(each, kFew);
  CALLGRIND_DUMP_STATS_AT(few.c_str());
  const int before = allocations;
  Call(each, kMany);
  const int made = allocations - before;
  CALLGRIND_DUMP_STATS_AT(many.c_str());
  std::cout << each.name << "\t" << static_cast<double>(made) / kMany << "\n";
}

}  // namespace
}  // namespace callbridge

int main(int argc, char** argv) {
  const std::vector<callbridge::Case> cases = callbridge::AllCases();
  if (argc == 2 && std::string(argv[1]) == "--calls") {
    for (const callbridge::Case& each : cases) callbridge::MakeCalls(each);
    return 0;
  }
#ifndef __clang_analyzer__  // it takes what is registered for lost
  for (const callbridge::Case& each : cases) {
    benchmark::RegisterBenchmark(each.name.c_str(), [each](benchmark::State& state) {
      while (state.KeepRunningBatch(1000)) callbridge::Call(each, 1000);
    });
  }
#endif
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
